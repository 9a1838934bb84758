// Decoupled look-back (D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled
// Look-back, 2016): one kernel, in which n elements are read once and written once. A block
// publishes the sum of its tile as soon as it has it, then walks back over the tiles before its
// own, adding their sums, until it meets one that has published the sum of all up to it; then it
// publishes its own. So a block waits for the sums of its predecessors, which need nobody, rather
// than for their results.
#ifndef SCAN_F32_LOOK_BACK_CUH
#define SCAN_F32_LOOK_BACK_CUH

#include "tile.cuh"

#include <cuda/atomic>

// What a tile has published: how far its sum reaches, and the sum. Both are in one word, which is
// written and read whole: no other memory depends on it, so relaxed accesses suffice, and no fence
// is needed.
typedef unsigned long long word;
enum reach { NOTHING, TILE, ALL };

static inline __device__ void publish(word *at, reach reach, float sum)
{
    cuda::atomic_ref<word, cuda::thread_scope_device>(*at).store(
        (word)reach << 32 | __float_as_uint(sum), cuda::memory_order_relaxed);
}

static inline __device__ word look_at(word *at)
{
    return cuda::atomic_ref<word, cuda::thread_scope_device>(*at).load(cuda::memory_order_relaxed);
}

static inline __device__ reach reach_of(word published)
{
    return (reach)(published >> 32);
}

static inline __device__ float sum_of(word published)
{
    return __uint_as_float((unsigned)published);
}

// The lanes of a warp visit 32 tiles at once, so that a trip to L2 leads back over 32 tiles instead
// of one.
struct by_warp {
    static __device__ float look_back(word *published, int tile)
    {
        int lane = threadIdx.x;
        float sum = 0.0f;
        unsigned all;

        // Lane 0 is at the nearest tile. Before the first tile everything is known, and 0.
        for (int nearest = tile - 1;; nearest -= LANES) {
            unsigned known, needed;
            word seen;
            float own;

            do {
                seen = nearest >= lane ? look_at(&published[nearest - lane]) : (word)ALL << 32;
                known = __ballot_sync(ALL_LANES, reach_of(seen) != NOTHING);
                all = __ballot_sync(ALL_LANES, reach_of(seen) == ALL);
                // The lanes up to the first one whose sum reaches to the start; without one, all.
                needed = all ^ (all - 1);
            } while ((needed & ~known) != 0);
            own = needed >> lane & 1 ? sum_of(seen) : 0.0f;
            for (int distance = LANES / 2; distance > 0; distance /= 2)
                own += __shfl_down_sync(ALL_LANES, own, distance);
            sum = own + sum;
            if (all != 0)
                return sum;
        }
    }
};

// `state` is a counter and a word per tile, all 0. A block takes its tile from the counter, so that
// all tiles before it belong to blocks that run already, whatever the order in which blocks start.
// WALKER::look_back returns to lane 0 of the first warp the sum of all tiles before `tile`, which
// is not 0.
template <int ROWS, typename WALKER>
static __global__ void scan_by_look_back(const float *x, float *y, word *state, int64_t n)
{
    __shared__ int next_tile;
    __shared__ float sum_before;
    word *published = state + 1;
    float4 part[ROWS];
    tile_sums sums;
    int64_t first;
    int tile;

    if (threadIdx.x == 0)
        next_tile = (int)atomicAdd(state, 1);
    __syncthreads();
    tile = next_tile;
    first = (int64_t)tile * blockDim.x * 4 * ROWS;
    load_tile<ROWS>(x, first, n, part);
    sums = scan_tile(part);
    if (threadIdx.x < LANES) {
        float before = 0.0f;

        if (tile > 0) {
            if (threadIdx.x == 0)
                publish(&published[tile], TILE, sums.all);
            before = WALKER::look_back(published, tile);
        }
        if (threadIdx.x == 0) {
            publish(&published[tile], ALL, before + sums.all);
            sum_before = before;
        }
    }
    __syncthreads();
    store_tile<ROWS>(y, first, n, part, sum_before + sums.before);
}

template <int ROWS, typename WALKER>
static cudaError_t start_look_back(const kg_call *call)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);
    dim3 tiles = kg_grid(n, block * 4 * ROWS);
    word *state = KG_ARG(call, word, 2);
    cudaError_t code = cudaMemsetAsync(state, 0, (tiles.x + 1) * sizeof *state, call->stream);

    if (code != cudaSuccess)
        return code;
    return kg_start(call, scan_by_look_back<ROWS, WALKER>, tiles, block,
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), state, n);
}

template <typename WALKER>
static cudaError_t start_look_back(const kg_call *call)
{
    switch (KG_AXIS(call, 1)) {
    case 16:
        return start_look_back<4, WALKER>(call);
    case 24:
        return start_look_back<6, WALKER>(call);
    default:
        return cudaErrorInvalidValue;
    }
}

#endif
