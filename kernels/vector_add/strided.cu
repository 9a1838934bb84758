// y += x, a grid-stride loop: the grid is as large as the launch says, and its threads walk the
// vectors in steps of the whole grid.
#include <kernelgate/kernelgate.h>

static __global__ void strided(const float *x, float *y, size_t n)
{
    size_t stride = gridDim.x * (size_t)blockDim.x;

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] += x[i];
}

KG_LAUNCHER(vector_add_strided)
{
    size_t n = (size_t)kg_extent(call->size, 0);
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)call->launch.grid);
    config.blockDim = dim3((unsigned)call->launch.block);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, strided, (const float *)call->argument[0],
                              (float *)call->argument[1], n);
}
