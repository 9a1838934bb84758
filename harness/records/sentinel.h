/* SPDX-License-Identifier: MIT */
/* Sentinels: kernels and copies that no commit touches, timed along with the cases, and the
 * hardware that each represents. */
#pragma once

#include <stdbool.h>

typedef enum kg__sentinel {
    KG__COPY_SENTINEL, /* the GPU's memory */
    KG__FMA_SENTINEL,  /* its arithmetic */
    KG__BUS_SENTINEL,  /* the bus between host and GPU */
    KG__SENTINELS
} kg__sentinel;

/* A sentinel's names in records, results and baselines. */
typedef struct kg__sentinel_kind {
    const char *name;
    const char *amount; /* its amount of work: bytes or operations */
    const char *limit;  /* the GPU's limit that it measures, amount per second */
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

/* Their names, "" for the unknown one, then NULL. */
extern const char *const kg__bound_names[KG__BOUNDS + 1];

/* The minimum that a launch of a case needs, as far as known. */
typedef struct kg__demand {
    double operations; /* NAN: unknown */
    double bytes;      /* NAN: unknown */
    double bus_bytes;  /* bytes that cross the bus */
    bool cached;       /* the L2 cache holds half of the accessed data, or more */
} kg__demand;

/* Returns what bounds a case, if the GPU does `per_second` of each sentinel's amount (0:
 * unknown): the limit that takes at least KG__BOUND_MARGIN times as long as any other. Unknown
 * if no limit does, if a figure is missing, and if the bytes come from a cache, which no
 * sentinel measures. */
kg__bound kg__bound_of(const kg__demand *demand, const double per_second[KG__SENTINELS]);

#define KG__BOUND_MARGIN 2.0

/* Returns whether a sentinel says anything about cases with this bound; for unknown ones, copy
 * and fma do. */
bool kg__bound_depends_on(kg__bound bound, kg__sentinel sentinel);
