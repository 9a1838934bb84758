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

KG_LAUNCHER(matmul_f32_tiled)
{
    int m = (int)kg_extent(call->size, 0);
    int n = (int)kg_extent(call->size, 1);
    int k = (int)kg_extent(call->size, 2);
    unsigned edge = (unsigned)call->launch.block;
    const float *a = (const float *)call->argument[0];
    const float *b = (const float *)call->argument[1];
    float *c = (float *)call->argument[2];
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((n + edge - 1) / edge, (m + edge - 1) / edge);
    config.blockDim = dim3(edge, edge);
    config.stream = call->stream;
    switch (edge) {
    case 4:
        return cudaLaunchKernelEx(&config, tiled<4>, a, b, c, m, n, k);
    case 8:
        return cudaLaunchKernelEx(&config, tiled<8>, a, b, c, m, n, k);
    case 16:
        return cudaLaunchKernelEx(&config, tiled<16>, a, b, c, m, n, k);
    case 32:
        return cudaLaunchKernelEx(&config, tiled<32>, a, b, c, m, n, k);
    default:
        return cudaErrorInvalidValue;
    }
}
