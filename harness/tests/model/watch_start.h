/* SPDX-License-Identifier: MIT */
/* How the kernels for the tests of watching are defined. */
#pragma once

#include <cuda_runtime.h>

#include "tests/model/watch_kernels.h"

static inline __device__ int index_in_grid()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

/* Puts a kernel among those of kernel(). */
#define NAME_KERNEL(name, ...)                                                                     \
    static cudaError_t launch_##name(const cudaLaunchConfig_t *config, watch_data data)            \
    {                                                                                              \
        return cudaLaunchKernelEx(config, __VA_ARGS__, data);                                      \
    }                                                                                              \
    static const named_kernel named_##name                                                         \
        __attribute__((section("named_kernels"), used)) = { #name, launch_##name };

#define LAUNCHER(name)                                                                             \
    static __global__ void name(watch_data d);                                                     \
    NAME_KERNEL(name, name)

/* Begins a kernel on the data d, after its launcher. */
#define KERNEL(name)                                                                               \
    LAUNCHER(name)                                                                                 \
    static __global__ void name([[maybe_unused]] watch_data d)

/* The same, of the thread i of the grid. */
#define EACH(name) OF_THREAD(name, index_in_grid())
#define OF_THREAD(name, index)                                                                     \
    static inline __device__ void name##_of_thread(watch_data d, int i);                           \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        name##_of_thread(d, index);                                                                \
    }                                                                                              \
    static inline __device__ void name##_of_thread(watch_data d, [[maybe_unused]] int i)

/* The same, of the thread i of the block. */
#define THREAD(name) OF_THREAD(name, (int)threadIdx.x)

/* Kernels of one statement. */
#define KERNEL_DOES(name, ...)                                                                     \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#define EACH_DOES(name, ...)                                                                       \
    EACH(name)                                                                                     \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
