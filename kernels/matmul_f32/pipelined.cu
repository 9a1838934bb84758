// C = A B, the tiles two steps ahead on their way while this step's are multiplied: B's by
// asynchronous copies into a ring of three, A's through registers, which transpose it.
#include "tile.cuh"

enum { EDGE = 128, DEPTH = 16, THREADS = 128, STAGES = 3 };

struct stage {
    float a[DEPTH][EDGE + 4];
    float b[DEPTH][EDGE];
};

template <int WIDTH, bool WHOLE>
static __global__ void __launch_bounds__(THREADS, 2)
    pipelined(const float *a, const float *b, float *c, int m, int n, int k)
{
    KG_DYNAMIC_SHARED(stage, ring);
    int top = blockIdx.y * EDGE, start = blockIdx.x * EDGE;
    int steps = (k + DEPTH - 1) / DEPTH, now = 0, free = STAGES - 1;
    tiles_of_a<EDGE, DEPTH, THREADS, WIDTH, WHOLE> next_a(a, top, m, k, 0, k);
    tiles_of_b<EDGE, DEPTH, THREADS, WIDTH, WHOLE> next_b(b, start, n, 0, k);
    warp_share<EDGE, 8, 16> mine;

#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < steps) {
            next_a.fetch();
            next_b.copy_async(ring[i].b);
            next_a.store(ring[i].a);
        }
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    mine.read(0, ring[0].a[0], ring[0].b[0]);
    for (int i = 0; i < steps; i++) {
        bool more = i + STAGES - 1 < steps;
        if (more) {
            next_a.fetch();
            next_b.copy_async(ring[free].b);
        }
        __pipeline_commit();
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            if (step + 1 == DEPTH) {
                if (more)
                    next_a.store(ring[free].a);
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

    auto kernel = width == 4 && k % DEPTH == 0 ? pipelined<4, true>
                  : width == 4                 ? pipelined<4, false>
                  : width == 2                 ? pipelined<2, false>
                                               : pipelined<1, false>;

    return kg_start(call, kernel, kg_grid(n, EDGE, m, EDGE), THREADS,
                    kg_shared(STAGES * sizeof(stage)), KG_ARG(call, const float, 0),
                    KG_ARG(call, const float, 1), KG_ARG(call, float, 2), m, n, k);
}
