// C = A B, one thread an output: each thread walks a row of A and a column of B in global memory.
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
    int m = (int)kg_extent(call->size, 0);
    int n = (int)kg_extent(call->size, 1);
    int k = (int)kg_extent(call->size, 2);
    unsigned edge = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((n + edge - 1) / edge, (m + edge - 1) / edge);
    config.blockDim = dim3(edge, edge);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, naive, (const float *)call->argument[0],
                              (const float *)call->argument[1], (float *)call->argument[2], m, n,
                              k);
}
