/* SPDX-License-Identifier: MIT */
/* Kernels and copies that no commit touches: they distinguish a machine that changed from a
 * kernel that changed. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does nothing: measures the cost of a launch. */
cudaError_t kg__launch_empty(cudaStream_t stream);

/* Copies `count` 16-byte elements: bound by memory. */
cudaError_t kg__launch_copy_sentinel(const void *from, void *to, size_t count, int multiprocessors,
                                     cudaStream_t stream);

/* Computes 2 x 16384 fused multiply-adds per thread, on every multiprocessor: bound by
 * arithmetic. `out` holds one float per block. */
cudaError_t kg__launch_fma_sentinel(float *out, int multiprocessors, cudaStream_t stream);

#define KG__FMA_SENTINEL_BLOCKS_PER_MULTIPROCESSOR 8

/* Copies `bytes` from page-locked `host` to `device` and back: bound by the bus. */
cudaError_t kg__launch_bus_sentinel(void *host, void *device, size_t bytes, cudaStream_t stream);

/* Returns the floating-point operations of one kg__launch_fma_sentinel(): two per multiply-add. */
double kg__fma_sentinel_operations(int multiprocessors);

#ifdef __cplusplus
}
#endif
