// An element per thread; a warp adds up its elements, and then adds their sum to the result by an
// atomic operation. All of these go to one address, where they wait for each other.
#include "sum.cuh"

static __global__ void atomics(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = sum_of_warp(i < n ? x[i] : 0.0f);

    if (threadIdx.x % LANES == 0)
        atomicAdd(y, sum);
}

KG_LAUNCHER(reduce_f32_atomics)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);
    float *y = KG_ARG(call, float, 1);
    cudaError_t code = cudaMemsetAsync(y, 0, sizeof *y, call->stream);

    if (code != cudaSuccess)
        return code;
    return kg_start(call, atomics, kg_grid(n, block), block, KG_ARG(call, const float, 0), y, n);
}

// SPDX-License-Identifier: MIT
