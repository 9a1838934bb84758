// C = A B, the tiles two steps ahead on their way while this step's are multiplied: B's by
// asynchronous copies into a ring of three, A's through registers, which transpose it. Tiles inside
// of the matrices are read without tests of their edges.
#include "tile.cuh"

#include <cuda_pipeline.h>

enum { EDGE = 128, DEPTH = 16, THREADS = 128, STAGES = 3 };

struct stage {
    float a[DEPTH][EDGE + 4];
    float b[DEPTH][EDGE];
};

template <int WIDTH, bool WHOLE>
static __device__ __forceinline__ void copy_async(float (*tile)[EDGE], const float *b, int first,
                                                  int start, int n, int k)
{
#pragma unroll
    for (int i = 0; i < DEPTH * EDGE; i += THREADS * WIDTH) {
        int y = (i + threadIdx.x * WIDTH) / EDGE, x = (i + threadIdx.x * WIDTH) % EDGE;
        bool inside = WHOLE || (first + y < k && start + x < n);
        const float *from = inside ? &b[(first + y) * n + start + x] : b;
        __pipeline_memcpy_async(&tile[y][x], from, WIDTH * sizeof(float),
                                inside ? 0 : WIDTH * sizeof(float));
    }
}

template <int WIDTH, bool WHOLE>
static __global__ void __launch_bounds__(THREADS, 2)
    pipelined(const float *a, const float *b, float *c, int m, int n, int k)
{
    KG_DYNAMIC_SHARED(stage, ring);
    int top = blockIdx.y * EDGE, start = blockIdx.x * EDGE;
    int steps = (k + DEPTH - 1) / DEPTH, now = 0, free = STAGES - 1;
    transposed_tile<EDGE, DEPTH, THREADS, WIDTH, WHOLE> next;
    warp_share<EDGE, 8, 16> mine;

#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < steps) {
            next.fetch(a, top, i * DEPTH, m, k);
            copy_async<WIDTH, WHOLE>(ring[i].b, b, i * DEPTH, start, n, k);
            next.store(ring[i].a);
        }
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    mine.read(0, ring[0].a[0], ring[0].b[0]);
    for (int i = 0; i < steps; i++) {
        int ahead = i + STAGES - 1;
        if (ahead < steps) {
            next.fetch(a, top, ahead * DEPTH, m, k);
            copy_async<WIDTH, WHOLE>(ring[free].b, b, ahead * DEPTH, start, n, k);
        }
        __pipeline_commit();
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            if (step + 1 == DEPTH) {
                if (ahead < steps)
                    next.store(ring[free].a);
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads();
                free = now;
                // The last step reads its own tile once more, to no effect.
                now = i + 1 == steps ? now : (now + 1) % STAGES;
            }
            mine.read((step + 1) % 2, ring[now].a[(step + 1) % DEPTH],
                      ring[now].b[(step + 1) % DEPTH]);
            mine.multiply(step % 2);
        }
    }
    mine.template write<WIDTH>(c, top, start, m, n);
}

KG_LAUNCHER(matmul_f32_pipelined)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = piece_width(n, k);
    bool whole = m % EDGE == 0 && n % EDGE == 0 && k % DEPTH == 0;
    auto kernel = whole        ? pipelined<4, true>
                  : width == 4 ? pipelined<4, false>
                  : width == 2 ? pipelined<2, false>
                               : pipelined<1, false>;

    return kg_start(call, kernel, kg_grid(n, EDGE, m, EDGE), THREADS,
                    kg_shared(STAGES * sizeof(stage)), KG_ARG(call, const float, 0),
                    KG_ARG(call, const float, 1), KG_ARG(call, float, 2), m, n, k);
}
