// C = A B by wgmma: a warp group multiplies 64 rows of a tile of C by one instruction, both
// operands in shared memory, where the tensor memory accelerator puts them. Three roles, three warp
// groups: one thread of the first asks for tiles, as far ahead as the ring has room; the two
// others, to which it gives its registers, multiply. Blocks stay and take tile after tile. Two
// blocks, one above the other in C, form a cluster: each fetches half of the tile of B for both.
// Tiles are 128 x 256, or 128 x 64 where those would leave half of the processors idle.
#include "hopper.cuh"
#include "tile.cuh"

#define BM 128
#define CONSUMERS 2             /* warp groups that multiply, each 64 rows */
#define PANEL 64                /* columns of B in one row of 128 bytes */
#define SHARE (DEPTH / CLUSTER) /* rows of B that one of the blocks fetches for both */

// Of a tile of BN columns.
template <int BN>
struct stage {
    bf16 a[BM * DEPTH];                // 128 bytes of k a row
    bf16 b[BN / PANEL][DEPTH * PANEL]; // panels of 64 columns, 128 bytes of n a row
};

template <int BN>
struct shared {
    static constexpr int STAGES = 192 * 1024 / sizeof(stage<BN>), STAGED = BN < 2 * PANEL ? 1 : 2;

    stage<BN> ring[STAGES];
    bf16 c[CONSUMERS][STAGED][64 * PANEL]; // some of a warp group's sums, in panels as B's
    uint64_t full[STAGES], empty[STAGES];
};

// One thread: fetches the tiles of step after step.
template <int BN>
[[maybe_unused]] static __device__ void produce(shared<BN> &s, const CUtensorMap *a,
                                                const CUtensorMap *b, int m, int n, int k)
{
    int rank = rank_in_cluster(), columns = (n + BN - 1) / BN;
    int pairs = (m + CLUSTER * BM - 1) / (CLUSTER * BM);
    position<shared<BN>::STAGES> at;

    for (int i = blockIdx.x / CLUSTER; i < pairs * columns; i += gridDim.x / CLUSTER) {
        int2 tile = tile_at(i, pairs, columns);

        for (int depth = 0; depth < k; depth += DEPTH, at.advance()) {
            stage<BN> &to = s.ring[at.slot];

            // Of both blocks: half of B goes to the other one too.
            wait(&s.empty[at.slot], at.parity ^ 1);
            expect_bytes(&s.full[at.slot], (int)sizeof(stage<BN>));
            fetch_box(to.a, a, depth, (tile.y * CLUSTER + rank) * BM, &s.full[at.slot]);
#pragma unroll
            for (int j = 0; j < BN / PANEL; j++)
                fetch_box_for_all(to.b[j] + rank * SHARE * PANEL, b, tile.x * BN + j * PANEL,
                                  depth + rank * SHARE, &s.full[at.slot]);
        }
    }
}

// A warp group stores its 64 rows of sums at (x, y) of C, one or two panels at a time by way of
// shared memory, from where the accelerator writes whole rows of 128 bytes while the next tile is
// multiplied.
template <int BN, int STAGED>
static __device__ __forceinline__ void store_group(bf16 (&staged)[STAGED][64 * PANEL],
                                                   const CUtensorMap *c, int x, int y, int group,
                                                   const float (&sums)[BN / 8][4])
{
    int thread = threadIdx.x % GROUP, row = thread / 32 * 16 + thread % 16;

#pragma unroll
    for (int panel = 0; panel < BN / PANEL; panel += STAGED) {
        if (thread == 0)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(GROUP) : "memory");
#pragma unroll
        for (int j = 0; j < STAGED * 8; j += 2) {
            bf16 *to = staged[j / 8] +
                       place<PANEL, layout::swizzled>(row, j % 8 * 8 + thread % 32 / 16 * 8);

            store_matrices(to, sums[8 * panel + j], sums[8 * panel + j + 1]);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(GROUP) : "memory");
        if (thread == 0) {
            for (int i = 0; i < STAGED; i++)
                store_box(c, x + (panel + i) * PANEL, y, staged[i]);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
}

// A warp group: multiplies, and stores its 64 rows of each tile. A slot is free, for both blocks,
// when the products of the step after it have begun and its own are done.
template <int BN>
[[maybe_unused]] static __device__ void consume(shared<BN> &s, const CUtensorMap *c, int group,
                                                int m, int n, int k)
{
    int thread = threadIdx.x % GROUP, columns = (n + BN - 1) / BN;
    int pairs = (m + CLUSTER * BM - 1) / (CLUSTER * BM);
    position<shared<BN>::STAGES> at;

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
        store_group<BN>(s.c[group], c, tile.x * BN, row, group, sums);
    }
    if (thread == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <int BN>
static __global__ void IN_CLUSTERS __launch_bounds__(GROUP *(CONSUMERS + 1), 1)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
            const __grid_constant__ CUtensorMap c, int m, int n, int k)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<BN> &s = *reinterpret_cast<shared<BN> *>(memory);
    int group = threadIdx.x / GROUP;

    if (threadIdx.x == 0) {
        for (int i = 0; i < s.STAGES; i++) {
            start_barrier(&s.full[i], 1);
            start_barrier(&s.empty[i], CONSUMERS * CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            produce<BN>(s, &a, &b, m, n, k);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume<BN>(s, &c, group - 1, m, n, k);
    }
    // The other block may still fetch to this one, or arrive at its barriers.
    __syncwarp();
    sync_cluster();
#else
    __trap(); // wgmma is in the code of sm_90a alone.
#endif
}

// Starts clusters for tiles of BN columns: the fewest that take as many rounds as the `held` that
// the device has room for. 64 of 66 are up to 0.8 % faster at 8192.
template <int BN>
static cudaError_t start(const kg_call *call, unsigned held, const CUtensorMap (&maps)[3])
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    dim3 tiles = kg_grid(n, BN, m, BM * CLUSTER);
    unsigned clusters = tiles.x * tiles.y, rounds = kg_grid(clusters, held).x;

    return kg_start(call, product<BN>, kg_grid(clusters, rounds).x * CLUSTER,
                    GROUP * (CONSUMERS + 1), kg_shared(sizeof(shared<BN>)), maps[0], maps[1],
                    maps[2], m, n, k);
}

KG_LAUNCHER(matmul_bf16_wgmma_tma)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    dim3 tiles = kg_grid(n, 256, m, BM * CLUSTER);
    CUtensorMap maps[3];
    int device, cores;
    cudaError_t error = map_matrix(&maps[0], KG_ARG(call, const bf16, 0), m, k, DEPTH, BM);

    if (error == cudaSuccess)
        error = map_matrix(&maps[1], KG_ARG(call, const bf16, 1), k, n, PANEL, SHARE);
    if (error == cudaSuccess)
        error = map_matrix(&maps[2], KG_ARG(call, bf16, 2), m, n, PANEL, 64);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess)
        return error;
    // At 1024, 64 clusters in place of 16 take half of the time. Products of a few steps keep the
    // wide tiles, which the CPU model then checks too (128: 4.5 us on an H200, and 3.5 by narrow
    // ones).
    if (tiles.x * tiles.y * CLUSTER * 2 <= (unsigned)cores && k >= 4 * DEPTH)
        return start<64>(call, cores / CLUSTER, maps);
    return start<256>(call, cores / CLUSTER, maps);
}

// SPDX-License-Identifier: MIT
