/* SPDX-License-Identifier: MIT */
/* Facts about the opened GPU for timing and launching. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "device/buffers.h"
#include "device/device.h"
#include "records/gpu_state.h"
#include "records/kernel_code.h"
#include "suite/table.h"

typedef struct kg__gpu_spec {
    char uuid[64]; /* "GPU-..."; names the lock */
    char compute_capability[16];
    kg__limits limits;
    size_t l2_bytes;
    bool moves_managed; /* parts of managed memory can be moved while nothing runs */
} kg__gpu_spec;

/* Returns the opened GPU. */
const kg__gpu_spec *kg__device_gpu(void);

/* Returns the GPU's present state, as far as the driver reports it. Other processes are known
 * only to a process that holds the device alone. Sets `throttled` to true when heat or power
 * slow the GPU down; else leaves it unchanged. */
kg__gpu_state kg__device_state(bool *throttled);

/* From here on the harness starts no kernel of its own, so that a profiler sees only the cases'
 * kernels. */
void kg__device_keep_quiet(void);

/* Returns how many kernels a launch of a case starts, by capturing one in a graph that never
 * runs; -1 with `why` if it starts none, or the launcher fails. */
int kg__device_kernels(const kg__case *c, const kg__buffers *buffers, kg__error *why);

/* Returns the resources that the first kernel of a launch takes of a multiprocessor, if it
 * starts one and the driver reports them. If the launch can be described completely, also the
 * names of its kernels, as a list in the pool, and its identity. */
kg__kernel_code kg__device_kernel(kg__pool *pool, const kg__case *c, const kg__buffers *buffers);

/* Moves the managed arguments to the GPU or to the host, in the order of `stream`; false with
 * `why`. */
bool kg__device_move(const kg__buffers *buffers, bool to_device, cudaStream_t stream,
                     kg__error *why);
