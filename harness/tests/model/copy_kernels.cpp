/* Kernels that copy asynchronously. Each block of at most WATCH_MAX_BLOCK threads reverses its part
 * of a into b, by way of shared memory; with k == 1 nobody waits for the copies, with k == 2 each
 * thread waits for its own alone. */

#include "tests/model/watch_start.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

EACH(reverse_by_primitives)
{
    __shared__ float staged[WATCH_MAX_BLOCK];

    __pipeline_memcpy_async(&staged[threadIdx.x], &d.a[i], sizeof(float));
    __pipeline_commit();
    if (d.k != 1)
        __pipeline_wait_prior(0);
    if (d.k != 2)
        __syncthreads();
    d.b[i] = staged[blockDim.x - 1 - threadIdx.x];
}

EACH(reverse_by_class)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    nvcuda::experimental::pipeline pipe;

    nvcuda::experimental::memcpy_async(staged[threadIdx.x], d.a[i], pipe);
    if (d.k != 1)
        pipe.commit_and_wait();
    if (d.k != 2)
        __syncthreads();
    d.b[i] = staged[blockDim.x - 1 - threadIdx.x];
}

// Two stages: what comes next is copied while the former is used. k == 1: waits for the one before.
EACH(reverse_in_two_stages)
{
    __shared__ float staged[2][WATCH_MAX_BLOCK];

    for (int round = 0; round <= 3; round++) {
        if (round < 3)
            __pipeline_memcpy_async(&staged[round % 2][threadIdx.x], &d.a[i], sizeof(float));
        __pipeline_commit();
        if (round == 0)
            continue;
        __pipeline_wait_prior(d.k == 1 ? 2 : 1);
        __syncthreads();
        d.b[i] = staged[(round - 1) % 2][blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}

EACH(reverse_by_group)
{
    __shared__ __align__(16) float staged[WATCH_MAX_BLOCK];
    cg::thread_block block = cg::this_thread_block();

    cg::memcpy_async(block, staged, d.a + blockIdx.x * blockDim.x, blockDim.x * sizeof(float));
    if (d.k == 0)
        cg::wait(block);
    else if (d.k == 1)
        block.sync();
    d.b[i] = staged[blockDim.x - 1 - threadIdx.x];
}

EACH(reverse_by_barrier)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    cg::thread_block block = cg::this_thread_block();

    if (block.thread_rank() == 0)
        init(&bar, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, staged, d.a + blockIdx.x * blockDim.x, blockDim.x * sizeof(float),
                       bar);
    if (d.k == 0)
        bar.arrive_and_wait();
    else if (d.k == 1)
        block.sync();
    else
        (void)bar.arrive();
    d.b[i] = staged[blockDim.x - 1 - threadIdx.x];
}

EACH(reverse_by_pipeline)
{
    __shared__ float staged[2][WATCH_MAX_BLOCK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    size_t bytes = blockDim.x * sizeof(float);

    for (int stage = 0; stage < 4; stage++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, staged[stage % 2], d.a + blockIdx.x * blockDim.x,
                           cuda::aligned_size_t<4>(bytes), pipe);
        pipe.producer_commit();
        if (stage == 0)
            continue;
        if (d.k == 0)
            pipe.consumer_wait();
        else if (d.k == 1)
            block.sync();
        d.b[i] = staged[(stage - 1) % 2][blockDim.x - 1 - threadIdx.x];
        pipe.consumer_release();
    }
}

// SPDX-License-Identifier: MIT
