/* Kernels that use CUB's blocks and warps. With k == 1 a barrier is missing between two uses of the
 * same TempStorage. */
#include "tests/model/std_kernels.h"

#include "tests/model/watch_start.h"

#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/functional>

#define THREADS CUB_BLOCK

static __device__ void meet(watch_data d)
{
    if (d.k != 1)
        __syncthreads();
}

// The first thread of each block has the sum of all (a count beyond them is all), of the first 50,
// and the most.
EACH(cub_reduce)
{
    using reduce = cub::BlockReduce<int, THREADS>;
    __shared__ typename reduce::TempStorage room;
    const int x = (int)d.a[i];
    const int sum = reduce(room).Sum(x, 2 * THREADS);

    meet(d);
    const int some = reduce(room).Sum(x, 50);
    meet(d);
    const int most = reduce(room).Reduce(x, cuda::maximum<>());

    d.numbers[i] = threadIdx.x == 0 ? sum + some + most : 0;
}

// Of rows: a block of two dimensions.
EACH(cub_reduce_items)
{
    using reduce = cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING>;
    __shared__ typename reduce::TempStorage room;
    int items[3] = { i, 1, 2 };
    const int sum = reduce(room).Sum(items);

    meet(d);
    const int least = reduce(room).Reduce(items, cuda::minimum<>());

    d.numbers[i] = threadIdx.x == 0 ? sum + least : 0;
}

EACH(cub_scan)
{
    using scan = cub::BlockScan<int, THREADS>;
    __shared__ typename scan::TempStorage room;
    int before, with_own, all, most;

    scan(room).ExclusiveSum(i % 7, before, all);
    meet(d);
    scan(room).InclusiveSum(i % 7, with_own);
    meet(d);
    scan(room).ExclusiveScan(i * 37 % 50, most, -1, cuda::maximum<>());
    d.numbers[i] = (with_own - before) + 10 * before + 10000 * most + 1000000 * (all % 1000);
}

// Carries a sum from tile to tile.
struct running_sum {
    int sum;
    __device__ int operator()(int of_tile)
    {
        const int before = sum;

        sum += of_tile;
        return before;
    }
};

EACH(cub_scan_tiles)
{
    using scan = cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename scan::TempStorage room;
    running_sum carried = { 100 };
    int items[2];

    for (int tile = 0; tile < 2; tile++) {
        items[0] = (int)threadIdx.x;
        items[1] = 1;
        scan(room).InclusiveSum(items, items, carried);
        meet(d);
    }
    d.numbers[i] = items[0] - items[1] + 10 * items[1];
}

EACH(cub_warp)
{
    using reduce = cub::WarpReduce<int, 16>;
    using scan = cub::WarpScan<int>;
    __shared__ typename reduce::TempStorage sums[THREADS / 16];
    __shared__ typename scan::TempStorage scans[THREADS / 32];
    const int sum = reduce(sums[threadIdx.x / 16]).Sum(i);
    int before, all;

    scan(scans[threadIdx.x / 32]).ExclusiveSum(1, before, all);
    d.numbers[i] = (threadIdx.x % 16 == 0 ? sum : 0) + 100000 * before + 10000000 * (all / 32);
}

// By way of shared memory that the load and the store share.
EACH(cub_transpose)
{
    using load = cub::BlockLoad<float, THREADS, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    static_assert(sizeof(typename load::TempStorage) % 16 == 0, "what follows it is aligned");
    using store = cub::BlockStore<int, THREADS, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename load::TempStorage loaded;
        typename store::TempStorage stored;
    } room;
    float items[4];
    int results[4];
    const int first = (int)blockIdx.x * THREADS * 4;

    load(room.loaded).Load(d.a + first, items, THREADS * 4 - 3, -1.0f);
    for (int item = 0; item < 4; item++)
        results[item] = (int)items[item] * 10 + item;
    meet(d);
    store(room.stored).Store(d.numbers + first, results);
}

EACH(cub_sort)
{
    using sort = cub::BlockRadixSort<int, THREADS, 2, int>;
    __shared__ typename sort::TempStorage room;
    int keys[2] = { (int)threadIdx.x * 37 % 101 - 50, -((int)threadIdx.x * 53 % 113) };
    int values[2] = { keys[0] + 1000, keys[1] + 1000 };

    sort(room).SortDescending(keys, values);
    meet(d);
    sort(room).SortBlockedToStriped(keys, values);
    d.numbers[2 * THREADS * blockIdx.x + threadIdx.x] = keys[0];
    d.numbers[2 * THREADS * blockIdx.x + THREADS + threadIdx.x] = values[1];
}

EACH(cub_sort_reals)
{
    using sort = cub::BlockRadixSort<float, THREADS, 1>;
    __shared__ typename sort::TempStorage room;
    float keys[1] = { (float)((int)threadIdx.x * 7 % THREADS) - 40.5f };

    sort(room).Sort(keys);
    meet(d);
    sort(room).Sort(keys, 0, 32);
    d.numbers[i] = (int)(2.0f * keys[0]);
}

struct minus_left {
    __device__ int operator()(int a, int b) const
    {
        return a - b;
    }
};

// Neighbors to the left and to the right, with one of the tile before, and a part of the tile.
EACH(cub_neighbors)
{
    using difference = cub::BlockAdjacentDifference<int, THREADS>;
    __shared__ typename difference::TempStorage room;
    const int first = 2 * (int)threadIdx.x;
    int items[2] = { first * first, (first + 1) * (first + 1) };
    int left[2], right[2], part[2];

    difference(room).SubtractLeft(items, left, minus_left(), -7);
    meet(d);
    difference(room).SubtractRight(items, right, minus_left());
    meet(d);
    difference(room).SubtractLeftPartialTile(items, part, minus_left(), THREADS);
    for (int item = 0; item < 2; item++)
        d.numbers[2 * i + item] = left[item] - 3 * right[item] + 5 * part[item];
}

struct of_a_seven {
    __device__ bool operator()(int a, int b, int index) const
    {
        return a / 7 != b / 7 || index == 50;
    }
};

EACH(cub_flags)
{
    using discontinuity = cub::BlockDiscontinuity<int, THREADS>;
    __shared__ typename discontinuity::TempStorage room;
    int items[2] = { 2 * (int)threadIdx.x, 2 * (int)threadIdx.x + 1 };
    int heads[2], tails[2], with_before[2];

    discontinuity(room).FlagHeadsAndTails(heads, tails, items, of_a_seven());
    meet(d);
    discontinuity(room).FlagHeads(with_before, items, cub::Inequality(), 0);
    for (int item = 0; item < 2; item++)
        d.numbers[2 * i + item] = heads[item] + 10 * tails[item] + 100 * with_before[item];
}

// The sums of two histograms' bins, by sorting and by atomics, in shared and in global memory.
EACH(cub_histogram)
{
    using by_sort = cub::BlockHistogram<unsigned char, THREADS, 2, 64>;
    using by_atomics = cub::BlockHistogram<unsigned char, THREADS, 2, 64, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename by_sort::TempStorage room;
    __shared__ typename by_atomics::TempStorage other_room;
    __shared__ unsigned int bins[64];
    __shared__ int others[64];
    unsigned char items[2] = { (unsigned char)(threadIdx.x % 10),
                               (unsigned char)(threadIdx.x / 2) };

    by_sort(room).Histogram(items, bins);
    meet(d);
    by_sort(room).Composite(items, bins);
    by_atomics(other_room).Histogram(items, others);
    __syncthreads();
    d.numbers[i] = threadIdx.x < 64 ? (int)bins[threadIdx.x] + 1000 * others[threadIdx.x] : -1;
}

struct later {
    __device__ bool operator()(int a, int b) const
    {
        return a / 4 > b / 4;
    }
};

// Stable, by a part of the keys; a block of some items, and a warp's.
EACH(cub_merge)
{
    using sort = cub::BlockMergeSort<int, THREADS, 3, int>;
    using of_warp = cub::WarpMergeSort<int, 3>;
    __shared__ typename sort::TempStorage room;
    __shared__ typename of_warp::TempStorage rooms[THREADS / 32];
    int keys[3], values[3], own[3];

    for (int item = 0; item < 3; item++) {
        values[item] = 3 * (int)threadIdx.x + item;
        keys[item] = values[item] * 37 % 101;
        own[item] = keys[item];
    }
    sort(room).Sort(keys, values, later());
    meet(d);
    sort(room).StableSort(
        keys, values, [](int a, int b) { return a < b; }, 200, 1000);
    of_warp(rooms[threadIdx.x / 32]).Sort(own, [](int a, int b) { return a < b; });
    const bool sorted =
        own[0] <= own[1] && own[1] <= own[2] &&
        own[2] <= __shfl_down_sync(~0u, own[0], 1) + (threadIdx.x % 32 == 31) * 1000;
    for (int item = 0; item < 3; item++)
        d.numbers[3 * i + item] = keys[item] < 1000 ? values[item] + 1000 * keys[item] : sorted;
}

EACH(cub_shuffle)
{
    using shuffle = cub::BlockShuffle<int, THREADS>;
    __shared__ typename shuffle::TempStorage room;
    const int own = (int)threadIdx.x;
    int items[2] = { 2 * own, 2 * own + 1 }, up[2] = { -1, -1 }, down[2] = { -1, -1 };
    int last, rotated, offset = -1;

    shuffle(room).Up(items, up, last);
    meet(d);
    shuffle(room).Down(items, down);
    meet(d);
    shuffle(room).Rotate(own, rotated, 5);
    meet(d);
    shuffle(room).Offset(own, offset, -3);
    d.numbers[i] = up[0] + down[1] + last + 1000 * rotated + 1000000 * offset;
}

// Runs of 0, 1, 2 … 6 items, which threads decode two at a time.
EACH(cub_runs)
{
    using decode = cub::BlockRunLengthDecode<int, THREADS, 1, 2>;
    __shared__ typename decode::TempStorage room;
    int values[1] = { (int)threadIdx.x }, lengths[1] = { (int)threadIdx.x % 7 };
    int all, items[2];
    unsigned int places[2];

    decode runs(room, values, lengths, all);
    runs.RunLengthDecode(items, places, 3);
    for (int item = 0; item < 2; item++)
        d.numbers[2 * i + item] = items[item] + 1000 * (int)places[item] + 100000 * all;
}

// What a warp's threads and those behind them have, of a block's elements in segments.
EACH(cub_raking)
{
    using layout = cub::BlockRakingLayout<int, THREADS>;
    static_assert(layout::UNGUARDED && layout::SEGMENT_LENGTH == THREADS / CUB_WARP_THREADS(0));
    __shared__ layout::TempStorage parts;
    int sum = 0;

    *layout::PlacementPtr(parts, threadIdx.x) = (int)threadIdx.x % 7;
    __syncthreads();
    if (threadIdx.x < layout::RAKING_THREADS) {
        const unsigned int half = cub::WarpMask<16>(threadIdx.x / 16);

        for (int k = 0; k < layout::SEGMENT_LENGTH; k++)
            sum += layout::RakingPtr(parts, threadIdx.x)[k];
        for (int step = 1; step < 16; step *= 2) {
            const int next = cub::ShuffleDown<16>(sum, step, 15, half);

            sum += threadIdx.x % 16 + step < 16 ? next : 0;
        }
        sum += 1000 * cub::ShuffleIndex<16>(sum, 0, half) +
               1000000 * cub::ShuffleUp<32>((int)threadIdx.x, 3, 0, cub::WarpMask<32>(0));
    }
    d.numbers[i] = sum;
}

// Ranks by a digit, what warps load, exchange and store, and the segments of a warp.
EACH(cub_more)
{
    using rank = cub::BlockRadixRank<THREADS, 2, true>;
    using load = cub::WarpLoad<float, 2, cub::WARP_LOAD_TRANSPOSE, 16>;
    using exchange = cub::WarpExchange<int, 2, 16>;
    using reduce = cub::WarpReduce<int>;
    using scan = cub::WarpScan<int>;
    __shared__ typename rank::TempStorage room;
    __shared__ typename load::TempStorage rooms[THREADS / 16];
    __shared__ typename exchange::TempStorage others[THREADS / 16];
    reduce::TempStorage none;
    scan::TempStorage no_scan;
    const cub::CacheModifiedInputIterator<cub::LOAD_CS, float> in(d.a);
    unsigned int keys[1] = { threadIdx.x * 8 };
    int ranks[1], items[2], with_own, before;
    float loaded[2];

    rank(room).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned int>(3, 2));
    load(rooms[threadIdx.x / 16]).Load(in + threadIdx.x / 16 * 32, loaded, 30, 7.0f);
    items[0] = (int)loaded[0];
    items[1] = (int)loaded[1];
    exchange(others[threadIdx.x / 16]).BlockedToStriped(items, items);
    const int sum = reduce(none).HeadSegmentedSum(1, threadIdx.x % 5 == 0);
    const int most =
        reduce(none).TailSegmentedReduce((int)threadIdx.x, threadIdx.x % 8 == 7, cub::Max());
    scan(no_scan).Scan((int)threadIdx.x % 3, with_own, before, 10, cub::Sum());
    d.numbers[i] = ranks[0] + 100 * items[1] + 100000 * (threadIdx.x % 5 == 0 ? sum : 0) +
                   (threadIdx.x % 8 == 0 ? most : 0) + 1000000 * (with_own - before);
}

// SPDX-License-Identifier: MIT
