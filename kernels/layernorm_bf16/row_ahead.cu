// While a block normalizes a row in its registers, the next one is on its way to shared memory.
#include "moments.cuh"

template <int PACKETS, bool ALIGNED>
static __global__ void __launch_bounds__(512, 2)
    row_ahead(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y, int64_t rows,
              int columns)
{
    KG_DYNAMIC_SHARED(pairs, next);

    if (blockIdx.x < rows)
        fetch_row<PACKETS>(next, x, row_at<WIDTH, ALIGNED>(blockIdx.x, columns), zero());
    for (int64_t index = blockIdx.x; index < rows; index += gridDim.x) {
        pairs own[PACKETS];

        __pipeline_wait_prior(0);
#pragma unroll
        for (int k = 0; k < PACKETS; k++)
            own[k] = next[k * blockDim.x + threadIdx.x];
        if (index + gridDim.x < rows)
            fetch_row<PACKETS>(next, x, row_at<WIDTH, ALIGNED>(index + gridDim.x, columns), zero());
        __syncthreads(); // all have merged the row before
        finish_row<merge_block<moments>>(
            own, gamma, beta, y, row_at<WIDTH, ALIGNED>(index, columns), threadIdx.x, blockDim.x);
    }
}

template <int PACKETS>
static cudaError_t start(const kg_call *call)
{
    int block = KG_AXIS(call, 0);
    auto kernel =
        KG_EXTENT(call, 1) % WIDTH == 0 ? row_ahead<PACKETS, true> : row_ahead<PACKETS, false>;

    return kg_start(call, kernel, KG_AXIS(call, 1), block,
                    kg_shared(PACKETS * block * sizeof(pairs)), KG_ARG(call, const bf16, 0),
                    KG_ARG(call, const bf16, 1), KG_ARG(call, const bf16, 2), KG_ARG(call, bf16, 3),
                    KG_EXTENT(call, 0), KG_EXTENT(call, 1));
}

KG_LAUNCHER(layernorm_bf16_row_ahead)
{
    int block = KG_AXIS(call, 0);
    int64_t packets = (packets_of(KG_EXTENT(call, 1), WIDTH) + block - 1) / block;

    return packets <= 8 ? start<8>(call) : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
