/* SPDX-License-Identifier: MIT */
/* Cooperative groups: creating and dividing groups, and calls by one of their threads. Included
 * by cooperative_groups.h. */
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups
{

KG__GROUP thread_block this_thread_block()
{
    return thread_block();
}

/* Memory that tiles of several warps take on devices before compute capability 8.0. */
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
};

template <unsigned int MaxBlockSize>
KG__GROUP thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return thread_block();
}

KG__GROUP grid_group this_grid()
{
    return grid_group();
}

/* The blocks of a cluster, which is one block in a launch without clusters. */
class cluster_group
{
  public:
    struct arrival_token {
    };

    static KG__GROUP void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    static KG__GROUP arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return arrival_token{};
    }
    static KG__GROUP void barrier_wait()
    {
        __cluster_barrier_wait();
    }
    static KG__GROUP void barrier_wait(arrival_token &&)
    {
        __cluster_barrier_wait();
    }
    static KG__GROUP unsigned int query_shared_rank(const void *pointer)
    {
        return kg__model_shared_rank(pointer);
    }
    template <typename Element>
    static KG__GROUP Element *map_shared_rank(Element *pointer, int rank)
    {
        return static_cast<Element *>(
            kg__model_map_shared(pointer, static_cast<unsigned int>(rank)));
    }
    KG__GROUP_STATIC(dim3, block_index, __clusterRelativeBlockIdx())
    KG__GROUP_STATIC(unsigned int, block_rank, __clusterRelativeBlockRank())
    static KG__GROUP dim3 thread_index()
    {
        const dim3 block = block_index();

        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    KG__GROUP_STATIC(unsigned int, thread_rank,
                     block_rank() * kg__model::threads_in_block() + kg__model::thread_in_block())
    KG__GROUP_STATIC(dim3, dim_blocks, __clusterDim())
    KG__GROUP_STATIC(unsigned int, num_blocks, __clusterSizeInBlocks())
    static KG__GROUP dim3 dim_threads()
    {
        const dim3 blocks = dim_blocks();

        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    KG__GROUP_STATIC(unsigned int, num_threads, num_blocks() * kg__model::threads_in_block())
    KG__GROUP_STATIC(unsigned int, size, num_threads())
};

KG__GROUP cluster_group this_cluster()
{
    return cluster_group();
}

/* The lanes that are at this place when no lane of the warp can do anything else. */
KG__GROUP coalesced_group coalesced_threads()
{
    return coalesced_group(static_cast<unsigned int>(kg__model_run_warp_operation(
                               KG__MODEL_ACTIVE, UINT32_MAX, 0, 0, KG__MODEL_WARP)),
                           1, 0);
}

KG__GROUP coalesced_group this_thread()
{
    return coalesced_group(1u << kg__model::lane(), 1, 0);
}

template <unsigned int Size>
KG__GROUP thread_block_tile<Size, thread_block> tiled_partition(const thread_block &block)
{
    return thread_block_tile<Size, thread_block>(block);
}

template <unsigned int Size, unsigned int ParentSize, typename Parent>
KG__GROUP thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>
tiled_partition(const thread_block_tile<ParentSize, Parent> &parent)
{
    static_assert(Size <= ParentSize, "a tile must not be larger than its parent");
    return thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>(
        ParentSize / Size, static_cast<unsigned int>(parent.thread_rank()) / Size);
}

/* By rank: `size` at a time. */
KG__GROUP coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
    const unsigned int first = parent.thread_rank() / size * size;
    unsigned int mask = 0;

    for (unsigned int rank = first; rank < first + size && rank < parent.size(); rank++)
        mask |= 1u << kg__model::lane_of_rank(parent.kg__mask(), rank);
    return coalesced_group(mask, (parent.size() + size - 1) / size, first / size);
}

template <unsigned int Size>
KG__GROUP coalesced_group tiled_partition(const coalesced_group &parent)
{
    return tiled_partition(parent, Size);
}

KG__GROUP thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
    const unsigned int rank = parent.rank_ % size;
    const unsigned int first = kg__model::lane() - rank;
    const unsigned int lanes = static_cast<unsigned int>((1ull << size) - 1);

    if (size == 0 || size > KG__MODEL_WARP || (size & (size - 1)) != 0)
        kg__model_trap(cudaErrorLaunchFailure,
                       "tiled_partition(): the size is not a power of two from 1 to 32");
    return thread_group(lanes << first, size, rank);
}

KG__GROUP thread_group tiled_partition(const thread_block &parent, unsigned int size)
{
    return tiled_partition(static_cast<const thread_group &>(parent), size);
}

/* The threads of a tile or coalesced group with equal labels. */
template <typename Label, typename Group>
KG__GROUP coalesced_group labeled_partition(const Group &group, Label label)
{
    const unsigned int mine = static_cast<unsigned int>(kg__model_run_warp_operation(
        KG__MODEL_MATCH_ANY, group.kg__mask(), kg__model::bits_of(label), 0, KG__MODEL_WARP));
    const unsigned int leader = mine & (0 - mine);
    const unsigned int leaders = __ballot_sync(group.kg__mask(), leader == 1u << kg__model::lane());

    return coalesced_group(mine, static_cast<unsigned int>(__builtin_popcount(leaders)),
                           static_cast<unsigned int>(__builtin_popcount(leaders & (leader - 1))));
}

template <typename Group>
KG__GROUP coalesced_group binary_partition(const Group &group, bool predicate)
{
    const unsigned int where = __ballot_sync(group.kg__mask(), predicate);

    return coalesced_group(predicate ? where : group.kg__mask() & ~where, 2, predicate ? 1 : 0);
}

template <typename Group>
KG__GROUP void sync(const Group &group)
{
    group.sync();
}

template <typename Group>
KG__GROUP auto thread_rank(const Group &group)
{
    return group.thread_rank();
}

template <typename Group>
KG__GROUP auto group_size(const Group &group)
{
    return group.size();
}

/* One thread of the group calls the function. */
template <typename Group, typename Function, typename... Arguments>
KG__GROUP void invoke_one(const Group &group, Function &&function, Arguments &&...arguments)
{
    if (group.thread_rank() == 0)
        std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}

/* One thread of the group calls the function, and all get its result. */
template <typename Group, typename Function, typename... Arguments>
KG__GROUP auto invoke_one_broadcast(const Group &group, Function &&function,
                                    Arguments &&...arguments)
{
    decltype(std::forward<Function>(function)(std::forward<Arguments>(arguments)...)) result{};

    if (group.thread_rank() == 0)
        result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
    return group.shfl(result, 0);
}

} // namespace cooperative_groups
