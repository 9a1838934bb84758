// A row is read once, and kept in the registers of its block, QUADS float4 per thread.
#include "exponentials.cuh"

// At most 64 registers: a row of 32768 elements fits into a block, two of 16384 on a
// multiprocessor.
template <int QUADS>
static __global__ void __launch_bounds__(1024)
    register_resident(const float *x, float *y, int columns)
{
    softmax_in_registers<QUADS, merge_block<part>>(x, y, row_at<float>(blockIdx.x, columns),
                                                   threadIdx.x, blockDim.x);
}

template <int QUADS>
static cudaError_t start(const kg_call *call)
{
    return kg_start(call, register_resident<QUADS>, kg_grid(KG_EXTENT(call, 0), 1),
                    KG_AXIS(call, 0), KG_ARG(call, const float, 0), KG_ARG(call, float, 1),
                    KG_EXTENT(call, 1));
}

KG_LAUNCHER(softmax_f32_register_resident)
{
    int block = KG_AXIS(call, 0);
    int64_t quads = (packets_of<float>(KG_EXTENT(call, 1)) + block - 1) / block;

    return quads <= 1   ? start<1>(call)
           : quads <= 2 ? start<2>(call)
           : quads <= 4 ? start<4>(call)
           : quads <= 8 ? start<8>(call)
                        : cudaErrorInvalidValue;
}
