// C = A B by wgmma: a warp group multiplies 64 x 256 of C by one instruction, both operands in
// shared memory, where the tensor memory accelerator puts them. Three roles, three warp groups: one
// thread of the first asks for tiles, as far ahead as the ring of STAGES has room; the two others,
// to which it gives its registers, multiply. Blocks stay and take tile after tile. Two blocks, one
// above the other in C, form a cluster: each fetches half of the tile of B for both.
#include <cuda.h>

#include "tile.cuh"

#if CUDART_VERSION < 12050
#define cudaGetDriverEntryPointByVersion(symbol, pointer, version, flags, found)                   \
    cudaGetDriverEntryPoint(symbol, pointer, flags, found)
#endif

#define BM 128
#define BN 256
#define STAGES 4
#define CLUSTER 2
#define GROUP 128   /* threads of a warp group */
#define CONSUMERS 2 /* warp groups that multiply, each 64 rows */
#define PANEL 64    /* columns of B in one row of 128 bytes */

struct stage {
    bf16 a[BM * DEPTH];                // 128 bytes of k a row
    bf16 b[BN / PANEL][DEPTH * PANEL]; // panels of 64 columns, 128 bytes of n a row
};

struct shared {
    stage ring[STAGES];
    bf16 c[CONSUMERS][2][64 * PANEL]; // half a warp group's sums, in panels as B's
    uint64_t full[STAGES], empty[STAGES];
};

static __device__ __forceinline__ void wait(uint64_t *barrier, int parity)
{
    unsigned done;

    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (!done);
}

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

// How wgmma finds an operand: its address, two distances in bytes, swizzled by 128 bytes. Along k a
// tile of A is 8 rows after `next` bytes; panels of B, which runs along n, are `leading` apart.
static __device__ __forceinline__ uint64_t describe(const bf16 *tile, int leading, int next)
{
    return (uint64_t)1 << 62 | (uint64_t)(next >> 4) << 32 | (uint64_t)(leading >> 4) << 16 |
           (shared_address(tile) & 0x3ffff) >> 4;
}

#define SUMS_4(i) "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 1), SUMS_4(i + 2), SUMS_4(i + 3)
#define SUMS_64(i) SUMS_16(i), SUMS_16(i + 4), SUMS_16(i + 8), SUMS_16(i + 12)

// sums (+)= a b, 64 x 256 x 16; the last 1 says that b runs along n.
static __device__ __forceinline__ void multiply_group(float (&sums)[BN / 8][4], uint64_t a,
                                                      uint64_t b, int adds)
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

// Waits for all but the newest group of products.
static __device__ __forceinline__ void wait_for_older_products()
{
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}

// Waits for all products: the sums, which the compiler sees change here, can be read.
static __device__ __forceinline__ void wait_for_sums(float (&sums)[BN / 8][4])
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS_64(0), SUMS_64(16)::"memory");
}

// A place in the ring, and which time around it is.
struct position {
    int slot = 0, parity = 0;

    __device__ void advance()
    {
        slot = slot + 1 == STAGES ? 0 : slot + 1;
        parity ^= slot == 0;
    }
};

// One thread: fetches the tiles of step after step.
[[maybe_unused]] static __device__ void produce(shared &s, const CUtensorMap *a,
                                                const CUtensorMap *b, int m, int n, int k)
{
    int rank = rank_in_cluster(), columns = (n + BN - 1) / BN;
    int pairs = (m + CLUSTER * BM - 1) / (CLUSTER * BM);
    position at;

    for (int i = blockIdx.x / CLUSTER; i < pairs * columns; i += gridDim.x / CLUSTER) {
        int2 tile = tile_at(i, pairs, columns);

        for (int depth = 0; depth < k; depth += DEPTH, at.advance()) {
            stage &to = s.ring[at.slot];

            // Of both blocks: half of B goes to the other one too.
            wait(&s.empty[at.slot], at.parity ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                             shared_address(&s.full[at.slot])),
                         "r"((int)sizeof(stage))
                         : "memory");
            fetch_box(to.a, a, depth, (tile.y * CLUSTER + rank) * BM, &s.full[at.slot]);
#pragma unroll
            for (int j = 0; j < BN / PANEL / CLUSTER; j++) {
                int panel = rank * (BN / PANEL / CLUSTER) + j;

                fetch_box_for_all(to.b[panel], b, tile.x * BN + panel * PANEL, depth,
                                  &s.full[at.slot]);
            }
        }
    }
}

static __device__ __forceinline__ unsigned pack(float low, float high)
{
    __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);

    return *reinterpret_cast<unsigned *>(&pair);
}

// A warp group stores its 64 x 256 sums at (x, y) of C, in halves by way of shared memory, from
// where the accelerator writes whole rows of 128 bytes while the next tile is multiplied.
static __device__ __forceinline__ void store_group(bf16 (&staged)[2][64 * PANEL],
                                                   const CUtensorMap *c, int x, int y, int group,
                                                   const float (&sums)[BN / 8][4])
{
    int thread = threadIdx.x % GROUP, row = thread / 32 * 16 + thread % 16;

#pragma unroll
    for (int half = 0; half < 2; half++) {
        if (thread == 0)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(GROUP) : "memory");
#pragma unroll
        for (int j = 0; j < 16; j += 2) {
            const float(&left)[4] = sums[16 * half + j], (&right)[4] = sums[16 * half + j + 1];
            bf16 *to = staged[j / 8] +
                       place<PANEL, layout::swizzled>(row, j % 8 * 8 + thread % 32 / 16 * 8);

            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                             shared_address(to)),
                         "r"(pack(left[0], left[1])), "r"(pack(left[2], left[3])),
                         "r"(pack(right[0], right[1])), "r"(pack(right[2], right[3]))
                         : "memory");
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(GROUP) : "memory");
        if (thread == 0) {
            for (int j = 0; j < 2; j++)
                asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                             "[%0, {%1, %2}], [%3];" ::"l"(c),
                             "r"(x + (2 * half + j) * PANEL), "r"(y), "r"(shared_address(staged[j]))
                             : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
}

// A warp group: multiplies, and stores its 64 rows of each tile. A slot is free, for both blocks,
// when the products of the step after it have begun and its own are done.
[[maybe_unused]] static __device__ void consume(shared &s, const CUtensorMap *c, int group, int m,
                                                int n, int k)
{
    int thread = threadIdx.x % GROUP, columns = (n + BN - 1) / BN;
    int pairs = (m + CLUSTER * BM - 1) / (CLUSTER * BM);
    position at;

    for (int i = blockIdx.x / CLUSTER; i < pairs * columns; i += gridDim.x / CLUSTER) {
        int2 tile = tile_at(i, pairs, columns);
        int row = (tile.y * CLUSTER + (int)rank_in_cluster()) * BM + group * 64;
        int before = -1;
        float sums[BN / 8][4];

        for (int depth = 0; depth < k; depth += DEPTH, at.advance()) {
            uint64_t a = describe(s.ring[at.slot].a + group * 64 * DEPTH, 16, 8 * 128);
            uint64_t b = describe(s.ring[at.slot].b[0], DEPTH * 128, 8 * 128);

            wait(&s.full[at.slot], at.parity);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            // 16 of k are 32 bytes of a row of A, and 16 rows of B, in units of 16 bytes.
#pragma unroll
            for (int j = 0; j < DEPTH / 16; j++)
                multiply_group(sums, a + 2 * j, b + 16 * 8 * j, depth + j > 0);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            wait_for_older_products();
            if (before >= 0 && thread < CLUSTER)
                arrive_at(&s.empty[before], thread);
            before = at.slot;
        }
        wait_for_sums(sums);
        if (thread < CLUSTER)
            arrive_at(&s.empty[before], thread);
        store_group(s.c[group], c, tile.x * BN, row, group, sums);
    }
    if (thread == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(GROUP *(CONSUMERS + 1), 1)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
            const __grid_constant__ CUtensorMap c, int m, int n, int k)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char memory[];
    shared &s = *reinterpret_cast<shared *>(memory);
    int group = threadIdx.x / GROUP;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile(
                "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&s.full[i])));
            asm volatile(
                "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&s.empty[i])),
                "n"(CONSUMERS * CLUSTER));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            produce(s, &a, &b, m, n, k);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume(s, &c, group - 1, m, n, k);
    }
    // The other block may still fetch to this one, or arrive at its barriers.
    __syncwarp();
    sync_cluster();
#else
    __trap(); // wgmma is in the code of sm_90a alone.
#endif
}

// A map of a row-major matrix, for boxes of x by y elements, swizzled as wgmma reads them.
static cudaError_t map_matrix(CUtensorMap *map, const bf16 *matrix, int64_t rows, int64_t columns,
                              unsigned x, unsigned y)
{
    static void *encode;
    cuuint64_t extent[2] = { (cuuint64_t)columns, (cuuint64_t)rows };
    cuuint64_t pitch[1] = { (cuuint64_t)columns * sizeof(bf16) };
    cuuint32_t box[2] = { x, y }, steps[2] = { 1, 1 };
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;

    if (encode == nullptr) {
        cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode,
                                                             12000, cudaEnableDefault, &found);

        if (error != cudaSuccess || found != cudaDriverEntryPointSuccess)
            return error != cudaSuccess ? error : cudaErrorNotSupported;
    }
    return ((decltype(&cuTensorMapEncodeTiled))encode)(
               map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16 *>(matrix), extent, pitch,
               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

KG_LAUNCHER(matmul_bf16_wgmma_tma)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    CUtensorMap a, b, c;
    int device, cores;
    dim3 tiles = kg_grid(n, BN, m, BM * CLUSTER);
    cudaError_t error = map_matrix(&a, KG_ARG(call, const bf16, 0), m, k, DEPTH, BM);

    if (error == cudaSuccess)
        error = map_matrix(&b, KG_ARG(call, const bf16, 1), k, n, PANEL, DEPTH);
    if (error == cudaSuccess)
        error = map_matrix(&c, KG_ARG(call, bf16, 2), m, n, PANEL, 64);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess)
        return error;
    return kg_start(call, product, min(tiles.x * tiles.y, (unsigned)cores / CLUSTER) * CLUSTER,
                    GROUP * (CONSUMERS + 1), kg_shared(sizeof(shared)), a, b, c, m, n, k);
}
