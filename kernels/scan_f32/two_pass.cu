// Each block has one run of neighboring tiles. The first pass adds up each run and writes one
// number. In the second every block adds up the numbers of the runs before its own, and scans its
// run from there: n elements are read twice, but written once.
#include "tile.cuh"

// The sum of what all threads hold, returned to all of them.
static __device__ float sum_of_block(float own)
{
    float4 part[1] = { make_float4(own, 0.0f, 0.0f, 0.0f) };

    return scan_tile(part).all;
}

template <int ROWS>
static __global__ void sum_runs(const float *x, float *sums, int64_t n, int64_t run)
{
    int64_t first = blockIdx.x * run;
    int64_t end = first + run < n ? first + run : n;
    float sum = 0.0f;

    for (int64_t tile = first; tile < end; tile += (int64_t)blockDim.x * 4 * ROWS) {
        float4 part[ROWS];

        load_tile<ROWS>(x, tile, end, part);
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            sum += part[row].x + part[row].y + (part[row].z + part[row].w);
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

template <int ROWS>
static __global__ void scan_runs(const float *x, float *y, const float *sums, int64_t n,
                                 int64_t run)
{
    int64_t first = blockIdx.x * run;
    int64_t end = first + run < n ? first + run : n;
    float before = 0.0f;

    for (int i = threadIdx.x; i < (int)blockIdx.x; i += (int)blockDim.x)
        before += sums[i];
    before = sum_of_block(before);
    __syncthreads();
    scan_tiles<ROWS>(x, y, first, end, before);
}

template <int ROWS>
static cudaError_t start(const kg_call *call)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);
    int64_t tile = (int64_t)block * 4 * ROWS;
    int64_t run = ((n + tile - 1) / tile + KG_AXIS(call, 2) - 1) / KG_AXIS(call, 2) * tile;
    dim3 runs = kg_grid(n, run);
    const float *x = KG_ARG(call, const float, 0);
    float *sums = (float *)KG_ARG(call, char, 2);
    cudaError_t code = kg_start(call, sum_runs<ROWS>, runs, block, x, sums, n, run);

    if (code != cudaSuccess)
        return code;
    return kg_start(call, scan_runs<ROWS>, runs, block, x, KG_ARG(call, float, 1), sums, n, run);
}

KG_LAUNCHER(scan_f32_two_pass)
{
    return KG_AXIS(call, 1) == 16 ? start<4>(call) : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
