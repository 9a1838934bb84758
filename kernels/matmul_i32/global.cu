// C = A B modulo 2^32, one thread an output: each thread walks a row of A and a column of B in
// global memory. The elements are taken as unsigned, for sums of signed ones must not overflow.
#include <kernelgate/kernelgate.h>

static __global__ void global(const uint32_t *a, const uint32_t *b, uint32_t *c, int m, int n,
                              int k, int stride)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < m && column < n) {
        uint32_t sum = 0;

        for (int i = 0; i < k; i++)
            sum += a[row * stride + i] * b[i * stride + column];
        c[row * stride + column] = sum;
    }
}

KG_LAUNCHER(matmul_i32_global)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int edge = KG_AXIS(call, 0);

    return kg_start(call, global, kg_grid(n, edge, m, edge), dim3(edge, edge),
                    KG_ARG(call, const uint32_t, 0), KG_ARG(call, const uint32_t, 1),
                    KG_ARG(call, uint32_t, 2), m, n, k, KG_EXTENT(call, 3));
}

// SPDX-License-Identifier: MIT
