/* Kernels that use <cuda/atomic>, and atomics of scopes and of vectors. */

#include "tests/model/watch_start.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

template <cuda::thread_scope Scope>
using number = cuda::atomic_ref<int, Scope>;
constexpr auto relaxed = cuda::memory_order_relaxed;
constexpr auto acquire = cuda::memory_order_acquire;
constexpr auto release = cuda::memory_order_release;
constexpr auto both = cuda::memory_order_acq_rel;
constexpr auto sequential = cuda::memory_order_seq_cst;

// Each block adds its own to what the one before has, once that one says so.
template <cuda::thread_scope Scope>
static __device__ void look_back(watch_data d, cuda::memory_order loads, cuda::memory_order stores,
                                 bool fences)
{
    float before = 0.0f;

    if (threadIdx.x != 0)
        return;
    if (blockIdx.x > 0) {
        number<Scope> flag(d.numbers[blockIdx.x - 1]);

        while (flag.load(loads) == 0)
            ;
        if (fences)
            cuda::atomic_thread_fence(acquire, cuda::thread_scope_device);
        before = d.b[blockIdx.x - 1];
    }
    d.b[blockIdx.x] = before + d.a[blockIdx.x];
    if (fences)
        cuda::atomic_thread_fence(release, cuda::thread_scope_device);
    number<Scope>(d.numbers[blockIdx.x]).store(1, stores);
}

#define LOOK_BACK(name, scope, loads, stores, fences)                                              \
    KERNEL(look_back_##name)                                                                       \
    {                                                                                              \
        look_back<cuda::thread_scope_##scope>(d, loads, stores, fences);                           \
    }
LOOK_BACK(acquired, device, acquire, release, false)
LOOK_BACK(sequential, system, sequential, sequential, false)
LOOK_BACK(fenced, device, relaxed, relaxed, true)
LOOK_BACK(relaxed, device, relaxed, relaxed, false)
LOOK_BACK(not_acquired, device, relaxed, release, false)
LOOK_BACK(not_released, device, acquire, relaxed, false)
LOOK_BACK(of_block, block, acquire, release, false)

// The last block to come adds up what all have.
static __device__ void add_by_last(watch_data d, cuda::memory_order order)
{
    number<cuda::thread_scope_device> count(d.numbers[0]);

    if (threadIdx.x != 0)
        return;
    d.b[1 + blockIdx.x] = d.a[blockIdx.x];
    if (count.fetch_add(1, order) != (int)gridDim.x - 1)
        return;
    for (unsigned int i = 0; i < gridDim.x; i++)
        d.b[0] += d.b[1 + i];
}

KERNEL_DOES(last_block, add_by_last(d, both))
KERNEL_DOES(last_block_relaxed, add_by_last(d, relaxed))
KERNEL_DOES(last_block_not_acquired, add_by_last(d, release))

// The first thread hands a value to the others, which wait for it.
static __device__ void hand_over(watch_data d, cuda::memory_order loads, cuda::memory_order stores)
{
    __shared__ float staged;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;

    if (threadIdx.x == 0)
        flag.store(0, relaxed);
    __syncthreads();
    if (threadIdx.x == 0) {
        staged = d.a[0];
        flag.store(1, stores);
    } else if (threadIdx.x >= 32) {
        while (flag.load(loads) == 0)
            ;
        d.b[threadIdx.x] = staged;
    }
}

KERNEL_DOES(hand_over_acquired, hand_over(d, acquire, release))
KERNEL_DOES(hand_over_relaxed, hand_over(d, relaxed, relaxed))
KERNEL_DOES(hand_over_not_acquired, hand_over(d, relaxed, release))

// Lanes of one warp, each after the one before.
static __device__ void add_in_turn(watch_data d, cuda::memory_order order)
{
    __shared__ int sum;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;

    if (threadIdx.x == 0) {
        sum = 0;
        turn = 0;
    }
    __syncthreads();
    while (turn.load(order) != (int)threadIdx.x)
        ;
    sum += (int)threadIdx.x;
    turn.fetch_add(1, order);
    __syncthreads();
    d.b[threadIdx.x] = (float)sum;
}

KERNEL_DOES(add_in_turn_acquired, add_in_turn(d, sequential))
KERNEL_DOES(add_in_turn_relaxed, add_in_turn(d, relaxed))

KERNEL(wait_for_value)
{
    __shared__ cuda::atomic<unsigned int, cuda::thread_scope_block> flag;

    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        flag = 7;
        flag.notify_all();
    } else if (threadIdx.x < 32) {
        flag.wait(0);
    }
    d.numbers[threadIdx.x] = 1;
}

static __device__ void count_all(watch_data d, cuda::memory_order unlock)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(d.numbers[0]);
    int open = 0;

    while (!lock.compare_exchange_weak(open, 1, acquire))
        open = 0;
    d.b[0] += 1.0f;
    lock.store(0, unlock);
}

KERNEL_DOES(lock_by_exchange, count_all(d, release))

KERNEL(lock_by_exchange_relaxed)
{
    if (threadIdx.x % 32 == 0)
        count_all(d, relaxed);
}

KERNEL(lock_by_flag)
{
    __shared__ cuda::std::atomic_flag taken;
    __shared__ int sum;

    if (threadIdx.x == 0) {
        taken.clear();
        sum = 0;
    }
    __syncthreads();
    while (taken.test_and_set(acquire))
        ;
    sum++;
    taken.clear(release);
    __syncthreads();
    d.b[threadIdx.x] = (float)sum;
}

// Counts of all blocks, by atomics of a scope.
EACH_DOES(count_of_device, number<cuda::thread_scope_device>(d.numbers[0])++)
EACH_DOES(count_of_block, number<cuda::thread_scope_block>(d.numbers[0])++)
EACH_DOES(add_of_block, atomicAdd_block(&d.numbers[0], 1))
EACH_DOES(nv_add_of_device,
          __nv_atomic_fetch_add(&d.numbers[0], 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE))
EACH_DOES(nv_add_of_block,
          __nv_atomic_fetch_add(&d.numbers[0], 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK))

// Each gives 1 where all of nvcc's atomics give what they should.
EACH(nv_values)
{
    int *const word = &d.numbers[i];
    int expected = 7;
    int right = 0;

    __nv_atomic_store_n(word, 5, __NV_ATOMIC_RELEASE);
    right += __nv_atomic_load_n(word, __NV_ATOMIC_ACQUIRE) == 5;
    right += !__nv_atomic_compare_exchange_n(word, &expected, 9, false, __NV_ATOMIC_ACQ_REL,
                                             __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    right += expected == 5;
    right += __nv_atomic_compare_exchange_n(word, &expected, 12, true, __NV_ATOMIC_SEQ_CST,
                                            __NV_ATOMIC_RELAXED);
    right += __nv_atomic_fetch_sub(word, 2, __NV_ATOMIC_RELAXED) == 12;
    right += __nv_atomic_fetch_or(word, 5, __NV_ATOMIC_RELAXED) == 10;
    right += __nv_atomic_fetch_and(word, 6, __NV_ATOMIC_RELAXED) == 15;
    right += __nv_atomic_fetch_xor(word, 1, __NV_ATOMIC_RELAXED) == 6;
    right += __nv_atomic_fetch_min(word, 3, __NV_ATOMIC_RELAXED) == 7;
    right += __nv_atomic_fetch_max(word, 4, __NV_ATOMIC_RELAXED) == 3;
    right += __nv_atomic_exchange_n(word, 1, __NV_ATOMIC_RELAXED) == 4;
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    d.numbers[i] = right == 11;
}

EACH_DOES(add_of_own_block, atomicAdd_block(&d.numbers[blockIdx.x], 1))

KERNEL(plain_and_atomic)
{
    if (threadIdx.x == 0)
        d.numbers[0] = 1;
    if (threadIdx.x == 32)
        d.numbers[1] = number<cuda::thread_scope_device>(d.numbers[0]).load(relaxed);
}

// Each thread loads once, stores once and updates twice.
EACH(atomic_requests)
{
    cuda::atomic_ref<float> sum(d.b[0]);

    number<cuda::thread_scope_device>(d.numbers[i + 1])
        .store((int)cuda::atomic_ref<float>(d.a[i]).load(relaxed), relaxed);
    sum.fetch_add(1.0f, relaxed);
    number<cuda::thread_scope_device>(d.numbers[0]).exchange(5, relaxed);
}

EACH_DOES(atomic_beyond, number<cuda::thread_scope_device>(d.numbers[i + 1]).fetch_add(1, relaxed))

EACH(vector_atomics)
{
    atomicAdd((float2 *)d.b, make_float2(1.0f, 2.0f));
    atomicAdd((float4 *)(d.b + 4), make_float4(1.0f, 2.0f, 3.0f, (float)i));
    atomicExch((uint4 *)(d.numbers + 4), make_uint4(1, 2, 3, 4));
    atomicCAS((uint4 *)d.numbers, make_uint4(0, 0, 0, 0), make_uint4(5, 6, 7, (unsigned int)i));
}

EACH_DOES(vector_atomics_misaligned,
          atomicAdd((float4 *)(d.b + 2), make_float4(1.0f, 2.0f, 3.0f, (float)i)))

EACH_DOES(wide_load_misaligned, d.b[i] = __ldg((const float4 *)(d.a + 2)).x)

// SPDX-License-Identifier: MIT
