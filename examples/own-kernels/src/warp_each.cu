// The sum of each row, one warp per row: its lanes read neighboring elements, and add them up by
// shuffles.
#include <own_kernels/row_sums.h>

#include "warp.cuh"

namespace own_kernels
{

static __global__ void warp_each(Matrix matrix, float *sums)
{
    std::int64_t columns = matrix.columns;
    std::int64_t row = ((std::int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    unsigned lane = threadIdx.x % WARP;

    if (row >= matrix.rows)
        return;

    float sum = 0.0f;

    for (std::int64_t column = lane; column < columns; column += WARP)
        sum += matrix.elements[row * columns + column];
    sum = warp_sum(sum);
    if (lane == 0)
        sums[row] = sum;
}

cudaError_t row_sums_by_warps(const Matrix &matrix, float *sums, unsigned threads,
                              cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((matrix.rows * WARP + threads - 1) / threads));
    config.blockDim = dim3(threads);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, warp_each, matrix, sums);
}

} // namespace own_kernels
