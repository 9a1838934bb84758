/* SPDX-License-Identifier: MIT */
/* Counters: the CPU model's counts of a kernel, and their ratios. Pure: names and arithmetic.
 * docs/model.md has the equivalent of each on hardware. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The counters: each with its name in baselines and results, and the first version of the model
 * that counted it as today. A request is a warp's instruction, whatever its lanes access. Summed
 * over requests are the distinct 32-byte sectors, or 4-byte words of constant memory; wavefronts,
 * the most distinct 4-byte words in one bank; and passes, the most lanes that update one word. The
 * busiest block and warp are those of a launch with the most requests to memory. Copied bytes are
 * those of copies and fills outside of kernels; unique bytes are those of global memory, each
 * counted once per launch. Those before LAUNCHES are also kept by source line. */
#define KG__EACH_COUNTER(COUNTER)                                                                  \
    COUNTER(GLOBAL_LOAD_REQUESTS, global_load_requests, 1)                                         \
    COUNTER(GLOBAL_LOAD_SECTORS, global_load_sectors, 1)                                           \
    COUNTER(GLOBAL_STORE_REQUESTS, global_store_requests, 1)                                       \
    COUNTER(GLOBAL_STORE_SECTORS, global_store_sectors, 1)                                         \
    COUNTER(GLOBAL_ATOMIC_REQUESTS, global_atomic_requests, 1)                                     \
    COUNTER(GLOBAL_ATOMIC_SECTORS, global_atomic_sectors, 1)                                       \
    COUNTER(GLOBAL_ATOMIC_PASSES, global_atomic_passes, 4)                                         \
    COUNTER(SHARED_LOAD_REQUESTS, shared_load_requests, 1)                                         \
    COUNTER(SHARED_LOAD_WAVEFRONTS, shared_load_wavefronts, 1)                                     \
    COUNTER(SHARED_STORE_REQUESTS, shared_store_requests, 1)                                       \
    COUNTER(SHARED_STORE_WAVEFRONTS, shared_store_wavefronts, 1)                                   \
    COUNTER(SHARED_ATOMIC_REQUESTS, shared_atomic_requests, 1)                                     \
    COUNTER(SHARED_ATOMIC_PASSES, shared_atomic_passes, 4)                                         \
    COUNTER(CONSTANT_LOAD_REQUESTS, constant_load_requests, 1)                                     \
    COUNTER(CONSTANT_LOAD_WORDS, constant_load_words, 3)                                           \
    COUNTER(SHUFFLES, shuffles, 1)                         /* by a warp */                         \
    COUNTER(BARRIERS, barriers, 1)                         /* by a block */                        \
    COUNTER(FENCES, fences, 4)                             /* by a warp */                         \
    COUNTER(PRINTF_CALLS, printf_calls, 4)                 /* by a thread */                       \
    COUNTER(TENSOR_MULTIPLY_ADDS, tensor_multiply_adds, 4) /* no cost, but none may be lost */     \
    COUNTER(LAUNCHES, launches, 3)                         /* of kernels */                        \
    COUNTER(BLOCKS, blocks, 4)                             /* launched */                          \
    COUNTER(THREADS, threads, 4)                           /* launched */                          \
    COUNTER(BUSIEST_BLOCK_REQUESTS, busiest_block_requests, 2)                                     \
    COUNTER(BUSIEST_WARP_REQUESTS, busiest_warp_requests, 4)                                       \
    COUNTER(SHARED_BYTES, shared_bytes, 2) /* of one block */                                      \
    COUNTER(COPIED_BYTES, copied_bytes, 2)                                                         \
    COUNTER(UNIQUE_BYTES_READ, unique_bytes_read, 1)                                               \
    COUNTER(UNIQUE_BYTES_WRITTEN, unique_bytes_written, 1)

typedef enum kg__counter {
#define KG__ENUMERATOR(counter, name, model) KG__##counter,
    KG__EACH_COUNTER(KG__ENUMERATOR) KG__COUNTERS
#undef KG__ENUMERATOR
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
