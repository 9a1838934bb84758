// A long row is kept in the registers of a cluster of blocks, which exchange their parts through
// distributed shared memory. It is still read once, and its blocks are small enough that a
// multiprocessor holds several: some load while others wait or store.
#include "exponentials.cuh"

#include <cooperative_groups.h>

#define MAX_BLOCKS 8

// Merges the parts of a cluster's threads; all of them have the result.
static __device__ part merge_cluster(part own)
{
#if __CUDA_ARCH__ >= 900 // before, there are no clusters, and the launch fails
    __shared__ part of_block[MAX_BLOCKS];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    int lane = threadIdx.x % LANES, blocks = cluster.num_blocks();

    own = merge_block(own);
    cluster.barrier_wait();
    if ((int)threadIdx.x < blocks)
        cluster.map_shared_rank(of_block, threadIdx.x)[cluster.block_rank()] = own;
    cluster.sync();
    own = merge_warp(lane < blocks ? of_block[lane] : part::none());
#endif
    return own;
}

// At most 64 registers: a multiprocessor holds 128 KiB of rows in half of its registers.
template <int QUADS, bool ALIGNED>
static __global__ void __launch_bounds__(128, 8)
    cluster_per_row(const float *x, float *y, int columns, int blocks)
{
#if __CUDA_ARCH__ >= 900
    // Until a block has started, its shared memory must not be written. They load meanwhile.
    cooperative_groups::this_cluster().barrier_arrive();
#endif
    softmax_in_registers<merge_cluster, QUADS>(
        x, y, row_at<4, ALIGNED>(blockIdx.x / blocks, columns),
        blockIdx.x % blocks * blockDim.x + threadIdx.x, blocks * blockDim.x);
}

template <int QUADS>
static cudaError_t start(const kg_call *call)
{
    int columns = (int)KG_EXTENT(call, 1), blocks = KG_AXIS(call, 1);
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = kg_grid(KG_EXTENT(call, 0) * blocks, 1);
    config.blockDim = dim3(KG_AXIS(call, 0));
    config.stream = call->stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(
        &config, columns % 4 == 0 ? cluster_per_row<QUADS, true> : cluster_per_row<QUADS, false>,
        KG_ARG(call, const float, 0), KG_ARG(call, float, 1), columns, blocks);
}

KG_LAUNCHER(softmax_f32_cluster_per_row)
{
    int64_t threads = (int64_t)KG_AXIS(call, 0) * KG_AXIS(call, 1);
    int64_t quads = (packets_of(KG_EXTENT(call, 1), 4) + threads - 1) / threads;

    return quads <= 4 ? start<4>(call) : quads <= 8 ? start<8>(call) : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
