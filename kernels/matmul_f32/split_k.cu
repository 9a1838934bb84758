// C = A B for small matrices, whose tiles of C are fewer than the GPU has room for: a cluster of
// three blocks shares each tile, a third of k each, and adds up its sums through distributed shared
// memory, in the order of the blocks. By default the hardware packs the blocks of clusters
// unevenly: the preference for load balancing takes 4.4 of 19.4 us away at 530 (H100).
#include "tile.cuh"

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

enum { EDGE = 64, DEPTH = 8, THREADS = 128, STAGES = 4, PARTS = 3, PITCH = EDGE + 4 };

struct stage {
    float a[DEPTH][PITCH];
    float b[DEPTH][EDGE];
};

// The sums take the place of the tiles.
union shared {
    stage ring[STAGES];
    float sum[EDGE][EDGE];
};

// Copies of 4 bytes can transpose A on its way.
template <int WIDTH>
static __device__ __forceinline__ void copy_async(stage &into, const float *a, const float *b,
                                                  int top, int start, int first, int last, int m,
                                                  int n, int k)
{
#pragma unroll
    for (int i = 0; i < EDGE * DEPTH; i += THREADS) {
        int y = (i + threadIdx.x) / DEPTH, x = (i + threadIdx.x) % DEPTH;
        bool inside = top + y < m && first + x < last;
        __pipeline_memcpy_async(&into.a[x][y], inside ? &a[(top + y) * k + first + x] : a, 4,
                                inside ? 0 : 4);
    }
#pragma unroll
    for (int i = 0; i < DEPTH * EDGE; i += THREADS * WIDTH) {
        int y = (i + threadIdx.x * WIDTH) / EDGE, x = (i + threadIdx.x * WIDTH) % EDGE;
        bool inside = first + y < last && start + x < n;
        __pipeline_memcpy_async(&into.b[y][x], inside ? &b[(first + y) * n + start + x] : b,
                                4 * WIDTH, inside ? 0 : 4 * WIDTH);
    }
}

// Adds up the cluster's sums of every PARTS-th row of quads.
template <int WIDTH>
static __device__ __forceinline__ void add_parts(shared &block, float *c, int top, int start, int m,
                                                 int n)
{
#if __CUDA_ARCH__ >= 900
    cg::cluster_group cluster = cg::this_cluster();
    const shared *part[PARTS];

    cluster.sync();
    for (int i = 0; i < PARTS; i++)
        part[i] = cluster.map_shared_rank(&block, i);
    for (int i = blockIdx.z * THREADS + threadIdx.x; i < EDGE * EDGE / 4; i += PARTS * THREADS) {
        int y = i / (EDGE / 4), x = i % (EDGE / 4) * 4;
        __align__(16) float sum[4] = {};
        for (int j = 0; j < PARTS; j++) {
            __align__(16) float other[4];
            copy_piece<4>(other, &part[j]->sum[y][x]);
            for (int lane = 0; lane < 4; lane++)
                sum[lane] += other[lane];
        }
        for (int lane = 0; lane < 4; lane += WIDTH)
            if (top + y < m && start + x + lane < n)
                copy_piece<WIDTH>(&c[(top + y) * n + start + x + lane], &sum[lane]);
    }
    // No block ends before the others have read its sums.
    cluster.sync();
#endif
}

template <int WIDTH>
static __global__ void __launch_bounds__(THREADS)
    split_k(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) shared block;
    int top = blockIdx.y * EDGE, start = blockIdx.x * EDGE;
    int depth = (k + PARTS * DEPTH - 1) / (PARTS * DEPTH) * DEPTH, first = blockIdx.z * depth;
    int last = min(k, first + depth), steps = (last - first + DEPTH - 1) / DEPTH;
    warp_share<EDGE, 8, 4> mine;

#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < steps)
            copy_async<WIDTH>(block.ring[i], a, b, top, start, first + i * DEPTH, last, m, n, k);
        __pipeline_commit();
    }
    for (int i = 0; i < steps; i++) {
        const stage &now = block.ring[i % STAGES];
        int ahead = i + STAGES - 1;
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (ahead < steps)
            copy_async<WIDTH>(block.ring[ahead % STAGES], a, b, top, start, first + ahead * DEPTH,
                              last, m, n, k);
        __pipeline_commit();
        mine.read(0, now.a[0], now.b[0]);
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            if (step + 1 < DEPTH)
                mine.read((step + 1) % 2, now.a[step + 1], now.b[step + 1]);
            mine.multiply(step % 2);
        }
    }
    __syncthreads();
    mine.template write<4>(&block.sum[0][0], 0, 0, EDGE, EDGE);
    add_parts<WIDTH>(block, c, top, start, m, n);
}

KG_LAUNCHER(matmul_f32_split_k)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = piece_width(n, k);
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};

    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = attributes[0].val.clusterDim.y = 1;
    attributes[0].val.clusterDim.z = PARTS;
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
    config.gridDim = kg_grid(n, EDGE, m, EDGE, PARTS);
    config.blockDim = THREADS;
    config.stream = call->stream;
    config.attrs = attributes;
    config.numAttrs = 2;
    return cudaLaunchKernelEx(&config,
                              width == 4   ? split_k<4>
                              : width == 2 ? split_k<2>
                                           : split_k<1>,
                              KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                              KG_ARG(call, float, 2), m, n, k);
}
