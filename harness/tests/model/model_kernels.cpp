/* Small kernels for the CPU model's own tests. */
#include <cuda_runtime.h>

#include "tests/model/model_kernels.h"

// A kernel here asserts whatever the build type says.
#undef NDEBUG
#include <assert.h>

/* Launches a kernel; the parameters in parentheses are what follows the configuration. */
#define AND(...) __VA_ARGS__
#define LAUNCHER(name, parameters, ...)                                                            \
    cudaError_t launch_##name(const cudaLaunchConfig_t *config, AND parameters)                    \
    {                                                                                              \
        return cudaLaunchKernelEx(config, __VA_ARGS__);                                            \
    }

__device__ static unsigned int linear_thread()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__host__ __device__ inline unsigned int linear(dim3 index, dim3 extent)
{
    return (index.z * extent.y + index.y) * extent.x + index.x;
}

__device__ __forceinline__ size_t linear_block()
{
    return linear(blockIdx, gridDim);
}

__device__ static unsigned int threads_of_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

static __global__ void see(seen *out)
{
    seen *mine = &out[linear_block() * threads_of_block() + linear_thread()];

    mine->thread = threadIdx;
    mine->block = blockIdx;
    mine->block_dim = blockDim;
    mine->grid_dim = gridDim;
    mine->warp_size = warpSize;
    mine->times++;
}

LAUNCHER(see, (seen * out), see, out)

static __global__ void __launch_bounds__(1024) count_threads(unsigned long long *count)
{
    atomicAdd(count, 1ull);
}

LAUNCHER(count, (unsigned long long *count), count_threads, count)

static __global__ void note_order(int *order, int *turn)
{
    order[atomicAdd(turn, 1)] = (int)(linear_block() * threads_of_block() + linear_thread());
}

LAUNCHER(note_order, (int *order, int *turn), note_order, order, turn)

static __global__ void reverse(int *values, int rounds)
{
    __shared__ int staged[1024];
    unsigned int count = threads_of_block();
    unsigned int own = linear_thread();
    int *part = &values[linear_block() * count];

    for (int i = 0; i < rounds; i++) {
        staged[own] = part[own];
        __syncthreads();
        part[own] = staged[count - 1 - own];
        __syncthreads();
    }
}

LAUNCHER(reverse, (int *values, int rounds), reverse, values, rounds)

static __global__ void reverse_racy(int *values)
{
    __shared__ int staged[1024];
    unsigned int count = threads_of_block();
    unsigned int own = linear_thread();

    staged[own] = values[own];
    values[own] = staged[count - 1 - own];
}

LAUNCHER(reverse_racy, (int *values), reverse_racy, values)

static __global__ void rotate_dynamic(int *values, int *poisoned)
{
    KG_DYNAMIC_SHARED(int, staged);
    unsigned int count = threads_of_block();
    unsigned int own = linear_thread();
    int *part = &values[linear_block() * count];

    if (staged[own] != -1)
        atomicExch(&poisoned[linear_block()], 0);
    __syncthreads();
    staged[own] = part[own];
    __syncthreads();
    part[own] = staged[(own + 1) % count];
}

LAUNCHER(rotate_dynamic, (int *values, int *poisoned), rotate_dynamic, values, poisoned)

cudaError_t allow_rotate_dynamic(int bytes)
{
    return cudaFuncSetAttribute(rotate_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

const void *rotate_dynamic_kernel(void)
{
    return reinterpret_cast<const void *>(rotate_dynamic);
}

template <int COUNT>
static __global__ void find_static_poison(int *poisoned)
{
    __shared__ int left[COUNT];
    __shared__ double right[COUNT];
    unsigned int own = linear_thread();

    poisoned[linear_block() * COUNT + own] = left[own] == -1 && isnan(right[own]);
    left[own] = 1;
    right[own] = 1.0;
}

LAUNCHER(find_static_poison, (int *poisoned), find_static_poison<32>, poisoned)

struct cudaFuncAttributes find_static_poison_attributes(void)
{
    cudaFuncAttributes attributes = {};

    cudaFuncGetAttributes(&attributes, find_static_poison<32>);
    return attributes;
}

#define OPERATION(name, result)                                                                    \
    case name:                                                                                     \
        out[own] = (int)(result);                                                                  \
        break;

static __global__ void warp_operate(warp_operation operation, int argument, int width, int *out)
{
    const unsigned int all = 0xffffffffu;
    unsigned int own = linear_thread();
    int value = (int)own + 100;

    switch (operation) {
        OPERATION(SHUFFLE, __shfl_sync(all, value, argument, width))
        OPERATION(SHUFFLE_UP, __shfl_up_sync(all, value, (unsigned int)argument, width))
        OPERATION(SHUFFLE_DOWN, __shfl_down_sync(all, value, (unsigned int)argument, width))
        OPERATION(SHUFFLE_XOR, __shfl_xor_sync(all, value, argument, width))
        OPERATION(BALLOT_ODD, __ballot_sync(all, value & 1))
        OPERATION(ANY_IS, __any_sync(all, value == argument))
        OPERATION(ALL_BELOW, __all_sync(all, value < argument))
        OPERATION(MATCH_MOD, __match_any_sync(all, value % argument))
        OPERATION(SUM, __reduce_add_sync(all, value))
        OPERATION(MINIMUM, __reduce_min_sync(all, argument - value) +
                               (int)__reduce_min_sync(all, (unsigned int)value))
        OPERATION(MAXIMUM, __reduce_max_sync(all, argument - value) +
                               (int)__reduce_max_sync(all, (unsigned int)value))
        OPERATION(ALL_BITS, __reduce_and_sync(all, (unsigned int)value))
        OPERATION(ANY_BITS, __reduce_or_sync(all, (unsigned int)value))
        OPERATION(PARITY, __reduce_xor_sync(all, (unsigned int)value))
    case SYNC:
        /* Each lane reads what its neighbor has written, in either order of lanes. */
        out[own] = value;
        __syncwarp();
        value = out[own ^ 1];
        __syncwarp();
        out[own] = value;
        break;
    }
}

LAUNCHER(warp, (warp_operation operation, int argument, int width, int *out), warp_operate,
         operation, argument, width, out)

static __global__ void shuffle_types(int *out)
{
    const unsigned int all = 0xffffffffu;
    int own = (int)threadIdx.x;
    int other = own ^ 3;

    out[own] = __shfl_xor_sync(all, (float)own, 3) == (float)other &&
               __shfl_xor_sync(all, own * 1e300, 3) == other * 1e300 &&
               __shfl_xor_sync(all, own * 0x100000001ll, 3) == other * 0x100000001ll &&
               __shfl_xor_sync(all, (unsigned int)own, 3) == (unsigned int)other &&
               __shfl_xor_sync(all, (unsigned long)own, 3) == (unsigned long)other &&
               __shfl_xor_sync(all, -own, 3) == -other;
}

LAUNCHER(shuffle_types, (int *out), shuffle_types, out)

static __global__ void half_warps(int *out)
{
    int own = (int)threadIdx.x;
    int sum = own;

    if (own % 32 < 16) {
        for (int i = 1; i < 16; i *= 2)
            sum += __shfl_xor_sync(0x0000ffffu, sum, i);
    } else {
        for (int round = 0; round < 3; round++)
            sum = __shfl_sync(0xffff0000u, sum, 16) + 1;
    }
    out[own] = sum;
}

LAUNCHER(half_warps, (int *out), half_warps, out)

static __global__ void leave_early(int staying, int *out)
{
    __shared__ int met[1024];
    int own = (int)threadIdx.x;
    int sum = 0;

    if (own >= staying)
        return;
    met[own] = 1;
    __syncthreads();
    for (int i = 0; i < staying; i++)
        sum += met[i];
    out[own] = sum;
    __syncthreads();
}

LAUNCHER(leave_early, (int staying, int *out), leave_early, staying, out)

static __global__ void leave_warp(int staying, int *out)
{
    int own = (int)threadIdx.x;

    if (own >= staying)
        return;
    out[own] = __shfl_sync(0xffffffffu, own + 7, 1);
}

LAUNCHER(leave_warp, (int staying, int *out), leave_warp, staying, out)

static __global__ void vote(int limit, int *out)
{
    int own = (int)threadIdx.x;
    int *mine = &out[(size_t)3 * threadIdx.x];

    mine[0] = __syncthreads_count(own < limit);
    mine[1] = __syncthreads_and(own < limit);
    mine[2] = __syncthreads_or(own < limit);
}

LAUNCHER(votes, (int limit, int *out), vote, limit, out)

/* No __device__ functions, since those are inlined and these must not be. */
#ifdef KG__MODEL_CUDA_RUNTIME_H
static int __attribute__((noinline)) recurse(volatile int *depth)
{
    volatile int here[256];

    here[0] = *depth + 1;
    *depth = here[0];
    return here[0] < 1 << 24 ? recurse(depth) + here[0] : 0;
}

static int __attribute__((noinline)) use_large_array(int index)
{
    volatile char large[4u << 20];

    large[index] = 1;
    return large[index];
}

/* Calls a function by a pointer that was never one. */
static int __attribute__((noinline)) call_at(volatile uintptr_t address, int value)
{
    int (*function)(int) = nullptr;

    memcpy(&function, const_cast<const uintptr_t *>(&address), sizeof function);
    return function(value) + 1;
}

static __global__ void go_wrong(defect which, int *out)
{
    const unsigned int all = 0xffffffffu;
    volatile int *nowhere = nullptr;
    int own = (int)threadIdx.x;

    switch (which) {
        OPERATION(NO_DEFECT, own)
    case BARRIER_AGAINST_SHUFFLE:
        if (own == 0)
            __syncthreads();
        out[own] = __shfl_sync(all, own, 0);
        break;
        OPERATION(DIFFERENT_MASKS, __any_sync(own % 2 == 0 ? all : all - 1, 1))
        OPERATION(OUTSIDE_MASK, __shfl_sync(1u, own, 0))
        OPERATION(BAD_WIDTH, __shfl_sync(all, own, 0, 12))
        OPERATION(NULL_CALL, call_at(0, own))
        OPERATION(WILD_CALL, call_at(3, own))
    case NULL_ADDRESS:
        if (own == 5)
            *nowhere = own; /* NOLINT(clang-analyzer-core.NullDereference): the defect */
        break;
    case DEEP_RECURSION:
        if (own == 2)
            out[own] = recurse(out);
        break;
        OPERATION(LARGE_ARRAY, use_large_array(own))
    case FAILED_ASSERT:
        assert(own != 3);
        break;
    case TRAP:
        __trap();
        break;
    case BREAKPOINT:
        __brkpt();
        break;
    case ENDLESS_LOOP:
        while (*(volatile int *)out == 0)
            ; /* ENDLESS_LOOP */
        break;
    case ENDLESS_BARRIERS:
        for (;;)
            __syncthreads(); /* ENDLESS_BARRIERS */
    case ENDLESS_SHUFFLES:
        while (__shfl_xor_sync(all, own, 1) >= 0)
            ; /* ENDLESS_SHUFFLES */
        break;
        OPERATION(CALLS_THE_HOST, cudaDeviceSynchronize())
    }
}

LAUNCHER(defect, (defect which, int *out), go_wrong, which, out)

static __global__ void large_shared(int *out)
{
    __shared__ int large[12289];

    large[threadIdx.x] = 1;
    out[threadIdx.x] = large[threadIdx.x];
}

LAUNCHER(large_shared, (int *out), large_shared, out)
#endif

cudaError_t launch_null_kernel(const cudaLaunchConfig_t *config)
{
    void (*kernel)(int) = nullptr;

    return cudaLaunchKernelEx(config, kernel, 1);
}

static __global__ void atomics(int *integers, unsigned int *naturals, float *reals)
{
    int own = (int)threadIdx.x;

    atomicAdd(&integers[0], own);
    atomicSub(&integers[1], 1);
    atomicMin(&integers[2], -own);
    atomicMax(&integers[3], own);
    atomicCAS(&integers[4], own, own + 1);
    atomicExch(&integers[5], own);
    atomicAnd(&naturals[0], ~(1u << own % 32));
    atomicOr(&naturals[1], 1u << own % 32);
    atomicXor(&naturals[2], 1u << own % 32);
    atomicInc(&naturals[3], 4u);
    atomicDec(&naturals[4], 4u);
    atomicAdd(&naturals[5], 2u);
    atomicAdd(&reals[0], 0.5f);
}

LAUNCHER(atomics, (int *integers, unsigned int *naturals, float *reals), atomics, integers,
         naturals, reals)

static __constant__ float constants[8];

cudaError_t set_constants(const float *values, size_t count, size_t offset, int kind)
{
    return cudaMemcpyToSymbol(constants, values, count, offset, static_cast<cudaMemcpyKind>(kind));
}

cudaError_t get_constants(float *values, size_t count, size_t offset)
{
    return cudaMemcpyFromSymbol(values, constants, count, offset);
}

cudaError_t get_constants_on(float *values, size_t count, size_t offset, int kind,
                             cudaStream_t stream)
{
    return cudaMemcpyFromSymbolAsync(values, constants, count, offset,
                                     static_cast<cudaMemcpyKind>(kind), stream);
}

static __global__ void read_constants(float *out)
{
    out[threadIdx.x] = constants[threadIdx.x];
}

LAUNCHER(read_constants, (float *out), read_constants, out)

static __global__ void print_often(int *arguments, int times)
{
    for (int i = 0; i < times; i++)
        *arguments += printf("%d of 100%% by thread %u\n", i, threadIdx.x);
}

LAUNCHER(print_often, (int *arguments, int times), print_often, arguments, times)

cudaError_t allocate_typed(void)
{
    float *device = nullptr;
    double *managed = nullptr;
    int4 *pinned = nullptr;
    cudaError_t error = cudaMalloc(&device, 4 * sizeof *device);

    if (error == cudaSuccess)
        error = cudaMallocManaged(&managed, sizeof *managed);
    if (error == cudaSuccess)
        error = cudaMallocHost(&pinned, sizeof *pinned);
    if (error == cudaSuccess)
        *managed = 1.5;
    if (error == cudaSuccess)
        error = cudaFree(device);
    if (error == cudaSuccess)
        error = cudaFree(managed);
    return error == cudaSuccess ? cudaFreeHost(pinned) : error;
}

// SPDX-License-Identifier: MIT
