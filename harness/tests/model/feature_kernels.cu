// Kernels with dynamic shared memory as people declare it. A .cu, for g++ alone does not understand
// it.
#include <cuda_runtime.h>
#include <curand_philox4x32_x.h>

#include "tests/model/feature_kernels.h"
#include "tests/model/watch_start.h"

extern __shared__ double of_the_file[];

// Reverses a block; defective without the barrier, and where it reads `shift` elements beyond.
template <typename Value>
static __device__ void reverse(Value *staged, watch_data d, bool meets = true, int shift = 0)
{
    const unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    if (meets)
        __syncthreads();
    d.b[i] = static_cast<float>(staged[(int)(blockDim.x - 1 - i) + shift]);
}

KERNEL(reverse_of_the_file)
{
    reverse(of_the_file, d);
}

KERNEL(reverse_in_a_kernel)
{
    extern __shared__ float staged[];

    reverse(staged, d);
}

KERNEL(reverse_without_barrier)
{
    extern __shared__ float staged[];

    reverse(staged, d, false);
}

KERNEL(reverse_beyond)
{
    extern __shared__ float staged[];

    reverse(staged, d, true, 1);
}

KERNEL(reverse_before)
{
    extern __shared__ float staged[];

    reverse(staged, d, true, -1);
}

// Of another type under a name of its own; aligned, volatile, with rows, and split by pointers.
KERNEL(reverse_aligned)
{
    extern __shared__ __align__(16) unsigned char bytes[];

    reverse(reinterpret_cast<float *>(bytes), d);
}

KERNEL(reverse_volatile)
{
    extern volatile __shared__ float kept[];

    reverse(kept, d);
}

KERNEL(reverse_rows)
{
    alignas(128) extern __shared__ float rows[][4];
    const unsigned int i = threadIdx.x;
    const unsigned int j = blockDim.x - 1 - i;

    rows[i / 4][i % 4] = d.a[i];
    __syncthreads();
    d.b[i] = rows[j / 4][j % 4];
}

// A helper of each type, as CUDA's samples have it.
template <typename Value>
struct dynamic_array {
    __device__ operator Value *()
    {
        extern __shared__ int words[];

        return reinterpret_cast<Value *>(words);
    }
};

KERNEL(reverse_by_template)
{
    reverse<float>(dynamic_array<float>(), d);
    __syncthreads();
    reverse<double>(dynamic_array<double>(), d);
}

// Two views of the same bytes.
KERNEL(reverse_two_views)
{
    extern __shared__ float single_words[];
    extern __shared__ unsigned int same_words[];
    const unsigned int i = threadIdx.x;

    single_words[i] = d.a[i];
    same_words[i] ^= 0x80000000u;
    single_words[i] = -single_words[i];
    __syncthreads();
    d.b[i] = single_words[blockDim.x - 1 - i];
}

cudaError_t allow_reverse(int bytes)
{
    return cudaFuncSetAttribute(reverse_in_a_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                bytes);
}

EACH(active_lanes)
{
    if (i % 2 == 0)
        d.numbers[i] = (int)__activemask();
    else
        d.numbers[i] = (int)__activemask() ^ 1;
    if (__activemask() != 0xffffffffu)
        d.numbers[i] = 0;
}

// One addition for each warp, of those lanes that have something to add.
EACH(add_by_leader)
{
    if (i % 3 == 0) {
        const unsigned int active = __activemask();

        if ((int)threadIdx.x % 32 == __ffs((int)active) - 1)
            atomicAdd_block(&d.numbers[0], __popc(active));
        __syncwarp(active);
    }
}

EACH(add_by_leader_without_atomics)
{
    if (i % 3 == 0) {
        const unsigned int active = __activemask();

        if ((int)threadIdx.x % 32 == __ffs((int)active) - 1)
            d.numbers[0] += __popc(active);
    }
}

EACH(match_all)
{
    int same = 0;
    int differ = 0;
    const unsigned int all = __match_all_sync(0xffffffffu, i / 32, &same);
    const unsigned int none = __match_all_sync(0xffffffffu, static_cast<double>(i), &differ);

    d.numbers[i] = all == 0xffffffffu && same == 1 && none == 0 && differ == 0;
}

EACH(scoped_atomics)
{
    int *const at = &d.numbers[i % 32 * 8];

    atomicAdd_block(&at[0], 2);
    atomicSub_system(&at[1], 1);
    atomicMax_block(&at[2], i);
    atomicMin_system(&at[3], -i);
    atomicExch_block(&at[4], 5);
    atomicCAS_system(&at[5], 0, 6);
    atomicOr_block(&at[6], 8);
    atomicAdd_system(&d.b[i % 32], 0.5f);
}

EACH(hinted)
{
    __stcs(&d.b[i], __ldcv(&d.a[i]) + __ldlu(&d.a[i]));
    __stwb(&d.numbers[i], 7u);
}

EACH(hinted_beyond)
{
    __stcs(&d.b[i], __ldcg(&d.a[i + 1]));
}

// Each thread's own generator, whose state is in memory.
EACH(draw)
{
    curandStatePhilox4_32_10_t *const states =
        reinterpret_cast<curandStatePhilox4_32_10_t *>(d.bytes);

    curand_init(1234, (unsigned int)i, 5, &states[i]);
    d.b[i] = curand_uniform(&states[i]);
}

EACH(draw_without_init)
{
    curandStatePhilox4_32_10_t *const states =
        reinterpret_cast<curandStatePhilox4_32_10_t *>(d.bytes + (1 << 16));

    d.b[i] = curand_uniform(&states[i]);
}

// The eight words and numbers that a generator begins with.
template <typename State>
static __device__ void begin(State *state, unsigned int *words, double *numbers)
{
    for (int i = 0; i < 8; i++)
        words[i] = curand(state);
    numbers[0] = curand_uniform(state);
    for (int i = 1; i < 4; i++)
        numbers[i] = curand_normal(state);
    (void)curand_normal2(state);
    numbers[4] = curand_uniform_double(state);
    numbers[5] = curand_normal_double(state);
    numbers[6] = curand_normal_double(state);
}

static __global__ void begin_generator(int xorwow, uint4 seed, unsigned int *words, double *numbers)
{
    const unsigned long long whole = static_cast<unsigned long long>(seed.y) << 32 | seed.x;

    if (xorwow != 0) {
        curandState state;

        curand_init(whole, seed.z, seed.w, &state);
        begin(&state, words, numbers);
    } else {
        curandStatePhilox4_32_10_t state;

        curand_init(whole, seed.z, seed.w, &state);
        begin(&state, words, numbers);
    }
}

cudaError_t launch_generator(const cudaLaunchConfig_t *config, int xorwow, uint4 seed,
                             unsigned int *words, double *numbers)
{
    return cudaLaunchKernelEx(config, begin_generator, xorwow, seed, words, numbers);
}

// As launchers ask the device for something once.
int keep_first(int value)
{
    static const int first = value;

    return first;
}

// SPDX-License-Identifier: MIT
