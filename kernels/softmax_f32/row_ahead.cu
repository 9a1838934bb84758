// While a block computes a row in its registers, the next one is on its way to shared memory. A
// multiprocessor has one row of 32768 elements in registers and one in shared memory, and its loads
// never pause.
#include "exponentials.cuh"

template <int QUADS, bool ALIGNED, bool FULL>
static __global__ void __launch_bounds__(1024)
    row_ahead(const float *x, float *y, int64_t rows, int columns)
{
    KG_DYNAMIC_SHARED(quad, next);
    __shared__ part of_warp[2][MAX_WARPS]; // by turns: a warp may still read the row before
    int turn = 0;

    if (blockIdx.x < rows)
        fetch_packets<QUADS>(next, x, row_at<4, ALIGNED, FULL>(blockIdx.x, columns), -INFINITY,
                             blockDim.x);
    for (int64_t index = blockIdx.x; index < rows; index += gridDim.x, turn ^= 1) {
        quad quads[QUADS];
        part own;

        __pipeline_wait_prior(0);
#pragma unroll
        for (int i = 0; i < QUADS; i++)
            quads[i] = next[i * blockDim.x + threadIdx.x];
        if (index + gridDim.x < rows)
            fetch_packets<QUADS>(next, x, row_at<4, ALIGNED, FULL>(index + gridDim.x, columns),
                                 -INFINITY, blockDim.x);
        own = take_exponentials(quads);
        write_row(quads, own, merge_block(own, of_warp[turn]), y,
                  row_at<4, ALIGNED, FULL>(index, columns), threadIdx.x, blockDim.x);
    }
}

template <int QUADS>
static cudaError_t start(const kg_call *call)
{
    int64_t columns = KG_EXTENT(call, 1);
    int block = KG_AXIS(call, 0);
    auto kernel = columns == 4 * QUADS * block ? row_ahead<QUADS, true, true>
                  : columns % 4 == 0           ? row_ahead<QUADS, true, false>
                                               : row_ahead<QUADS, false, false>;

    return kg_start(call, kernel, KG_AXIS(call, 2), block, kg_shared(QUADS * block * sizeof(quad)),
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), KG_EXTENT(call, 0),
                    columns);
}

KG_LAUNCHER(softmax_f32_row_ahead)
{
    int block = KG_AXIS(call, 0);
    int64_t quads = (packets_of(KG_EXTENT(call, 1), 4) + block - 1) / block;

    return quads <= 8 ? start<8>(call) : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
