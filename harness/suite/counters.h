/* Counters: what the CPU model counts of a kernel, and the ratios that people read. Pure: names and
 * arithmetic. What each equals on hardware is in docs/model.md. */
#ifndef KG__SUITE_COUNTERS_H
#define KG__SUITE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum kg__counter {
    KG__GLOBAL_LOAD_REQUESTS, /* a warp's load instruction, whatever its lanes touch */
    KG__GLOBAL_LOAD_SECTORS,  /* distinct 32-byte sectors of each request, summed */
    KG__GLOBAL_STORE_REQUESTS,
    KG__GLOBAL_STORE_SECTORS,
    KG__GLOBAL_ATOMIC_REQUESTS,
    KG__GLOBAL_ATOMIC_SECTORS,
    KG__GLOBAL_ATOMIC_PASSES, /* most lanes of each request that update one word, summed */
    KG__SHARED_LOAD_REQUESTS,
    KG__SHARED_LOAD_WAVEFRONTS, /* most distinct 4-byte words in one bank of each request, summed */
    KG__SHARED_STORE_REQUESTS,
    KG__SHARED_STORE_WAVEFRONTS,
    KG__SHARED_ATOMIC_REQUESTS,
    KG__SHARED_ATOMIC_PASSES,
    KG__CONSTANT_LOAD_REQUESTS,
    KG__CONSTANT_LOAD_WORDS,    /* distinct 4-byte words of each request, summed */
    KG__SHUFFLES,               /* of a warp */
    KG__BARRIERS,               /* of a block */
    KG__FENCES,                 /* of a warp */
    KG__PRINTF_CALLS,           /* of a thread */
    KG__TENSOR_MULTIPLY_ADDS,   /* of products of matrices: no cost, but none may be lost */
    KG__LAUNCHES,               /* of kernels */
    KG__BLOCKS,                 /* launched */
    KG__THREADS,                /* launched */
    KG__BUSIEST_BLOCK_REQUESTS, /* of memory, of the block of a launch that makes most */
    KG__BUSIEST_WARP_REQUESTS,  /* of the warp that makes most */
    KG__SHARED_BYTES,           /* of shared memory, of one block */
    KG__COPIED_BYTES,           /* written by copies and fills outside of kernels */
    KG__UNIQUE_BYTES_READ,      /* of global memory, each counted once per launch */
    KG__UNIQUE_BYTES_WRITTEN,
    KG__COUNTERS
} kg__counter;

/* A set of counters. */
typedef struct kg__counts {
    uint64_t value[KG__COUNTERS];
} kg__counts;

/* A counter's name as baselines and results have it: "global_load_requests". */
const char *kg__counter_name(kg__counter counter);
/* False when no counter has the name; `counter` may be NULL. */
bool kg__counter_parse(const char *name, kg__counter *counter);
/* Whether a counter is also kept by line of source. */
bool kg__is_counted_by_line(kg__counter counter);

/* The CPU model's way of counting, a whole number. It goes up where the same kernels come to be
 * counted otherwise, so that a verdict can say so. */
#define KG__MODEL_VERSION "4"

/* Whether a text is a version of the model: a whole number from 1 to KG__MODEL_VERSION. */
bool kg__is_model_version(const char *text);

/* Whether this version of the model ("2") counted a counter, and the same way as it is counted now.
 * True of a text that is not a version. */
bool kg__counter_is_of(kg__counter counter, const char *model);

/* A ratio of two counters, which is shown and never gated. */
typedef struct kg__ratio {
    const char *name;  /* "global_load_sectors_per_request" */
    const char *what;  /* for sentences: "loads" */
    const char *unit;  /* for sentences: "sectors per request" */
    kg__counter above; /* its numerator and denominator */
    kg__counter below;
} kg__ratio;

#define KG__RATIOS 6
extern const kg__ratio kg__ratios[KG__RATIOS];

#endif
