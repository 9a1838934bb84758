// What kernels share that keep rows in registers: a row in packets, and merging what threads know
// of it.
#ifndef ROW_CUH
#define ROW_CUH

#include <kernelgate/kernelgate.h>

#include <cuda_pipeline.h>

#define LANES 32
#define MAX_WARPS 32
#define ALL_LANES 0xffffffffu

// A row of the array cut into packets of 16 bytes, which one instruction loads or stores. If it is
// not ALIGNED, the first and the last packet are in part those of other rows, as those of 4 floats
// here:
//
//     start           start + 4                       start + 12
//     | .   .   x   x | x   x   x   x | x   x   x   x | x   .   .   . |      first 2, end 13
//
// If it is FULL, all packets of all threads are its own.
template <bool ALIGNED, bool FULL = false>
struct row {
    int64_t start;
    int first; // the row is from start + first
    int end;   // to start + end - 1

    // Whether all of the packet at `i` can be accessed at once.
    template <int WIDTH>
    __device__ bool has_packet(int i) const
    {
        return FULL || (ALIGNED ? i < end : start % WIDTH == 0 && i >= first && i + WIDTH <= end);
    }

    // Whether the element at `i` belongs to the row, but only part of its packet does.
    __device__ bool has_single(int i) const
    {
        return !ALIGNED && i >= first && i < end;
    }
};

template <int WIDTH, bool ALIGNED, bool FULL = false>
static inline __device__ row<ALIGNED, FULL> row_at(int64_t index, int columns)
{
    int first = ALIGNED ? 0 : (int)(index * columns % WIDTH);

    return { index * columns - first, first, first + columns };
}

// The most packets of a row.
static inline int64_t packets_of(int64_t columns, int width)
{
    return columns % width == 0 ? columns / width : (columns + 2 * width - 2) / width;
}

// Returns the packet at `i`, a multiple of its width; elements outside of the row are `outside`.
template <typename PACKET, typename T, typename ROW>
static inline __device__ PACKET load_packet(const T *x, const ROW &row, int i, T outside)
{
    constexpr int WIDTH = sizeof(PACKET) / sizeof(T);
    __align__(16) T value[WIDTH];

    x += row.start + i;
    if (row.template has_packet<WIDTH>(i))
        return *(const PACKET *)x;
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
        value[j] = row.has_single(i + j) ? x[j] : outside;
    return *(const PACKET *)value;
}

// Starts copying a thread's packets of a row to shared memory. It reads them itself later: that
// needs no barrier.
template <int PACKETS, typename PACKET, typename T, typename ROW>
static inline __device__ void fetch_packets(PACKET *next, const T *x, const ROW &row, T outside,
                                            int threads)
{
    constexpr int WIDTH = sizeof(PACKET) / sizeof(T);
    const T *from = x + row.start + WIDTH * threadIdx.x;

    next += threadIdx.x;
#pragma unroll
    for (int k = 0; k < PACKETS; k++) {
        int i = WIDTH * (k * threads + threadIdx.x);

        if (row.template has_packet<WIDTH>(i))
            __pipeline_memcpy_async(next + k * threads, from + WIDTH * k * threads, sizeof(PACKET));
        else
            next[k * threads] = load_packet<PACKET>(x, row, i, outside);
    }
    __pipeline_commit();
}

// A plain store of the packet would be merged with those of its elements, and lost in them.
template <typename PACKET, typename T, typename ROW>
static inline __device__ void store_packet(T *y, const ROW &row, int i, const PACKET &packet)
{
    constexpr int WIDTH = sizeof(PACKET) / sizeof(T);

    y += row.start + i;
    if (row.template has_packet<WIDTH>(i)) {
        __stcs((uint4 *)y, *(const uint4 *)&packet);
        return;
    }
#pragma unroll
    for (int j = 0; j < WIDTH; j++) {
        if (row.has_single(i + j))
            y[j] = ((const T *)&packet)[j];
    }
}

// All threads of a block get their merged parts; `of_warp` is free again after one more barrier.
template <typename PART>
static inline __device__ PART merge_block(PART own, PART (&of_warp)[MAX_WARPS])
{
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;

    own = merge_warp(own);
    if (lane == 0)
        of_warp[threadIdx.x / LANES] = own;
    __syncthreads();
    return merge_warp(lane < warps ? of_warp[lane] : PART::none());
}

// The same, once in a kernel for a PART.
template <typename PART>
static inline __device__ PART merge_block(PART own)
{
    __shared__ PART of_warp[MAX_WARPS];

    return merge_block(own, of_warp);
}

#endif

// SPDX-License-Identifier: MIT
