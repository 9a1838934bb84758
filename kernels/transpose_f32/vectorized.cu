// A tile of 64 x 64 by float4, both ways: a warp has 4 rows of 8 float4, and each thread all its
// loads on their way before the first store.
#include "quads.cuh"

#define TILE 64

template <int THREADS, bool IS_ALIGNED_X, bool IS_ALIGNED_Y>
static __global__ void __launch_bounds__(THREADS)
    vectorized(const float *__restrict__ x, float *__restrict__ y, int rows, int columns)
{
    constexpr int step = 4 * THREADS / TILE, loads = TILE / step;
    __shared__ __align__(16) float turned[TILE * TILE];
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    int lane = threadIdx.x, warp = threadIdx.y;
    int across = warp % 2 * LANES + lane % 8 * 4, down = warp / 2 * 4 + lane / 8;
    float4 part[loads];

#pragma unroll
    for (int i = 0; i < loads; i++) {
        int row = down + i * step;
        int there = top + row < rows ? columns - left - across : 0;

        part[i] = load<IS_ALIGNED_X>(x + (int64_t)(top + row) * columns + left + across, there);
    }
#pragma unroll
    for (int i = 0; i < loads; i++) {
        int row = down + i * step;

        *place<TILE>(turned, across, row) = part[i].x;
        *place<TILE>(turned, across + 1, row) = part[i].y;
        *place<TILE>(turned, across + 2, row) = part[i].z;
        *place<TILE>(turned, across + 3, row) = part[i].w;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < loads; i++) {
        int column = down + i * step;
        int there = left + column < columns ? rows - top - across : 0;

        store<IS_ALIGNED_Y>(y + (int64_t)(left + column) * rows + top + across, there,
                            *(const float4 *)place<TILE>(turned, column, across));
    }
}

template <int THREADS>
static cudaError_t start(const kg_call *call)
{
    bool of_x = KG_EXTENT(call, 1) % 4 == 0, of_y = KG_EXTENT(call, 0) % 4 == 0;

    if (of_x)
        return start_tiles(
            call, of_y ? vectorized<THREADS, true, true> : vectorized<THREADS, true, false>, TILE);
    return start_tiles(
        call, of_y ? vectorized<THREADS, false, true> : vectorized<THREADS, false, false>, TILE);
}

KG_LAUNCHER(transpose_f32_vectorized)
{
    return KG_AXIS(call, 0) == 512 ? start<512>(call) : cudaErrorInvalidValue;
}
