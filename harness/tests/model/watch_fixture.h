/* SPDX-License-Identifier: MIT */
/* What the tests of watching share: data for kernels, launches, and what was counted and found. The
 * table of known defects is in defects.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "model/watch/watch.h"
#include "suite/counters.h"
#include "tests/model/watch_kernels.h"

#define COUNT KG__MODEL_COUNT
#define CHECK KG__MODEL_CHECK
#define BOTH (KG__MODEL_COUNT | KG__MODEL_CHECK)
#define LENGTH(array) (sizeof(array) / sizeof *(array))

extern const dim3 single;

/* A grid or block of one dimension. */
dim3 line(unsigned int x);

/* Device memory with guard zones, as a name is given to it; freed with all of the model's. */
void *device_memory(size_t bytes, const char *name);

/* a, b, numbers and bytes of `elements` each, in place of all memory of before; a holds 1, 2, 3 …,
 * the others are 0. */
watch_data make_data(size_t elements);

/* Begins to watch for both, and makes data. */
watch_data watch_both(size_t elements);

/* The same, the threads in ascending order in every second turn, and reversed in the others. */
watch_data watch_in_order(size_t turn, size_t elements);

/* The kernel of this name in the files that the program is made of; the test ends without it. */
launcher *kernel(const char *name);

/* Launches a kernel by its name, with some bytes of dynamic shared memory; and without, which must
 * succeed. */
cudaError_t launch(const char *name, dim3 grid, dim3 block, size_t shared, watch_data data);
void start(const char *name, dim3 grid, dim3 block, watch_data data);

/* What was counted since watching began. */
uint64_t counted(kg__counter counter);
void expect_count(kg__counter counter, uint64_t expected, const char *how);
/* Global requests. */
void expect_requests(uint64_t loads, uint64_t stores, const char *how);

/* Nothing was found; or all findings are of one kind, and one of them is as `expected` (see
 * is_as_expected()). */
void expect_clean(const char *how);
void expect_only(const kg__finding *expected, const char *how);

/* A kernel that is right, or wrong in one way. */
typedef struct trial {
    const char *name;
    unsigned int grid, block; /* of one dimension */
    size_t shared;            /* bytes of dynamic shared memory */
    int n, k;                 /* as in watch_data; an n of 0: all elements */
    bool in_order;            /* ascending alone: it waits for those before it, or is found there */
    const kg__finding *found; /* all that is found is of its kind; NULL: nothing is found */
    const char *file;         /* which its place is in, a part of the path; NULL: any */
    bool is_counted;          /* its global requests are these, where requests are counted */
    uint64_t loads, stores;
    struct {
        kg__counter counter;
        uint64_t value;
    } also[4]; /* and other counters, to the first value of 0 */
} trial;

#define CLEAN .found = NULL
#define WRONG(kind_, ...)                                                                          \
    .found = &(const kg__finding)                                                                  \
    {                                                                                              \
        .kind = KG__##kind_, __VA_ARGS__                                                           \
    }
#define RACES(kind_, symbol_) WRONG(RACE_##kind_, .symbol = symbol_)
#define REQUESTS(loads_, stores_) .is_counted = true, .loads = loads_, .stores = stores_
#define ALSO(place, counter, value) .also[place] = { KG__##counter, value }

/* Tries each kernel in either order of threads, with data of `elements`; once watched for `one`,
 * and once for `other` where that is another. */
void try_each(const trial *rows, size_t count, unsigned int one, unsigned int other,
              size_t elements);

/* The sum of `count` whole numbers from `first`. */
static inline int sum_from(int first, int count)
{
    return count * first + count * (count - 1) / 2;
}

/* What a kernel gives thread or item i. */
#define VALUE(name, ...)                                                                           \
    static int name(int i)                                                                         \
    {                                                                                              \
        (void)i;                                                                                   \
        return __VA_ARGS__;                                                                        \
    }

/* A finding: its kind, what it is about and where, and how often (0: any number). */
#define FOUND(kind_, symbol_, offset_, size_, count_)                                              \
    &(const kg__finding)                                                                           \
    {                                                                                              \
        .kind = KG__##kind_, .symbol = symbol_, .offset = offset_, .size = size_, .count = count_  \
    }
