// C = A B, one thread per output: each thread walks a row of A and a column of B in global memory.
#include <kernelgate/kernelgate.h>

static __global__ void naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++)
            sum += a[row * k + i] * b[i * n + column];
        c[row * n + column] = sum;
    }
}

KG_LAUNCHER(matmul_f32_naive)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), edge = KG_AXIS(call, 0);
    return kg_start(call, naive, kg_grid(n, edge, m, edge), dim3(edge, edge),
                    KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                    KG_ARG(call, float, 2), m, n, KG_EXTENT(call, 2));
}

// SPDX-License-Identifier: MIT
