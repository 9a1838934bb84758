// A tile of a scan, held in registers. Each warp has ROWS rows of 128 neighbors, a float4 of each
// row per lane:
//
//     row 0   lane 0: x[0 ... 3]       lane 1: x[4 ... 7]   ...  lane 31: x[124 ... 127]
//     row 1   lane 0: x[128 ... 131]   ...
//
// So every access of 16 bytes is coalesced, with no exchange through shared memory, and the rows'
// shuffles do not wait for each other.
#ifndef SCAN_F32_TILE_CUH
#define SCAN_F32_TILE_CUH

#include <kernelgate/kernelgate.h>

#define LANES 32
#define ROW (4 * LANES)
#define MAX_WARPS 32
#define ALL_LANES 0xffffffffu

// The place of a thread's float4 in the tile's first row; further rows follow after ROW elements.
template <int ROWS>
static inline __device__ int place_in_tile()
{
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;

    return warp * ROWS * ROW + 4 * lane;
}

// Loads a thread's part of the tile that begins at `tile`, with zeros beyond n elements.
template <int ROWS>
static inline __device__ void load_tile(const float *x, int64_t tile, int64_t n,
                                        float4 (&part)[ROWS])
{
    int64_t i = tile + place_in_tile<ROWS>();

#pragma unroll
    for (int row = 0; row < ROWS; row++, i += ROW) {
        if (i + 3 < n)
            part[row] = *(const float4 *)(x + i);
        else
            part[row] = make_float4(i < n ? x[i] : 0.0f, i + 1 < n ? x[i + 1] : 0.0f,
                                    i + 2 < n ? x[i + 2] : 0.0f, 0.0f);
    }
}

// Stores what load_tile() has loaded, each element increased by `before`.
template <int ROWS>
static inline __device__ void store_tile(float *y, int64_t tile, int64_t n,
                                         const float4 (&part)[ROWS], float before)
{
    int64_t i = tile + place_in_tile<ROWS>();

#pragma unroll
    for (int row = 0; row < ROWS; row++, i += ROW) {
        float4 sum = make_float4(before + part[row].x, before + part[row].y, before + part[row].z,
                                 before + part[row].w);

        if (i + 3 < n) {
            *(float4 *)(y + i) = sum;
        } else {
            if (i < n)
                y[i] = sum.x;
            if (i + 1 < n)
                y[i + 1] = sum.y;
            if (i + 2 < n)
                y[i + 2] = sum.z;
        }
    }
}

// Replaces a warp's rows by their inclusive sums; returns the sum of them all. The sum before a
// lane is its neighbor's, never its own less its own part: that would be NaN for infinities.
template <int ROWS>
static inline __device__ float scan_rows(float4 (&part)[ROWS])
{
    int lane = threadIdx.x % LANES;
    float carry = 0.0f;

#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        float4 &own = part[row];
        float sum, before;

        own.y += own.x;
        own.z += own.y;
        own.w += own.z;
        sum = own.w;
#pragma unroll
        for (int distance = 1; distance < LANES; distance *= 2) {
            float lower = __shfl_up_sync(ALL_LANES, sum, distance);

            if (lane >= distance)
                sum += lower;
        }
        before = __shfl_up_sync(ALL_LANES, sum, 1);
        before = lane > 0 ? carry + before : carry;
        own = make_float4(before + own.x, before + own.y, before + own.z, before + own.w);
        carry += __shfl_sync(ALL_LANES, sum, LANES - 1);
    }
    return carry;
}

struct tile_sums {
    float before; // the warps before this one
    float all;    // the tile
};

// Replaces the tile by inclusive sums within each warp; the result is what lies before each warp.
// The caller puts a barrier between two calls.
template <int ROWS>
static inline __device__ tile_sums scan_tile(float4 (&part)[ROWS])
{
    __shared__ float of_warp[MAX_WARPS];
    int warp = threadIdx.x / LANES;
    float own = scan_rows(part);
    tile_sums sums = { 0.0f, 0.0f };

    if (threadIdx.x % LANES == 0)
        of_warp[warp] = own;
    __syncthreads();
    for (int i = 0; i < (int)blockDim.x / LANES; i++) {
        if (i == warp)
            sums.before = sums.all;
        sums.all += of_warp[i];
    }
    return sums;
}

// Scans the elements from `first` up to `end`, one tile after the other; all of them are increased
// by `carry`. By one block, y may be x.
template <int ROWS>
static inline __device__ void scan_tiles(const float *x, float *y, int64_t first, int64_t end,
                                         float carry)
{
    int64_t tile = (int64_t)blockDim.x * 4 * ROWS;

    for (int64_t from = first; from < end; from += tile) {
        float4 part[ROWS];
        tile_sums sums;

        load_tile<ROWS>(x, from, end, part);
        sums = scan_tile(part);
        store_tile<ROWS>(y, from, end, part, carry + sums.before);
        carry += sums.all;
        __syncthreads();
    }
}

#endif

// SPDX-License-Identifier: MIT
