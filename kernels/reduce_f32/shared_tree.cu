// A block adds up its elements in shared memory: half of the threads add the other half's sums, and
// a barrier ends each step. A second kernel adds up the blocks' sums.
#include "sum.cuh"

static __global__ void shared_tree(const float *x, float *sums, int64_t n)
{
    KG_DYNAMIC_SHARED(float, part);
    int thread = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + thread;

    part[thread] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = (int)blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half)
            part[thread] += part[thread + half];
        __syncthreads();
    }
    if (thread == 0)
        sums[blockIdx.x] = part[0];
}

KG_LAUNCHER(reduce_f32_shared_tree)
{
    int block = KG_AXIS(call, 0);
    dim3 blocks = kg_grid(KG_EXTENT(call, 0), block);
    float *sums = KG_ARG(call, float, 2);
    cudaError_t code = kg_start(call, shared_tree, blocks, block, kg_shared(block * sizeof(float)),
                                KG_ARG(call, const float, 0), sums, KG_EXTENT(call, 0));

    if (code != cudaSuccess)
        return code;
    return kg_start(call, add_up, 1, 1024, (const float *)sums, KG_ARG(call, float, 1),
                    (int)blocks.x);
}

// SPDX-License-Identifier: MIT
