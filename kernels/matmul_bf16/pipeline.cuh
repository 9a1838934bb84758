// The kernel of cp_async.cu and small_tiles.cu: a ring of STAGES pairs of tiles, which asynchronous
// copies fill while the warps multiply those that are there.
#ifndef MATMUL_BF16_PIPELINE_CUH
#define MATMUL_BF16_PIPELINE_CUH

#include "tile.cuh"

// A block's outputs are BM x BN, a warp's WM x WN. Where these leave several warps for one part of
// C they share the steps of 16 along k, and add up their sums at the end, in the order of warps.
template <int BM_, int BN_, int WM_, int WN_, int SPLIT_, int STAGES_>
struct shape {
    static constexpr int BM = BM_, BN = BN_, WM = WM_, WN = WN_, SPLIT = SPLIT_, STAGES = STAGES_;
    static constexpr int COLUMNS = BN / WN, PARTS = BM / WM * COLUMNS;
    static constexpr int THREADS = 32 * PARTS * SPLIT;
    // Whole rows of banks, as the swizzle needs.
    static constexpr int PITCH = (BN + 63) / 64 * 64;
    static constexpr int STAGE = (BM + PITCH) * DEPTH;
    static constexpr size_t BYTES = STAGES * STAGE * sizeof(bf16);
    static_assert(SPLIT == 1 || SPLIT * BM * BN * sizeof(float) <= BYTES, "the sums fit the ring");
};

// Starts the copies of one step along k, which form a group even where they are none.
template <typename S, int WIDTH>
static __device__ __forceinline__ void fetch_stage(bf16 *stage, const bf16 *a, const bf16 *b,
                                                   int row, int column, int step, int m, int n,
                                                   int k)
{
    if (step * DEPTH < k) {
        fetch_tile<S::BM, DEPTH, DEPTH, S::THREADS, WIDTH, layout::swizzled, true>(
            stage, a, row, step * DEPTH, m, k);
        fetch_tile<DEPTH, S::BN, S::PITCH, S::THREADS, WIDTH, layout::swizzled, true>(
            stage + S::BM * DEPTH, b, step * DEPTH, column, k, n);
    }
    commit_copies();
}

// Adds the sums of the warps that share a part of C. Each of them adds, and stores later, every
// SPLIT-th 16 x 8 of the part.
template <typename S>
static __device__ __forceinline__ void add_split(float (&sums)[S::WM / 16][S::WN / 8][4],
                                                 float4 *shared, int part, int split)
{
    constexpr int BLOCKS = S::WM / 16 * (S::WN / 8);
    int place = part * 32 + threadIdx.x % 32;

    __syncthreads();
#pragma unroll
    for (int i = 0; i < BLOCKS; i++) {
        float(&sum)[4] = sums[i / (S::WN / 8)][i % (S::WN / 8)];

        shared[(split * BLOCKS + i) * 32 * S::PARTS + place] =
            make_float4(sum[0], sum[1], sum[2], sum[3]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BLOCKS; i++) {
        float(&sum)[4] = sums[i / (S::WN / 8)][i % (S::WN / 8)];

        if (i % S::SPLIT != split)
            continue;
        sum[0] = sum[1] = sum[2] = sum[3] = 0.0f;
#pragma unroll
        for (int j = 0; j < S::SPLIT; j++) {
            float4 more = shared[(j * BLOCKS + i) * 32 * S::PARTS + place];

            sum[0] += more.x;
            sum[1] += more.y;
            sum[2] += more.z;
            sum[3] += more.w;
        }
    }
}

template <typename S, int WIDTH>
static __global__ void __launch_bounds__(S::THREADS)
    pipeline(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k)
{
    KG_DYNAMIC_SHARED(bf16, ring);
    int2 tile = tile_at(blockIdx.x, (m + S::BM - 1) / S::BM, (n + S::BN - 1) / S::BN);
    int row = tile.y * S::BM, column = tile.x * S::BN, steps = (k + DEPTH - 1) / DEPTH;
    int part = threadIdx.x / 32 % S::PARTS, split = threadIdx.x / 32 / S::PARTS;
    int warp_row = part / S::COLUMNS * S::WM, warp_column = part % S::COLUMNS * S::WN;
    int slot = 0, free_slot = S::STAGES - 1;
    float sums[S::WM / 16][S::WN / 8][4] = {};

    for (int i = 0; i < S::STAGES - 1; i++)
        fetch_stage<S, WIDTH>(ring + i * S::STAGE, a, b, row, column, i, m, n, k);
    for (int step = 0; step < steps; step++) {
        // The step's copies are there, of all threads, and all warps have left the step before,
        // whose slot is free now.
        wait_for_copies<S::STAGES - 2>();
        __syncthreads();
        fetch_stage<S, WIDTH>(ring + free_slot * S::STAGE, a, b, row, column, step + S::STAGES - 1,
                              m, n, k);
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth += 16 * S::SPLIT)
            multiply_tiles<S::WM, S::WN, S::PITCH>(sums, ring + slot * S::STAGE,
                                                   ring + slot * S::STAGE + S::BM * DEPTH, warp_row,
                                                   warp_column, depth + 16 * split);
        free_slot = slot;
        slot = slot + 1 == S::STAGES ? 0 : slot + 1;
    }
    if constexpr (S::SPLIT > 1)
        add_split<S>(sums, reinterpret_cast<float4 *>(ring), part, split);
#pragma unroll
    for (int i = 0; i < S::WM / 16; i++) {
#pragma unroll
        for (int j = 0; j < S::WN / 8; j++) {
            if ((i * (S::WN / 8) + j) % S::SPLIT == split)
                store_sums<WIDTH>(c, row + warp_row + 16 * i, column + warp_column + 8 * j, m, n,
                                  sums[i][j]);
        }
    }
}

template <typename S>
static cudaError_t start_pipeline(const kg_call *call)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = copy_width(call);
    auto kernel = width == 16 ? pipeline<S, 16> : width == 4 ? pipeline<S, 4> : pipeline<S, 2>;
    dim3 tiles = kg_grid(n, S::BN, m, S::BM);

    return kg_start(call, kernel, tiles.x * tiles.y, S::THREADS, kg_shared(S::BYTES),
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1), KG_ARG(call, bf16, 2),
                    m, n, k);
}

#endif

// SPDX-License-Identifier: MIT
