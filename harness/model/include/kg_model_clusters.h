/* SPDX-License-Identifier: MIT */
/* Clusters of blocks: the built-in functions. Included by cuda_runtime.h. */
#pragma once

#include "cuda_runtime.h"

KG__MODEL_INLINE dim3 __clusterDim()
{
    return dim3(kg__model_cluster_dim);
}

KG__MODEL_INLINE dim3 __clusterRelativeBlockIdx()
{
    return dim3(blockIdx.x % kg__model_cluster_dim.x, blockIdx.y % kg__model_cluster_dim.y,
                blockIdx.z % kg__model_cluster_dim.z);
}

KG__MODEL_INLINE dim3 __clusterIdx()
{
    return dim3(blockIdx.x / kg__model_cluster_dim.x, blockIdx.y / kg__model_cluster_dim.y,
                blockIdx.z / kg__model_cluster_dim.z);
}

KG__MODEL_INLINE dim3 __clusterGridDimInClusters()
{
    return dim3(gridDim.x / kg__model_cluster_dim.x, gridDim.y / kg__model_cluster_dim.y,
                gridDim.z / kg__model_cluster_dim.z);
}

KG__MODEL_INLINE unsigned int __clusterSizeInBlocks()
{
    return kg__model_cluster_dim.x * kg__model_cluster_dim.y * kg__model_cluster_dim.z;
}

KG__MODEL_INLINE unsigned int __clusterDimIsSpecified()
{
    return __clusterSizeInBlocks() > 1;
}

KG__MODEL_INLINE unsigned int __clusterRelativeBlockRank()
{
    const dim3 index = __clusterRelativeBlockIdx();

    return (index.z * kg__model_cluster_dim.y + index.y) * kg__model_cluster_dim.x + index.x;
}

KG__MODEL_INLINE void *__cluster_map_shared_rank(const void *pointer, unsigned int rank)
{
    return kg__model_map_shared(pointer, rank);
}

KG__MODEL_INLINE unsigned int __cluster_query_shared_rank(const void *pointer)
{
    return kg__model_shared_rank(pointer);
}

/* All threads synchronize at the wait, which orders what comes before their arrivals. */
KG__MODEL_INLINE void __cluster_barrier_arrive()
{
    kg__model_note_cluster(1);
}

KG__MODEL_INLINE void __cluster_barrier_arrive_relaxed()
{
    kg__model_note_cluster(1);
}

KG__MODEL_INLINE void __cluster_barrier_wait()
{
    kg__model_note_cluster(0);
    if (__clusterSizeInBlocks() > 1)
        kg__model_pass(kg__model_arrive_at_blocks());
    else
        kg__model_barrier();
}

KG__MODEL_INLINE void __threadfence_cluster()
{
    kg__model_fence_block();
}
