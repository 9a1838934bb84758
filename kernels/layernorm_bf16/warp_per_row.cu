// A warp per row, read once, by 16 bytes, and kept in the lanes' registers: no barriers.
#include "moments.cuh"

template <int PACKETS, bool ALIGNED>
static __global__ void warp_per_row(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y,
                                    int64_t rows, int columns)
{
    int64_t index = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES;

    if (index < rows)
        normalize_in_registers<merge_warp, PACKETS>(
            x, gamma, beta, y, row_at<WIDTH, ALIGNED>(index, columns), threadIdx.x % LANES, LANES);
}

template <int PACKETS>
static cudaError_t start(const kg_call *call)
{
    int64_t rows = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);
    auto kernel = KG_EXTENT(call, 1) % WIDTH == 0 ? warp_per_row<PACKETS, true>
                                                  : warp_per_row<PACKETS, false>;

    return kg_start(call, kernel, kg_grid(rows, block / LANES), block, KG_ARG(call, const bf16, 0),
                    KG_ARG(call, const bf16, 1), KG_ARG(call, const bf16, 2), KG_ARG(call, bf16, 3),
                    rows, KG_EXTENT(call, 1));
}

KG_LAUNCHER(layernorm_bf16_warp_per_row)
{
    int64_t packets = (packets_of(KG_EXTENT(call, 1), WIDTH) + LANES - 1) / LANES;

    return packets <= 4 ? start<4>(call) : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
