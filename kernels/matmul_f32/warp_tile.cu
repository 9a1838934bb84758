// C = A B, 8 x 16 outputs per thread. A warp covers 64 x 64 outputs whose operands it reads without
// bank conflicts, and reads those of the next step while it multiplies (warp_share in tile.cuh).
#include "tile.cuh"

enum { EDGE = 128, DEPTH = 16, THREADS = 128 };

template <int WIDTH>
static __global__ void __launch_bounds__(THREADS, 2)
    warp_tile(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) float tile_a[DEPTH][EDGE + 4];
    __shared__ __align__(16) float tile_b[DEPTH][EDGE];
    int top = blockIdx.y * EDGE, start = blockIdx.x * EDGE;
    tiles_of_a<EDGE, DEPTH, THREADS, WIDTH> next_a(a, top, m, k, 0, k);
    tiles_of_b<EDGE, DEPTH, THREADS, WIDTH> next_b(b, start, n, 0, k);
    warp_share<EDGE, 8, 16> mine;

    for (int first = 0; first < k; first += DEPTH) {
        next_a.fetch();
        next_a.store(tile_a);
        next_b.copy(tile_b);
        __syncthreads();
        mine.read(0, tile_a[0], tile_b[0]);
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            if (step + 1 < DEPTH)
                mine.read((step + 1) % 2, tile_a[step + 1], tile_b[step + 1]);
            mine.multiply(step % 2);
        }
        __syncthreads();
    }
    mine.template write<WIDTH>(c, top, start, m, n);
}

KG_LAUNCHER(matmul_f32_warp_tile)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = piece_width(n, k);

    return kg_start(call,
                    width == 4   ? warp_tile<4>
                    : width == 2 ? warp_tile<2>
                                 : warp_tile<1>,
                    kg_grid(n, EDGE, m, EDGE), THREADS, KG_ARG(call, const float, 0),
                    KG_ARG(call, const float, 1), KG_ARG(call, float, 2), m, n, k);
}
