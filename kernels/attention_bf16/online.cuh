// Online softmax of scores as tensor cores leave them. Of 16 rows of a warp a lane has two, `row`,
// which is lane / 4, and row + 8; of each 8 columns it has 2 (lane % 4) and the next one:
//
//     score[j][0], score[j][1]: row,     columns 8 j + 2 (lane % 4) and + 1
//     score[j][2], score[j][3]: row + 8, the same columns
//
// Two such blocks of columns, rounded, are the operand of a product with 16 rows of V.
#ifndef ATTENTION_BF16_ONLINE_CUH
#define ATTENTION_BF16_ONLINE_CUH

#include "job.cuh"

// Of a lane's two rows: the greatest score until now, the lane's part of the sum of weights.
struct rows {
    float max[2] = { -INFINITY, -INFINITY };
    float sum[2] = {};
};

// Scores of keys that a row does not see become -infinity, whose weight is 0.
template <int BLOCKS>
static __device__ __forceinline__ void mask(float (&score)[BLOCKS][4], const job &job, int row,
                                            int first_key)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int visible = job.keys(row + 8 * i) - first_key - threadIdx.x % 4 * 2;

#pragma unroll
        for (int j = 0; j < BLOCKS; j++) {
            score[j][2 * i] = 8 * j < visible ? score[j][2 * i] : -INFINITY;
            score[j][2 * i + 1] = 8 * j + 1 < visible ? score[j][2 * i + 1] : -INFINITY;
        }
    }
}

static __device__ __forceinline__ float max_of_quad(float x)
{
    x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 1));
    return fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 2));
}

static __device__ __forceinline__ float sum_of_quad(float x)
{
    x += __shfl_xor_sync(ALL_LANES, x, 1);
    return x + __shfl_xor_sync(ALL_LANES, x, 2);
}

// Replaces scores by weights, exp((score - max) / sqrt(128)). What was summed up with the maximum
// before is to be multiplied by `factor`. Each row sees a key of the first tile: max is finite.
//
// Weights are 2^(score * SCALE - top), one instruction before the power. The rounding of top, which
// is max * SCALE, cancels when weights are divided by their sum, as long as powers of 2 hold it:
// from huge scores the maximum is subtracted first.
template <int BLOCKS>
static __device__ __forceinline__ void weigh(float (&score)[BLOCKS][4], rows &rows,
                                             float (&factor)[2])
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float max = rows.max[i], top, sum = 0.0f;

#pragma unroll
        for (int j = 0; j < BLOCKS; j++)
            max = fmaxf(max, fmaxf(score[j][2 * i], score[j][2 * i + 1]));
        max = max_of_quad(max);
        top = max * SCALE;
        if (fabsf(top) > 0x1p24f) {
#pragma unroll
            for (int j = 0; j < BLOCKS; j++) {
                score[j][2 * i] -= max;
                score[j][2 * i + 1] -= max;
            }
            top = 0.0f;
        }
#pragma unroll
        for (int j = 0; j < BLOCKS; j++) {
            score[j][2 * i] = power_of_2(fmaf(score[j][2 * i], SCALE, -top));
            score[j][2 * i + 1] = power_of_2(fmaf(score[j][2 * i + 1], SCALE, -top));
            sum += score[j][2 * i] + score[j][2 * i + 1];
        }
        factor[i] = power_of_2((rows.max[i] - max) * SCALE);
        rows.max[i] = max;
        rows.sum[i] = rows.sum[i] * factor[i] + sum;
    }
}

template <int BLOCKS>
static __device__ __forceinline__ void rescale(float (&out)[BLOCKS][4], const float (&factor)[2])
{
#pragma unroll
    for (int j = 0; j < BLOCKS; j++) {
        out[j][0] *= factor[0];
        out[j][1] *= factor[0];
        out[j][2] *= factor[1];
        out[j][3] *= factor[1];
    }
}

// Rounds weights to operands of the product with V, 16 keys each.
template <int BLOCKS>
static __device__ __forceinline__ void round(unsigned (&weight)[BLOCKS / 2][4],
                                             const float (&score)[BLOCKS][4])
{
#pragma unroll
    for (int j = 0; j < BLOCKS / 2; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            weight[j][i] =
                pack(score[2 * j + i / 2][i % 2 * 2], score[2 * j + i / 2][i % 2 * 2 + 1]);
    }
}

// The four lanes that share a row have a word each of every block. They exchange words so that each
// has all four of one of four blocks, 16 bytes.
static __device__ __forceinline__ void exchange(unsigned (&word)[4])
{
#pragma unroll
    for (int step = 1; step < 4; step *= 2) {
        bool upper = threadIdx.x & step;

#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (i & step)
                continue;
            unsigned other = __shfl_xor_sync(ALL_LANES, upper ? word[i] : word[i + step], step);

            word[i] = upper ? other : word[i];
            word[i + step] = upper ? word[i + step] : other;
        }
    }
}

// Divides the two rows by their sums and stores them.
static __device__ __forceinline__ void store_rows(const job &job, int row, const rows &rows,
                                                  const float (&out)[DEPTH / 8][4])
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float factor = 1.0f / sum_of_quad(rows.sum[i]);
        bf16 *to = job.out + (int64_t)(row + 8 * i) * DEPTH + threadIdx.x % 4 * 8;

#pragma unroll
        for (int j = 0; j < DEPTH / 8; j += 4) {
            unsigned word[4];

#pragma unroll
            for (int k = 0; k < 4; k++)
                word[k] = pack(out[j + k][2 * i] * factor, out[j + k][2 * i + 1] * factor);
            exchange(word);
            // nvcc 13.0 splits a plain 16-byte assignment into four stores here.
            if (row + 8 * i < job.sequence)
                __stcg(reinterpret_cast<uint4 *>(to + 8 * j),
                       make_uint4(word[0], word[1], word[2], word[3]));
        }
    }
}

#endif

// SPDX-License-Identifier: MIT
