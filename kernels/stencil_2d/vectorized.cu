// A thread walks down four columns by float4, and takes the neighbors to the left and right from
// the lanes next to it. Only a warp's first and last lane load one more element, in one request:
//
//     lane 0             lane 1                    lane 31
//     a | x  x  x  x     x  x  x  x    ...         x  x  x  x | b
//
// Where rows are no multiple of 4 elements, float4 of different rows do not lie below each other,
// and a thread loads and stores its four elements one by one.
#include "heat.cuh"

#define ALL_LANES 0xffffffffu
#define AHEAD 4

template <bool IS_ALIGNED>
static __device__ float4 load(const float *__restrict__ row, int column, int columns)
{
    if (IS_ALIGNED)
        return *(const float4 *)(row + min(column, columns - 4));
    return make_float4(row[nearest(column, columns)], row[nearest(column + 1, columns)],
                       row[nearest(column + 2, columns)], row[nearest(column + 3, columns)]);
}

template <bool IS_ALIGNED>
static __device__ void store(float *row, int column, int columns, float4 value)
{
    if (IS_ALIGNED) {
        if (column < columns)
            *(float4 *)(row + column) = value;
        return;
    }
    if (column < columns)
        row[column] = value.x;
    if (column + 1 < columns)
        row[column + 1] = value.y;
    if (column + 2 < columns)
        row[column + 2] = value.z;
    if (column + 3 < columns)
        row[column + 3] = value.w;
}

// A float4 of the next row, from its neighbors; `column` is that of its first element.
static __device__ float4 heat_four(float4 here, float4 north, float4 south, float west, float east,
                                   int column, int columns)
{
    float4 next = here;

    if (is_inner(column, columns))
        next.x = heat(here.x, north.x, south.x, west, here.y);
    if (is_inner(column + 1, columns))
        next.y = heat(here.y, north.y, south.y, here.x, here.z);
    if (is_inner(column + 2, columns))
        next.z = heat(here.z, north.z, south.z, here.y, here.w);
    if (is_inner(column + 3, columns))
        next.w = heat(here.w, north.w, south.w, here.z, east);
    return next;
}

template <bool IS_ALIGNED>
static __global__ void vectorized(const float *__restrict__ x, float *__restrict__ y, int rows,
                                  int columns, int height)
{
    int lane = threadIdx.x % LANES;
    int column = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int beside = nearest(lane == 0 ? column - 1 : column + 4, columns);
    bool is_edge = lane == 0 || lane == LANES - 1;
    int first = blockIdx.y * height, end = min(first + height, rows);
    float4 north =
        load<IS_ALIGNED>(x + (int64_t)nearest(first - 1, rows) * columns, column, columns);
    float4 here = load<IS_ALIGNED>(x + (int64_t)first * columns, column, columns);

    // The loads of several rows are on their way before the first one is needed.
    for (int top = first; top < end; top += AHEAD) {
        float4 below[AHEAD];
        float edge[AHEAD];

#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            below[i] = load<IS_ALIGNED>(x + (int64_t)nearest(top + i + 1, rows) * columns, column,
                                        columns);
            edge[i] = is_edge ? x[(int64_t)nearest(top + i, rows) * columns + beside] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            float west = __shfl_up_sync(ALL_LANES, here.w, 1);
            float east = __shfl_down_sync(ALL_LANES, here.x, 1);
            float4 next = here;

            west = lane == 0 ? edge[i] : west;
            east = lane == LANES - 1 ? edge[i] : east;
            if (is_inner(top + i, rows))
                next = heat_four(here, north, below[i], west, east, column, columns);
            if (top + i < end)
                store<IS_ALIGNED>(y + (int64_t)(top + i) * columns, column, columns, next);
            north = here;
            here = below[i];
        }
    }
}

KG_LAUNCHER(stencil_2d_vectorized)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);
    int block = KG_AXIS(call, 0), height = KG_AXIS(call, 1);

    return kg_start(call, columns % 4 == 0 ? vectorized<true> : vectorized<false>,
                    kg_grid(columns, 4 * block, rows, height), block, KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), rows, columns, height);
}

// SPDX-License-Identifier: MIT
