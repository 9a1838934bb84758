// The sum of each row, one thread per row: the lanes of a warp read a whole row apart from each
// other.
#include <kernelgate/kernelgate.h>

static __global__ void thread_each(const float *matrix, float *sums, int64_t rows, int64_t columns)
{
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= rows)
        return;

    float sum = 0.0f;

    for (int64_t column = 0; column < columns; column++)
        sum += matrix[row * columns + column];
    sums[row] = sum;
}

KG_LAUNCHER(row_sums_thread_each)
{
    int64_t rows = kg_extent(call->size, 0);
    int64_t columns = kg_extent(call->size, 1);
    unsigned block = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((rows + block - 1) / block));
    config.blockDim = dim3(block);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, thread_each, (const float *)call->argument[0],
                              (float *)call->argument[1], rows, columns);
}
