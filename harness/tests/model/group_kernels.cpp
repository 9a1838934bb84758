/* Kernels that use cooperative groups. */
#include "tests/model/group_kernels.h"

#include "tests/model/watch_start.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// What a thread gets of its tile of so many.
#define OF_TILE(name, size, ...)                                                                   \
    EACH(name)                                                                                     \
    {                                                                                              \
        auto tile = cg::tiled_partition<size>(cg::this_thread_block());                            \
                                                                                                   \
        d.numbers[i] = (int)(__VA_ARGS__);                                                         \
    }

EACH(block_shape)
{
    cg::thread_block block = cg::this_thread_block();

    cg::sync(block);
    d.numbers[i] =
        (int)(block.thread_rank() + 1000 * block.size() + 1000000 * block.group_index().x +
              block.thread_index().y + (block.dim_threads().x == blockDim.x ? 0 : 1));
}

EACH(tile_ranks)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());

    tile.sync();
    d.numbers[i] = (int)(tile.thread_rank() + 100 * tile.meta_group_rank() +
                         10000 * tile.meta_group_size() + 1000000 * tile.size());
}

EACH(tile_of_tile)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto tile = cg::tiled_partition<4>(warp);

    d.numbers[i] =
        (int)(tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size());
}

EACH(dynamic_tile)
{
    cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 16);
    cg::thread_group part = cg::tiled_partition(tile, 4);

    part.sync();
    d.numbers[i] = (int)(tile.thread_rank() + 100 * tile.size() + 10000 * part.thread_rank());
}

OF_TILE(tile_shuffles, 16,
        tile.shfl(i, 3) + 100 * (tile.shfl_up(i, 1) - i + 1) + 1000 * (tile.shfl_down(i, 2) - i) +
            10000 * (tile.shfl_xor(i, 5) - (i ^ 5)))

OF_TILE(tile_votes, 16,
        tile.ballot(i % 3 == 0) + ((unsigned)tile.any(i % 16 == 3) << 16) +
            ((unsigned)tile.all(true) << 17) + ((unsigned)tile.all(i % 16 < 15) << 18))

EACH(tile_match)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int same = 0;
    int different = 0;
    unsigned int all = tile.match_all(7.5, same);

    all += tile.match_all(i, different);
    d.numbers[i] = (int)(tile.match_any(i % 2) + (all << 8)) + (same << 20) + (different << 21);
}

EACH(odd_lanes)
{
    d.numbers[i] = -1;
    if (i % 2 == 1) {
        cg::coalesced_group odd = cg::coalesced_threads();

        odd.sync();
        d.numbers[i] = (int)(odd.thread_rank() + 100 * odd.size());
    }
}

EACH(odd_shuffles)
{
    d.numbers[i] = -1;
    if (i % 2 == 1) {
        cg::coalesced_group odd = cg::coalesced_threads();

        d.numbers[i] = odd.shfl(i, 2) + 100 * (odd.shfl_down(i, 1) - i) +
                       1000 * (i - odd.shfl_up(i, 3)) +
                       100000 * (int)odd.ballot(odd.thread_rank() < 3);
    }
}

EACH(labels)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::coalesced_group mine = cg::labeled_partition(warp, i % 5);

    d.numbers[i] = (int)(mine.thread_rank() + 100 * mine.size() + 10000 * mine.meta_group_rank() +
                         100000 * mine.meta_group_size());
}

EACH(halves)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::coalesced_group mine = cg::binary_partition(warp, i % 4 == 0);

    d.numbers[i] = (int)(mine.thread_rank() + 100 * mine.size());
}

OF_TILE(reduce_numbers, 16,
        cg::reduce(tile, i, cg::plus<int>()) +
            10000 *
                (cg::reduce(tile, i, cg::greater<int>()) - cg::reduce(tile, i, cg::less<int>())) +
            1000000 * cg::reduce(tile, i % 16, cg::bit_or<int>()))

OF_TILE(reduce_reals, 32, cg::reduce(tile, d.a[i % 32], cg::plus<float>()))

OF_TILE(reduce_by_function, 32, cg::reduce(tile, i, [](int a, int b) { return a > b ? a : b; }))

EACH(reduce_odd_lanes)
{
    d.numbers[i] = -1;
    if (i % 2 == 1)
        d.numbers[i] = (int)cg::reduce(cg::coalesced_threads(), (float)i, cg::plus<float>());
}

OF_TILE(scan_numbers, 8, cg::inclusive_scan(tile, 1 + i % 8))

OF_TILE(scan_exclusive, 8,
        cg::exclusive_scan(tile, 1 + i % 8) +
            100 * cg::exclusive_scan(tile, 1 + i % 8, cg::greater<int>()))

OF_TILE(scan_reals, 8, cg::exclusive_scan(tile, (float)(1 + i % 8)))

// numbers[THREADS], beyond what the threads have, is what all tiles add to.
EACH(update_by_tiles)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(d.numbers[d.n - 1]);
    const int before = cg::exclusive_scan_update(tile, sum, 1);
    const int with_own = cg::inclusive_scan_update(tile, sum, 1, cg::plus<int>());

    cg::reduce_update_async(tile, sum, 2, cg::plus<int>());
    // Among the tile's threads both go up by one; what other tiles add is a multiple of 16.
    d.numbers[i] = before % 16 + 100 * (with_own % 16);
    if (d.k == 1)
        d.numbers[d.n - 1] += 1;
}

EACH(store_by_tiles)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());

    cg::reduce_store_async(tile, &d.numbers[i / 16 * 16], i, cg::plus<int>());
    tile.sync();
    d.numbers[i] += 1000 * (int)tile.thread_rank();
}

EACH(one_invokes)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());

    d.numbers[i] = cg::invoke_one_broadcast(tile, [&] { return i * 10; });
    cg::invoke_one(tile, [&] { d.numbers[i]++; });
}

EACH(shuffle_struct)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    watch_triple mine = { (float)i, 2.0f, (float)-i };
    watch_triple other = warp.shfl(mine, 7);

    d.numbers[i] = (int)(other.x * other.y - other.z);
}

EACH(grid_shape)
{
    cg::grid_group grid = cg::this_grid();

    d.numbers[i] = (int)(grid.thread_rank() + 1000 * grid.size() + 1000000 * grid.is_valid());
}

// k == 1: without the tile's barriers.
// A tile of two warps, the whole block.
EACH(wide_tile)
{
    cg::thread_block_tile<64> tile = cg::tiled_partition<64>(cg::this_thread_block());
    auto warp = cg::tiled_partition<32>(tile);

    d.numbers[i] =
        cg::reduce(tile, i, cg::plus<int>()) + 10000 * (int)warp.meta_group_rank() +
        100000 * (int)(tile.shfl(i, 40) % 64 + tile.meta_group_rank()) +
        10000000 * (tile.any(i % 64 == 50) + 2 * tile.all(i % 64 < 50) + 4 * tile.all(i >= 0));
}

OF_TILE(wide_scan, 64,
        cg::inclusive_scan(tile, 1) + 100 * (int)cg::exclusive_scan(tile, 1.0f) +
            10000 * cg::exclusive_scan(tile, i % 64, cg::greater<int>()))

// Values that tiles of the half of a block swap; k == 1: without barrier.
EACH(swap_in_wide_tiles)
{
    __shared__ int staged[128];
    cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));

    staged[threadIdx.x] = i;
    if (d.k != 1)
        tile.sync();
    d.numbers[i] = staged[threadIdx.x ^ 63];
}

EACH(swap_in_tiles)
{
    __shared__ int staged[WATCH_MAX_BLOCK];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());

    for (int round = 0; round < 3; round++) {
        staged[threadIdx.x] = i + round;
        if (d.k != 1)
            tile.sync();
        d.numbers[i] = staged[threadIdx.x ^ 7] - 2;
        if (d.k != 1)
            cg::sync(tile);
    }
}

// By way of global memory that the other blocks write. k == 1: without the barrier of the grid; k
// == 2: the last block ends before it.
KERNEL(reverse_by_grid)
{
    cg::grid_group grid = cg::this_grid();
    unsigned int i = (unsigned int)grid.thread_rank();

    d.numbers[i] = (int)d.a[i]; /* grid: write */
    if (d.k == 2 && blockIdx.x == gridDim.x - 1)
        return;
    if (d.k != 1)
        grid.sync();
    d.b[i] = (float)d.numbers[grid.size() - 1 - i];
}

// Each block keeps a number in shared memory over several barriers of the grid, and passes what it
// has on to the next.
KERNEL(ring_by_grid)
{
    __shared__ float kept[WATCH_MAX_BLOCK];
    KG_DYNAMIC_SHARED(float, more);
    cg::grid_group grid = cg::this_grid();
    unsigned int i = (unsigned int)grid.thread_rank();
    float own = d.a[i];

    kept[threadIdx.x] = own;
    if (d.rows > 1)
        more[threadIdx.x] = own;
    for (int round = 0; round < d.k; round++) {
        d.b[i] = kept[threadIdx.x];
        grid.sync();
        kept[threadIdx.x] = d.b[(i + blockDim.x) % grid.size()];
        grid.sync();
    }
    d.numbers[i] = (int)(kept[threadIdx.x] + own + (d.rows > 1 ? more[threadIdx.x] : own));
}

// Thread 0 waits for one block after another by atomics and volatile reads, while its warp's tile
// waits for it, and each thread for a copy.
KERNEL(meet_by_atomics)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *has_come = reinterpret_cast<int *>(d.bytes);

    __pipeline_memcpy_async(&staged[threadIdx.x], &d.a[i], sizeof(float));
    __pipeline_commit();
    d.numbers[i] = (int)d.a[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(&has_come[blockIdx.x], 1);
        for (unsigned int other = 0; other < gridDim.x; other++) {
            while ((other % 2 == 0 ? atomicAdd(&has_come[other], 0)
                                   : *static_cast<volatile int *>(&has_come[other])) == 0)
                ;
            __threadfence();
        }
    }
    tile.sync();
    __pipeline_wait_prior(0);
    __syncthreads();
    d.b[i] = staged[threadIdx.x] + (float)d.numbers[i] +
             (float)d.numbers[gridDim.x * blockDim.x - 1 - i];
}

cudaError_t launch_ring_with_pointers(dim3 grid, dim3 block, watch_data data)
{
    void *arguments[] = { &data };

    return cudaLaunchCooperativeKernel(ring_by_grid, grid, block, arguments,
                                       data.rows > 1 ? block.x * sizeof(float) : 0);
}

int blocks_of_ring(int threads, size_t dynamic_bytes)
{
    int blocks = -1;

    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ring_by_grid, threads,
                                                         dynamic_bytes) == cudaSuccess
               ? blocks
               : -1;
}

// SPDX-License-Identifier: MIT
