// A block that looks back waits for the slowest of all the tiles before its own that are on their
// way, and loads nothing meanwhile. Here blocks stay, hold two tiles, and publish the sum of the
// later one before they look back from the earlier one:
//
//     load 0, publish 0   load 1, publish 1   look back 0, store 0
//                                             load 2, publish 2   look back 1, store 1 ...
//
// So the sums that a block looks for have been known for the time that a tile takes.
#include "look_back.cuh"

#define THREADS 256
#define ROWS 8
#define RESIDENT 2 /* blocks of a processor, by their registers */
#define TILE_SIZE (4 * ROWS * THREADS)

struct held {
    float4 part[ROWS];
    tile_sums sums;
    int tile;
};

static __device__ __forceinline__ void load(held &to, const float *x, int64_t n, int tile)
{
    to.tile = tile;
    if ((int64_t)tile * TILE_SIZE < n)
        load_tile<ROWS>(x, (int64_t)tile * TILE_SIZE, n, to.part);
}

// Blocks take tiles in order, so that the earliest tile that is not done can always go on.
static __device__ __forceinline__ int take(word *state)
{
    __shared__ int taken;

    if (threadIdx.x == 0)
        taken = (int)atomicAdd(state, 1);
    __syncthreads();
    return taken;
}

static __device__ __forceinline__ void publish_sum(held &next, word *published, int64_t n)
{
    next.sums = scan_tile(next.part);
    if (threadIdx.x == 0 && (int64_t)next.tile * TILE_SIZE < n)
        publish(&published[next.tile], next.tile > 0 ? TILE : ALL, next.sums.all);
}

// Looks back from `now` and stores it; loads another tile to its place. The tile to take is asked
// for before looking back, since the answer takes as long as a load.
static __device__ __forceinline__ void finish(held &now, const float *x, float *y, word *state,
                                              int64_t n)
{
    __shared__ float sum_before;
    __shared__ int next_tile;
    word *published = state + 1;

    if (threadIdx.x < LANES) {
        int next = threadIdx.x == 0 ? (int)atomicAdd(state, 1) : 0;
        float before = now.tile > 0 ? by_warp::look_back(published, now.tile) : 0.0f;

        if (threadIdx.x == 0) {
            if (now.tile > 0)
                publish(&published[now.tile], ALL, before + now.sums.all);
            sum_before = before;
            next_tile = next;
        }
    }
    __syncthreads();
    store_tile<ROWS>(y, (int64_t)now.tile * TILE_SIZE, n, now.part, sum_before + now.sums.before);
    load(now, x, n, next_tile);
}

static __global__ void __launch_bounds__(THREADS, RESIDENT)
    early_sums(const float *x, float *y, word *state, int64_t n)
{
    held even, odd;

    load(even, x, n, take(state));
    if ((int64_t)even.tile * TILE_SIZE >= n)
        return;
    publish_sum(even, state + 1, n);
    load(odd, x, n, take(state));
    for (;;) {
        publish_sum(odd, state + 1, n);
        finish(even, x, y, state, n);
        if ((int64_t)odd.tile * TILE_SIZE >= n)
            return;
        publish_sum(even, state + 1, n);
        finish(odd, x, y, state, n);
        if ((int64_t)even.tile * TILE_SIZE >= n)
            return;
    }
}

KG_LAUNCHER(scan_f32_early_sums)
{
    int64_t n = KG_EXTENT(call, 0);
    dim3 tiles = kg_grid(n, TILE_SIZE);
    word *state = KG_ARG(call, word, 2);
    cudaError_t code = cudaMemsetAsync(state, 0, (tiles.x + 1) * sizeof *state, call->stream);

    if (KG_AXIS(call, 0) != THREADS || KG_AXIS(call, 1) != 4 * ROWS)
        return cudaErrorInvalidValue;
    if (code != cudaSuccess)
        return code;
    return kg_start(call, early_sums, min(tiles.x, (unsigned)KG_AXIS(call, 2)), THREADS,
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), state, n);
}
