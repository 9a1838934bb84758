// A row is read once, and kept in the registers of its block, QUADS float4 per thread.
#include "exponentials.cuh"

// At most 64 registers: a row of 32768 elements fits into a block, two of 16384 on a
// multiprocessor.
template <int QUADS, bool ALIGNED>
static __global__ void __launch_bounds__(1024)
    register_resident(const float *x, float *y, int columns)
{
    softmax_in_registers<merge_block<part>, QUADS>(x, y, row_at<4, ALIGNED>(blockIdx.x, columns),
                                                   threadIdx.x, blockDim.x);
}

template <int QUADS>
static cudaError_t start(const kg_call *call)
{
    int64_t columns = KG_EXTENT(call, 1);
    auto kernel =
        columns % 4 == 0 ? register_resident<QUADS, true> : register_resident<QUADS, false>;

    return kg_start(call, kernel, kg_grid(KG_EXTENT(call, 0), 1), KG_AXIS(call, 0),
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), columns);
}

KG_LAUNCHER(softmax_f32_register_resident)
{
    int block = KG_AXIS(call, 0);
    int64_t quads = (packets_of(KG_EXTENT(call, 1), 4) + block - 1) / block;

    return quads <= 4 ? start<4>(call) : quads <= 8 ? start<8>(call) : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
