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

KG_LAUNCHER(matmul_i32_shared)
{
    int m = (int)kg_extent(call->size, 0);
    int n = (int)kg_extent(call->size, 1);
    int k = (int)kg_extent(call->size, 2);
    int stride = (int)kg_extent(call->size, 3);
    unsigned edge = (unsigned)call->launch.block;
    const uint32_t *a = (const uint32_t *)call->argument[0];
    const uint32_t *b = (const uint32_t *)call->argument[1];
    uint32_t *c = (uint32_t *)call->argument[2];
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((n + edge - 1) / edge, (m + edge - 1) / edge);
    config.blockDim = dim3(edge, edge);
    config.stream = call->stream;
    switch (edge) {
    case 4:
        return cudaLaunchKernelEx(&config, shared<4>, a, b, c, m, n, k, stride);
    case 8:
        return cudaLaunchKernelEx(&config, shared<8>, a, b, c, m, n, k, stride);
    case 16:
        return cudaLaunchKernelEx(&config, shared<16>, a, b, c, m, n, k, stride);
    case 32:
        return cudaLaunchKernelEx(&config, shared<32>, a, b, c, m, n, k, stride);
    default:
        return cudaErrorInvalidValue;
    }
}
