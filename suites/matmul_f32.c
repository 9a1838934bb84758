/* matmul_f32: C = A B in single precision, row after row; sizes are m x n x k (C is m x n). */
#include <kernelgate/kernelgate.h>

enum { M, N, K };

kg_launcher matmul_f32_naive, matmul_f32_tiled;

static const kg_variant variants[] = {
    KG_VARIANT("naive", matmul_f32_naive, "one thread per output, every operand from global memory",
               KG_REPEATABLE),
    KG_VARIANT("tiled", matmul_f32_tiled, "tiles of A and B staged in shared memory",
               KG_REPEATABLE),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1),          KG_CHECKED(15),         KG_CHECKED(16),
    KG_CHECKED(17),         KG_CHECKED(31),         KG_CHECKED(33),
    KG_CHECKED(31, 33, 17), KG_CHECKED(1, 97, 530), KG_CHECKED(127, 2, 65),
    KG_CHECKED(257),        KG_TIMED(256),          KG_TIMED_AND_COUNTED(530),
    KG_TIMED(1024),         KG_TIMED(2048),         KG_END,
};

/* A launch is a tile's edge: blocks of edge x edge threads. */
static const kg_launch launches[] = { KG_LAUNCH(8), KG_LAUNCH(16), KG_LAUNCH(32), KG_END };

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

/* 6.79 times fewer. */
KG_COUNT_CLAIM(matmul_f32, tiled_reads_four_times_fewer_sectors)
{
    kg_expect_less("global_load_sectors", "tiled/530/b16", "naive/530/b16", 4);
}
