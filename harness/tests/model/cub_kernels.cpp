/* Kernels that use CUB's blocks and warps. With k == 1 a barrier is missing between two uses of the
 * same TempStorage. */
#include "tests/model/std_kernels.h"

#include "tests/model/watch_start.h"

#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/functional>

#define THREADS CUB_BLOCK

static __device__ void meet(watch_data d)
{
    if (d.k != 1)
        __syncthreads();
}

// The first thread of each block has the sum of all, of the first 50, and the most.
EACH(cub_reduce)
{
    using reduce = cub::BlockReduce<int, THREADS>;
    __shared__ typename reduce::TempStorage room;
    const int x = (int)d.a[i];
    const int sum = reduce(room).Sum(x);

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
