// What the rungs share: the mean of a row with the sum of squared deviations from it, which parts
// of a row have and parts merge. The sum of squares less the square of the sum would cancel.
#ifndef LAYERNORM_BF16_MOMENTS_CUH
#define LAYERNORM_BF16_MOMENTS_CUH

#include "../row.cuh"

#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;

#define WIDTH 8 /* of a packet */

struct moments {
    float count, mean, squares;

    static __device__ moments none()
    {
        return { 0.0f, 0.0f, 0.0f };
    }
};

// An element joins: it moves the mean by its share, and the squares grow by the product of its
// distances from the mean before and after (B. P. Welford, Note on a method for calculating
// corrected sums of squares and products, 1962).
static inline __device__ void add(moments &own, float x)
{
    float before = x - own.mean;

    own.count += 1.0f;
    own.mean += before / own.count;
    own.squares += before * (x - own.mean);
}

// What turns an element of a row into (x - mean) / sqrt(variance + 1e-5) gamma + beta.
struct normalization {
    float scale, shift;

    __device__ normalization(float mean, float variance)
        : scale(rsqrtf(variance + 1e-5f)), shift(-mean * scale)
    {
    }

    __device__ float operator()(float x, float gamma, float beta) const
    {
        return (x * scale + shift) * gamma + beta;
    }

    __device__ bf16 operator()(bf16 x, bf16 gamma, bf16 beta) const
    {
        return __float2bfloat16(
            (*this)(__bfloat162float(x), __bfloat162float(gamma), __bfloat162float(beta)));
    }
};

// Merges the parts of a warp's lanes: what their means are off from the mean of all is added to
// their squares (T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms for computing the sample
// variance, 1983). All lanes have the result.
static inline __device__ moments merge_warp(moments own)
{
    float count = own.count, sum = own.count * own.mean, mean, squares;

#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        count += __shfl_xor_sync(ALL_LANES, count, distance);
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    }
    mean = count > 0.0f ? sum / count : 0.0f;
    squares = own.squares + own.count * (own.mean - mean) * (own.mean - mean);
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        squares += __shfl_xor_sync(ALL_LANES, squares, distance);
    return { count, mean, squares };
}

// A packet, in words of two elements: nvcc would give each single one a register.
struct alignas(16) pairs {
    unsigned word[WIDTH / 2];

    __device__ float operator[](int i) const
    {
        return __uint_as_float(i % 2 == 0 ? word[i / 2] << 16 : word[i / 2] & 0xffff0000u);
    }

    __device__ void set(int i, float low, float high)
    {
        __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);

        word[i / 2] = *(unsigned *)&pair;
    }

    // nvcc would keep the elements as floats, to convert them once.
    __device__ void forget_floats()
    {
#pragma unroll
        for (unsigned &pair : word)
            asm volatile("" : "+r"(pair));
    }
};

// The moments of what a thread has of a row, packets from `i` on; elements outside are zeros.
template <int PACKETS, bool ALIGNED>
static inline __device__ moments take_moments(pairs (&own)[PACKETS], const row<ALIGNED> &row, int i,
                                              int step)
{
    moments part = moments::none();
    float sum = 0.0f;

#pragma unroll
    for (int k = 0; k < PACKETS; k++) {
        part.count += max(min(i + k * step + WIDTH, row.end) - max(i + k * step, row.first), 0);
#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            sum += own[k][j];
        own[k].forget_floats();
    }
    part.mean = part.count > 0.0f ? sum / part.count : 0.0f;
#pragma unroll
    for (int k = 0; k < PACKETS; k++, i += step) {
        bool all = row.template has_packet<WIDTH>(i);

#pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            float deviation = own[k][j] - part.mean;

            if (all || row.has_single(i + j))
                part.squares += deviation * deviation;
        }
        own[k].forget_floats();
    }
    return part;
}

// Writes what a thread has of a row whose moments are `all`.
template <int PACKETS, typename ROW>
static inline __device__ void write_row(pairs (&own)[PACKETS], moments all, const bf16 *gamma,
                                        const bf16 *beta, bf16 *y, const ROW &row, int thread,
                                        int threads)
{
    ROW parameters = { -(int64_t)row.first, row.first, row.end };
    bf16 zero = __float2bfloat16(0.0f);
    normalization normalized(all.mean, all.squares / all.count);

#pragma unroll
    for (int k = 0; k < PACKETS; k++) {
        int i = WIDTH * (k * threads + thread);
        pairs factors = load_packet<pairs>(gamma, parameters, i, zero);
        pairs terms = load_packet<pairs>(beta, parameters, i, zero);

#pragma unroll
        for (int j = 0; j < WIDTH; j += 2)
            own[k].set(j, normalized(own[k][j], factors[j], terms[j]),
                       normalized(own[k][j + 1], factors[j + 1], terms[j + 1]));
        store_packet(y, row, i, own[k]);
    }
}

// Normalizes a row in registers; `thread` is the index among the threads that MERGE merges.
template <moments (*MERGE)(moments), int PACKETS, bool ALIGNED>
static inline __device__ void
normalize_in_registers(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y,
                       const row<ALIGNED> &row, int thread, int threads)
{
    bf16 zero = __float2bfloat16(0.0f);
    pairs own[PACKETS];

#pragma unroll
    for (int k = 0; k < PACKETS; k++)
        own[k] = load_packet<pairs>(x, row, WIDTH * (k * threads + thread), zero);
    write_row(own, MERGE(take_moments(own, row, WIDTH * thread, WIDTH * threads)), gamma, beta, y,
              row, thread, threads);
}

#endif

// SPDX-License-Identifier: MIT
