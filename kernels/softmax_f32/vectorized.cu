// Online, a float4 at a time: a quarter of the loads and stores, and one rescaling for four
// elements.
#include "exponentials.cuh"

static __global__ void vectorized(const float *x, float *y, int columns)
{
    auto row = row_at<4, false>(blockIdx.x, columns);
    part all = part::none();
    float scale;

    for (int i = 4 * threadIdx.x; i < row.end; i += 4 * blockDim.x) {
        quad quads[1] = { load_packet<quad>(x, row, i, -INFINITY) };

        all = merge(all, take_exponentials(quads));
    }
    all = merge_block(all);
    scale = 1.0f / all.sum;
    for (int i = 4 * threadIdx.x; i < row.end; i += 4 * blockDim.x) {
        quad quad = load_packet<struct quad>(x, row, i, -INFINITY);

#pragma unroll
        for (float &value : quad.value)
            value = expf(value - all.max) * scale;
        store_packet(y, row, i, quad);
    }
}

KG_LAUNCHER(softmax_f32_vectorized)
{
    return kg_start(call, vectorized, kg_grid(KG_EXTENT(call, 0), 1), KG_AXIS(call, 0),
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
