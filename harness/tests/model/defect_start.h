/* SPDX-License-Identifier: MIT */
/* How the kernels with defects are launched. */
#pragma once

#include <cuda_runtime.h>

#include "tests/model/defect_kernels.h"

static inline unsigned int divide_up(int n, int by)
{
    return static_cast<unsigned int>((n + by - 1) / by);
}

/* One thread per element. */
static inline cudaLaunchConfig_t thread_each(const defect_call *call)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3(divide_up(call->n, call->block));
    config.blockDim = dim3(static_cast<unsigned int>(call->block));
    return config;
}

typedef void element_kernel(const float *in, float *out, int n);

static inline cudaError_t start(const defect_call *call, const cudaLaunchConfig_t &config,
                                element_kernel *clean, element_kernel *defective)
{
    return cudaLaunchKernelEx(&config, call->defective ? defective : clean, call->in, call->out,
                              call->n);
}

/* Begins a kernel and its defective twin. */
#define TWINS(name)                                                                                \
    template <bool DEFECTIVE>                                                                      \
    static __global__ void name(const float *in, float *out, int n)

/* A defect whose twins differ in their kernel alone. */
#define LAUNCHER(name, clean, defective)                                                           \
    cudaError_t launch_##name(const defect_call *call)                                             \
    {                                                                                              \
        return start(call, thread_each(call), clean, defective);                                   \
    }

static inline __device__ int index_in_grid()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}
