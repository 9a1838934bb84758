// What kernels share that have a block or a cluster work on a row: the row in packets, and sums and
// the like of all its threads.
#ifndef ROW_CUH
#define ROW_CUH

#include <cooperative_groups.h>
#include <kernelgate/kernelgate.h>

#define LANES 32
#define MAX_WARPS 32
#define MAX_BLOCKS 8
#define ALL_LANES 0xffffffffu

// 16 bytes, which one instruction loads or stores.
template <typename T>
struct alignas(16) packet {
    static constexpr int WIDTH = 16 / sizeof(T);
    T value[WIDTH];
};

// A row of the array cut into aligned packets. If the number of columns is no multiple of their
// width, the first and the last packet are in part those of other rows, as those of 4 floats here:
//
//     start           start + 4                       start + 12
//     | .   .   x   x | x   x   x   x | x   x   x   x | x   .   .   . |      first 2, end 13
struct row {
    int64_t start; // a multiple of the width
    int first;     // the row is from start + first
    int end;       // to start + end - 1
};

template <typename T>
static inline __device__ row row_at(int64_t index, int columns)
{
    int64_t at = index * columns;
    int first = (int)(at % packet<T>::WIDTH);

    return { at - first, first, first + columns };
}

// The most packets of a row.
template <typename T>
static inline int64_t packets_of(int64_t columns)
{
    constexpr int WIDTH = packet<T>::WIDTH;

    return columns % WIDTH == 0 ? columns / WIDTH : (2 * WIDTH - 2 + columns) / WIDTH;
}

// Whether all of the packet at `i` is in the row, and aligned.
template <typename T>
static inline __device__ bool is_whole(const row &row, int i)
{
    return row.start % packet<T>::WIDTH == 0 && i >= row.first && i + packet<T>::WIDTH <= row.end;
}

// Returns the packet at `i`, a multiple of its width; elements outside of the row are `outside`.
template <typename T>
static inline __device__ packet<T> load_packet(const T *x, const row &row, int i, T outside)
{
    packet<T> part;

    x += row.start + i;
    if (is_whole<T>(row, i))
        return *(const packet<T> *)x;
#pragma unroll
    for (int j = 0; j < packet<T>::WIDTH; j++)
        part.value[j] = i + j >= row.first && i + j < row.end ? x[j] : outside;
    return part;
}

// A plain store of the packet would be merged with those of its elements, and lost in them.
template <typename T>
static inline __device__ void store_packet(T *y, const row &row, int i, const packet<T> &part)
{
    y += row.start + i;
    if (is_whole<T>(row, i)) {
        __stcs((uint4 *)y, *(const uint4 *)&part);
        return;
    }
#pragma unroll
    for (int j = 0; j < packet<T>::WIDTH; j++) {
        if (i + j >= row.first && i + j < row.end)
            y[j] = part.value[j];
    }
}

// Merges the parts of a block's threads; all of them have the result. Once in a kernel for a PART.
template <typename PART>
static inline __device__ PART merge_block(PART own)
{
    __shared__ PART of_warp[MAX_WARPS];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;

    own = merge_warp(own);
    if (lane == 0)
        of_warp[threadIdx.x / LANES] = own;
    __syncthreads();
    return merge_warp(lane < warps ? of_warp[lane] : PART::none());
}

// Until a block of a cluster has started, the others must not write its shared memory. Each says so
// here, and merge_cluster() waits.
static inline __device__ void begin_cluster()
{
#if __CUDA_ARCH__ >= 900 // before, there are no clusters, and the launch fails
    cooperative_groups::this_cluster().barrier_arrive();
#endif
}

// The same for the threads of a cluster.
template <typename PART>
static inline __device__ PART merge_cluster(PART own)
{
#if __CUDA_ARCH__ >= 900
    __shared__ PART of_block[MAX_BLOCKS];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    int lane = threadIdx.x % LANES, blocks = cluster.num_blocks();

    own = merge_block(own);
    cluster.barrier_wait();
    if ((int)threadIdx.x < blocks)
        cluster.map_shared_rank(of_block, threadIdx.x)[cluster.block_rank()] = own;
    cluster.sync();
    own = merge_warp(lane < blocks ? of_block[lane] : PART::none());
#endif
    return own;
}

// Starts a cluster of `blocks` blocks for each row.
template <typename... Parameters, typename... Arguments>
static cudaError_t start_clusters(const kg_call *call, void (*kernel)(Parameters...), int64_t rows,
                                  int blocks, int threads, Arguments... arguments)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = kg_grid(rows * blocks, 1);
    config.blockDim = dim3(threads);
    config.stream = call->stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
