// C = A B modulo 2^32, tiles of A and B staged in shared memory: each operand is read from global
// memory once a tile instead of once a thread. Beyond the matrices' edges, in a row's padding too,
// the tiles hold zeros. The elements are taken as unsigned, for sums of signed ones must not
// overflow.
#include <kernelgate/kernelgate.h>

template <int EDGE>
static __global__ void shared(const uint32_t *a, const uint32_t *b, uint32_t *c, int m, int n,
                              int k, int stride)
{
    __shared__ uint32_t tile_a[EDGE][EDGE];
    __shared__ uint32_t tile_b[EDGE][EDGE];
    int row = blockIdx.y * EDGE + threadIdx.y;
    int column = blockIdx.x * EDGE + threadIdx.x;
    int tiles = (k + EDGE - 1) / EDGE;
    uint32_t sum = 0;

    for (int tile = 0; tile < tiles; tile++) {
        int a_column = tile * EDGE + threadIdx.x;
        int b_row = tile * EDGE + threadIdx.y;

        tile_a[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * stride + a_column] : 0;
        tile_b[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * stride + column] : 0;
        __syncthreads();
        for (int i = 0; i < EDGE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * stride + column] = sum;
}

template <int EDGE>
static cudaError_t start(const kg_call *call)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);

    return kg_start(call, shared<EDGE>, kg_grid(n, EDGE, m, EDGE), dim3(EDGE, EDGE),
                    KG_ARG(call, const uint32_t, 0), KG_ARG(call, const uint32_t, 1),
                    KG_ARG(call, uint32_t, 2), m, n, k, KG_EXTENT(call, 3));
}

KG_LAUNCHER(matmul_i32_shared)
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
