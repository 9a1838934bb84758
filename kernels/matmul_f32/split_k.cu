// C = A B for small matrices, whose tiles of C are fewer than the GPU has room for: a cluster of
// two or three blocks shares each tile, a part of k each, and adds up its sums through distributed
// shared memory, in the order of the blocks. By default the hardware packs the blocks of clusters
// unevenly: the preference for load balancing takes 4.4 of 19.4 us away at 530 (H100).
#include "tile.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// A tile of C has 64 rows, and a block 128 threads.
enum { ROWS = 64, THREADS = 128 };

template <int COLUMNS_, int DEPTH_, int STAGES_, int PARTS_>
struct shape {
    static constexpr int COLUMNS = COLUMNS_, DEPTH = DEPTH_, STAGES = STAGES_, PARTS = PARTS_;
    static constexpr int OWN = ROWS * COLUMNS / THREADS / 8; // columns of a thread, in 8 rows

    struct stage {
        float a[DEPTH][ROWS + 4];
        float b[DEPTH][COLUMNS];
    };
    // The sums take the place of the tiles.
    union shared {
        stage ring[STAGES];
        float sum[ROWS][COLUMNS];
    };
};

// 81 tiles in thirds are 243 blocks at 530, 128 in halves are 256 at 1024: two for each of 132
// processors.
typedef shape<64, 8, 4, 3> thirds;
typedef shape<128, 16, 3, 2> halves;

// Each block adds up the cluster's sums of its share of the tile's quads.
template <typename S, int WIDTH>
static __device__ __forceinline__ void add_parts(typename S::shared &block, float *c, int top,
                                                 int start, int m, int n)
{
#if __CUDA_ARCH__ >= 900
    cg::cluster_group cluster = cg::this_cluster();
    const typename S::shared *part[S::PARTS];

    cluster.sync();
#pragma unroll
    for (int i = 0; i < S::PARTS; i++)
        part[i] = cluster.map_shared_rank(&block, i);
    for (int i = blockIdx.z * THREADS + threadIdx.x; i < ROWS * S::COLUMNS / 4;
         i += S::PARTS * THREADS) {
        int y = i / (S::COLUMNS / 4), x = i % (S::COLUMNS / 4) * 4;
        __align__(16) float sum[4] = {};
#pragma unroll
        for (int j = 0; j < S::PARTS; j++) {
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

template <typename S, int WIDTH>
static __global__ void __launch_bounds__(THREADS)
    split_k(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) typename S::shared block;
    int top = blockIdx.y * ROWS, start = blockIdx.x * S::COLUMNS;
    int depth = (k + S::PARTS * S::DEPTH - 1) / (S::PARTS * S::DEPTH) * S::DEPTH;
    int first = blockIdx.z * depth, last = min(k, first + depth);
    int steps = (last - first + S::DEPTH - 1) / S::DEPTH, now = 0;
    tiles_of_a<ROWS, S::DEPTH, THREADS, 1> next_a(a, top, m, k, first, last);
    tiles_of_b<S::COLUMNS, S::DEPTH, THREADS, WIDTH> next_b(b, start, n, first, last);
    warp_share<S::COLUMNS, 8, S::OWN> mine;

#pragma unroll
    for (int i = 0; i < S::STAGES - 1; i++) {
        if (i < steps) {
            next_a.copy_async(block.ring[i].a);
            next_b.copy_async(block.ring[i].b);
        }
        __pipeline_commit();
    }
    __pipeline_wait_prior(S::STAGES - 2);
    __syncthreads();
    if (steps > 0)
        mine.read(0, block.ring[0].a[0], block.ring[0].b[0]);
    for (int i = 0; i < steps; i++) {
        int ahead = i + S::STAGES - 1;
        if (ahead < steps) {
            next_a.copy_async(block.ring[ahead % S::STAGES].a);
            next_b.copy_async(block.ring[ahead % S::STAGES].b);
        }
        __pipeline_commit();
#pragma unroll
        for (int step = 0; step < S::DEPTH; step++) {
            if (step + 1 == S::DEPTH) {
                __pipeline_wait_prior(S::STAGES - 2);
                __syncthreads();
                // The last step reads its own tile once more, to no effect.
                now = i + 1 == steps ? now : (now + 1) % S::STAGES;
            }
            mine.read((step + 1) % 2, block.ring[now].a[(step + 1) % S::DEPTH],
                      block.ring[now].b[(step + 1) % S::DEPTH]);
            mine.multiply(step % 2);
        }
    }
    __syncthreads();
    mine.template write<4>(&block.sum[0][0], 0, 0, ROWS, S::COLUMNS);
    add_parts<S, WIDTH>(block, c, top, start, m, n);
}

template <typename S>
static cudaError_t start(const kg_call *call)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = piece_width(n, k);
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};

    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = attributes[0].val.clusterDim.y = 1;
    attributes[0].val.clusterDim.z = S::PARTS;
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
    config.gridDim = kg_grid(n, S::COLUMNS, m, ROWS, S::PARTS);
    config.blockDim = THREADS;
    config.stream = call->stream;
    config.attrs = attributes;
    config.numAttrs = 2;
    return cudaLaunchKernelEx(&config,
                              width == 4   ? split_k<S, 4>
                              : width == 2 ? split_k<S, 2>
                                           : split_k<S, 1>,
                              KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                              KG_ARG(call, float, 2), m, n, k);
}

KG_LAUNCHER(matmul_f32_split_k)
{
    dim3 tiles = kg_grid(KG_EXTENT(call, 1), thirds::COLUMNS, KG_EXTENT(call, 0), ROWS);

    return tiles.x * tiles.y * thirds::PARTS <= 264 ? start<thirds>(call) : start<halves>(call);
}
