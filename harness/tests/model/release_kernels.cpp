/* Kernels whose last block adds up what all blocks have released to it, or have not. */
#include "tests/model/watch_start.h"

static __device__ float parts[400];
static __device__ float further_parts[400];
static __device__ unsigned int arrived, arrived_before;

static __device__ bool is_last()
{
    return atomicAdd(&arrived, 1u) == gridDim.x - 1;
}

// The block that came last adds up.
static __device__ void finish(watch_data d, const bool &last, const float *of, bool acquires = true)
{
    float sum = 0.0f;

    __syncthreads();
    if (!last)
        return;
    if (acquires)
        __threadfence();
    for (unsigned int block = 0; block < gridDim.x; block++)
        sum += of[block];
    d.b[gridDim.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x == 0)
        arrived = arrived_before = 0;
}

/* A kernel whose first thread arrives, with whatever comes first and last. `writer` is the thread
 * that writes the block's part. */
#define LAST_BLOCK(name, writer, before, first, after, of)                                         \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        __shared__ bool last;                                                                      \
        const bool writes = threadIdx.x == (writer);                                               \
                                                                                                   \
        if (threadIdx.x == 0)                                                                      \
            last = false;                                                                          \
        d.b[index_in_grid()] = d.a[index_in_grid()];                                               \
        before if (threadIdx.x == 0)                                                               \
        {                                                                                          \
            first last = is_last();                                                                \
            after                                                                                  \
        }                                                                                          \
        finish(d, last, of);                                                                       \
    }
#define WRITE                                                                                      \
    if (writes)                                                                                    \
        parts[blockIdx.x] = 1.0f;
#define FENCE __threadfence();
#define MEET __syncthreads();
#define ARRIVE                                                                                     \
    if (threadIdx.x == 0)                                                                          \
        atomicAdd(&arrived_before, 1u);
#define WRITE_FURTHER                                                                              \
    if (writes)                                                                                    \
        further_parts[blockIdx.x] = 1.0f;

LAST_BLOCK(releases_its_own, 0, WRITE, FENCE, , parts)
LAST_BLOCK(releases_its_warps, 5, WRITE __syncwarp();, FENCE, , parts)
LAST_BLOCK(releases_after_a_barrier, 64, WRITE MEET, FENCE, , parts)
LAST_BLOCK(releases_what_all_fenced, 64, WRITE FENCE MEET, , , parts)
LAST_BLOCK(releases_what_the_writer_fenced, 64, WRITE if (writes) FENCE MEET, , , parts)
LAST_BLOCK(releases_two_barriers_later, 64, WRITE FENCE MEET MEET, , , parts)
LAST_BLOCK(releases_twice, 64, WRITE MEET FENCE ARRIVE MEET WRITE_FURTHER MEET, FENCE, ,
           further_parts)
LAST_BLOCK(releases_former_after_latter, 64, WRITE MEET FENCE ARRIVE MEET WRITE_FURTHER, , , parts)
LAST_BLOCK(no_barrier_before_release, 64, WRITE, FENCE, , parts)
LAST_BLOCK(written_after_release, 0, , FENCE, WRITE, parts)
LAST_BLOCK(written_between_fence_and_release, 0, , FENCE WRITE, , parts)
LAST_BLOCK(fences_without_barrier, 64, WRITE FENCE, , , parts)
LAST_BLOCK(second_release_without_fence, 64, WRITE MEET FENCE ARRIVE MEET WRITE_FURTHER MEET, , ,
           further_parts)

// No fence comes after the first thread's atomic: a barrier does, or nothing.
template <bool MEETS>
static __device__ void add_up_by_last_block(watch_data d)
{
    __shared__ bool last;

    if (threadIdx.x == 64)
        parts[blockIdx.x] = 1.0f;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = is_last();
    if (MEETS) {
        finish(d, last, parts, false);
    } else if (threadIdx.x == 0 && last) {
        d.b[0] = parts[0] + parts[gridDim.x - 1];
        arrived = 0;
    }
}

KERNEL_DOES(last_block_meets, add_up_by_last_block<true>(d))
KERNEL_DOES(last_block_does_not_acquire, add_up_by_last_block<false>(d))

// All threads of all blocks add to counts, which the last block reads as volatile.
template <bool MEETS>
static __device__ void count_by_all(watch_data d, volatile int *counts)
{
    bool last = false;

    atomicAdd((int *)counts + threadIdx.x, 1);
    __threadfence();
    if (MEETS)
        __syncthreads();
    if (threadIdx.x == 0)
        last = is_last();
    if (__syncthreads_or(last))
        d.b[threadIdx.x] = (float)counts[threadIdx.x];
    if (last)
        arrived = 0;
}

KERNEL_DOES(counts_then_meets, count_by_all<true>(d, d.numbers))
KERNEL_DOES(counts_without_meeting, count_by_all<false>(d, d.numbers))

// The same, later than the release of the first warp, which does not wait for the load.
KERNEL(counts_later_without_meeting)
{
    bool last = false;

    atomicAdd(&d.numbers[threadIdx.x], (int)d.a[threadIdx.x]);
    __threadfence();
    if (threadIdx.x == 0)
        last = is_last();
    if (__syncthreads_or(last))
        d.b[threadIdx.x] = (float)d.numbers[blockDim.x - 1 - threadIdx.x];
    if (last)
        arrived = 0;
}

// The same of counts that only their own block adds to.
KERNEL_DOES(own_counts_then_meets, count_by_all<true>(d, d.numbers + index_in_grid() - threadIdx.x))

// A look at what others add to is no defect, whatever else they release.
KERNEL(looks_at_a_maximum)
{
    __shared__ bool last;
    volatile int *most = d.numbers;

    if (threadIdx.x == 64 && *most < (int)(blockIdx.x ^ 1))
        atomicMax(&d.numbers[0], (int)(blockIdx.x ^ 1));
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 1.0f;
        __threadfence();
        last = is_last();
    }
    finish(d, last, parts);
}

KERNEL(written_a_barrier_after_release)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        __threadfence();
        last = is_last();
    }
    __syncthreads();
    if (threadIdx.x == 64)
        parts[blockIdx.x] = 1.0f;
    finish(d, last, parts);
}

// A warp tells another one by a flag, which then releases what both did.
KERNEL(releases_what_another_warp_told)
{
    __shared__ bool last;
    __shared__ int flag;

    if (threadIdx.x == 0) {
        last = false;
        flag = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 1.0f;
        __threadfence_block();
        atomicExch(&flag, 1);
    }
    if (threadIdx.x == 64) {
        while (atomicCAS(&flag, 1, 2) != 1)
            ;
        __threadfence();
        last = is_last();
    }
    finish(d, last, parts);
}

// Each block adds its element to the sum of those before it, which a thread of its first warp waits
// for, and one of its last adds up behind a barrier, or does not wait for it.
template <bool MEETS>
static __device__ void add_in_turn(watch_data d)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(&d.numbers[0], 0) != (int)blockIdx.x)
            ;
        __threadfence();
    }
    if (MEETS)
        __syncthreads();
    if (threadIdx.x == 64)
        d.b[blockIdx.x] = d.a[blockIdx.x] + (blockIdx.x > 0 ? d.b[blockIdx.x - 1] : 0.0f);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&d.numbers[0], 1);
}

KERNEL_DOES(waits_for_its_block, add_in_turn<true>(d))
KERNEL_DOES(waits_for_its_warp, add_in_turn<false>(d))

// Each block looks at its part before or after it releases; the last one then writes all of them.
template <bool AFTER>
static __device__ void look_at_part(watch_data d)
{
    if (threadIdx.x != 0)
        return;
    if (!AFTER)
        d.b[blockIdx.x] = parts[blockIdx.x];
    __threadfence();
    if (is_last()) {
        __threadfence();
        for (unsigned int block = 0; block < gridDim.x; block++)
            parts[block] = 1.0f;
        arrived = 0;
    } else if (AFTER) {
        d.b[blockIdx.x] = parts[blockIdx.x];
    }
}

KERNEL_DOES(reads_before_release, look_at_part<false>(d))
KERNEL_DOES(reads_after_release, look_at_part<true>(d))

// Each thread adds to d.k counts of its own after a fence; each block then writes, or all write to
// one element.
static __device__ void count_much(watch_data d)
{
    d.b[index_in_grid()] = 2.0f * d.a[index_in_grid()] + 1.0f;
    __threadfence();
    for (int j = 0; j < d.k; j++)
        atomicAdd(&d.numbers[(index_in_grid() * d.k + j) % d.n], 1);
    __syncthreads();
}

KERNEL(many_counts)
{
    count_much(d);
    if (threadIdx.x == 0)
        d.b[index_in_grid()] = 2.0f * d.a[0] + 1.0f;
}

KERNEL(many_counts_and_a_race)
{
    count_much(d);
    if (threadIdx.x == 0)
        d.b[0] = 2.0f * d.a[0] + 1.0f;
}

// The last block adds up, of those that have all counted much.
KERNEL(many_counts_and_the_last_block)
{
    __shared__ bool last;

    count_much(d);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 1.0f;
        __threadfence();
        last = is_last();
    }
    finish(d, last, parts);
}

// SPDX-License-Identifier: MIT
