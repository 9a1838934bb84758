// What the reductions share: sums of a warp and of a block, and a thread's share of the elements.
#ifndef REDUCE_F32_SUM_CUH
#define REDUCE_F32_SUM_CUH

#include <kernelgate/kernelgate.h>

#define LANES 32
#define AHEAD 4
#define ALL_LANES 0xffffffffu

// Returns to lane 0 the sum of what the lanes have.
static inline __device__ float sum_of_warp(float own)
{
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        own += __shfl_down_sync(ALL_LANES, own, distance);
    return own;
}

// Returns to thread 0 the sum of what the threads have. The caller puts a barrier between two
// calls.
static inline __device__ float sum_of_block(float own)
{
    __shared__ float of_warp[LANES];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;

    own = sum_of_warp(own);
    if (lane == 0)
        of_warp[warp] = own;
    __syncthreads();
    if (warp > 0)
        return 0.0f;
    return sum_of_warp(lane < (int)blockDim.x / LANES ? of_warp[lane] : 0.0f);
}

static inline __device__ float sum_of_four(float4 part)
{
    return (part.x + part.y) + (part.z + part.w);
}

// The sum of a thread's share of n elements in a grid-stride loop, with AHEAD float4 on their way
// at once.
static inline __device__ float sum_of_share(const float *__restrict__ x, int64_t n)
{
    const float4 *vectors = (const float4 *)x;
    int64_t threads = (int64_t)gridDim.x * blockDim.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, tail = n / 4 * 4 + i;
    float sum = 0.0f;

    // Unrolled further, ptxas runs out of registers and loads one by one.
#pragma unroll 1
    for (; i < n / 4; i += AHEAD * threads) {
        float4 part[AHEAD];

#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            part[k] = i + k * threads < n / 4 ? vectors[i + k * threads]
                                              : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            sum += sum_of_four(part[k]);
    }
    if (tail < n)
        sum += x[tail];
    return sum;
}

// The blocks of a grid-stride loop: those of the launch, or as many as have AHEAD float4 per
// thread.
static inline dim3 grid_of(const kg_call *call)
{
    dim3 blocks = kg_grid(KG_EXTENT(call, 0), 4 * AHEAD * KG_AXIS(call, 0));

    return blocks.x < (unsigned)KG_AXIS(call, 1) ? blocks : dim3(KG_AXIS(call, 1));
}

// Adds up the blocks' sums; of one block.
static __global__ void __launch_bounds__(1024) add_up(const float *sums, float *y, int count)
{
    float sum = 0.0f;

    for (int i = threadIdx.x; i < count; i += (int)blockDim.x)
        sum += sums[i];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        *y = sum;
}

// Starts a kernel that writes one sum per block, and add_up().
typedef void sum_blocks(const float *x, float *sums, int64_t n);

static inline cudaError_t start_and_add_up(const kg_call *call, sum_blocks *kernel, dim3 blocks)
{
    float *sums = KG_ARG(call, float, 2);
    cudaError_t code = kg_start(call, kernel, blocks, KG_AXIS(call, 0),
                                KG_ARG(call, const float, 0), sums, KG_EXTENT(call, 0));

    if (code != cudaSuccess)
        return code;
    return kg_start(call, add_up, 1, 1024, (const float *)sums, KG_ARG(call, float, 1),
                    (int)blocks.x);
}

#endif

// SPDX-License-Identifier: MIT
