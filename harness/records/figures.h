/* SPDX-License-Identifier: MIT */
/* The figures of a metric, and the work of a case, as recorded by an observer and shown in
 * results. */
#pragma once

#include <jansson.h>
#include <kernelgate/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_fields.h"
#include "base/message.h"
#include "records/sentinel.h"

/* The measurement of one metric, or of one sentinel. */
typedef struct kg__figures {
    const char *name; /* "time_ns", "global_load_requests"; a sentinel's, or "empty" */
    double value;     /* NAN: none; so are the next two, the ends of its interval */
    double low;
    double high;
    double amount;      /* of a sentinel, the bytes or operations of a launch; 0: unknown */
    const char *clock;  /* "" or NULL: unknown; never NULL after reading */
    const char *method; /* "statistic" of an imported value, such as "mean"; or NULL */
    int64_t samples;    /* 0: unknown; so are the next two */
    int64_t launches;   /* per sample */
    int64_t buffer_sets;
    const double *samples_ns; /* of its process; writing keeps up to a limit, rounded */
    size_t samples_ns_count;
    kg__bound bound; /* of a time */
} kg__figures;

/* Returns the figures of a metric as JSON, for a result, without samples. Owned by the caller. */
json_t *kg__figures_json(const kg__figures *figures);

/* Reads figures. False with `error`, "time_ns: value is not a number". */
bool kg__figures_read(const char *name, const json_t *object, kg__figures *figures,
                      kg__error *error);

/* The members of kg_work: {"operations", "bytes"}. */
extern const kg__field kg__work_fields[];
