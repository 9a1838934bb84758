// A long row is kept in the registers of a cluster of blocks, which exchange their parts through
// distributed shared memory. It is still read once, and its blocks are small enough that a
// multiprocessor holds several: some load while others wait or store.
#include "row.cuh"

#include <cooperative_groups.h>

#define MAX_BLOCKS 8

template <int QUADS>
static __global__ void __launch_bounds__(512) cluster_per_row(const float *x, float *y, int columns)
{
#if __CUDA_ARCH__ >= 900 // before, there are no clusters, and the launch fails
    __shared__ part of_block[MAX_BLOCKS];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    int blocks = (int)cluster.num_blocks(), rank = (int)cluster.block_rank();
    int lane = threadIdx.x % LANES;
    row row = row_at(blockIdx.x / blocks, columns);
    float4 quad[QUADS];
    part own, all;
    float factor;

    // Until a block has started, its shared memory must not be written. They load meanwhile.
    cluster.barrier_arrive();
#pragma unroll
    for (int i = 0; i < QUADS; i++)
        quad[i] = load_quad(x, row, 4 * ((i * blocks + rank) * blockDim.x + threadIdx.x));
    own = take_exponentials(quad);
    all = merge_block(own);
    cluster.barrier_wait();
    if ((int)threadIdx.x < blocks)
        cluster.map_shared_rank(of_block, threadIdx.x)[rank] = all;
    cluster.sync();
    all = merge_warp(lane < blocks ? of_block[lane] : no_part());
    factor = expf(own.max - all.max) * (1.0f / all.sum);
#pragma unroll
    for (int i = 0; i < QUADS; i++)
        store_quad(y, row, 4 * ((i * blocks + rank) * blockDim.x + threadIdx.x),
                   make_float4(quad[i].x * factor, quad[i].y * factor, quad[i].z * factor,
                               quad[i].w * factor));
#endif
}

template <int QUADS>
static cudaError_t start(const kg_call *call)
{
    int blocks = KG_AXIS(call, 1);
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
    return cudaLaunchKernelEx(&config, cluster_per_row<QUADS>, KG_ARG(call, const float, 0),
                              KG_ARG(call, float, 1), (int)KG_EXTENT(call, 1));
}

KG_LAUNCHER(softmax_f32_cluster_per_row)
{
    int64_t threads = (int64_t)KG_AXIS(call, 0) * KG_AXIS(call, 1);
    int64_t quads = (quads_of(KG_EXTENT(call, 1)) + threads - 1) / threads;

    return quads <= 1   ? start<1>(call)
           : quads <= 2 ? start<2>(call)
           : quads <= 4 ? start<4>(call)
           : quads <= 8 ? start<8>(call)
                        : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
