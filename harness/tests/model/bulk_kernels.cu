// Kernels with mbarrier objects, barriers by number and bulk copies. A .cu, for their PTX.
#include "tests/hardware/bulk.cuh"
#include "tests/model/watch_start.h"

#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_bf16.h>

// Three rounds: the first warp writes, the others read. What k spoils is at each use of it.
KERNEL(hand_over_by_mbarrier)
{
    __shared__ float staged[32];
    __shared__ uint64_t full, empty, words[2];

    if (threadIdx.x == 0) {
        if (d.k != 2)
            begin_mbarrier(&full, d.k == 3 ? 33 : 32);
        begin_mbarrier(&empty, 64);
    }
    if (d.k == 8)
        begin_mbarrier(&words[1], 1);
    if (d.k != 6)
        __syncthreads();
    for (int round = 0; round < (d.k == 1 ? 1 : 3); round++) {
        if (threadIdx.x < 32) {
            wait_for(&empty, (round & 1) ^ 1);
            staged[threadIdx.x] = (float)(round + (int)threadIdx.x);
            while (d.k == 7 && threadIdx.x == 0 && atomicCAS(d.numbers, 1, 2) != 1)
                ;
            arrive(d.k == 4 ? (uint64_t *)((char *)words + 4) : &full);
            if (d.k == 5)
                asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 33;" ::"r"(at_shared(&full))
                             : "memory");
        } else {
            while (d.k != 1 && !is_over(&full, round & 1))
                ;
            d.b[round * 96 + (int)threadIdx.x] = staged[31 - threadIdx.x % 32];
            if (d.k != 1)
                arrive(&empty);
        }
    }
}

// By tokens: two warps meet, then the first one leaves.
KERNEL(count_by_mbarrier)
{
    __shared__ uint64_t word;
    __shared__ int sums[2];

    if (threadIdx.x == 0) {
        begin_mbarrier(&word, 64);
        sums[0] = sums[1] = 0;
    }
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        uint64_t token;
        unsigned int done = 0;

        if (threadIdx.x == 0)
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;\n\t"
                         "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                             at_shared(&word)),
                         "r"(d.k == 2 ? 8 : 16)
                         : "memory");
        atomicAdd(&sums[round], 1);
        if (threadIdx.x < 32) {
            asm volatile("{ .reg .b64 state; mbarrier.arrive_drop.shared.b64 state, [%0]; }" ::"r"(
                             at_shared(&word))
                         : "memory");
            break;
        }
        asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(token) : "l"(&word) : "memory");
        while (done == 0)
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                : "=r"(done)
                : "l"(&word), "l"(token)
                : "memory");
        if (threadIdx.x == 32)
            d.numbers[round] = sums[round];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at_shared(&word)) : "memory");
        if (d.k == 1)
            arrive(&word);
    }
}

// The first warp arrives at barriers by number, which the others wait at. k == 1: not all do.
KERNEL(hand_over_by_number)
{
    __shared__ float staged[32];

    for (int round = 0; round < 3; round++) {
        if (threadIdx.x < 32) {
            asm volatile("bar.sync 2, %0;" ::"r"(96) : "memory");
            staged[threadIdx.x] = (float)(round + (int)threadIdx.x);
            asm volatile("barrier.cta.arrive.aligned %0, 96;" ::"r"(d.k == 2 ? 16 : 3) : "memory");
        } else {
            asm volatile("bar.arrive 2, 96;" ::: "memory");
            if (d.k != 1 || threadIdx.x < 64)
                asm volatile("barrier.sync 3, 96;" ::: "memory");
            d.b[round * 96 + (int)threadIdx.x] = staged[31 - threadIdx.x % 32];
        }
    }
}

// k: what one thread copies without its right; 7 to 9: what its block has written, 8 and 9 without
// a fence for it.
KERNEL(reverse_by_bulk_copy)
{
    __shared__ __align__(16) float staged[WATCH_MAX_BLOCK];
    __shared__ uint64_t word;
    const unsigned int bytes = blockDim.x * 4;
    const int i = index_in_grid();
    const float *const from = d.k < 7 ? d.a : d.b;

    if (d.k >= 7)
        d.b[i] = d.a[i];
    if (d.k == 7)
        asm volatile("fence.proxy.async.global;" ::: "memory");
    if (d.k == 9)
        fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        begin_mbarrier(&word, 1);
        arrive_expecting(&word, d.k == 5 ? bytes / 2 : d.k == 6 ? 0 : bytes);
        load_bulk(staged + (d.k == 2), from + (d.k == 3 ? 2048 : blockIdx.x * blockDim.x), bytes,
                  &word);
        if (d.k == 4)
            staged[0] = 0;
    }
    __syncthreads();
    if (d.k != 1)
        wait_for(&word, 0);
    d.b[i] = staged[blockDim.x - 1 - threadIdx.x];
}

// k: what is missing.
KERNEL(reverse_by_bulk_store)
{
    __shared__ __align__(16) float staged[WATCH_MAX_BLOCK];

    if (d.k == 2)
        fence_proxy();
    staged[blockDim.x - 1 - threadIdx.x] = d.a[index_in_grid()];
    if (d.k == 1)
        asm volatile("fence.proxy.async.global;" ::: "memory");
    else if (d.k != 2 && d.k != 3)
        fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (d.k == 3)
            asm volatile("fence.proxy.async.shared::cluster;" ::: "memory");
        store_bulk(d.b + (d.k == 4 ? 2048 : blockIdx.x * blockDim.x), staged, blockDim.x * 4);
        commit_bulk();
        if (d.k != 5)
            wait_for_reads();
    }
    __syncthreads();
    staged[threadIdx.x] = 0;
}

// CCCL's functions. k < 0, 2 and 4: those of cuda::ptx. k: what is missing.
KERNEL(move_by_library)
{
    namespace cde = cuda::device::experimental;
    namespace ptx = cuda::ptx;
    __shared__ __align__(16) float staged[WATCH_MAX_BLOCK];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    const bool by_ptx = d.k < 0 || d.k == 2 || d.k == 4;
    const float *from = d.a + blockIdx.x * blockDim.x;
    float *to = d.b + blockIdx.x * blockDim.x;
    const unsigned int bytes = blockDim.x * 4;
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    uint64_t *word = cuda::device::barrier_native_handle(full);

    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x > 0) {
        token = full.arrive();
    } else if (by_ptx) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, staged, from, bytes, word);
        token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                               word, bytes);
    } else if (d.k == 5) {
        cuda::device::memcpy_async_tx(staged, from, cuda::aligned_size_t<16>(bytes), full);
        cuda::device::barrier_expect_tx(full, bytes);
        token = full.arrive();
    } else {
        cde::cp_async_bulk_global_to_shared(staged, from, bytes, full);
        token = cuda::device::barrier_arrive_tx(full, 1, bytes);
    }
    __syncthreads();
    if (d.k == 1 || d.k == 2 || d.k == 5) {
        to[threadIdx.x] = staged[threadIdx.x];
        return;
    }
    while (by_ptx && !ptx::mbarrier_try_wait(word, token))
        ;
    if (!by_ptx)
        full.wait(static_cast<decltype(token) &&>(token));
    staged[threadIdx.x] += 1;
    if (d.k != 3 && d.k != 4)
        ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    if (by_ptx) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, staged, bytes);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    } else {
        cde::cp_async_bulk_shared_to_global(to, staged, bytes);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

// One thread stores two buffers, and fills the first again while the second is read. k: 1 fills the
// second, 2 does so after it has read it, 3 a buffer whose store it has not committed.
KERNEL(store_in_two_groups)
{
    __shared__ __align__(16) float first[4], second[4];

    if (threadIdx.x > 0)
        return;
    for (int i = 0; i < 4; i++)
        first[i] = second[i] = (float)i;
    fence_proxy();
    store_bulk(d.b, first, sizeof first);
    commit_bulk();
    store_bulk(d.b + 4, second, sizeof second);
    if (d.k != 3)
        commit_bulk();
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(1) : "memory");
    first[0] = 1;
    if (d.k == 2)
        d.b[8] = second[0];
    if (d.k == 3)
        wait_for_reads();
    if (d.k != 0)
        second[0] = 1;
    wait_for_reads();
    second[1] = first[1];
}

// Each thread's element, by a copy that an mbarrier object completes; 1: nobody waits for it, 2:
// its arrival is the thread's own, 3: its group completes it too.
KERNEL(reverse_by_bound_copy)
{
    __shared__ __align__(16) float staged[96];
    __shared__ uint64_t word;
    const int i = (int)threadIdx.x, count = (int)blockDim.x, first = (int)blockIdx.x * count;

    if (i == 0)
        begin_mbarrier(&word, (unsigned int)count);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at_shared(&staged[i])),
                 "l"(d.a + first + i));
    if (d.k == 2) {
        asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(at_shared(&word)));
        arrive(&word);
    } else {
        asm volatile("cp.async.mbarrier.arrive.noinc.b64 [%0];" ::"l"(&word));
    }
    if (d.k == 3)
        asm volatile("cp.async.wait_all;" ::: "memory");
    if (d.k == 1 || d.k == 3)
        __syncthreads();
    else
        wait_for(&word, 0);
    d.b[first + i] = staged[count - 1 - i];
}

// Blocks of a cluster meet before each counts its threads.
KERNEL(count_in_cluster)
{
    __shared__ uint64_t word;
    unsigned int rank, size;

    asm("mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank;" : "=r"(rank), "=r"(size));
    if (threadIdx.x == 0)
        begin_mbarrier(&word, blockDim.x);
    if (rank == 0)
        d.numbers[index_in_grid() + (int)blockDim.x] = 1;
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    arrive(&word);
    wait_for(&word, 0);
    d.numbers[index_in_grid()] += (int)(10 * rank + size);
}

// Copies what was never written.
KERNEL(store_unwritten)
{
    __shared__ __align__(16) float staged[32];

    if (threadIdx.x == 0) {
        store_bulk(d.b, staged, sizeof staged);
        commit_bulk();
        wait_for_reads();
    }
}

// Each block adds 16 elements of several types, in a box of a tensor where k == -1. k: what is
// wrong.
KERNEL(add_by_bulk_copy)
{
    namespace ptx = cuda::ptx;
    __shared__ __align__(128) float floats[16];
    __shared__ __align__(16) __nv_bfloat16 halves[16];
    __shared__ __align__(16) int64_t wide[16];
    __shared__ __align__(16) unsigned int most[16];

    if (threadIdx.x >= 16)
        return;
    floats[threadIdx.x] = d.a[threadIdx.x];
    halves[threadIdx.x] = __float2bfloat16(d.a[threadIdx.x]);
    wide[threadIdx.x] = -(int64_t)threadIdx.x;
    most[threadIdx.x] = blockIdx.x + threadIdx.x;
    if (d.k != 1)
        fence_proxy();
    __syncwarp();
    if (d.k == 2)
        d.b[threadIdx.x] += 1;
    if (threadIdx.x > 0)
        return;
    if (d.k == -1)
        asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group "
                     "[%0, {%1}], [%2];" ::"l"(d.bytes),
                     "r"(0), "r"(at_shared(floats))
                     : "memory");
    else
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 64;" ::"l"(d.b),
            "r"(at_shared(floats))
            : "memory");
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%0], [%1], 32;" ::"l"(
            d.b + 16),
        "r"(at_shared(halves))
        : "memory");
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max,
                              (unsigned int *)d.numbers, most, sizeof most);
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%0], [%1], 128;" ::"l"(
            d.numbers + 16),
        "r"(at_shared(wide))
        : "memory");
    commit_bulk();
    if (d.k != 3)
        wait_for_reads();
    floats[0] = 0;
}

#define COPY_BOX(dimensions, ...)                                                                  \
    case dimensions:                                                                               \
        asm volatile(                                                                              \
            "cp.async.bulk.tensor." #dimensions                                                    \
            "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%5], [%6, {" __VA_ARGS__  \
            "}], [%7];" ::"r"(at[0]),                                                              \
            "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(at_shared(to)), "l"(d.bytes),      \
            "r"(at_shared(&word))                                                                  \
            : "memory");                                                                           \
        break
#define STORE_BOX(dimensions, ...)                                                                 \
    case dimensions:                                                                               \
        asm volatile("cp.async.bulk.tensor." #dimensions                                           \
                     "d.global.shared::cta.bulk_group [%5, {" __VA_ARGS__                          \
                     "}], [%6];" ::"r"(at[0]),                                                     \
                     "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "l"(d.bytes + 128),           \
                     "r"(at_shared(box))                                                           \
                     : "memory");                                                                  \
        break

// Copies a box of `rows` elements of a tensor of n dimensions at the coordinates in numbers, as it
// lies in shared memory, or (k == 1) to another tensor. k == 2: to the wrong address.
KERNEL(copy_box)
{
    __shared__ __align__(1024) float box[1024];
    __shared__ uint64_t word;
    float *to = box + (d.k == 2 ? 16 : 0);
    int at[5];

    if (threadIdx.x > 0)
        return;
    for (int i = 0; i < 5; i++)
        at[i] = d.numbers[i];
    begin_mbarrier(&word, 1);
    arrive_expecting(&word, d.rows * 4);
    asm volatile("prefetch.tensormap [%0];" ::"l"(d.bytes) : "memory");
    switch (d.n) {
        COPY_BOX(1, "%0");
        COPY_BOX(2, "%0, %1");
        COPY_BOX(3, "%0, %1, %2");
        COPY_BOX(4, "%0, %1, %2, %3");
        COPY_BOX(5, "%0, %1, %2, %3, %4");
    }
    wait_for(&word, 0);
    if (d.k == 0) {
        for (int i = 0; i < d.rows; i++)
            d.b[i] = box[i];
        return;
    }
    switch (d.n) {
        STORE_BOX(1, "%0");
        STORE_BOX(2, "%0, %1");
        STORE_BOX(3, "%0, %1, %2");
        STORE_BOX(4, "%0, %1, %2, %3");
        STORE_BOX(5, "%0, %1, %2, %3, %4");
    }
    commit_bulk();
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// SPDX-License-Identifier: MIT
