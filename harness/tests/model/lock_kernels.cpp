/* Kernels that are right, or nearly so, by atomics, fences and flags. */
#include "tests/model/watch_start.h"

#include <cuda/atomic>

// Adds 1 / (thread + 1) to a double of global memory, as the programming guide does it.
static __device__ double add_double(double *address, double value)
{
    unsigned long long *word = (unsigned long long *)address;
    unsigned long long old = *word;
    unsigned long long assumed;

    do {
        double sum;

        assumed = old;
        memcpy(&sum, &assumed, sizeof sum);
        sum += value;
        memcpy(&old, &sum, sizeof old);
        old = atomicCAS(word, assumed, old);
    } while (assumed != old);
    return 0;
}

EACH_DOES(compare_and_swap_loop, add_double((double *)d.b, d.a[i]))

EACH(compare_and_swap_loop_in_shared)
{
    __shared__ double sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    add_double(&sum, d.a[i]);
    __syncthreads();
    d.b[i] = (float)sum;
}

// One thread of all takes another's sum as it finds it.
EACH(compare_and_swap_and_a_look)
{
    add_double((double *)d.b, d.a[i]);
    if (i == 70)
        d.numbers[0] = (int)*(double *)d.b;
}

static __device__ void lock(int *word, bool fence)
{
    while (atomicCAS(word, 0, 1) != 0)
        ;
    if (fence)
        __threadfence();
}

static __device__ void unlock(int *word, bool fence)
{
    if (fence)
        __threadfence();
    atomicExch(word, 0);
}

static __device__ void add_under_lock(watch_data d, int i, bool first, bool last)
{
    lock(&d.numbers[0], first);
    d.b[0] += d.a[i];
    unlock(&d.numbers[0], last);
}

EACH_DOES(lock_of_all_threads, add_under_lock(d, i, true, true))
EACH_DOES(lock_of_warps, if (i % 32 == 0) add_under_lock(d, i, true, true))
EACH_DOES(lock_of_warps_not_acquired, if (i % 32 == 0) add_under_lock(d, i, false, true))
EACH_DOES(lock_of_warps_without_fence, if (i % 32 == 0) add_under_lock(d, i, false, false))
EACH_DOES(lock_of_blocks, if (threadIdx.x == 0) add_under_lock(d, i, true, true))
EACH_DOES(lock_of_blocks_without_fence, if (threadIdx.x == 0) add_under_lock(d, i, false, false))

// All threads add to two words, the odd ones first to the second, each behind its own lock.
template <class Take, class Give>
static __device__ void add_twice(watch_data d, int i, Take take, Give give)
{
    for (int round = 0; round < 2; round++) {
        const int which = (i + round) % 2;

        for (bool added = false; !added;) {
            if (!take(&d.numbers[which]))
                continue;
            d.b[which] += d.a[i];
            give(&d.numbers[which]);
            added = true;
        }
    }
}

// All lanes of a warp look at what its first one then updates, behind a lock of the warp.
EACH(lock_of_warps_whose_lanes_read)
{
    const bool first = i % 32 == 0;

    if (first)
        lock(&d.numbers[0], true);
    __syncwarp();
    d.b[i] = (float)d.numbers[1];
    __syncwarp();
    if (!first)
        return;
    atomicAdd(&d.numbers[1], 1);
    unlock(&d.numbers[0], true);
}

using of_device = cuda::atomic_ref<int, cuda::thread_scope_device>;

static __device__ bool take_by_exchange(int *word, bool fence)
{
    const bool taken = atomicExch(word, 1) == 0;

    if (fence)
        __threadfence();
    return taken;
}

EACH_DOES(two_locks_by_exchange, add_twice(
                                     d, i, [](int *word) { return take_by_exchange(word, true); },
                                     [](int *word) { unlock(word, true); }))
EACH_DOES(two_locks_by_exchange_not_acquired,
          add_twice(
              d, i, [](int *word) { return take_by_exchange(word, false); },
              [](int *word) { unlock(word, true); }))
EACH_DOES(two_locks_by_comparison, add_twice(
                                       d, i,
                                       [](int *word) {
                                           lock(word, true);
                                           return true;
                                       },
                                       [](int *word) { unlock(word, true); }))
static __device__ void add_twice_by_release(watch_data d, int i, cuda::memory_order order)
{
    add_twice(
        d, i, [=](int *word) { return of_device(*word).exchange(1, order) == 0; },
        [](int *word) { of_device(*word).store(0, cuda::memory_order_release); });
}

EACH_DOES(two_locks_by_release, add_twice_by_release(d, i, cuda::memory_order_acquire))
EACH_DOES(two_locks_by_release_not_acquired, add_twice_by_release(d, i, cuda::memory_order_relaxed))

// Each warp's first thread waits for its turn, by a volatile flag that is told after the tickets.
EACH(tickets_of_warps)
{
    volatile int *turn = &d.numbers[1];

    if (threadIdx.x % 32 != 0)
        return;
    for (const int mine = atomicAdd(&d.numbers[0], 1); *turn != mine;)
        ;
    __threadfence();
    d.b[0] += d.a[i];
    __threadfence();
    *turn = *turn + 1;
}

// Of a node's two threads the second goes on, with the sum of what both have.
static __device__ void climb(watch_data d, int i, bool acquire)
{
    int at = (int)(gridDim.x * blockDim.x) + i;

    d.b[at] = d.a[i];
    while (at > 1) {
        __threadfence();
        if (atomicAdd(&d.numbers[at / 2], 1) == 0)
            return;
        if (acquire)
            __threadfence();
        at /= 2;
        d.b[at] = d.b[2 * at] + d.b[2 * at + 1];
    }
}

EACH_DOES(sum_by_the_second, climb(d, i, true))
EACH_DOES(sum_by_the_second_not_acquired, climb(d, i, false))

// The fence comes too late.
EACH(fence_behind_the_unlock)
{
    if (threadIdx.x != 0)
        return;
    lock(&d.numbers[0], false);
    d.b[0] += d.a[i];
    unlock(&d.numbers[0], false);
    __threadfence();
}

EACH(other_locks)
{
    if (threadIdx.x != 0)
        return;
    lock(&d.numbers[i % 2], true);
    d.b[0] += d.a[i];
    unlock(&d.numbers[i % 2], true);
}

// Each block adds its own to what the one before has, once that one says so.
static __device__ void look_back(watch_data d, bool fence)
{
    volatile int *flags = d.numbers;
    float before = 0.0f;

    if (threadIdx.x != 0)
        return;
    if (blockIdx.x > 0) {
        while (flags[blockIdx.x - 1] == 0)
            ;
        __threadfence();
        before = d.b[blockIdx.x - 1];
    }
    d.b[blockIdx.x] = before + d.a[blockIdx.x];
    if (fence)
        __threadfence();
    flags[blockIdx.x] = 1;
}

KERNEL_DOES(look_back_by_flags, look_back(d, true))
KERNEL_DOES(look_back_without_fence, look_back(d, false))

// Sums that half a warp has; lane 0 uses what is right.
THREAD(shuffle_in_half_a_warp)
{
    float sum = d.a[i];

    if (i >= 16)
        return;
    for (int offset = 8; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffu, sum, (unsigned)offset, 16);
    d.b[i] = sum;
}

THREAD(shuffle_outside_the_mask)
{
    if (i < 16)
        d.b[i] = __shfl_sync(0xffffu, d.a[i], i == 3 ? 20 : 0);
}

THREAD(shuffle_from_ended_lanes)
{
    if (i >= 24)
        return;
    d.b[i] = __shfl_xor_sync(0xffffffffu, d.a[i], 16);
}

// What all add to is zeroed first: by each block for itself, by the last block, which has waited
// for all, by one block for all, and with no barrier.
EACH(zeroed_by_each_block)
{
    if (threadIdx.x == 0)
        d.numbers[blockIdx.x] = 0;
    __syncthreads();
    atomicAdd(&d.numbers[blockIdx.x], i);
}

EACH(zeroed_by_the_last_block)
{
    __shared__ bool last;

    atomicAdd(&d.numbers[1], i);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&d.numbers[0], 1) == (int)gridDim.x - 1;
        __threadfence();
        if (last)
            d.numbers[1] = 0;
    }
    __syncthreads();
    if (last)
        atomicAdd(&d.numbers[1], i);
}

EACH(zeroed_by_one_block)
{
    if (i == 0)
        d.numbers[0] = 0;
    __syncthreads();
    atomicAdd(&d.numbers[0], i);
}

EACH(zeroed_without_barrier)
{
    if (threadIdx.x == 0)
        d.numbers[blockIdx.x] = 0;
    atomicAdd(&d.numbers[blockIdx.x], i);
}

// A look that saves most atomics, by volatile and by plain reads.
KERNEL(look_at_a_maximum)
{
    if (threadIdx.x == 0 && *(volatile int *)d.numbers < (int)(blockIdx.x ^ 1))
        atomicMax(d.numbers, (int)(blockIdx.x ^ 1));
}

KERNEL(plain_look_at_a_maximum)
{
    if (threadIdx.x == 0 && *d.numbers < (int)(blockIdx.x ^ 1))
        atomicMax(d.numbers, (int)(blockIdx.x ^ 1));
}

// All lanes read what the first one then updates.
EACH(update_of_what_others_read)
{
    d.b[i] = (float)d.numbers[0];
    if (i == 0)
        d.numbers[0] += 1;
}

// SPDX-License-Identifier: MIT
