// A row is read once, and kept in the registers of its block, PACKETS times 16 bytes per thread.
#include "moments.cuh"

// At most 40 or 64 registers: a multiprocessor holds 1536 or 1024 threads, with 96 or 128 KiB of
// rows.
template <int PACKETS, bool ALIGNED>
static __global__ void __launch_bounds__(512, PACKETS > 4 ? 2 : 3)
    register_resident(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y, int columns)
{
    normalize_in_registers<merge_block<moments>, PACKETS>(
        x, gamma, beta, y, row_at<WIDTH, ALIGNED>(blockIdx.x, columns), threadIdx.x, blockDim.x);
}

template <int PACKETS>
static cudaError_t start(const kg_call *call)
{
    auto kernel = KG_EXTENT(call, 1) % WIDTH == 0 ? register_resident<PACKETS, true>
                                                  : register_resident<PACKETS, false>;

    return kg_start(call, kernel, kg_grid(KG_EXTENT(call, 0), 1), KG_AXIS(call, 0),
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1),
                    KG_ARG(call, const bf16, 2), KG_ARG(call, bf16, 3), KG_EXTENT(call, 1));
}

KG_LAUNCHER(layernorm_bf16_register_resident)
{
    int block = KG_AXIS(call, 0);
    int64_t packets = (packets_of(KG_EXTENT(call, 1), WIDTH) + block - 1) / block;

    return packets <= 2   ? start<2>(call)
           : packets <= 4 ? start<4>(call)
           : packets <= 8 ? start<8>(call)
                          : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
