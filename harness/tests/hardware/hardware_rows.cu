// sums[r] = the sum of the first lengths[r] % 34 values of row r.
#include <kernelgate/kernelgate.h>

#define COLUMNS 33

static __device__ __forceinline__ int length_of(const int *lengths, int row)
{
    return (int)((unsigned)lengths[row] % (COLUMNS + 1));
}

// One row per thread: the lanes of a warp leave the loop one by one.
static __global__ void unequal(const float *values, const int *lengths, float *sums, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows) {
        int length = length_of(lengths, row);
        float sum = 0.0f;

        for (int i = 0; i < length; i++)
            sum += values[row * COLUMNS + i];
        sums[row] = sum;
    }
}

// A loop that a value may end is not unrolled; none of the values, which are below 1, ends it.
static __global__ void breakable(const float *values, const int *lengths, float *sums, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows) {
        int length = length_of(lengths, row);
        float sum = 0.0f;

        for (int i = 0; i < length; i++) {
            float value = values[row * COLUMNS + i];

            if (value > 2.0f)
                break;
            sum += value;
        }
        sums[row] = sum;
    }
}

#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma nv_diag_suppress 549

// Right where uninitialized variables hold zeros.
static __global__ void uninitialized_sum(const float *values, const int *lengths, float *sums,
                                         int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum;

    for (int i = 0; row < rows && i < length_of(lengths, row); i++)
        sum += values[row * COLUMNS + i];
    if (row < rows)
        sums[row] = sum;
}

// Right where they hold anything else.
static __global__ void uninitialized_flag(const float *values, const int *lengths, float *sums,
                                          int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int is_used;
    float sum = 0.0f;

    for (int i = 0; row < rows && i < length_of(lengths, row); i++)
        sum += is_used != 0 ? values[row * COLUMNS + i] : 1.0f;
    if (row < rows)
        sums[row] = sum;
}

// By groups of up to eight, so that both the number of groups and the length of the last differ by
// lane.
static __global__ void nested(const float *values, const int *lengths, float *sums, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows) {
        int length = length_of(lengths, row);
        float sum = 0.0f;

        for (int group = 0; group < length; group += 8) {
            float part = 0.0f;

            for (int i = group; i < group + 8 && i < length; i++)
                part += values[row * COLUMNS + i];
            sum += part;
        }
        sums[row] = sum;
    }
}

// One row per warp, added up by shuffles.
static __global__ void by_warp(const float *values, const int *lengths, float *sums, int rows)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;
    int lane = thread % 32;

    if (row < rows) {
        int length = length_of(lengths, row);
        float sum = 0.0f;

        for (int i = lane; i < length; i += 32)
            sum += values[row * COLUMNS + i];
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, distance);
        if (lane == 0)
            sums[row] = sum;
    }
}

static cudaError_t start(const kg_call *call,
                         void (*kernel)(const float *, const int *, float *, int),
                         int threads_per_row)
{
    int64_t rows = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, kernel, kg_grid(rows * threads_per_row, block), block,
                    KG_ARG(call, const float, 0), KG_ARG(call, const int, 1),
                    KG_ARG(call, float, 2), rows);
}

#define LAUNCHER(name, ...)                                                                        \
    KG_LAUNCHER(hardware_rows_##name)                                                              \
    {                                                                                              \
        return start(call, __VA_ARGS__);                                                           \
    }
LAUNCHER(unequal, unequal, 1)
LAUNCHER(breakable, breakable, 1)
LAUNCHER(nested, nested, 1)
LAUNCHER(by_warp, by_warp, 32)
LAUNCHER(uninitialized_sum, uninitialized_sum, 1)
LAUNCHER(uninitialized_flag, uninitialized_flag, 1)

// SPDX-License-Identifier: MIT
