/* Kernels that see memory as another type, compiled with optimization as a project's are. */
#include <cuda_runtime.h>

#include "tests/model/model_kernels.h"

// Four loads at once, and what they brought is floats: the usual way to load a vector.
template <int chunks>
__device__ static void load(float values[chunks][4], const float *from)
{
    for (int i = 0; i < chunks; i++)
        reinterpret_cast<uint4 *>(values)[i] = reinterpret_cast<const uint4 *>(from)[i];
}

static __global__ void sum_vectors(const float *from, float *sum)
{
    float values[2][4] = {};

    load<2>(values, from);
    for (int i = 0; i < 8; i++)
        *sum += values[i / 4][i % 4];
}

cudaError_t launch_sum_vectors(const cudaLaunchConfig_t *config, const float *from, float *sum)
{
    return cudaLaunchKernelEx(config, sum_vectors, from, sum);
}

// model_kernels.cpp has a static kernel of this name and type too, whose array is larger.
static __global__ void large_shared(int *out)
{
    __shared__ int small[32];

    small[threadIdx.x] = 1;
    out[threadIdx.x] = small[threadIdx.x];
}

struct cudaFuncAttributes small_shared_attributes(void)
{
    cudaFuncAttributes attributes = {};

    cudaFuncGetAttributes(&attributes, large_shared);
    return attributes;
}

// SPDX-License-Identifier: MIT
