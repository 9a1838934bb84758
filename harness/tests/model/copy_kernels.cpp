/* Kernels that copy asynchronously. Each block of at most WATCH_MAX_BLOCK threads reverses its part
 * of a into b, by way of shared memory; with k == 1 nobody waits for the copies, with k == 2 each
 * thread waits for its own alone. */

#include "tests/model/watch_start.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/chrono>
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

// The first warp writes, the others read once it has arrived. k == 3: one more is waited for.
KERNEL(produce_and_consume)
{
    __shared__ float staged[32];
    __shared__ cuda::barrier<cuda::thread_scope_block> filled, emptied;
    unsigned int threads = blockDim.x;

    if (threadIdx.x == 0) {
        init(&filled, threads + (d.k == 3 ? 1 : 0));
        init(&emptied, threads);
    }
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x < 32) {
            staged[threadIdx.x] = d.a[threadIdx.x] + (float)round;
            (void)filled.arrive();
        } else {
            filled.arrive_and_wait();
            d.b[round * (int)threads + (int)threadIdx.x] = staged[31 - threadIdx.x % 32];
        }
        emptied.arrive_and_wait();
    }
}

// The same by a pipeline, whose first warp copies. k == 1: nobody waits for what they use.
KERNEL(pipeline_of_roles)
{
    __shared__ float staged[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state,
                                    produces ? cuda::pipeline_role::producer
                                             : cuda::pipeline_role::consumer);

    for (int round = 0; round < 3; round++) {
        float *stage = staged[round % 2];

        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[threadIdx.x], &d.a[threadIdx.x], sizeof(float), pipe);
            pipe.producer_commit();
            continue;
        }
        if (d.k != 1)
            pipe.consumer_wait();
        d.b[round * (int)blockDim.x + (int)threadIdx.x] =
            stage[31 - threadIdx.x % 32] + (float)round;
        pipe.consumer_release();
    }
}

// Two warps meet at a barrier by its number, without the third. k == 1: they do not.
KERNEL(meet_by_number)
{
    __shared__ float staged[64];
    const unsigned int i = threadIdx.x;

    if (i >= 64)
        return;
    for (int round = 0; round < 3; round++) {
        staged[i] = d.a[i % 32] + (float)round;
        if (d.k != 1)
            __barrier_sync_count(3, 64);
        d.b[round * (int)blockDim.x + (int)i] = staged[63 - i];
        if (d.k != 1)
            __barrier_sync_count(3, 64);
    }
}

KERNEL(meet_by_trying)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    __shared__ cuda::barrier<cuda::thread_scope_block> met;
    const cuda::std::chrono::nanoseconds soon(1000);
    const unsigned int i = threadIdx.x;

    if (i == 0)
        init(&met, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        staged[i] = d.a[i % 32] + (float)round;
        auto token = met.arrive();
        while (d.k != 1 && !met.try_wait_for(static_cast<decltype(token) &&>(token), soon))
            ;
        d.b[round * (int)blockDim.x + (int)i] = staged[blockDim.x - 1 - i];
        (void)met.arrive();
        while (d.k != 1 && !met.try_wait_parity_for(true, soon))
            ;
    }
}

// SPDX-License-Identifier: MIT
