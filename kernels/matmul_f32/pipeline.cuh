// The kernel of pipelined.cu and split_k.cu. A block of 128 threads computes ROWS x COLUMNS of C,
// in warps as those of warp_tile.cu; each thread 8 rows of OWN columns. The tiles of the next steps
// are on their way to a ring of STAGES in shared memory while those of this step are multiplied.
#ifndef MATMUL_F32_PIPELINE_CUH
#define MATMUL_F32_PIPELINE_CUH

#include "tile.cuh"

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

enum { THREADS = 128 };

// PARTS blocks share a tile of C, a part of k each. RESIDENT blocks fit on a processor. WHOLE: m, n
// and each part of k are multiples of the tile.
template <int ROWS_, int COLUMNS_, int DEPTH_, int STAGES_, int PARTS_, int RESIDENT_, bool WHOLE_>
struct shape {
    static constexpr int ROWS = ROWS_, COLUMNS = COLUMNS_, DEPTH = DEPTH_, STAGES = STAGES_;
    static constexpr int PARTS = PARTS_, RESIDENT = RESIDENT_, OWN = ROWS * COLUMNS / THREADS / 8;
    static constexpr int ACROSS = COLUMNS / (4 * OWN); // warps side by side
    static constexpr bool WHOLE = WHOLE_;
    static constexpr size_t RING = STAGES * DEPTH * (ROWS + 4 + COLUMNS) * sizeof(float);
    static constexpr size_t SUMS = PARTS == 1 ? 0 : ROWS * COLUMNS * sizeof(float);
    static constexpr size_t BYTES = RING > SUMS ? RING : SUMS;
};

// Adds up the sums of a cluster's blocks, in their order: each block those of its share of the
// rows.
template <typename S, int WIDTH>
static __device__ __forceinline__ void add_parts(float *sums, float *c, int top, int start, int m,
                                                 int n)
{
#if __CUDA_ARCH__ >= 900
    constexpr int SHARE = (S::ROWS + S::PARTS - 1) / S::PARTS, QUADS = S::COLUMNS / 4;
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const float *part[S::PARTS];

    cluster.sync();
#pragma unroll
    for (int i = 0; i < S::PARTS; i++)
        part[i] = cluster.map_shared_rank(sums, i);
    for (int i = threadIdx.x; i < SHARE * QUADS; i += THREADS) {
        int y = blockIdx.z * SHARE + i / QUADS, x = i % QUADS * 4;
        __align__(16) float sum[4] = {};

        if (y >= S::ROWS || top + y >= m)
            continue;
#pragma unroll
        for (int j = 0; j < S::PARTS; j++) {
            float4 other = *reinterpret_cast<const float4 *>(&part[j][y * S::COLUMNS + x]);
            sum[0] += other.x;
            sum[1] += other.y;
            sum[2] += other.z;
            sum[3] += other.w;
        }
#pragma unroll
        for (int j = 0; j < 4; j += WIDTH)
            if (start + x + j < n)
                copy_piece<WIDTH>(&c[(top + y) * n + start + x + j], &sum[j]);
    }
    // No block ends before the others have read its sums.
    cluster.sync();
#endif
}

// The loads are functions of local variables: nvcc spreads them over the multiplications, and gives
// operands of one to registers of different banks. As members of a structure, the same statements
// take 12 % longer at 530.
template <typename S, int WIDTH>
static __global__ void __launch_bounds__(THREADS, S::RESIDENT)
    multiply(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m,
             int n, int k)
{
    constexpr int ROWS = S::ROWS, COLUMNS = S::COLUMNS, DEPTH = S::DEPTH, STAGES = S::STAGES;
    constexpr int OWN = S::OWN;
    KG_DYNAMIC_SHARED(float, shared);
    auto tile_a = reinterpret_cast<float(*)[DEPTH][ROWS + 4]>(shared);
    auto tile_b = reinterpret_cast<float(*)[DEPTH][COLUMNS]>(shared + STAGES * DEPTH * (ROWS + 4));
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    int top = blockIdx.y * ROWS, start = blockIdx.x * COLUMNS;
    int row = warp / S::ACROSS * 64 + lane / 4 * 4;
    int column = warp % S::ACROSS * 4 * OWN + lane % 4 * 4;
    int depth = ((k + S::PARTS - 1) / S::PARTS + DEPTH - 1) / DEPTH * DEPTH;
    int first = blockIdx.z * depth, rest = min(k - first, depth);
    int steps = (rest + DEPTH - 1) / DEPTH, now = 0, free = STAGES - 1;
    __align__(16) float sum[8][OWN] = {}, left[2][8], right[2][OWN];

    // A's tiles are transposed on their way: whole ones through registers, others by copies of 4
    // bytes, which a row of k can have anywhere.
    constexpr int WIDTH_A = S::WHOLE ? 4 : 1, ACROSS_A = DEPTH / WIDTH_A;
    constexpr int STEP_A = THREADS / ACROSS_A, PIECES_A = ROWS / STEP_A;
    int ax = thread % ACROSS_A * WIDTH_A, ay = thread / ACROSS_A;
    const float *from_a = a + (int64_t)(top + ay) * k + first + ax;
    float4 held[PIECES_A];
    auto fetch_a = [&](int stage) {
#pragma unroll
        for (int i = 0; i < PIECES_A; i++) {
            const float *from = from_a + (int64_t)i * STEP_A * k;
            if (S::WHOLE) {
                held[i] = *reinterpret_cast<const float4 *>(from);
            } else {
                bool inside = top + ay + i * STEP_A < m && ax < rest;
                __pipeline_memcpy_async(&tile_a[stage][ax][ay + i * STEP_A], inside ? from : a, 4,
                                        inside ? 0 : 4);
            }
        }
        from_a += DEPTH;
    };
    auto store_a = [&](int stage) {
        if (S::WHOLE) {
#pragma unroll
            for (int i = 0; i < PIECES_A; i++) {
                tile_a[stage][ax][ay + i * STEP_A] = held[i].x;
                tile_a[stage][ax + 1][ay + i * STEP_A] = held[i].y;
                tile_a[stage][ax + 2][ay + i * STEP_A] = held[i].z;
                tile_a[stage][ax + 3][ay + i * STEP_A] = held[i].w;
            }
        }
    };

    constexpr int STEP_B = THREADS / (COLUMNS / WIDTH), PIECES_B = DEPTH / STEP_B;
    int bx = thread % (COLUMNS / WIDTH) * WIDTH, by = thread / (COLUMNS / WIDTH);
    const float *from_b = b + (int64_t)(first + by) * n + start + bx;
    bool inside_b = start + bx < n;
    auto fetch_b = [&](int stage) {
#pragma unroll
        for (int i = 0; i < PIECES_B; i++) {
            bool inside = S::WHOLE || (inside_b && by + i * STEP_B < rest);
            __pipeline_memcpy_async(&tile_b[stage][by + i * STEP_B][bx],
                                    inside ? from_b + (int64_t)i * STEP_B * n : b, 4 * WIDTH,
                                    inside ? 0 : 4 * WIDTH);
        }
        from_b += (int64_t)DEPTH * n;
        rest -= DEPTH;
    };
    auto read = [&](int set, int stage, int step) {
#pragma unroll
        for (int i = 0; i < 8; i += 4)
            copy_piece<4>(&left[set][i], &tile_a[stage][step][row + i * 8]);
#pragma unroll
        for (int i = 0; i < OWN; i += 4)
            copy_piece<4>(&right[set][i], &tile_b[stage][step][column + i * 4]);
    };

    // The last step reads ahead, to no effect: what it reads must be there.
    if (steps < STAGES) {
        if (thread < ROWS)
            tile_a[max(steps, 0)][0][thread] = 0.0f;
        if (thread < COLUMNS)
            tile_b[max(steps, 0)][0][thread] = 0.0f;
    }
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < steps) {
            fetch_a(i);
            fetch_b(i);
            store_a(i);
        }
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    read(0, 0, 0);
    for (int i = 0; i < steps; i++) {
        bool more = i + STAGES - 1 < steps;
        int into = free;
        if (more) {
            fetch_a(into);
            fetch_b(into);
        }
        __pipeline_commit();
        free = free + 1 == STAGES ? 0 : free + 1;
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            if (step + 1 == DEPTH) {
                if (more)
                    store_a(into);
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads();
                now = now + 1 == STAGES ? 0 : now + 1;
            }
            read((step + 1) % 2, now, (step + 1) % DEPTH);
#pragma unroll
            for (int y = 0; y < 8; y++)
#pragma unroll
                for (int x = 0; x < OWN; x++)
                    sum[y][x] += left[step % 2][y] * right[step % 2][x];
        }
    }

    if (S::PARTS > 1)
        __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int y = row + i / 4 * 32 + i % 4;
#pragma unroll
        for (int j = 0; j<OWN; j += S::PARTS> 1 ? 4 : WIDTH) {
            int x = column + j / 4 * 16 + j % 4;
            if (S::PARTS > 1)
                copy_piece<4>(&shared[y * COLUMNS + x], &sum[i][j]);
            else if (top + y < m && start + x < n)
                copy_piece<WIDTH>(&c[(top + y) * n + start + x], &sum[i][j]);
        }
    }
    if (S::PARTS > 1)
        add_parts<S, WIDTH>(shared, c, top, start, m, n);
}

// Starts the kernel with shape `S`. By default the hardware packs the blocks of clusters unevenly:
// the preference for load balancing takes 4.4 of 19.4 us away at 530 (H100).
template <typename S>
static cudaError_t start(const kg_call *call)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = piece_width(n, k);
    auto kernel = width == 4 ? multiply<S, 4> : width == 2 ? multiply<S, 2> : multiply<S, 1>;
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};

    if (S::BYTES > 48 * 1024) {
        cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                (int)S::BYTES);
        if (code != cudaSuccess)
            return code;
    }
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = attributes[0].val.clusterDim.y = 1;
    attributes[0].val.clusterDim.z = S::PARTS;
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
    config.gridDim = kg_grid(n, S::COLUMNS, m, S::ROWS, S::PARTS);
    config.blockDim = THREADS;
    config.dynamicSmemBytes = S::BYTES;
    config.stream = call->stream;
    config.attrs = attributes;
    config.numAttrs = S::PARTS > 1 ? 2 : 0;
    return cudaLaunchKernelEx(&config, kernel, KG_ARG(call, const float, 0),
                              KG_ARG(call, const float, 1), KG_ARG(call, float, 2), m, n, k);
}

// Whether `S`, a shape that is whole, fits the size of a call.
template <typename S>
static bool is_whole(const kg_call *call)
{
    return KG_EXTENT(call, 0) % S::ROWS == 0 && KG_EXTENT(call, 1) % S::COLUMNS == 0 &&
           KG_EXTENT(call, 2) % (S::PARTS * S::DEPTH) == 0;
}

#endif

// SPDX-License-Identifier: MIT
