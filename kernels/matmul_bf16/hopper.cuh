// Instructions of Hopper for matrices: boxes for clusters of blocks, products of 64 x 256 and of
// 64 x 64.
#ifndef MATMUL_BF16_HOPPER_CUH
#define MATMUL_BF16_HOPPER_CUH

#include "../hopper.cuh"

#define CLUSTER 2 /* blocks of a cluster */

// Older architectures, whose code is a trap, have no clusters.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define IN_CLUSTERS
#else
#define IN_CLUSTERS __cluster_dims__(CLUSTER, 1, 1)
#endif

// Arrives at the barrier of the same place in block `rank` of the cluster. It orders nothing but
// what wgmma has read: a release to the whole cluster would cost a MEMBAR.GPU a step.
static __device__ __forceinline__ void arrive_at(uint64_t *barrier, unsigned rank)
{
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

[[maybe_unused]] static __device__ __forceinline__ void sync_cluster()
{
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

static __device__ __forceinline__ unsigned rank_in_cluster()
{
    unsigned rank;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Fetches the box at (x, y) of a matrix; the barrier counts its bytes.
static __device__ __forceinline__ void fetch_box(bf16 *to, const CUtensorMap *map, int x, int y,
                                                 uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}

// The same for all blocks of the cluster.
static __device__ __forceinline__ void fetch_box_for_all(bf16 *to, const CUtensorMap *map, int x,
                                                         int y, uint64_t *barrier)
{
    uint16_t mask = (1 << CLUSTER) - 1;

    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(mask)
                 : "memory");
}

// Starts to write a box to (x, y) of a matrix.
static __device__ __forceinline__ void store_box(const CUtensorMap *map, int x, int y,
                                                 const bf16 *from)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
        "r"(x), "r"(y), "r"(shared_address(from))
        : "memory");
}

// sums (+)= a b, 64 x 256 x 16; the last 1 says that b runs along n.
static __device__ __forceinline__ void multiply_group(float (&sums)[32][4], uint64_t a, uint64_t b,
                                                      int adds)
{
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %130, 0; "
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
                 "%110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "
                 "%125, %126, %127}, "
                 "%128, %129, adds, 1, 1, 0, 1; }"
                 : SUMS_64(0), SUMS_64(16)
                 : "l"(a), "l"(b), "r"(adds));
}

// The same, 64 x 64 x 16.
static __device__ __forceinline__ void multiply_group(float (&sums)[8][4], uint64_t a, uint64_t b,
                                                      int adds)
{
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %34, 0; "
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, adds, 1, 1, 0, 1; }"
                 : SUMS_16(0), SUMS_16(4)
                 : "l"(a), "l"(b), "r"(adds));
}

// Waits for all products: the sums, which the compiler sees change here, can be read.
static __device__ __forceinline__ void wait_for_sums(float (&sums)[32][4])
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS_64(0), SUMS_64(16)::"memory");
}

static __device__ __forceinline__ void wait_for_sums(float (&sums)[8][4])
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS_16(0), SUMS_16(4)::"memory");
}

// Stores four 8 x 8 matrices, as load_matrices() loads them: 16 rows of the sums of two times 8
// columns, rounded.
static __device__ __forceinline__ void store_matrices(bf16 *row, const float (&left)[4],
                                                      const float (&right)[4])
{
    __nv_bfloat162 parts[4] = { __floats2bfloat162_rn(left[0], left[1]),
                                __floats2bfloat162_rn(left[2], left[3]),
                                __floats2bfloat162_rn(right[0], right[1]),
                                __floats2bfloat162_rn(right[2], right[3]) };
    const unsigned *words = reinterpret_cast<const unsigned *>(parts);

    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(row)),
                 "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
}

// A map of a row-major matrix, for boxes of x by y elements, swizzled as wgmma reads them.
static cudaError_t map_matrix(CUtensorMap *map, const bf16 *matrix, int64_t rows, int64_t columns,
                              unsigned x, unsigned y)
{
    cuuint64_t extent[2] = { (cuuint64_t)columns, (cuuint64_t)rows };
    cuuint64_t pitch[1] = { (cuuint64_t)columns * sizeof(bf16) };
    cuuint32_t box[2] = { x, y };

    return map_boxes(map, matrix, 2, extent, pitch, box);
}

#endif

// SPDX-License-Identifier: MIT
