// C = A B by wgmma: a warp group multiplies 64 x 256 of C by one instruction, both operands in
// shared memory, where the tensor memory accelerator puts them. Three roles, three warp groups: one
// thread of the first asks for tiles, as far ahead as the ring of STAGES has room; the two others,
// to which it gives its registers, multiply. Blocks stay and take tile after tile. Two blocks, one
// above the other in C, form a cluster: each fetches half of the tile of B for both.
#include "hopper.cuh"
#include "tile.cuh"

#define BM 128
#define BN 256
#define STAGES 4
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

// One thread: fetches the tiles of step after step.
[[maybe_unused]] static __device__ void produce(shared &s, const CUtensorMap *a,
                                                const CUtensorMap *b, int m, int n, int k)
{
    int rank = rank_in_cluster(), columns = (n + BN - 1) / BN;
    int pairs = (m + CLUSTER * BM - 1) / (CLUSTER * BM);
    position<STAGES> at;

    for (int i = blockIdx.x / CLUSTER; i < pairs * columns; i += gridDim.x / CLUSTER) {
        int2 tile = tile_at(i, pairs, columns);

        for (int depth = 0; depth < k; depth += DEPTH, at.advance()) {
            stage &to = s.ring[at.slot];

            // Of both blocks: half of B goes to the other one too.
            wait(&s.empty[at.slot], at.parity ^ 1);
            expect_bytes(&s.full[at.slot], (int)sizeof(stage));
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
            bf16 *to = staged[j / 8] +
                       place<PANEL, layout::swizzled>(row, j % 8 * 8 + thread % 32 / 16 * 8);

            store_matrices(to, sums[16 * half + j], sums[16 * half + j + 1]);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(GROUP) : "memory");
        if (thread == 0) {
            store_box(c, x + 2 * half * PANEL, y, staged[0]);
            store_box(c, x + (2 * half + 1) * PANEL, y, staged[1]);
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
    position<STAGES> at;

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

static __global__ void IN_CLUSTERS __launch_bounds__(GROUP *(CONSUMERS + 1), 1)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
            const __grid_constant__ CUtensorMap c, int m, int n, int k)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char memory[];
    shared &s = *reinterpret_cast<shared *>(memory);
    int group = threadIdx.x / GROUP;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            start_barrier(&s.full[i], 1);
            start_barrier(&s.empty[i], CONSUMERS * CLUSTER);
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

KG_LAUNCHER(matmul_bf16_wgmma_tma)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    CUtensorMap a, b, c;
    int device, cores;
    unsigned pairs, rounds;
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
    // The fewest clusters that take as many rounds: 64 of 66 are up to 0.8 % faster at 8192.
    pairs = tiles.x * tiles.y;
    rounds = kg_grid(pairs, cores / CLUSTER).x;
    return kg_start(call, product, kg_grid(pairs, rounds).x * CLUSTER, GROUP * (CONSUMERS + 1),
                    kg_shared(sizeof(shared)), a, b, c, m, n, k);
}

// SPDX-License-Identifier: MIT
