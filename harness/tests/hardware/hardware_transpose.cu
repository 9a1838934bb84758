// B = A transposed, by tiles of 32x32 and blocks of 32x8 threads.
#include <kernelgate/kernelgate.h>

#define TILE 32
#define BLOCK_ROWS 8

static __global__ void naive(const float *a, float *b, int rows, int columns)
{
    int column = blockIdx.x * TILE + threadIdx.x;

    for (int i = 0; i < TILE; i += BLOCK_ROWS) {
        int row = blockIdx.y * TILE + threadIdx.y + i;

        if (row < rows && column < columns)
            b[column * rows + row] = a[row * columns + column];
    }
}

// With a PITCH of TILE the 32 elements of a column lie in one bank, with TILE + 1 in 32.
template <int PITCH>
static __global__ void tiled(const float *a, float *b, int rows, int columns)
{
    __shared__ float tile[TILE][PITCH];
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.x;

    for (int i = threadIdx.y; i < TILE; i += BLOCK_ROWS) {
        if ((int)blockIdx.y * TILE + i < rows && column < columns)
            tile[i][threadIdx.x] = a[(blockIdx.y * TILE + i) * columns + column];
    }
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += BLOCK_ROWS) {
        if ((int)blockIdx.x * TILE + i < columns && row < rows)
            b[(blockIdx.x * TILE + i) * rows + row] = tile[threadIdx.x][i];
    }
}

static cudaError_t start(const kg_call *call, void (*kernel)(const float *, float *, int, int))
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);

    return kg_start(call, kernel, kg_grid(columns, TILE, rows, TILE), dim3(TILE, BLOCK_ROWS),
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), rows, columns);
}

#define LAUNCHER(name, ...)                                                                        \
    KG_LAUNCHER(hardware_transpose_##name)                                                         \
    {                                                                                              \
        return start(call, __VA_ARGS__);                                                           \
    }
LAUNCHER(naive, naive)
LAUNCHER(conflicting, tiled<TILE>)
LAUNCHER(padded, tiled<TILE + 1>)

// SPDX-License-Identifier: MIT
