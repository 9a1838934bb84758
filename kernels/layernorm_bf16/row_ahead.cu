// While a block normalizes a row in its registers, the next one is on its way to shared memory: its
// loads pause neither for the merges nor for the stores.
#include "moments.cuh"

// At most 64 registers. Of a FULL row the number of threads is known: offsets are constants.
template <int PACKETS, int THREADS, bool ALIGNED, bool FULL>
static __global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    row_ahead(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y, unsigned rows,
              int columns)
{
    KG_DYNAMIC_SHARED(pairs, next);
    __shared__ moments of_warp[2][MAX_WARPS]; // by turns: a warp may still read the row before
    const bf16 zero = __float2bfloat16(0.0f);
    const int threads = FULL ? THREADS : blockDim.x;
    int turn = 0;

    if (blockIdx.x < rows)
        fetch_packets<PACKETS>(next, x, row_at<WIDTH, ALIGNED, FULL>(blockIdx.x, columns), zero,
                               threads);
    for (int64_t index = blockIdx.x; index < rows; index += gridDim.x, turn ^= 1) {
        row<ALIGNED> row = row_at<WIDTH, ALIGNED>(index, columns);
        pairs own[PACKETS];
        moments part;

        __pipeline_wait_prior(0);
#pragma unroll
        for (int k = 0; k < PACKETS; k++)
            own[k] = next[k * threads + threadIdx.x];
        if (index + gridDim.x < rows)
            fetch_packets<PACKETS>(
                next, x, row_at<WIDTH, ALIGNED, FULL>(index + gridDim.x, columns), zero, threads);
        part = take_moments(own, row, WIDTH * threadIdx.x, WIDTH * threads);
        write_row(own, merge_block(part, of_warp[turn]), gamma, beta, y,
                  row_at<WIDTH, ALIGNED, FULL>(index, columns), threadIdx.x, threads);
    }
}

template <int PACKETS, int THREADS>
static cudaError_t start(const kg_call *call)
{
    int64_t columns = KG_EXTENT(call, 1);
    int block = KG_AXIS(call, 0);
    auto kernel = block == THREADS && columns == WIDTH * PACKETS * block
                      ? row_ahead<PACKETS, THREADS, true, true>
                  : columns % WIDTH == 0 ? row_ahead<PACKETS, THREADS, true, false>
                                         : row_ahead<PACKETS, THREADS, false, false>;

    return kg_start(call, kernel, KG_AXIS(call, 1), block,
                    kg_shared(PACKETS * block * sizeof(pairs)), KG_ARG(call, const bf16, 0),
                    KG_ARG(call, const bf16, 1), KG_ARG(call, const bf16, 2), KG_ARG(call, bf16, 3),
                    KG_EXTENT(call, 0), columns);
}

KG_LAUNCHER(layernorm_bf16_row_ahead)
{
    int block = KG_AXIS(call, 0);
    int64_t packets = (packets_of(KG_EXTENT(call, 1), WIDTH) + block - 1) / block;

    return packets <= 4   ? start<4, 1024>(call)
           : packets <= 8 ? start<8, 512>(call)
                          : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
