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
    int64_t rows = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, thread_each, kg_grid(rows, block), block, KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), rows, KG_EXTENT(call, 1));
}
