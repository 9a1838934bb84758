/* SPDX-License-Identifier: MIT */
/* matmul_bf16: C = A B of bfloat16, summed in float, row after row; sizes are m x n x k (C is m x
 * n). Tolerances are those of a sum in float stored as bfloat16: tensor cores cut each product and
 * sum below 2^-24 of the largest, which this bound includes (M. Fasi et al., Numerical behavior of
 * NVIDIA tensor cores, 2021). */
#include <kernelgate/kernelgate.h>

enum { M, N, K };

kg_launcher matmul_bf16_naive, matmul_bf16_wmma, matmul_bf16_mma_swizzle;
kg_launcher matmul_bf16_cp_async, matmul_bf16_small_tiles, matmul_bf16_wgmma_tma;
kg_launcher matmul_bf16_swizzled_once;
#ifdef KG_LIBRARIES
kg_launcher matmul_bf16_cublas, matmul_bf16_prepare_cublas;
#endif

static const kg_launch none[] = { KG_END };

/* A launch is a block's tile of C and the stages of its ring. */
static const kg_launch rings[] = {
    KG_LAUNCH(64, 64, 4),
    KG_LAUNCH(128, 128, 3),
    KG_END,
};

static const kg_launch deep_rings[] = {
    KG_LAUNCH(48, 64, 5),
    KG_END,
};

static const kg_variant variants[] = {
    KG_VARIANT("naive", matmul_bf16_naive,
               "one thread per output, every operand from global memory", .launches = none,
               KG_REPEATABLE),
    KG_VARIANT("wmma", matmul_bf16_wmma, "tensor cores by wmma, from tiles in shared memory",
               .launches = none, KG_REPEATABLE),
    KG_VARIANT("mma_swizzle", matmul_bf16_mma_swizzle,
               "mma.sync and ldmatrix, from swizzled tiles without bank conflicts",
               .launches = none, KG_REPEATABLE),
    KG_VARIANT("cp_async", matmul_bf16_cp_async,
               "the same from a ring of tiles that asynchronous copies fill", .launches = rings,
               KG_REPEATABLE),
    KG_VARIANT("small_tiles", matmul_bf16_small_tiles,
               "one wave of small tiles, all of k on its way, warps that share the steps",
               .launches = deep_rings, KG_REPEATABLE),
    KG_VARIANT("wgmma_tma", matmul_bf16_wgmma_tma,
               "wgmma from tiles that TMA fetches for pairs of blocks, roles by the warp group",
               .launches = none, KG_REPEATABLE),
#ifdef KG_LIBRARIES
    KG_VARIANT("cublas", matmul_bf16_cublas, "cublasGemmEx() in float", .launches = none,
               .advanced.prepare = matmul_bf16_prepare_cublas),
#endif
    KG_END,
};

/* Rows of 530 elements are aligned to 4 bytes, odd ones to 2, those of multiples of 8 to 16. 656 is
 * more than the deepest ring. */
static const kg_size sizes[] = {
    KG_CHECKED(1),         KG_CHECKED(31, 33, 17), KG_CHECKED(129, 66, 62),
    KG_CHECKED(1, 8, 656), KG_COUNTED(128),        KG_COUNTED(130),
    KG_TIMED(530),         KG_TIMED(1024),         KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t m = kg_extent(size, M);
    int64_t n = kg_extent(size, N);
    int64_t k = kg_extent(size, K);

    kg_add_argument(list, KG_INPUT, "a", KG_BFLOAT16, m, k);
    kg_add_argument(list, KG_INPUT, "b", KG_BFLOAT16, k, n);
    kg_add_argument(list, KG_OUTPUT, "c", KG_BFLOAT16, m, n);
}

/* At 2048 an H100 throttles: mma.sync takes more than its 700 W. */
static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    (void)launch;
    if (variant->launch == matmul_bf16_naive && kg_extent(size, M) > 530)
        return "one thread per output takes longer than all others together";
    if (variant->launch == matmul_bf16_wgmma_tma &&
        (kg_extent(size, N) % 8 != 0 || kg_extent(size, K) % 8 != 0))
        return "TMA takes rows of a multiple of 16 bytes: n and k must be multiples of 8";
    return NULL;
}

KG_COMPARISON(matmul_bf16, .variants = variants, .sizes = sizes, .axes = { "bm", "bn", "stages" },
              .arguments = arguments, .refuses = refuses, KG_GEMM);

static const kg_defect defects[] = {
    KG_DEFECT("swizzled_once", matmul_bf16_swizzled_once,
              "a tile of B written as it is and read as swizzled", KG_CHECKED(66),
              KG_LAUNCH(64, 64, 1)),
    KG_END,
};

KG_DEFECTS(matmul_bf16, defects);

/* 196,608 sectors to 4,096: each element of A and B is read for 64 outputs, not for one. */
KG_COUNT_CLAIM(matmul_bf16, tiles_read_48_times_fewer_sectors)
{
    kg_expect_less("global_load_sectors", "wmma/128/-", "naive/128/-", 48);
}

/* 17,408 wavefronts to 2,048, 4 for each load of 4 matrices, the fewest that there can be. */
KG_COUNT_CLAIM(matmul_bf16, swizzle_removes_all_bank_conflicts)
{
    kg_expect_less("shared_load_wavefronts", "mma_swizzle/128/-", "wmma/128/-", 8.5);
    kg_expect_within("shared_load_wavefronts_per_request", "mma_swizzle/128/-", 4, 4);
}

/* Copies that pass by the registers store nothing, and a ring needs one barrier a step. */
KG_COUNT_CLAIM(matmul_bf16, cp_async_stores_nothing_and_halves_barriers)
{
    kg_expect_within("shared_store_requests", "cp_async/128/bm64bn64stages4", 0, 0);
    kg_expect_less("barriers", "cp_async/128/bm64bn64stages4", "mma_swizzle/128/-", 2);
}

/* 130 is 3 tiles of 64 and 5 of 32, whose products beyond the edges are for nothing: 7,077,888
 * multiplications to 4,915,200. */
KG_COUNT_CLAIM(matmul_bf16, small_tiles_waste_fewer_products)
{
    kg_expect_less("tensor_multiply_adds", "small_tiles/130/bm48bn64stages5",
                   "cp_async/130/bm64bn64stages4", 1.3);
}

/* 1.6 on an H200: its tiles of 64 columns take one wave. */
KG_TIME_CLAIM(matmul_bf16, wgmma_beats_cp_async_at_1024)
{
    kg_expect_speedup("wgmma_tma/1024/-", "cp_async/1024/bm64bn64stages4", 1.30);
}

/* 3.3 on an H200. */
KG_TIME_CLAIM(matmul_bf16, small_tiles_beat_wmma_at_530)
{
    kg_expect_speedup("small_tiles/530/bm48bn64stages5", "wmma/530/-", 2.80);
}
