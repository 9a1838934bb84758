// C = A B, one thread per output: each thread walks a row of A and a column of B in global memory.
#include <cuda_bf16.h>
#include <kernelgate/kernelgate.h>

typedef __nv_bfloat16 bf16;

static __global__ void naive(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++)
            sum += __bfloat162float(a[(int64_t)row * k + i]) *
                   __bfloat162float(b[(int64_t)i * n + column]);
        c[(int64_t)row * n + column] = __float2bfloat16(sum);
    }
}

KG_LAUNCHER(matmul_bf16_naive)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);

    return kg_start(call, naive, kg_grid(n, 32, m, 8), dim3(32, 8), KG_ARG(call, const bf16, 0),
                    KG_ARG(call, const bf16, 1), KG_ARG(call, bf16, 2), m, n, k);
}

// SPDX-License-Identifier: MIT
