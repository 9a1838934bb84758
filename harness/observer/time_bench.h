/* SPDX-License-Identifier: MIT */
/* The tools by which a process times on a GPU: its bench, and the sentinels and the empty kernel
 * that are timed along with the cases. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "judge/launch_cost.h"
#include "observer/graph_clock.h"
#include "records/observation.h"

/* Everything that a process keeps while it times. */
typedef struct kg__tools {
    kg__bench bench;
    int multiprocessors;
    size_t l2_bytes;
    void *copy_from;
    void *copy_to;
    float *fma_out;
    void *bus_host; /* page-locked */
    /* Amount per second of each sentinel in its last timing; 0: unknown. */
    double per_second[KG__SENTINELS];
    double case_seconds;  /* for all metrics of a case: KG_CASE_SECONDS */
    kg__loop empty;       /* empty launches, for the cost of one */
    kg__launch_cost cost; /* as far as this process has seen it */
    double patience_ms;   /* ms that repeated batches may still take */
} kg__tools;

/* Prepares the tools, runs the GPU until its clocks are up, and warms up the context; false with
 * `why`. Close them in either case. */
bool kg__tools_open(kg__tools *tools, int records, kg__error *why);

/* Frees the memory of the sentinels, and closes the bench. */
void kg__tools_close(kg__tools *tools);

/* Restores the earlier cost of a launch in this process if possible, and makes the bench record
 * it; false with `why`. A context has two such costs: once copies were made on more than one of
 * its streams, a launch takes some 180 ns more, and kernels that wait for L2 up to a tenth more
 * (docs/measuring.md). Call it before preparing a graph by the time of its launches; the bench's
 * monitor checks after every batch of samples. */
bool kg__tools_settle(kg__tools *tools, kg__error *why);

/* Times the sentinels and the empty kernel and records them, with the data they move and
 * compute: the limits that a case's work is compared with. */
bool kg__tools_time_sentinels(kg__tools *tools, kg__error *why);

/* Returns the figures of a series, under the name of a metric or a sentinel. */
kg__figures kg__series_figures(const kg__series *series, const char *name);
