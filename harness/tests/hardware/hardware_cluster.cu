// Tiles of 256 numbers, each reversed by a cluster of four blocks of 64 threads.
#include <cooperative_groups.h>
#include <kernelgate/kernelgate.h>

namespace cg = cooperative_groups;

constexpr int block = 64;
constexpr int blocks = 4;

enum class way { pull, push, add };

template <way How>
static __global__ void __launch_bounds__(block) reverse(const int *in, int *out, int n)
{
    __shared__ int tile[block];
    cg::cluster_group cluster = cg::this_cluster();
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int here = (int)threadIdx.x;
    int there = block - 1 - here;
    int value = i < n ? in[i] : 0;
    int *other = cluster.map_shared_rank(tile, blocks - 1 - (int)cluster.block_rank());

    if (How == way::pull)
        tile[here] = value;
    else
        tile[here] = 0;
    cluster.sync();
    if (How == way::pull)
        value = other[there];
    else if (How == way::push)
        other[there] = value;
    else
        atomicAdd(&other[there], value);
    cluster.sync();
    if (How != way::pull)
        value = tile[here];
    if (i < n)
        out[i] = value;
}

static cudaError_t start(const kg_call *call, void (*kernel)(const int *, int *, int))
{
    int n = (int)kg_extent(call->size, 0);
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned)((n + blocks * block - 1) / (blocks * block) * blocks));
    config.blockDim = dim3(block);
    config.stream = call->stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, (const int *)call->argument[0],
                              (int *)call->argument[1], n);
}

KG_LAUNCHER(hardware_cluster_pull)
{
    return start(call, reverse<way::pull>);
}

KG_LAUNCHER(hardware_cluster_push)
{
    return start(call, reverse<way::push>);
}

KG_LAUNCHER(hardware_cluster_add)
{
    return start(call, reverse<way::add>);
}

// SPDX-License-Identifier: MIT
