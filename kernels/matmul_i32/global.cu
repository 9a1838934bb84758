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
    int m = (int)kg_extent(call->size, 0);
    int n = (int)kg_extent(call->size, 1);
    int k = (int)kg_extent(call->size, 2);
    int stride = (int)kg_extent(call->size, 3);
    unsigned edge = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((n + edge - 1) / edge, (m + edge - 1) / edge);
    config.blockDim = dim3(edge, edge);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, global, (const uint32_t *)call->argument[0],
                              (const uint32_t *)call->argument[1], (uint32_t *)call->argument[2], m,
                              n, k, stride);
}
