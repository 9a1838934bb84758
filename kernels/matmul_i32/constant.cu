// C = A B modulo 2^32, one thread an output, B in constant memory: a word that all lanes of a warp
// read costs one access, but lanes of different columns read different words. The elements are
// taken as unsigned, for sums of signed ones must not overflow.
#include <kernelgate/kernelgate.h>

// All the constant memory that a program may declare, 64 KiB. No const: the CPU model would see no
// loads of what cannot change.
static __constant__ uint32_t matrix_b[65536 / sizeof(uint32_t)];

static __global__ void constant(const uint32_t *a, uint32_t *c, int m, int n, int k, int stride)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < m && column < n) {
        uint32_t sum = 0;

        for (int i = 0; i < k; i++)
            sum += a[row * stride + i] * matrix_b[i * stride + column];
        c[row * stride + column] = sum;
    }
}

// Brings B to constant memory, which is no part of the product.
KG_LAUNCHER(matmul_i32_constant_prepare)
{
    size_t elements = KG_EXTENT(call, 2) * KG_EXTENT(call, 3);

    return cudaMemcpyToSymbolAsync(matrix_b, KG_ARG(call, const uint32_t, 1),
                                   elements * sizeof(uint32_t), 0, cudaMemcpyDeviceToDevice,
                                   call->stream);
}

KG_LAUNCHER(matmul_i32_constant)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int edge = KG_AXIS(call, 0);

    return kg_start(call, constant, kg_grid(n, edge, m, edge), dim3(edge, edge),
                    KG_ARG(call, const uint32_t, 0), KG_ARG(call, uint32_t, 2), m, n, k,
                    KG_EXTENT(call, 3));
}

// SPDX-License-Identifier: MIT
