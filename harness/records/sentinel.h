/* Sentinels: kernels and copies that no commit touches, timed along with the cases, and what each
 * stands for. */
#ifndef KG__RECORDS_SENTINEL_H
#define KG__RECORDS_SENTINEL_H

#include <stdbool.h>

typedef enum kg__sentinel {
    KG__COPY_SENTINEL, /* the GPU's memory */
    KG__FMA_SENTINEL,  /* its arithmetic */
    KG__BUS_SENTINEL,  /* the bus between host and GPU */
    KG__SENTINELS
} kg__sentinel;

/* How a sentinel is called in records, results and baselines. */
typedef struct kg__sentinel_kind {
    const char *name;
    const char *amount; /* what it does so much of */
    const char *limit;  /* what the GPU does of that per second, by this sentinel */
} kg__sentinel_kind;

extern const kg__sentinel_kind kg__sentinel_kinds[KG__SENTINELS];

/* What bounds the time of a case: the limit of the GPU that its work would reach first. */
typedef enum kg__bound {
    KG__BOUND_UNKNOWN,
    KG__BOUND_MEMORY,
    KG__BOUND_COMPUTE,
    KG__BOUND_BUS,
    KG__BOUNDS
} kg__bound;

/* Their names, "" for the unknown one, and NULL. */
extern const char *const kg__bound_names[KG__BOUNDS + 1];

/* What a launch of a case needs at the least, as far as it is known. */
typedef struct kg__demand {
    double operations; /* NAN: not known */
    double bytes;      /* the same */
    double bus_bytes;  /* that cross the bus */
    bool cached;       /* the L2 cache holds half of what it touches, or more */
} kg__demand;

/* What bounds a case, where the GPU does `per_second` of each sentinel's amount (0: not known):
 * what takes at least KG__BOUND_MARGIN times as long as anything else. Unknown where nothing does,
 * where a figure is missing, and where the bytes come from a cache: no sentinel measures that. */
kg__bound kg__bound_of(const kg__demand *demand, const double per_second[KG__SENTINELS]);

#define KG__BOUND_MARGIN 2.0

/* Whether a sentinel says something of cases that are bound so: of unknown ones copy and fma do. */
bool kg__bound_depends_on(kg__bound bound, kg__sentinel sentinel);

#endif
