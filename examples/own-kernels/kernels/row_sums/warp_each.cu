// The sum of each row, one warp per row: its lanes read neighboring elements, and add them up by
// shuffles.
#include <kernelgate/kernelgate.h>

#include <own_kernels/warp.cuh>

static __global__ void warp_each(const float *matrix, float *sums, int64_t rows, int64_t columns)
{
    int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    unsigned lane = threadIdx.x % WARP;

    if (row >= rows)
        return;

    float sum = 0.0f;

    for (int64_t column = lane; column < columns; column += WARP)
        sum += matrix[row * columns + column];
    sum = warp_sum(sum);
    if (lane == 0)
        sums[row] = sum;
}

KG_LAUNCHER(row_sums_warp_each)
{
    int64_t rows = kg_extent(call->size, 0);
    int64_t columns = kg_extent(call->size, 1);
    unsigned block = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((rows * WARP + block - 1) / block));
    config.blockDim = dim3(block);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, warp_each, (const float *)call->argument[0],
                              (float *)call->argument[1], rows, columns);
}
