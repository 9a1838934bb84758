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
    int64_t rows = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, warp_each, kg_grid(rows * WARP, block), block,
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), rows, KG_EXTENT(call, 1));
}
