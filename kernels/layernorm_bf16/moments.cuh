// What the rungs share: the mean of a row with the sum of squared deviations from it, which parts
// of a row have and parts merge. The sum of squares less the square of the sum would cancel.
#ifndef LAYERNORM_BF16_MOMENTS_CUH
#define LAYERNORM_BF16_MOMENTS_CUH

#include "../row.cuh"

#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;

#define WIDTH (packet<bf16>::WIDTH)

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

static inline __device__ bf16 normalize(bf16 x, float mean, float scale, bf16 gamma, bf16 beta)
{
    return __float2bfloat16((__bfloat162float(x) - mean) * scale * __bfloat162float(gamma) +
                            __bfloat162float(beta));
}

static inline __device__ float scale_of(float variance)
{
    return rsqrtf(variance + 1e-5f);
}

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

// nvcc would keep the elements as floats, twice the registers, to convert them once.
static inline __device__ void forget_floats(packet<bf16> &own)
{
#if defined(__CUDA_ARCH__)
    uint4 *words = (uint4 *)&own;

    asm volatile("" : "+r"(words->x), "+r"(words->y), "+r"(words->z), "+r"(words->w));
#endif
}

// The moments of what a thread has of a row; the packet at `i` of others has zeros.
template <int PACKETS>
static inline __device__ moments take_moments(packet<bf16> (&own)[PACKETS], const row &row, int i,
                                              int step)
{
    moments part = moments::none();
    float sum = 0.0f;

#pragma unroll
    for (int k = 0; k < PACKETS; k++) {
        part.count += max(min(i + k * step + WIDTH, row.end) - max(i + k * step, row.first), 0);
#pragma unroll
        for (bf16 x : own[k].value)
            sum += __bfloat162float(x);
        forget_floats(own[k]);
    }
    part.mean = part.count > 0.0f ? sum / part.count : 0.0f;
#pragma unroll
    for (int k = 0; k < PACKETS; k++) {
        int at = i + k * step;

#pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            float deviation = __bfloat162float(own[k].value[j]) - part.mean;

            if (at + j >= row.first && at + j < row.end)
                part.squares += deviation * deviation;
        }
        forget_floats(own[k]);
    }
    return part;
}

// Normalizes a row in the registers of the threads that MERGE merges, of which this is `thread`.
template <int PACKETS, moments (*MERGE)(moments)>
static inline __device__ void normalize_in_registers(const bf16 *x, const bf16 *gamma,
                                                     const bf16 *beta, bf16 *y, const row &row,
                                                     int thread, int threads)
{
    struct row parameters = { -(int64_t)row.first, row.first, row.end };
    bf16 zero = __float2bfloat16(0.0f);
    packet<bf16> own[PACKETS];
    moments all;
    float scale;

#pragma unroll
    for (int k = 0; k < PACKETS; k++)
        own[k] = load_packet(x, row, WIDTH * (k * threads + thread), zero);
    all = MERGE(take_moments(own, row, WIDTH * thread, WIDTH * threads));
    scale = scale_of(all.squares / all.count);
#pragma unroll
    for (int k = 0; k < PACKETS; k++) {
        int i = WIDTH * (k * threads + thread);
        packet<bf16> product = load_packet(gamma, parameters, i, zero);
        packet<bf16> sum = load_packet(beta, parameters, i, zero);

#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            own[k].value[j] =
                normalize(own[k].value[j], all.mean, scale, product.value[j], sum.value[j]);
        store_packet(y, row, i, own[k]);
    }
}

#endif
