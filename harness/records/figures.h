/* The figures of a metric, and the work of a case: as an observer records them and as results show
 * them. */
#ifndef KG__RECORDS_FIGURES_H
#define KG__RECORDS_FIGURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "records/sentinel.h"
#include "suite/work.h"

/* What was measured of one metric, or of one sentinel. */
typedef struct kg__figures {
    const char *name; /* "time_ns", "global_load_requests"; a sentinel's, or "empty" */
    double value;     /* NAN: none; so are the next two, the ends of its interval */
    double low;
    double high;
    double amount;     /* of a sentinel, the bytes or operations of a launch; 0: not known */
    const char *clock; /* "" or NULL: not known; never NULL of one that was read */
    const char
        *method;      /* "statistic", of another tool: what the value is of its samples; or NULL */
    int64_t samples;  /* 0: not known; so are the next two */
    int64_t launches; /* per sample */
    int64_t buffer_sets;
    const double *samples_ns; /* of its process; writing keeps some of many, rounded */
    size_t samples_ns_count;
    kg__bound bound; /* of a time */
} kg__figures;

/* Figures of a metric as JSON, for a result: all but the samples. Owned by the caller. */
json_t *kg__figures_json(const kg__figures *figures);

/* Reads them. False with `error`, "time_ns: value is not a number". */
bool kg__figures_read(const char *name, const json_t *object, kg__figures *figures,
                      kg__error *error);

/* {"operations", "bytes"}, owned by the caller. */
json_t *kg__work_json(const kg__work *work);

/* Reads it, with `error` as kg__fields_read() has it. */
bool kg__work_read(const json_t *object, kg__work *work, kg__error *error);

#endif
