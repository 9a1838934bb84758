/* SPDX-License-Identifier: MIT */
/* matmul_f32: C = A B in single precision, row after row; sizes are m x n x k (C is m x n). */
#include <kernelgate/kernelgate.h>

enum { M, N, K };

kg_launcher matmul_f32_naive, matmul_f32_tiled, matmul_f32_register_tile;
kg_launcher matmul_f32_vectorized, matmul_f32_warp_tile, matmul_f32_pipelined;
kg_launcher matmul_f32_split_k;
#ifdef KG_LIBRARIES
kg_launcher matmul_f32_cublas, matmul_f32_prepare_cublas;
#endif

/* Rungs from registers on have the launch that their tiles need. */
static const kg_launch none[] = { KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("naive", matmul_f32_naive, "one thread per output, every operand from global memory",
               KG_REPEATABLE),
    KG_VARIANT("tiled", matmul_f32_tiled, "tiles of A and B staged in shared memory",
               KG_REPEATABLE),
    KG_VARIANT("register_tile", matmul_f32_register_tile, "4 x 4 outputs per thread",
               .launches = none, KG_REPEATABLE),
    KG_VARIANT("vectorized", matmul_f32_vectorized,
               "8 x 8 outputs per thread, 16 bytes per access, A's tile transposed",
               .launches = none, KG_REPEATABLE),
    KG_VARIANT("warp_tile", matmul_f32_warp_tile,
               "8 x 16 outputs per thread, warps that read without bank conflicts",
               .launches = none, KG_REPEATABLE),
    KG_VARIANT("pipelined", matmul_f32_pipelined,
               "the next tiles on their way while this one is multiplied", .launches = none,
               KG_REPEATABLE),
    KG_VARIANT("split_k", matmul_f32_split_k,
               "a cluster of three blocks shares a tile of C, for small matrices", .launches = none,
               KG_REPEATABLE),
#ifdef KG_LIBRARIES
    KG_VARIANT("cublas", matmul_f32_cublas, "cublasSgemm() without TF32", .launches = none,
               .advanced.prepare = matmul_f32_prepare_cublas),
#endif
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1),          KG_CHECKED(15),  KG_CHECKED(16),         KG_CHECKED(17),
    KG_CHECKED(31),         KG_CHECKED(33),  KG_CHECKED(31, 33, 17), KG_CHECKED(1, 97, 530),
    KG_CHECKED(127, 2, 65), KG_CHECKED(257), KG_TIMED(256),          KG_MODEL_ONLY(530, 530, 50),
    KG_TIMED(530),          KG_TIMED(1024),  KG_TIMED(2048),         KG_END,
};

/* A launch is a tile's edge: blocks of edge x edge threads. */
static const kg_launch launches[] = { KG_LAUNCH(16), KG_LAUNCH(32), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t m = kg_extent(size, M);
    int64_t n = kg_extent(size, N);
    int64_t k = kg_extent(size, K);

    kg_add_argument(list, KG_INPUT, "a", KG_FLOAT32, m, k);
    kg_add_argument(list, KG_INPUT, "b", KG_FLOAT32, k, n);
    kg_add_argument(list, KG_OUTPUT, "c", KG_FLOAT32, m, n);
}

KG_COMPARISON(matmul_f32, .variants = variants, .sizes = sizes, .launches = launches,
              .axes = { "b" }, .arguments = arguments, KG_GEMM,
              .advanced.ranges = { { .first = 2, .last = 32 } });

/* 1.43 on an H200. */
KG_TIME_CLAIM(matmul_f32, tiled_beats_naive)
{
    kg_expect_speedup("tiled/530/b16", "naive/530/b16", 1.10);
}

/* 3.57 times fewer: a thread multiplies each value that it reads four times, not once. */
KG_COUNT_CLAIM(matmul_f32, a_register_tile_asks_shared_memory_three_times_less)
{
    kg_expect_less("shared_load_requests", "register_tile/530x530x50/-", "tiled/530x530x50/b16", 3);
}

/* 7.41 times fewer. */
KG_COUNT_CLAIM(matmul_f32, vectors_ask_shared_memory_six_times_less)
{
    kg_expect_less("shared_load_requests", "vectorized/530x530x50/-", "register_tile/530x530x50/-",
                   6);
}

/* Vectors of 8 neighboring columns conflict: 2.5 passes per request. */
KG_COUNT_CLAIM(matmul_f32, warp_tiles_read_without_bank_conflicts)
{
    kg_expect_within("shared_load_wavefronts_per_request", "warp_tile/530x530x50/-", 1.0, 1.0);
    kg_expect_less("shared_load_wavefronts", "warp_tile/530x530x50/-", "vectorized/530x530x50/-",
                   2.9);
}

/* One per step along k and one before them, instead of two per step: 5, not 8, for 4 steps. */
KG_COUNT_CLAIM(matmul_f32, a_pipeline_halves_the_barriers)
{
    kg_expect_less("barriers", "pipelined/530x530x50/-", "warp_tile/530x530x50/-", 1.6);
}

/* 243 instead of 25, for 132 processors. */
KG_COUNT_CLAIM(matmul_f32, split_k_starts_more_blocks)
{
    kg_expect_less("blocks", "pipelined/530x530x50/-", "split_k/530x530x50/-", 9);
}

/* 6.56 times fewer. */
KG_COUNT_CLAIM(matmul_f32, tiled_reads_four_times_fewer_sectors)
{
    kg_expect_less("global_load_sectors", "tiled/530x530x50/b16", "naive/530x530x50/b16", 4);
}

/* 5.2 on an H200. */
KG_TIME_CLAIM(matmul_f32, a_pipeline_beats_tiles)
{
    kg_expect_speedup("pipelined/2048/-", "tiled/2048/b32", 4.50);
}

/* 3.2 on an H200. */
KG_TIME_CLAIM(matmul_f32, split_k_beats_tiles_at_530)
{
    kg_expect_speedup("split_k/530/-", "tiled/530/b16", 2.70);
}
