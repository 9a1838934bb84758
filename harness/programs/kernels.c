/* SPDX-License-Identifier: MIT */
#include "programs/kernels.h"

#include <string.h>

#include "model/exec/launch.h"
#include "model/watch/watch.h"

/* The launches of a kernel in one shape. Shapes are counted apart, so that one that gets costlier
 * is not hidden by another that gets cheaper. */
typedef struct counted_kernel {
    char *name;
    uint3 grid;
    uint3 block;
    kg__counts counts;
    uint64_t accesses; /* of single lanes */
} counted_kernel;

static counted_kernel *kernels;
static size_t kernel_count;
static size_t kernel_room;
static size_t launch_count;
/* The sums when the last launch ended. */
static kg__counts before;
static uint64_t accesses_before;

/* The entry of the last launch. */
static counted_kernel *find_launched(void)
{
    const char *name = kg__exec_kernel_name();

    for (size_t i = 0; i < kernel_count; i++) {
        if (strcmp(kernels[i].name, name) == 0 &&
            memcmp(&kernels[i].grid, &gridDim, sizeof gridDim) == 0 &&
            memcmp(&kernels[i].block, &blockDim, sizeof blockDim) == 0)
            return &kernels[i];
    }
    kernels = kg__grow(kernels, kernel_count, &kernel_room, sizeof *kernels);
    kernels[kernel_count] =
        (counted_kernel){ .name = kg__copy_text(name), .grid = gridDim, .block = blockDim };
    return &kernels[kernel_count++];
}

static void end_launch(const kg__counts *counts, uint64_t accesses)
{
    counted_kernel *kernel = find_launched();

    launch_count++;
    for (int i = 0; i < KG__COUNTERS; i++) {
        /* The most of several launches, and no sum. */
        if (i == KG__SHARED_BYTES)
            kernel->counts.value[i] = counts->value[i];
        else
            kernel->counts.value[i] += counts->value[i] - before.value[i];
    }
    kernel->accesses += accesses - accesses_before;
    before = *counts;
    accesses_before = accesses;
}

void kg__program_kernels_begin(void)
{
    kg__model_on_launch(end_launch);
}

size_t kg__program_kernel_count(void)
{
    size_t names = 0;

    for (size_t i = 0; i < kernel_count; i++) {
        size_t first = 0;

        while (strcmp(kernels[first].name, kernels[i].name) != 0)
            first++;
        names += first == i;
    }
    return names;
}

size_t kg__program_launch_count(void)
{
    return launch_count;
}

static json_t *kernel_json(const counted_kernel *kernel)
{
    const uint3 *grid = &kernel->grid;
    const uint3 *block = &kernel->block;
    json_t *counters = json_object();

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (kernel->counts.value[i] > 0)
            json_object_set_new(counters, kg__counter_name((kg__counter)i),
                                json_integer((json_int_t)kernel->counts.value[i]));
    }
    return json_pack("{s:s, s:[iii], s:[iii], s:o, s:I}", "name", kernel->name, "grid", grid->x,
                     grid->y, grid->z, "block", block->x, block->y, block->z, "counters", counters,
                     "accesses", (json_int_t)kernel->accesses);
}

json_t *kg__program_kernels_json(void)
{
    json_t *list = json_array();

    for (size_t i = 0; i < kernel_count; i++)
        json_array_append_new(list, kernel_json(&kernels[i]));
    return list;
}
