// Kernels of clusters, with launch bounds, and with much shared memory. A .cu, for arrays that are
// `extern __shared__`.
#include <cooperative_groups.h>
#include <cuda/ptx>
#include <cuda_runtime.h>

#include "tests/hardware/bulk.cuh"
#include "tests/model/cluster_kernels.h"
#include "tests/model/watch_start.h"

namespace cg = cooperative_groups;

// Where each thread is in its cluster.
EACH(cluster_shape)
{
    cg::cluster_group cluster = cg::this_cluster();
    dim3 blocks = cluster.dim_blocks();
    dim3 threads = cluster.dim_threads();
    bool fits = cluster.num_blocks() == blocks.x * blocks.y * blocks.z &&
                cluster.num_threads() == threads.x * threads.y * threads.z &&
                cluster.size() == cluster.num_threads() &&
                cluster.thread_index().x == cluster.block_index().x * blockDim.x + threadIdx.x;

#ifdef __CUDA_ARCH__ // nvcc declares them for devices alone
    fits = fits && __clusterSizeInBlocks() == cluster.num_blocks() &&
           __clusterRelativeBlockRank() == cluster.block_rank() &&
           __clusterIdx().x == blockIdx.x / blocks.x &&
           __clusterGridDimInClusters().x == gridDim.x / blocks.x;
#endif
    d.numbers[i] = (int)(cluster.thread_rank() + 1000 * cluster.block_rank() +
                         10000 * cluster.num_blocks() + (fits ? 0 : 1000000));
}

// What the next block of the cluster has of a: right with k == 0, else defective.
EACH(next_of_cluster)
{
    __shared__ float own[64];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned int next = (cluster.block_rank() + 1) % cluster.num_blocks();
    float *others = cluster.map_shared_rank(own, (int)(d.k == NO_SUCH_RANK ? 8 : next));

    own[threadIdx.x] = d.a[i];
    if (d.k == ONE_WAITS_ELSEWHERE && threadIdx.x == 0)
        __syncthreads();
    if (d.k == ARRIVES_TWICE)
        (void)cluster.barrier_arrive();
    if (d.k == NO_FIRST_SYNC)
        __syncthreads();
    else if (d.k != NO_ARRIVAL)
        (void)cluster.barrier_arrive();
    if (d.k == WRITES_BEHIND_ITS_ARRIVAL)
        own[threadIdx.x] = d.a[i];
    if (d.k != NO_FIRST_SYNC)
        cluster.barrier_wait();
    if (d.k == WRITES_BEHIND_ITS_ARRIVAL)
        d.b[i] = own[blockDim.x - 1 - threadIdx.x];
    d.b[i] = others[d.k == BEYOND_THE_NEXT ? 64 : blockDim.x - 1 - threadIdx.x];
    d.numbers[i] = (int)(cluster.query_shared_rank(others) == next);
    if (d.k != NO_LAST_SYNC)
        cluster.sync();
}

// The same by dynamic shared memory, which is written twice; k == 1: no barrier before.
EACH(twice_of_cluster)
{
    extern __shared__ float staged[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned int next = (cluster.block_rank() + 1) % cluster.num_blocks();
    float *others = cluster.map_shared_rank(staged, (int)next);
    float sum = 0.0f;

    for (int round = 1; round <= 2; round++) {
        staged[threadIdx.x] = d.a[i] * (float)round;
        cluster.sync();
        sum += others[threadIdx.x];
        if (d.k != 1)
            cluster.sync();
    }
    d.b[i] = sum;
    cluster.sync();
}

// The blocks of the cluster that comes last sum up. Fences and tickets come before the barriers of
// the cluster, and count behind them, for all of its blocks. k == 1: no fence before the blocks
// count themselves; k == 2: none after; k == 3: a cluster's first block does so for all.
EACH(last_of_clusters)
{
    __shared__ bool last;
    cg::cluster_group cluster = cg::this_cluster();
    const bool counts = d.k != 3 || cluster.block_rank() == 0;
    const unsigned int all = gridDim.x / (d.k != 3 ? 1 : cluster.num_blocks());
    bool of_cluster = false;
    float sum = 0.0f;

    if (threadIdx.x == 0 && counts) {
        d.b[blockIdx.x] = d.a[blockIdx.x];
        if (d.k != 1)
            __threadfence();
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        last = counts && atomicAdd(&d.numbers[0], 1) == (int)all - 1;
        if (d.k != 2)
            __threadfence();
    }
    cluster.sync();
    for (unsigned int rank = 0; rank < cluster.num_blocks(); rank++)
        of_cluster = of_cluster || *cluster.map_shared_rank(&last, (int)rank);
    for (unsigned int block = 0; of_cluster && block < gridDim.x; block++)
        sum += d.b[block];
    if (threadIdx.x == 0)
        d.b[gridDim.x + blockIdx.x] = sum;
    cluster.sync();
}

// b of each cluster's first block: the sum of a over the cluster, by atomics; k == 1: plain
// updates; k == 3: the second block's part alone, to a block that may not have begun.
EACH(sum_of_cluster)
{
    __shared__ float sums[64];
    cg::cluster_group cluster = cg::this_cluster();
    float *first = cluster.map_shared_rank(sums, 0);

    if (d.k != 3) {
        sums[threadIdx.x] = 0.0f;
        cluster.sync();
    }
    if (d.k == 1)
        first[threadIdx.x] += d.a[i];
    else if (d.k == 3 && cluster.block_rank() == 1)
        first[threadIdx.x] = d.a[i];
    else if (d.k != 3)
        atomicAdd(&first[threadIdx.x], d.a[i]);
    cluster.sync();
    if (cluster.block_rank() == 0)
        d.b[i] = d.k == 2 ? cluster.map_shared_rank(sums, 1)[threadIdx.x] : sums[threadIdx.x];
}

// The last block of the cluster ends before the others meet.
EACH(one_leaves_cluster)
{
    __shared__ float own[64];
    cg::cluster_group cluster = cg::this_cluster();

    own[threadIdx.x] = d.a[i];
    if (cluster.block_rank() + 1 == cluster.num_blocks())
        return;
    cluster.sync();
    d.b[i] = *cluster.map_shared_rank(&own[threadIdx.x], 0);
    cluster.sync();
}

static __device__ unsigned int rank_in_cluster()
{
    unsigned int rank;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ void arrive_in_block(uint64_t *word, unsigned int rank)
{
    asm volatile(
        "{ .reg .b32 there, of; mapa.shared::cluster.u32 there, %0, %1;\n\t"
        "getctarank.shared::cluster.u32 of, there; mapa.shared::cluster.u32 there, %0, of;\n\t"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(at_shared(word)),
        "r"(rank)
        : "memory");
}

static __device__ unsigned int block_of(float *there)
{
    unsigned int rank;

    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(there));
    return rank;
}

static __device__ float *place_in_block(float *own, unsigned int rank)
{
    float *there;

    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(rank));
    return there;
}

// Each block of a pair fills half of a slot in both, round by round; the second warps add up what
// they get, and release the slot for both blocks.
EACH(fill_for_cluster)
{
    __shared__ __align__(128) float slot[2][32];
    __shared__ uint64_t full, empty;
    const unsigned int rank = rank_in_cluster(), lane = threadIdx.x % 32;
    const uint16_t mask = d.k == MASK_OF_RANK_1 ? 2 : d.k == MASK_OF_THREE ? 7 : 3;
    const unsigned int rounds = d.k == NO_WAIT_FOR_COPY ? 1 : 5;
    float sum = 0.0f;

    if (threadIdx.x == 0) {
        begin_mbarrier(&full, 1);
        begin_mbarrier(&empty, d.k == WAITS_FOR_ITS_OWN ? 1 : 2);
    }
    if (d.k == NO_SYNC_BEFORE)
        __syncthreads();
    else
        cg::this_cluster().sync();
    for (unsigned int round = 0; threadIdx.x == 0 && round < rounds; round++) {
        if (d.k != NO_WAIT_FOR_SLOT)
            wait_for(&empty, (round & 1) ^ 1);
        arrive_expecting(&full, d.k == HALF_THE_BYTES ? 128 : 256);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1], 128, [%2], %3;" ::"r"(at_shared(slot[rank])),
                     "l"(d.a + 64 * round + 32 * rank), "r"(at_shared(&full)), "h"(mask)
                     : "memory");
    }
    for (unsigned int round = 0; threadIdx.x >= 32 && round < rounds; round++) {
        if (d.k != NO_WAIT_FOR_COPY)
            wait_for(&full, round & 1);
        if (d.k == RELEASES_EARLY && lane < 2)
            arrive_in_block(&empty, lane);
        sum += slot[0][lane] + slot[1][lane];
        __syncwarp();
        if (lane < 2 && d.k != RELEASES_EARLY &&
            ((d.k != RELEASES_ITS_OWN && d.k != WAITS_FOR_ITS_OWN) || lane == rank))
            arrive_in_block(&empty, d.k == RELEASES_RANK_0 ? 0 : lane);
    }
    d.b[i] = sum;
    if (d.k != NO_SYNC_BEHIND)
        cg::this_cluster().sync();
}

// Each block of a cluster writes to the next one, and adds up what it has got and what the one
// before it has: a thread has seen that one's second arrival, which comes after the first to it.
EACH(pass_in_cluster)
{
    __shared__ float got[64];
    __shared__ uint64_t first, second;
    const unsigned int rank = rank_in_cluster(), size = cg::this_cluster().num_blocks();
    const unsigned int next = (rank + 1) % size;

    if (threadIdx.x == 0) {
        begin_mbarrier(&first, blockDim.x);
        begin_mbarrier(&second, blockDim.x);
    }
    cg::this_cluster().sync();
    place_in_block(got, block_of(place_in_block(got, next)))[threadIdx.x] = d.a[i];
    cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cluster,
                               cuda::ptx::space_cluster,
                               cg::this_cluster().map_shared_rank(&first, next));
    __syncthreads();
    if (d.k != KNOWS_ITS_NEIGHBOR)
        wait_for(&first, 0);
    arrive_in_block(&second, next);
    if (d.k != KNOWS_NOBODY && threadIdx.x == 40)
        wait_for(&second, 0);
    __syncthreads();
    d.b[i] = got[threadIdx.x] + place_in_block(got, (rank + size - 1) % size)[threadIdx.x];
    cg::this_cluster().sync();
}

// A lane of each block of a pair in turn has what the next one of the other waits for.
EACH(turns_of_cluster)
{
    __shared__ uint64_t words[9];
    const unsigned int rank = rank_in_cluster(), next = threadIdx.x + rank;

    if (threadIdx.x < 9)
        begin_mbarrier(&words[threadIdx.x], 1);
    cg::this_cluster().sync();
    if (rank == 0 && threadIdx.x == 0)
        arrive(&words[0]);
    if (threadIdx.x < 8) {
        wait_for(&words[threadIdx.x], 0);
        arrive_in_block(&words[next], 1 - rank);
        d.b[i] = 1.0f;
    }
    cg::this_cluster().sync();
}

// The first block of a pair arrives in the second phase of the other's barrier.
EACH(arrive_in_phases)
{
    __shared__ float got;
    __shared__ uint64_t word;

    if (threadIdx.x == 0) {
        begin_mbarrier(&word, 2);
        arrive(&word);
        arrive(&word);
    }
    cg::this_cluster().sync();
    if (threadIdx.x == 0 && rank_in_cluster() == 0) {
        *place_in_block(&got, 1) = d.a[i];
        arrive_in_block(&word, 1);
    } else if (threadIdx.x == 0 && d.k == WAITS_FOR_THE_PHASE_BEFORE) {
        wait_for(&word, 0);
        d.b[i] = got;
    } else if (threadIdx.x == 0) {
        arrive(&word);
        wait_for(&word, 1);
        d.b[i] = got;
    }
    cg::this_cluster().sync();
}

// By the kernel's own clusters.
constexpr int own_cluster = 4;

template <int Step>
static __global__ void __launch_bounds__(64) __cluster_dims__(own_cluster, 1, 1)
    own_size_of_cluster(watch_data d)
{
    d.numbers[index_in_grid()] = Step * (int)cg::this_cluster().num_blocks();
}

NAME_KERNEL(own_size_of_cluster, own_size_of_cluster<1>)

__cluster_dims__(2) static __global__ void own_pair(watch_data d)
{
    d.numbers[index_in_grid()] = (int)cg::this_cluster().num_blocks();
}

NAME_KERNEL(own_pair, own_pair)

int clusters_of_pairs(unsigned int threads)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    int clusters = -1;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(2);
    config.blockDim = dim3(threads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaOccupancyMaxActiveClusters(&clusters, own_pair, &config) == cudaSuccess ? clusters
                                                                                       : -1;
}

int largest_cluster(size_t bytes)
{
    cudaLaunchConfig_t config = {};
    int size = -1;

    config.gridDim = dim3(16);
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = bytes;
    return cudaOccupancyMaxPotentialClusterSize(&size, twice_of_cluster, &config) == cudaSuccess
               ? size
               : -1;
}

// A thread-local variable of host code, as in libstdc++.a; the shared arrays here are static.
static inline __attribute__((always_inline)) int calls_of_thread(void)
{
    static thread_local int calls;

    return ++calls;
}

cudaError_t allow_large_clusters(void)
{
    return cudaFuncSetAttribute(twice_of_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed,
                                calls_of_thread() > 0);
}

static __global__ void __launch_bounds__(96) bounded(watch_data d)
{
    d.numbers[index_in_grid()] = 1;
}

NAME_KERNEL(bounded, bounded)

constexpr int most_threads = 64;

__global__ static void __launch_bounds__(most_threads, 2) bounded_by_constant(watch_data d)
{
    d.numbers[index_in_grid()] = 1;
}

NAME_KERNEL(bounded_by_constant, bounded_by_constant)

template <int Warps, int Threads>
constexpr int threads_of()
{
    return Warps * Threads;
}

template <int Warps>
static __global__ void __launch_bounds__(threads_of<Warps, 32>(), 1)
    bounded_by_template(watch_data d)
{
    d.numbers[index_in_grid()] = Warps;
}

NAME_KERNEL(bounded_by_template, bounded_by_template<4>)

int bound_of_template(void)
{
    cudaFuncAttributes attributes = {};

    return cudaFuncGetAttributes(&attributes, bounded_by_template<4>) == cudaSuccess
               ? attributes.maxThreadsPerBlock
               : -1;
}

// Reverses a block's part of a by `rows` bytes of dynamic shared memory, its last ones; k == 1:
// beyond them.
EACH(much_shared)
{
    extern __shared__ float staged[];
    float *last = staged + d.rows / 4 - blockDim.x;

    last[threadIdx.x] = d.a[i];
    __syncthreads();
    d.b[i] = last[blockDim.x - (d.k == 1 ? 0 : 1) - threadIdx.x];
}

cudaError_t allow_much_shared(int bytes)
{
    return cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

// SPDX-License-Identifier: MIT
