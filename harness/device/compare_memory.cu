// SPDX-License-Identifier: MIT
#include "device/compare_memory.h"

#include <cuda_runtime.h>

static __global__ void compare(const unsigned char *a, const unsigned char *b, size_t bytes,
                               unsigned long long *first)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t words = bytes / sizeof(uint4);
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long found = bytes;

    /* Buffers begin at multiples of 256 bytes, so whole words can be loaded. */
    for (size_t i = thread; i < words && found == bytes; i += stride) {
        uint4 left = ((const uint4 *)a)[i];
        uint4 right = ((const uint4 *)b)[i];

        if (left.x != right.x || left.y != right.y || left.z != right.z || left.w != right.w) {
            found = i * sizeof(uint4);
            while (a[found] == b[found])
                found++;
        }
    }
    for (size_t i = words * sizeof(uint4) + thread; i < bytes; i += stride) {
        if (a[i] != b[i] && i < found)
            found = i;
    }
    if (found < bytes)
        atomicMin(first, found);
}

cudaError_t kg__launch_compare(const void *a, const void *b, size_t bytes,
                               unsigned long long *first, int multiprocessors)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)multiprocessors * 8);
    config.blockDim = dim3(256);
    return cudaLaunchKernelEx(&config, compare, (const unsigned char *)a, (const unsigned char *)b,
                              bytes, first);
}
