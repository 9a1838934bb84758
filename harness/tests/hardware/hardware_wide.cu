// sums[r] = the sum of row r of 33 doubles; scan = the running sums of each row of 32 integers of
// 64 bits, which wrap around.
#include <kernelgate/kernelgate.h>

#define COLUMNS 33

// One row per warp.
static __global__ void by_warp(const double *values, double *sums, const long long *integers,
                               long long *scan, int rows)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;
    int lane = thread % 32;

    if (row < rows) {
        double sum = 0.0;
        unsigned long long running = (unsigned long long)integers[row * 32 + lane];

        for (int i = lane; i < COLUMNS; i += 32)
            sum += values[row * COLUMNS + i];
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, distance);
        if (lane == 0)
            sums[row] = sum;
        for (int distance = 1; distance < 32; distance *= 2) {
            unsigned long long before = __shfl_up_sync(0xffffffffu, running, distance);

            running += lane >= distance ? before : 0;
        }
        scan[row * 32 + lane] = (long long)running;
    }
}

KG_LAUNCHER(hardware_wide_by_warp)
{
    int64_t rows = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, by_warp, kg_grid(rows * 32, block), block, KG_ARG(call, const double, 0),
                    KG_ARG(call, double, 1), KG_ARG(call, const long long, 2),
                    KG_ARG(call, long long, 3), rows);
}

// SPDX-License-Identifier: MIT
