// The instructions of wgmma_tma.cu: boxes of heads, products of 64 queries, turns of warp groups.
#ifndef ATTENTION_BF16_WGMMA_CUH
#define ATTENTION_BF16_WGMMA_CUH

#include "../hopper.cuh"
#include "job.cuh"

#define GROUPS 2
#define QUERIES (GROUPS * 64)
#define KEYS 128 /* of a tile; 176 gain 1 % without a mask, and lose 1 to 10 % with one */
#define PANEL 64 /* columns in one row of 128 bytes */

// A map of heads of `sequence` rows, in two panels, for boxes of `rows` of one head. Boxes end with
// the head: beyond are zeros.
static cudaError_t map_heads(CUtensorMap *map, const bf16 *array, int64_t heads, int64_t sequence,
                             unsigned rows)
{
    cuuint64_t extent[4] = { PANEL, (cuuint64_t)sequence, DEPTH / PANEL, (cuuint64_t)heads };
    cuuint64_t pitch[3] = { DEPTH * sizeof(bf16), PANEL * sizeof(bf16),
                            (cuuint64_t)sequence * DEPTH * sizeof(bf16) };
    cuuint32_t box[4] = { PANEL, rows, DEPTH / PANEL, 1 };

    return map_boxes(map, array, 4, extent, pitch, box);
}

// Fetches the box at (row, head), both panels; the barrier counts its bytes.
static __device__ __forceinline__ void fetch_rows(bf16 *to, const CUtensorMap *map, int row,
                                                  int head, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {0, %2, 0, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(row), "r"(head), "r"(shared_address(barrier))
                 : "memory");
}

#define REGISTERS                                                                                  \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "   \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "   \
    "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "   \
    "%56, %57, %58, %59, %60, %61, %62, %63"

// sums (+)= 16 columns of Q times those of K, 64 x KEYS; both run along the columns.
static __device__ __forceinline__ void multiply_step(float (&sums)[KEYS / 8][4], uint64_t q,
                                                     uint64_t k, int adds)
{
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %66, 0; "
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" REGISTERS "}, "
                 "%64, %65, adds, 1, 1, 0, 0; }"
                 : SUMS_64(0)
                 : "l"(q), "l"(k), "r"(adds));
}

// sums (+)= weights of 16 keys, in registers, times their rows of V, 64 x 128; the last 1 says
// that V runs along n.
static __device__ __forceinline__ void
multiply_step(float (&sums)[DEPTH / 8][4], const unsigned (&weight)[4], uint64_t v, int adds)
{
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %69, 0; "
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" REGISTERS "}, "
                 "{%64, %65, %66, %67}, %68, adds, 1, 1, 1; }"
                 : SUMS_64(0)
                 : "r"(weight[0]), "r"(weight[1]), "r"(weight[2]), "r"(weight[3]), "l"(v),
                   "r"(adds));
}

// Starts score = Q K^T. 16 columns are 32 bytes of a panel's row, in units of 16 bytes.
static __device__ __forceinline__ void start_scores(float (&score)[KEYS / 8][4], const bf16 *q,
                                                    const bf16 *k)
{
    uint64_t a = describe(q, 16, 8 * 128), b = describe(k, 16, 8 * 128);

#pragma unroll
    for (int i = 0; i < DEPTH / 16; i++)
        multiply_step(score, a + i / 4 * (64 * 128 / 16) + i % 4 * 2,
                      b + i / 4 * (KEYS * 128 / 16) + i % 4 * 2, i > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Starts out (+)= weights V. 16 keys are 16 rows of both panels.
static __device__ __forceinline__ void start_values(float (&out)[DEPTH / 8][4],
                                                    const unsigned (&weight)[KEYS / 16][4],
                                                    const bf16 *v, bool adds)
{
    uint64_t b = describe(v, KEYS * 128, 8 * 128);

#pragma unroll
    for (int i = 0; i < KEYS / 16; i++)
        multiply_step(out, weight[i], b + i * (16 * 128 / 16), adds || i > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Wait for products, all or all but the newest, whose sums the compiler sees change here.
static __device__ __forceinline__ void wait_for_scores(float (&sums)[KEYS / 8][4], bool all)
{
    if (all)
        asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS_64(0)::"memory");
    else
        asm volatile("wgmma.wait_group.sync.aligned 1;" : SUMS_64(0)::"memory");
}

static __device__ __forceinline__ void wait_for_values(float (&sums)[DEPTH / 8][4])
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS_64(0)::"memory");
}

// Of two warp groups one at a time may start products: a named barrier each, where the other
// arrives when it has started its own.
static __device__ __forceinline__ void await_turn(int group)
{
    asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(GROUPS * GROUP) : "memory");
}

static __device__ __forceinline__ void pass_turn(int group)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(2 - group), "n"(GROUPS * GROUP) : "memory");
}

#endif

// SPDX-License-Identifier: MIT
