/* SPDX-License-Identifier: MIT */
/* Counters: the CPU model's counts of a kernel, and their ratios. Pure: names and arithmetic.
 * docs/model.md has the equivalent of each on hardware. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum kg__counter {
    KG__GLOBAL_LOAD_REQUESTS, /* a warp's load instruction, whatever its lanes access */
    KG__GLOBAL_LOAD_SECTORS,  /* distinct 32-byte sectors of each request, summed */
    KG__GLOBAL_STORE_REQUESTS,
    KG__GLOBAL_STORE_SECTORS,
    KG__GLOBAL_ATOMIC_REQUESTS,
    KG__GLOBAL_ATOMIC_SECTORS,
    KG__GLOBAL_ATOMIC_PASSES, /* the most lanes of a request that update one word, summed */
    KG__SHARED_LOAD_REQUESTS,
    KG__SHARED_LOAD_WAVEFRONTS, /* the most distinct 4-byte words of a request in one bank, summed
                                 */
    KG__SHARED_STORE_REQUESTS,
    KG__SHARED_STORE_WAVEFRONTS,
    KG__SHARED_ATOMIC_REQUESTS,
    KG__SHARED_ATOMIC_PASSES,
    KG__CONSTANT_LOAD_REQUESTS,
    KG__CONSTANT_LOAD_WORDS,    /* distinct 4-byte words of each request, summed */
    KG__SHUFFLES,               /* by a warp */
    KG__BARRIERS,               /* by a block */
    KG__FENCES,                 /* by a warp */
    KG__PRINTF_CALLS,           /* by a thread */
    KG__TENSOR_MULTIPLY_ADDS,   /* by matrix products: no cost, but none may be lost */
    KG__LAUNCHES,               /* of kernels */
    KG__BLOCKS,                 /* launched */
    KG__THREADS,                /* launched */
    KG__BUSIEST_BLOCK_REQUESTS, /* to memory, by a launch's busiest block */
    KG__BUSIEST_WARP_REQUESTS,  /* to memory, by its busiest warp */
    KG__SHARED_BYTES,           /* of one block */
    KG__COPIED_BYTES,           /* by copies and fills outside of kernels */
    KG__UNIQUE_BYTES_READ,      /* of global memory, each byte counted once per launch */
    KG__UNIQUE_BYTES_WRITTEN,
    KG__COUNTERS
} kg__counter;

/* A set of counters. */
typedef struct kg__counts {
    uint64_t value[KG__COUNTERS];
} kg__counts;

/* Returns a counter's name in baselines and results: "global_load_requests". */
const char *kg__counter_name(kg__counter counter);
/* Finds the counter of a name; false if unknown. `counter` may be NULL. */
bool kg__counter_parse(const char *name, kg__counter *counter);
/* Returns whether a counter is also kept by source line. */
bool kg__is_counted_by_line(kg__counter counter);

/* Version of the CPU model's counting, a whole number. Increase it when the same kernels get
 * other counts, so that a verdict can say so. */
#define KG__MODEL_VERSION "4"

/* Returns whether a text is a version of the model: a whole number from 1 to KG__MODEL_VERSION. */
bool kg__is_model_version(const char *text);

/* Returns whether this version of the model ("2") counted a counter the same way as today. True
 * if the text is not a version. */
bool kg__counter_is_of(kg__counter counter, const char *model);

/* A ratio of two counters, which is shown and never gated. */
typedef struct kg__ratio {
    const char *name;  /* "global_load_sectors_per_request" */
    const char *what;  /* for sentences: "loads" */
    const char *unit;  /* for sentences: "sectors per request" */
    kg__counter above; /* numerator */
    kg__counter below;
} kg__ratio;

#define KG__RATIOS 6
extern const kg__ratio kg__ratios[KG__RATIOS];
