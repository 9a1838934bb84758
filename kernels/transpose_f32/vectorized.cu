// A tile of 64 x 64 by float4, both ways: a warp has 4 rows of 8 float4, and each thread all its
// loads on their way before the first store. The elements of a float4 of x go to four rows of
// shared memory, which holds the tile turned:
//
//     turned[column][row]    at    64 column + 4 ((row / 4) ^ (column / 4)) + row % 4
//
// A float4 of y is one of `turned`, and the permutation of these leaves no bank conflict on either
// side. Where rows of x or of y are no multiple of 4 elements, they are accessed by element.
#include "tile.cuh"

#define TILE 64

static __device__ float *place(float *turned, int column, int row)
{
    return turned + column * TILE + 4 * ((row / 4) ^ (column / 4)) + row % 4;
}

// Up to `left` elements are there; IS_ALIGNED: all or none.
template <bool IS_ALIGNED>
static __device__ float4 load(const float *at, int left)
{
    if (IS_ALIGNED)
        return left > 0 ? *(const float4 *)at : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    return make_float4(left > 0 ? at[0] : 0.0f, left > 1 ? at[1] : 0.0f, left > 2 ? at[2] : 0.0f,
                       left > 3 ? at[3] : 0.0f);
}

template <bool IS_ALIGNED>
static __device__ void store(float *at, int left, float4 value)
{
    if (IS_ALIGNED) {
        if (left > 0)
            *(float4 *)at = value;
        return;
    }
    if (left > 0)
        at[0] = value.x;
    if (left > 1)
        at[1] = value.y;
    if (left > 2)
        at[2] = value.z;
    if (left > 3)
        at[3] = value.w;
}

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

        *place(turned, across, row) = part[i].x;
        *place(turned, across + 1, row) = part[i].y;
        *place(turned, across + 2, row) = part[i].z;
        *place(turned, across + 3, row) = part[i].w;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < loads; i++) {
        int column = down + i * step;
        int there = left + column < columns ? rows - top - across : 0;

        store<IS_ALIGNED_Y>(y + (int64_t)(left + column) * rows + top + across, there,
                            *(const float4 *)place(turned, column, across));
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

// SPDX-License-Identifier: MIT
