// Wrong: the sum up to a tile and the flag that announces it are two words, and no fence keeps the
// flag from being seen before the sum.
#include "tile.cuh"

static __global__ void unfenced(const float *x, float *y, unsigned long long *counter,
                                volatile int *flags, float *sums, int64_t n)
{
    __shared__ int tile;
    __shared__ float sum_before;
    int64_t first;
    float4 part[1];
    tile_sums own;

    if (threadIdx.x == 0)
        tile = (int)atomicAdd(counter, 1);
    __syncthreads();
    first = (int64_t)tile * blockDim.x * 4;
    load_tile<1>(x, first, n, part);
    own = scan_tile(part);
    if (threadIdx.x == 0) {
        sum_before = 0.0f;
        if (tile > 0) {
            while (flags[tile - 1] == 0)
                continue;
            sum_before = sums[tile - 1];
        }
        sums[tile] = sum_before + own.all;
        flags[tile] = 1;
    }
    __syncthreads();
    store_tile<1>(y, first, n, part, sum_before + own.before);
}

KG_LAUNCHER(scan_f32_unfenced)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);
    dim3 tiles = kg_grid(n, block * 4);
    unsigned long long *counter = KG_ARG(call, unsigned long long, 2);
    int *flags = (int *)(counter + 1);
    cudaError_t code = cudaMemsetAsync(counter, 0, (tiles.x + 1) * sizeof *counter, call->stream);

    if (code != cudaSuccess)
        return code;
    return kg_start(call, unfenced, tiles, block, KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), counter, flags, (float *)(flags + tiles.x), n);
}
