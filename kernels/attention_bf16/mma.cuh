// The kernel of mma.cu: tensor cores by mma.sync, as in T. Dao, FlashAttention-2, 2023. A block of
// 4 warps has 128 queries, in shared memory, and goes through K and V in tiles of 64 keys. A warp
// keeps scores and sums of its 32 queries in registers: weights never touch memory.
#ifndef ATTENTION_BF16_MMA_CUH
#define ATTENTION_BF16_MMA_CUH

#include "online.cuh"

#define WARPS 4
#define PARTS 2                      /* of a warp, 16 queries each */
#define QUERIES (WARPS * PARTS * 16) /* of a block */
#define KEYS 64                      /* of a tile */

// What defects leave out.
struct rules {
    static constexpr bool MASKS = true;    // keys after the query
    static constexpr bool RESCALES = true; // sums, where a tile has a greater maximum
};

// Starts to copy rows of a head's matrix to a swizzled tile; those after its end are zeros.
template <int ROWS>
static __device__ __forceinline__ void fetch(bf16 *tile, const bf16 *from, int first, int sequence)
{
#pragma unroll
    for (int i = threadIdx.x; i < ROWS * DEPTH / 8; i += LANES * WARPS) {
        int row = i / (DEPTH / 8), column = i % (DEPTH / 8) * 8;
        bool inside = first + row < sequence;

        copy_piece<16, true>(tile + place<DEPTH, layout::swizzled>(row, column),
                             from + (inside ? (int64_t)(first + row) * DEPTH + column : 0), inside);
    }
}

// scores = Q K^T of a warp's queries and a tile's keys. What ldmatrix gives of rows of K, without a
// transposition, is the operand B, whose columns are keys.
static __device__ __forceinline__ void multiply_keys(float (&score)[PARTS][KEYS / 8][4],
                                                     const bf16 *q, const bf16 *k)
{
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;

#pragma unroll
    for (int depth = 0; depth < DEPTH; depth += 16) {
        unsigned a[PARTS][4];

#pragma unroll
        for (int i = 0; i < PARTS; i++)
            load_matrices(a[i],
                          q + place<DEPTH, layout::swizzled>((warp * PARTS + i) * 16 + lane % 16,
                                                             depth + lane / 16 * 8));
#pragma unroll
        for (int j = 0; j < KEYS / 16; j++) {
            unsigned b[4];

            load_matrices(b, k + place<DEPTH, layout::swizzled>(16 * j + lane / 16 * 8 + lane % 8,
                                                                depth + lane / 8 % 2 * 8));
#pragma unroll
            for (int i = 0; i < PARTS; i++) {
                multiply(score[i][2 * j], a[i], b[0], b[1]);
                multiply(score[i][2 * j + 1], a[i], b[2], b[3]);
            }
        }
    }
}

// out += weights V.
static __device__ __forceinline__ void
multiply_values(float (&out)[PARTS][DEPTH / 8][4], const unsigned (&weight)[PARTS][KEYS / 16][4],
                const bf16 *v)
{
    int lane = threadIdx.x % LANES;

#pragma unroll
    for (int j = 0; j < KEYS / 16; j++) {
#pragma unroll
        for (int column = 0; column < DEPTH; column += 16) {
            unsigned b[4];

            load_matrices_transposed(
                b, v + place<DEPTH, layout::swizzled>(16 * j + lane % 16, column + lane / 16 * 8));
#pragma unroll
            for (int i = 0; i < PARTS; i++) {
                multiply(out[i][column / 8], weight[i][j], b[0], b[1]);
                multiply(out[i][column / 8 + 1], weight[i][j], b[2], b[3]);
            }
        }
    }
}

// Blocks of the most keys start first.
template <class RULES>
static __global__ void __launch_bounds__(LANES *WARPS) attend(job job)
{
    KG_DYNAMIC_SHARED(bf16, q);
    bf16 *k = q + QUERIES * DEPTH, *v = k + KEYS * DEPTH;
    int start = (gridDim.y - 1 - blockIdx.y) * QUERIES, keys = job.keys(start + QUERIES - 1);
    int row = start + threadIdx.x / LANES * PARTS * 16 + threadIdx.x % LANES / 4;
    int visible_to_all = RULES::MASKS ? job.keys(row - threadIdx.x % LANES / 4) : job.sequence;
    float out[PARTS][DEPTH / 8][4] = {};
    rows rows[PARTS];

    job = job.of_head(blockIdx.x);
    fetch<QUERIES>(q, job.q, start, job.sequence);
    fetch<KEYS>(k, job.k, 0, job.sequence);
    commit_copies();
    for (int first = 0; first < keys; first += KEYS) {
        float score[PARTS][KEYS / 8][4] = {};
        unsigned weight[PARTS][KEYS / 16][4];

        // K is there, and all warps have left V.
        wait_for_copies<0>();
        __syncthreads();
        fetch<KEYS>(v, job.v, first, job.sequence);
        commit_copies();
        multiply_keys(score, q, k);
        wait_for_copies<0>();
        __syncthreads();
        if (first + KEYS < keys)
            fetch<KEYS>(k, job.k, first + KEYS, job.sequence);
        commit_copies();
#pragma unroll
        for (int i = 0; i < PARTS; i++) {
            float factor[2];

            if (first + KEYS > visible_to_all)
                mask(score[i], job, row + 16 * i, first);
            weigh(score[i], rows[i], factor);
            if (RULES::RESCALES)
                rescale(out[i], factor);
            round(weight[i], score[i]);
        }
        multiply_values(out, weight, v);
    }
#pragma unroll
    for (int i = 0; i < PARTS; i++)
        store_rows(job, row + 16 * i, rows[i], out[i]);
}

template <class RULES>
static cudaError_t start_mma(const kg_call *call)
{
    dim3 grid = kg_grid(KG_EXTENT(call, 0), 1, KG_EXTENT(call, 1), QUERIES);

    return kg_start(call, attend<RULES>, grid, LANES * WARPS,
                    kg_shared((QUERIES + 2 * KEYS) * DEPTH * sizeof(bf16)), job_of(call));
}

#endif

// SPDX-License-Identifier: MIT
