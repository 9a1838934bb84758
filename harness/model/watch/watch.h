/* SPDX-License-Identifier: MIT */
/* Watching: counts and checks the accesses of instrumented kernels.
 *
 * An instrumented kernel calls a hook before every access and at the head of every basic block. The
 * hooks write one trace per lane. When no lane of a warp can run, the traces of its lanes are
 * replayed together, lowest code address first, which is where the hardware's lanes reconverge.
 * Each step of the replay is one request of a warp: it is counted, and checked against the state
 * of the memory that it accesses.
 *
 * The modules, lowest first: image.c (symbols), places.c (source lines and variables), padding.c
 * (bytes that no member of a structure holds), findings.c (errors found), regions.c (pieces of
 * memory that requests can access), sites.c (code addresses that access them), words.c (words that
 * order threads), blocks.c and order.c (which accesses happen before which, between blocks and
 * within one), cells.c (who wrote and read each byte last), races.c (unordered accesses),
 * accesses.c and shadow.c (check each access against the last ones), requests.c (the cost of a
 * request), trace.c (the lanes' traces and their replay), lines.c (counters of source lines),
 * handover.c (what forked processes have done), watch.c (modes, sampling, report), undefined.c and
 * hooks.c (the functions that compiled kernels call).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/finding.h"
#include "suite/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Modes of watching, which can be combined. */
enum { KG__MODEL_COUNT = 1, KG__MODEL_CHECK = 2 };

/* Returns whether this program's kernels are instrumented; without that, watching finds nothing. */
bool kg__model_is_instrumented(void);

/* Watches all following launches for `what`, a sum of the above or 0 for nothing, and forgets
 * earlier results. A launch of more than about `budget` accesses (0: no limit) is sampled: only
 * some blocks of each class (first, inner or last in each dimension) are run, and their counts
 * stand for their class. Launches after a sampled one are not checked, and run only if they are
 * counted. */
void kg__model_watch(unsigned int what, uint64_t budget);

/* Maximum accesses of a launch that the gate watches in full; launches with more are sampled. */
#define KG__MODEL_BUDGET ((uint64_t)1000000000)
/* The same when only bounds are checked, for which a few blocks are enough. */
#define KG__MODEL_BOUNDS_BUDGET ((uint64_t)4000000)

/* The counters of one source line. Unique bytes have no line. */
typedef struct kg__model_line {
    const char *file; /* as given to the compiler */
    unsigned int line;
    kg__counts counts;
} kg__model_line;

/* The report since kg__model_watch(). */
typedef struct kg__model_report {
    kg__counts counts;
    const kg__model_line *lines; /* by file, then line */
    size_t line_count;
    /* In order of first appearance, one per line and kind of access, with a count. */
    const kg__finding *findings;
    size_t finding_count;
    uint64_t kernels;  /* a hash of the launched kernels' names, in order */
    uint64_t blocks;   /* of all launches */
    uint64_t watched;  /* blocks that ran; fewer than `blocks` when sampled, and unique bytes are
                          then 0 */
    uint64_t accesses; /* watched accesses of single lanes */
    /* The name of memory that is too large to track who wrote and read it: accesses to it are
     * checked only against its bounds. NULL: none. */
    const char *too_large;
    /* Blocks communicate through too many words of memory to find all races between them. */
    bool too_many_words;
} kg__model_report;

/* Has `ended` called after each launch that is watched (NULL: no longer), with the counters of all
 * launches since kg__model_watch() and the accesses of single lanes; both hold during the call. */
void kg__model_on_launch(void (*ended)(const kg__counts *counts, uint64_t accesses));

/* Returns the report so far; valid until the next launch or kg__model_watch(). */
const kg__model_report *kg__model_seen(void);

/* Sets the part of an allocation that kernels may access: `bytes` from `data`, called `name` in
 * findings (kept by reference), which kernels may only read if `read_only`. It then counts as
 * never written: call this before filling it. */
void kg__model_describe(const void *data, size_t bytes, const char *name, bool read_only);

/* Makes `bytes` from `data` count as never written. */
void kg__model_forget(const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif
