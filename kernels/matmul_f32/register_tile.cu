// C = A B, 4 x 4 outputs per thread: a value read from shared memory is multiplied four times,
// where tiled.cu reads two values for each multiplication.
#include <kernelgate/kernelgate.h>

enum { EDGE = 64, DEPTH = 16, SIDE = 4, THREADS = EDGE / SIDE };

static __global__ void register_tile(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float tile_a[EDGE][DEPTH + 1]; // no two rows that a warp reads share a bank
    __shared__ float tile_b[DEPTH][EDGE];
    int thread = threadIdx.y * THREADS + threadIdx.x;
    int row = blockIdx.y * EDGE, column = blockIdx.x * EDGE;
    float sum[SIDE][SIDE] = {};

    for (int first = 0; first < k; first += DEPTH) {
        for (int i = thread; i < EDGE * DEPTH; i += THREADS * THREADS) {
            int y = i / DEPTH, x = i % DEPTH;
            bool inside = row + y < m && first + x < k;
            tile_a[y][x] = inside ? a[(row + y) * k + first + x] : 0.0f;
        }
        for (int i = thread; i < DEPTH * EDGE; i += THREADS * THREADS) {
            int y = i / EDGE, x = i % EDGE;
            bool inside = first + y < k && column + x < n;
            tile_b[y][x] = inside ? b[(first + y) * n + column + x] : 0.0f;
        }
        __syncthreads();
        for (int step = 0; step < DEPTH; step++) {
            float left[SIDE], right[SIDE];
            for (int i = 0; i < SIDE; i++) {
                left[i] = tile_a[threadIdx.y * SIDE + i][step];
                right[i] = tile_b[step][threadIdx.x + i * THREADS];
            }
            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < SIDE; i++) {
        int y = row + threadIdx.y * SIDE + i;
        for (int j = 0; j < SIDE; j++) {
            int x = column + threadIdx.x + j * THREADS;
            if (y < m && x < n)
                c[y * n + x] = sum[i][j];
        }
    }
}

KG_LAUNCHER(matmul_f32_register_tile)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1);

    return kg_start(call, register_tile, kg_grid(n, EDGE, m, EDGE), dim3(THREADS, THREADS),
                    KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                    KG_ARG(call, float, 2), m, n, KG_EXTENT(call, 2));
}

// SPDX-License-Identifier: MIT
