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
    size_t elements = (size_t)(kg_extent(call->size, 2) * kg_extent(call->size, 3));

    return cudaMemcpyToSymbolAsync(matrix_b, call->argument[1], elements * sizeof(uint32_t), 0,
                                   cudaMemcpyDeviceToDevice, call->stream);
}

KG_LAUNCHER(matmul_i32_constant)
{
    int m = (int)kg_extent(call->size, 0);
    int n = (int)kg_extent(call->size, 1);
    int k = (int)kg_extent(call->size, 2);
    int stride = (int)kg_extent(call->size, 3);
    unsigned edge = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((n + edge - 1) / edge, (m + edge - 1) / edge);
    config.blockDim = dim3(edge, edge);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, constant, (const uint32_t *)call->argument[0],
                              (uint32_t *)call->argument[2], m, n, k, stride);
}
