/* Small kernels that misuse what they work with: alignment, padding, masks, barriers, conversions.
 */
#include "tests/model/defect_start.h"

#include <new>

const char *const misuse_source = __FILE__;

// Doubles in an array of floats: OFFSET of them before.
template <int OFFSET>
static __global__ void double_in_wide(const float *in, float *out, int n)
{
    __shared__ float memory[2 * DEFECT_MAX_BLOCK + 1];
    double *wide = reinterpret_cast<double *>(memory + OFFSET);
    int i = index_in_grid();

    wide[threadIdx.x] = i < n ? in[i] : 0.0f; /* defect: misaligned_shared */
    __syncthreads();
    if (i < n)
        out[i] = static_cast<float>(2.0 * wide[threadIdx.x]); /* defect: misaligned_shared */
}

LAUNCHER(misaligned_shared, double_in_wide<0>, double_in_wide<1>)

struct two_pairs {
    float2 before, first, second;
};

struct aligned_pairs {
    float4 before;
    float2 first, second;
};

static __device__ void copy_four(void *to, const float4 &from)
{
    *static_cast<float4 *>(to) = from; /* defect: misaligned_local */
}

template <typename PAIRS>
static __global__ void double_in_pairs(const float *in, float *out, int n)
{
    int i = index_in_grid();
    const float value = i < n ? in[i] : 0.0f;
    PAIRS local;

    local.before.x = value;
    copy_four(&local.first, make_float4(value, value, value, value));
    if (i < n)
        out[i] = local.before.x + local.second.y;
}

LAUNCHER(misaligned_local, double_in_pairs<aligned_pairs>, double_in_pairs<two_pairs>)

struct short_one {
    char tag;
    float value;
};

struct long_one {
    double value;
    int tag;
};

// Structures are copied whole, of which every byte but their padding is written, or their tags
// alone.
template <typename ONE, bool DEFECTIVE>
static __global__ void double_whole(const float *in, float *out, int n)
{
    __shared__ ONE staged[DEFECT_MAX_BLOCK];
    int i = index_in_grid();

    staged[threadIdx.x].tag = 2;
    if (!DEFECTIVE)
        staged[threadIdx.x].value = i < n ? in[i] : 0.0f;
    __syncthreads();

    const ONE own = staged[threadIdx.x]; /* defect: unwritten_member unwritten_long_member */

    if (i < n)
        out[i] = static_cast<float>(own.tag * own.value);
}

LAUNCHER(unwritten_member, (double_whole<short_one, false>), (double_whole<short_one, true>))
LAUNCHER(unwritten_long_member, (double_whole<long_one, false>), (double_whole<long_one, true>))

// The first threads go twice through a loop, the others once, or all of them.
TWINS(double_in_rounds)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int i = index_in_grid();
    int rounds = DEFECTIVE && threadIdx.x >= 8 ? 1 : 2;

    for (int round = 0; round < rounds; round++) {
        staged[threadIdx.x] = i < n ? in[i] : 0.0f;
        __syncthreads(); /* defect: uneven_loop */
    }
    if (i < n)
        out[i] = 2.0f * staged[threadIdx.x];
}

LAUNCHER(uneven_loop, double_in_rounds<false>, double_in_rounds<true>)

template <unsigned int MASK>
static __global__ void double_by_mask(const float *in, float *out, int n)
{
    int i = index_in_grid();
    float value = i < n ? in[i] : 0.0f;

    value +=
        __shfl_sync(MASK, value, static_cast<int>(threadIdx.x)); /* defect: caller_not_in_mask */
    if (i < n)
        out[i] = value;
}

LAUNCHER(caller_not_in_mask, double_by_mask<0xffffffffu>, double_by_mask<0xffffu>)

TWINS(double_by_half)
{
    int i = index_in_grid();
    float value = i < n ? in[i] : 0.0f;

    const int apart = DEFECTIVE ? 16 : 0;

    if (!DEFECTIVE || threadIdx.x % 32 < 16)
        value += 0.0f * __shfl_xor_sync(~0u, value, apart); /* defect: half_a_shuffle */
    if (i < n)
        out[i] = 2.0f * value;
}

LAUNCHER(half_a_shuffle, double_by_half<false>, double_by_half<true>)

TWINS(double_by_warp)
{
    int i = index_in_grid();
    float value = i < n ? in[i] : 0.0f;

    if (DEFECTIVE && threadIdx.x == 0)
        __syncthreads();
    __syncwarp(); /* defect: barrier_against_warp */
    if (!DEFECTIVE || threadIdx.x != 0)
        __syncthreads(); /* defect: barrier_against_warp */
    if (i < n)
        out[i] = 2.0f * value;
}

LAUNCHER(barrier_against_warp, double_by_warp<false>, double_by_warp<true>)

// BITS are those of a float; it is clamped as a GPU does it, or cast.
template <typename INTEGER, int BITS, bool DEFECTIVE>
static __global__ void double_as(const float *in, float *out, int n)
{
    int i = index_in_grid();
    const float value = i < n ? in[i] : 0.0f;
    const float number = __int_as_float(BITS | (value > 100.0f));
    INTEGER integer = static_cast<INTEGER>(__float2uint_rz(number));

    if (DEFECTIVE)
        integer = (INTEGER)number; /* defect: negative_to_unsigned nan_to_int infinity_to_long */
    if (i < n)
        out[i] = 2.0f * value + (integer == 77 ? 1.0f : 0.0f);
}

#define CONVERSION(name, integer, bits)                                                            \
    LAUNCHER(name, (double_as<integer, bits, false>), (double_as<integer, bits, true>))
CONVERSION(negative_to_unsigned, unsigned int, static_cast<int>(0xbf800000))
CONVERSION(nan_to_int, int, 0x7fc00000)
CONVERSION(infinity_to_long, long long, 0x7f800000)

template <bool DEFECTIVE>
__global__ void double_rows(const float *in, float *out, int n)
{
    const int i = index_in_grid();
    const int rows = DEFECTIVE ? static_cast<int>(gridDim.y) - 1 : n;
    int row = 0;

    for (int round = 0; round < 200; round++) /* more than a trace holds: threads take turns */
        row += (i + round) / rows;            /* defect: division_by_zero */
    if (i < n)
        out[i] = 2.0f * in[i] + (row < -200 ? 1.0f : 0.0f);
}
LAUNCHER(division_by_zero, double_rows<false>, double_rows<true>)

struct factor {
    __device__ virtual float times(const float *in, int i) const = 0;
};

struct two : factor {
    __device__ float times(const float *in, int i) const override
    {
        return 2.0f * in[i]; /* defect: virtual_overrun */
    }
};

struct two_by_sum : factor {
    __device__ float times(const float *in, int i) const override
    {
        return in[i] + in[i]; /* defect: virtual_overrun */
    }
};

// Polymorphic objects, one of them in shared memory.
TWINS(double_by_object)
{
    __shared__ unsigned char memory[sizeof(two)] __attribute__((aligned(16)));
    int i = index_in_grid();
    two_by_sum local;

    if (threadIdx.x == 0)
        new (memory) two;
    __syncthreads();

    const factor *factors[] = { &local, reinterpret_cast<const factor *>(memory) };

    if (DEFECTIVE || i < n) {
        float value = factors[i & 1]->times(in, i);

        if (i < n)
            out[i] = value;
    }
}

LAUNCHER(virtual_overrun, double_by_object<false>, double_by_object<true>)

static __device__ void put(float *to, int i, float value)
{
    to[i] = value; /* defect: wrong_caller late_race */
}

TWINS(double_by_put)
{
    int i = index_in_grid();
    const float value = i < n ? 2.0f * in[i] : 0.0f;

    if (i < n)
        put(out, i, value);
    if (DEFECTIVE)
        put(out, i, value); /* defect: call_of_wrong_caller */
}

LAUNCHER(wrong_caller, double_by_put<false>, double_by_put<true>)

// One block overwrites what all of them read: a barrier cures that in the block alone.
static __global__ void race_in_two_ways(const float *in, float *out, int n)
{
    int i = index_in_grid();
    float state = out[0]; /* defect: two_ways */

    if (i < n)
        out[i] = state + in[i];
}

LAUNCHER(two_ways, race_in_two_ways, race_in_two_ways)

// Reads of what nobody has written come before a race.
static __global__ void race_late(const float *in, float *out, int n)
{
    __shared__ float unwritten[3], late[DEFECT_MAX_BLOCK];
    float sum = unwritten[0];

    sum += unwritten[1] + 0.0f * in[n];
    sum += unwritten[2];
    put(late, static_cast<int>(threadIdx.x), sum);
    out[index_in_grid() % n] = late[threadIdx.x ^ 32];
}

LAUNCHER(late_race, race_late, race_late)

// SPDX-License-Identifier: MIT
