// The sum of each row, one thread per row: the lanes of a warp read a whole row apart from each
// other.
#include <own_kernels/row_sums.h>

namespace own_kernels
{

static __global__ void thread_each(Matrix matrix, float *sums)
{
    std::int64_t row = (std::int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= matrix.rows)
        return;

    float sum = 0.0f;

    for (std::int64_t column = 0; column < matrix.columns; column++)
        sum += matrix.elements[row * matrix.columns + column];
    sums[row] = sum;
}

cudaError_t row_sums_by_threads(const Matrix &matrix, float *sums, unsigned threads,
                                cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((matrix.rows + threads - 1) / threads));
    config.blockDim = dim3(threads);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, thread_each, matrix, sums);
}

} // namespace own_kernels
