// While a block computes a row in its registers, the next one is on its way to shared memory. A
// multiprocessor has one row of 32768 elements in registers and one in shared memory, and its loads
// never pause.
#include "exponentials.cuh"

#include <cuda_pipeline.h>

// Each thread copies what it reads itself later: that needs no barrier.
template <int QUADS, bool ALIGNED>
static __device__ void fetch_row(quad *next, const float *x, int64_t index, int columns)
{
    row<ALIGNED> row = row_at<4, ALIGNED>(index, columns);

#pragma unroll
    for (int i = 0; i < QUADS; i++) {
        int place = i * blockDim.x + threadIdx.x;

        if (row.template has_packet<4>(4 * place))
            __pipeline_memcpy_async(next + place, x + row.start + 4 * place, sizeof(quad));
        else
            next[place] = load_packet<quad>(x, row, 4 * place, -INFINITY);
    }
    __pipeline_commit();
}

template <int QUADS, bool ALIGNED>
static __global__ void __launch_bounds__(1024)
    row_ahead(const float *x, float *y, int64_t rows, int columns)
{
    KG_DYNAMIC_SHARED(quad, next);

    if (blockIdx.x < rows)
        fetch_row<QUADS, ALIGNED>(next, x, blockIdx.x, columns);
    for (int64_t index = blockIdx.x; index < rows; index += gridDim.x) {
        quad quads[QUADS];

        __pipeline_wait_prior(0);
#pragma unroll
        for (int i = 0; i < QUADS; i++)
            quads[i] = next[i * blockDim.x + threadIdx.x];
        if (index + gridDim.x < rows)
            fetch_row<QUADS, ALIGNED>(next, x, index + gridDim.x, columns);
        __syncthreads(); // all have merged the row before
        finish_row<merge_block<part>>(quads, y, row_at<4, ALIGNED>(index, columns), threadIdx.x,
                                      blockDim.x);
    }
}

template <int QUADS>
static cudaError_t start(const kg_call *call)
{
    int64_t columns = KG_EXTENT(call, 1);
    int block = KG_AXIS(call, 0);
    auto kernel = columns % 4 == 0 ? row_ahead<QUADS, true> : row_ahead<QUADS, false>;

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
