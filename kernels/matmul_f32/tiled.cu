// C = A B, tiles of A and B staged in shared memory: each operand is read from global memory once a
// tile instead of once a thread. Beyond the matrices' edges the tiles hold zeros.
#include <kernelgate/kernelgate.h>

template <int EDGE>
static __global__ void tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float tile_a[EDGE][EDGE];
    __shared__ float tile_b[EDGE][EDGE];
    int row = blockIdx.y * EDGE + threadIdx.y;
    int column = blockIdx.x * EDGE + threadIdx.x;
    int tiles = (k + EDGE - 1) / EDGE;
    float sum = 0.0f;

    for (int tile = 0; tile < tiles; tile++) {
        int a_column = tile * EDGE + threadIdx.x;
        int b_row = tile * EDGE + threadIdx.y;

        tile_a[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < EDGE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

template <int EDGE>
static cudaError_t start(const kg_call *call)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);

    return kg_start(call, tiled<EDGE>, kg_grid(n, EDGE, m, EDGE), dim3(EDGE, EDGE),
                    KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                    KG_ARG(call, float, 2), m, n, k);
}

KG_LAUNCHER(matmul_f32_tiled)
{
    switch (KG_AXIS(call, 0)) {
    case 4:
        return start<4>(call);
    case 8:
        return start<8>(call);
    case 16:
        return start<16>(call);
    case 32:
        return start<32>(call);
    default:
        return cudaErrorInvalidValue;
    }
}

// SPDX-License-Identifier: MIT
