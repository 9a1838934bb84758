// A row is read once: its block keeps it in registers, QUADS float4 per thread. Exponentials are
// taken of each thread's own maximum, so that one exchange suffices for the maximum and the sum,
// and a factor per thread does the rest.
#include "row.cuh"

template <int QUADS>
static __global__ void __launch_bounds__(QUADS > 8 ? 512 : 1024)
    register_resident(const float *x, float *y, int columns)
{
    row row = row_at(blockIdx.x, columns);
    float4 quad[QUADS];
    part own, all;
    float factor;

#pragma unroll
    for (int i = 0; i < QUADS; i++)
        quad[i] = load_quad(x, row, 4 * (i * blockDim.x + threadIdx.x));
    own = take_exponentials(quad);
    all = merge_block(own);
    factor = expf(own.max - all.max) * (1.0f / all.sum);
#pragma unroll
    for (int i = 0; i < QUADS; i++)
        store_quad(y, row, 4 * (i * blockDim.x + threadIdx.x),
                   make_float4(quad[i].x * factor, quad[i].y * factor, quad[i].z * factor,
                               quad[i].w * factor));
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
    int64_t quads = (quads_of(KG_EXTENT(call, 1)) + block - 1) / block;

    return quads <= 1    ? start<1>(call)
           : quads <= 2  ? start<2>(call)
           : quads <= 4  ? start<4>(call)
           : quads <= 8  ? start<8>(call)
           : quads <= 16 ? start<16>(call)
                         : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
