// Kernels whose threads hand stages of shared memory to each other by barriers that only some of
// them arrive at or wait for. A .cu, for their PTX.
#include "tests/hardware/bulk.cuh"
#include "tests/model/stage_kernels.h"
#include "tests/model/watch_start.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/chrono>

namespace cg = cooperative_groups;

// The threads of a group of two warps meet.
static __device__ void meet_group(unsigned int group)
{
    asm volatile("bar.sync %0, 64;" ::"r"(group) : "memory");
}

// The first warp fills a ring of two stages by bulk copies, two groups of two warps add up what
// they get: five times 32 values. d.rows: who waits and who releases for whom; k: what is wrong.
KERNEL(ring_of_stages)
{
    __shared__ __align__(16) float ring[2][32];
    __shared__ uint64_t full[2], empty[2];
    const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = (warp + 1) / 2;
    const bool one_for_group = d.rows == ONE_FOR_GROUP, by_group = one_for_group && lane == 0;
    const bool early = d.k == RELEASED_BEFORE || (d.k == ONE_RELEASED_BEFORE && warp == 2);
    float sum = 0.0f;

    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            begin_mbarrier(&full[i], 1);
            begin_mbarrier(&empty[i], one_for_group ? 2 : d.rows == EACH_FOR_ITSELF ? 128 : 4);
        }
    }
    __syncthreads();
    for (int i = 0; threadIdx.x == 0 && i < 5; i++) {
        wait_for(&empty[d.k == WAITS_FOR_OTHER && i == 3 ? 0 : i % 2], (i / 2 & 1) ^ 1);
        arrive_expecting(&full[i % 2], 128);
        load_bulk(ring[i % 2], d.a + 32 * i, 128, &full[i % 2]);
    }
    for (int i = 0; warp > 0 && i < 5; i++) {
        const bool waits = d.rows == EACH_FOR_ITSELF || (lane == 0 && (!one_for_group || warp % 2));

        if (waits && (d.k != NO_WAIT_FOR_FULL || warp != 4 || i != 2))
            wait_for(&full[i % 2], i / 2 & 1);
        if (early && (lane == 0 || d.rows == EACH_FOR_ITSELF))
            arrive(&empty[i % 2]);
        if (one_for_group && d.k != NO_MEETING_BEFORE)
            meet_group(group);
        __syncwarp();
        sum += ring[i % 2][31 - lane];
        if (d.k == HALF_WARPS_MEET)
            __syncwarp(lane < 16 ? 0xffff : 0xffff0000);
        else if (d.k != NO_WARP_MEETS)
            __syncwarp();
        if (d.k == READ_AFTER && lane == 0)
            arrive(&empty[i % 2]);
        if (d.k == READ_AFTER)
            sum += 0.0f * ring[i % 2][lane];
        if (one_for_group && d.k != NO_MEETING_BEHIND)
            meet_group(group);
        if (!early &&
            (d.rows == EACH_FOR_ITSELF ||
             (one_for_group ? by_group && warp % 2 == 1 : lane == 0 && d.k != READ_AFTER)))
            arrive(&empty[i % 2]);
    }
    d.b[threadIdx.x] = sum;
}

// The same sums of a ring that the first warp fills by stores, where all threads wait and arrive.
// d.rows: how they read.
KERNEL(ring_of_words)
{
    __shared__ __align__(16) float ring[2][32];
    __shared__ uint64_t full[2], empty[2];
    const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wanted = 31 - lane;
    const bool early = d.k == RELEASED_BEFORE || (d.k == ONE_RELEASED_BEFORE && warp == 2);
    float sum = 0.0f;

    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            begin_mbarrier(&full[i], 32);
            begin_mbarrier(&empty[i], 128);
        }
    }
    __syncthreads();
    for (int i = 0; i < 5; i++) {
        const float *stage = ring[i % 2];

        if (warp == 0) {
            wait_for(&empty[d.k == WAITS_FOR_OTHER && i == 3 ? 0 : i % 2], (i / 2 & 1) ^ 1);
            ring[i % 2][lane] = d.a[32 * i + (int)lane];
            arrive(&full[i % 2]);
            continue;
        }
        if (d.k != NO_WAIT_FOR_FULL || warp != 4 || i != 0)
            wait_for(&full[i % 2], i / 2 & 1);
        if (early)
            arrive(&empty[i % 2]);
        if (d.rows == BY_WORDS) {
            sum += (float)(64 * i + 33) - stage[lane];
        } else if (d.rows == BY_VECTORS) {
            const float4 four = reinterpret_cast<const float4 *>(stage)[wanted / 4];

            sum += wanted % 4 == 0   ? four.x
                   : wanted % 4 == 1 ? four.y
                   : wanted % 4 == 2 ? four.z
                                     : four.w;
        } else {
            for (unsigned int word = 0; word < 32; word++)
                sum += stage[word] * (word == wanted ? 1.0f : 0.0f);
        }
        if (!early)
            arrive(&empty[i % 2]);
    }
    d.b[threadIdx.x] = sum;
}

// Three warps read what the fourth overwrites. None arrives before all have read, since a test lets
// the others run first; k == 1: one of them does not arrive.
KERNEL(three_read)
{
    __shared__ float staged[32];
    __shared__ uint64_t released;
    const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (threadIdx.x == 0)
        begin_mbarrier(&released, d.k == 1 ? 2 : 3);
    if (warp == 3)
        staged[lane] = d.a[lane];
    __syncthreads();
    if (warp < 3) {
        d.b[threadIdx.x] = staged[31 - lane];
        (void)is_over(&released, 0);
        __syncwarp();
        if (lane == 0 && (d.k != 1 || warp < 2))
            arrive(&released);
    } else if (warp == 3) {
        wait_for(&released, 0);
        staged[lane] = 0.0f;
        __syncwarp();
        d.b[threadIdx.x] = staged[31 - lane];
    }
}

// Two of three warps meet at a barrier by number. k == 1: the third reads as well; 2: the second
// writes behind the barrier what the first reads there.
KERNEL(two_of_three_meet)
{
    __shared__ float staged[32], returned[32];
    const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (warp == 0)
        staged[lane] = d.a[lane];
    if (warp < 2)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    if (warp == 1)
        returned[lane] = staged[31 - lane];
    if (warp == 1 || (d.k == 1 && warp == 2))
        d.b[threadIdx.x] = staged[31 - lane];
    if (warp < 2 && d.k != 2)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    if (warp == 0)
        d.b[threadIdx.x] = returned[lane];
}

// The first warp's values reach the third by way of the second, by mbarrier objects or an atomic
// between them. k == 1: the second arrives before it waits; 2: a lane of the first arrives for
// lanes that it has not met; d.rows: the atomic is which hand-over.
KERNEL(pass_by_another)
{
    __shared__ float staged[32];
    __shared__ uint64_t words[2];
    __shared__ int flag;
    const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (threadIdx.x == 0) {
        flag = 0;
        begin_mbarrier(&words[0], 1);
        begin_mbarrier(&words[1], 1);
    }
    __syncthreads();
    if (warp == 0)
        staged[lane] = d.a[lane];
    if (d.k != 2)
        __syncwarp();
    for (unsigned int i = 0; i < 2 && lane == 0; i++) {
        const bool early = d.k == 1 && warp == 1;

        if (warp == i + 1 && !early) {
            if (d.rows == (int)i + 1) {
                while (atomicAdd(&flag, 0) == 0)
                    ;
                __threadfence_block();
            } else {
                wait_for(&words[i], 0);
            }
        }
        if (warp == i && d.rows == (int)i + 1) {
            __threadfence_block();
            atomicExch(&flag, 1);
        } else if (warp == i) {
            arrive(&words[i]);
        }
        if (warp == i + 1 && early && i == 1)
            wait_for(&words[0], 0);
    }
    __syncwarp();
    if (warp == 2)
        d.b[threadIdx.x] = staged[31 - lane];
}

// A lane reads what other lanes of its warp have written before they arrived.
KERNEL(lanes_meet_by_object)
{
    __shared__ float staged[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> met;

    if (threadIdx.x == 0)
        init(&met, 64);
    __syncthreads();
    if (threadIdx.x >= 64)
        return;
    staged[threadIdx.x] = d.a[threadIdx.x];
    if (d.k == 1)
        (void)met.arrive();
    else
        met.arrive_and_wait();
    d.b[threadIdx.x] = staged[threadIdx.x / 32 * 32 + 31 - threadIdx.x % 32];
}

// The first warp writes, the others add up what they read once it has arrived: three times 32
// values. k == 1: one more is waited for.
KERNEL(produce_and_consume)
{
    __shared__ float staged[32];
    __shared__ cuda::barrier<cuda::thread_scope_block> filled, emptied;
    const unsigned int lane = threadIdx.x % 32;
    float sum = 0.0f;

    if (threadIdx.x == 0) {
        init(&filled, blockDim.x + (d.k == 1 ? 1 : 0));
        init(&emptied, blockDim.x);
    }
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x < 32) {
            staged[lane] = d.a[32 * i + (int)lane];
            (void)filled.arrive();
        } else {
            filled.arrive_and_wait();
            sum += staged[31 - lane];
        }
        emptied.arrive_and_wait();
    }
    d.b[threadIdx.x] = sum;
}

// Two warps meet at a barrier by its number, without the others. k == 1: they do not.
KERNEL(meet_by_number)
{
    __shared__ float staged[64];
    const unsigned int own = threadIdx.x;
    float sum = 0.0f;

    if (own >= 64)
        return;
    for (int i = 0; i < 3; i++) {
        staged[own] = d.a[32 * i + (int)own % 32];
        if (d.k != 1)
            __barrier_sync_count(3, 64);
        sum += staged[63 - own];
        if (d.k != 1)
            __barrier_sync_count(3, 64);
    }
    d.b[own] = sum;
}

KERNEL(meet_by_trying)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    __shared__ cuda::barrier<cuda::thread_scope_block> met;
    const cuda::std::chrono::nanoseconds soon(1000);
    const unsigned int own = threadIdx.x;
    float sum = 0.0f;

    if (own == 0)
        init(&met, blockDim.x);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        staged[own] = d.a[32 * i + (int)own % 32];
        auto token = met.arrive();
        while (d.k != 1 && !met.try_wait_for(static_cast<decltype(token) &&>(token), soon))
            ;
        sum += staged[blockDim.x - 1 - own];
        (void)met.arrive();
        while (d.k != 1 && !met.try_wait_parity_for(true, soon))
            ;
    }
    d.b[own] = sum;
}

// A pipeline of a block, whose first warp produces. k == 1: a stage is released before it is read;
// k == 2: nobody waits for one of them.
KERNEL(pipeline_of_block)
{
    __shared__ float staged[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state,
                                    produces ? cuda::pipeline_role::producer
                                             : cuda::pipeline_role::consumer);
    float sum = 0.0f;

    for (int i = 0; i < 5; i++) {
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&staged[i % 2][threadIdx.x], &d.a[32 * i + (int)threadIdx.x],
                               sizeof(float), pipe);
            pipe.producer_commit();
            continue;
        }
        if (d.k != 2 || i != 2)
            pipe.consumer_wait();
        if (d.k == 1)
            pipe.consumer_release();
        sum += staged[i % 2][31 - threadIdx.x % 32];
        if (d.k != 1)
            pipe.consumer_release();
    }
    d.b[threadIdx.x] = sum;
}

// A pipeline whose threads all produce, one stage ahead, and consume. k == 1: the same.
KERNEL(pipeline_of_all)
{
    __shared__ float staged[2][160];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
    float sum = 0.0f;

    for (int i = 0; i <= 5; i++) {
        if (i < 5) {
            pipe.producer_acquire();
            cuda::memcpy_async(&staged[i % 2][threadIdx.x], &d.a[32 * i + (int)threadIdx.x % 32],
                               sizeof(float), pipe);
            pipe.producer_commit();
        }
        if (i == 0)
            continue;
        pipe.consumer_wait();
        if (d.k == 1)
            pipe.consumer_release();
        sum += staged[(i - 1) % 2][(threadIdx.x + 32) % 160 ^ 31];
        if (d.k != 1)
            pipe.consumer_release();
    }
    d.b[threadIdx.x] = sum;
}

// Pipelines of threads: their values are the block's behind a barrier of the reading warps. k == 1:
// without it.
KERNEL(pipeline_of_threads)
{
    __shared__ float staged[64];
    auto pipe = cuda::make_pipeline();

    if (threadIdx.x >= 64)
        return;
    for (int i = 0; i < 3; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&staged[threadIdx.x], &d.a[threadIdx.x], sizeof(float), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        if (d.k != 1)
            meet_group(1);
        d.b[threadIdx.x] = staged[63 - threadIdx.x];
        pipe.consumer_release();
        meet_group(2);
    }
}

// SPDX-License-Identifier: MIT
