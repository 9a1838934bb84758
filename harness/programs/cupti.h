/* SPDX-License-Identifier: MIT */
/* The part of CUPTI's activity API that times kernels, and of the driver's that names a GPU, found
 * when a program runs: neither is linked. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"

/* CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL. */
#define KG__CUPTI_KERNEL 10

/* The beginning of a record of a launch, which is the same in CUpti_ActivityKernel4 (CUDA 9) to
 * CUpti_ActivityKernel10 (CUDA 13): later versions add members at its end. */
typedef struct kg__cupti_kernel {
    uint32_t kind;
    uint8_t cache[4];
    uint32_t partitions[2];
    uint64_t start, end, completed; /* ns */
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    uint32_t memory[4];
    uint32_t correlation;
    int64_t grid_id;
    const char *name; /* mangled */
} kg__cupti_kernel;

typedef void kg__cupti_give(uint8_t **buffer, size_t *size, size_t *most);
typedef void kg__cupti_take(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                            size_t valid);

/* The functions, named after those of cuptiActivity...; each returns 0, or an error. */
typedef struct kg__cupti {
    int (*register_callbacks)(kg__cupti_give *give, kg__cupti_take *take);
    int (*enable)(int kind);
    int (*flush)(uint32_t flag);
    int (*next_record)(uint8_t *buffer, size_t valid, kg__cupti_kernel **record);
    int (*dropped)(void *context, uint32_t stream, size_t *count);
} kg__cupti;

/* Loads CUPTI: the library that KG__CUPTI names, or the loader's. False with `error`. */
bool kg__cupti_load(kg__cupti *cupti, kg__error *error);

/* Has launches recorded from here on, into buffers of `give` that go to `take`. False with `error`.
 */
bool kg__cupti_begin(const kg__cupti *cupti, kg__cupti_give *give, kg__cupti_take *take,
                     kg__error *error);

/* What the driver says of a device, by its number: {"name", "compute_capability", "memory_mib",
 * "multiprocessors", "uuid"}, as far as known. Owned by the caller. */
json_t *kg__cupti_device(uint32_t number);
