// y += x, one thread an element: the grid is as large as the vectors.
#include <kernelgate/kernelgate.h>

static __global__ void unstrided(const float *x, float *y, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] += x[i];
}

KG_LAUNCHER(vector_add_unstrided)
{
    size_t n = (size_t)kg_extent(call->size, 0);
    unsigned block = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((n + block - 1) / block));
    config.blockDim = dim3(block);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, unstrided, (const float *)call->argument[0],
                              (float *)call->argument[1], n);
}
