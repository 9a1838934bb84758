// 32 queries share each key and value: a block of 4 warps, 8 queries a warp, goes through K and V
// in tiles of 32 that shared memory holds as floats. Softmax is online (M. Milakov, N. Gimelshein,
// Online normalizer calculation for softmax, 2018): a tile's scores exist in registers only, one
// key per lane, and where a tile has a greater maximum, what was summed up is scaled down to it.
#include "job.cuh"

#define WARPS 4
#define ROWS 8            /* queries of a warp */
#define TILE LANES        /* keys */
#define PITCH (DEPTH + 4) /* floats: float4 of 8 lanes' keys come from different banks */

struct shared {
    float q[WARPS * ROWS * DEPTH], k[TILE * PITCH], v[TILE * DEPTH];
    float weight[WARPS][ROWS][TILE];
};

// Rows from `row` on of a head's matrix; those after its end are zeros.
static __device__ void fetch(float *to, int pitch, const bf16 *from, int row, int rows,
                             int sequence)
{
    for (int i = threadIdx.x; i < rows * DEPTH / 4; i += LANES * WARPS) {
        int y = i / (DEPTH / 4), x = i % (DEPTH / 4) * 4;

        *reinterpret_cast<float4 *>(to + y * pitch + x) =
            row + y < sequence ? load_4(from + (row + y) * DEPTH + x) : float4{};
    }
}

static __global__ void __launch_bounds__(LANES *WARPS) tiled(job job)
{
    KG_DYNAMIC_SHARED(float4, memory);
    shared &s = *reinterpret_cast<shared *>(memory);
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    int start = blockIdx.x * WARPS * ROWS, row = start + warp * ROWS;
    int keys = job.keys(start + WARPS * ROWS - 1);
    float max[ROWS], sum[ROWS] = {};
    float4 out[ROWS] = {};

    for (int r = 0; r < ROWS; r++)
        max[r] = -INFINITY;
    job = job.of_head(blockIdx.y);
    fetch(s.q, DEPTH, job.q, start, WARPS * ROWS, job.sequence);
    for (int first = 0; first < keys; first += TILE) {
        float score[ROWS] = {};

        fetch(s.k, PITCH, job.k, first, TILE, job.sequence);
        fetch(s.v, DEPTH, job.v, first, TILE, job.sequence);
        __syncthreads();
        for (int i = 0; i < DEPTH; i += 4) {
            float4 key = *reinterpret_cast<float4 *>(s.k + lane * PITCH + i);

#pragma unroll
            for (int r = 0; r < ROWS; r++)
                score[r] = dot_4(*reinterpret_cast<float4 *>(s.q + (warp * ROWS + r) * DEPTH + i),
                                 key, score[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float x = first + lane < job.keys(row + r) ? score[r] : -INFINITY;
            float greatest = fmaxf(max[r], max_of_warp(x));
            float scale = power_of_2((max[r] - greatest) * SCALE);
            float weight = power_of_2((x - greatest) * SCALE);

            max[r] = greatest;
            sum[r] = sum[r] * scale + weight;
            out[r] =
                make_float4(out[r].x * scale, out[r].y * scale, out[r].z * scale, out[r].w * scale);
            s.weight[warp][r][lane] = weight;
        }
        __syncwarp();
        for (int key = 0; key < TILE; key++) {
            float4 value = *reinterpret_cast<float4 *>(s.v + key * DEPTH + 4 * lane);

#pragma unroll
            for (int r = 0; r < ROWS; r++)
                add_4(out[r], s.weight[warp][r][key], value);
        }
        __syncthreads();
    }
    for (int r = 0; r < ROWS; r++) {
        float all = sum_of_warp(sum[r]);

        if (row + r < job.sequence)
            store_4(job.out + (row + r) * DEPTH + 4 * lane, out[r], 1.0f / all);
    }
}

KG_LAUNCHER(attention_bf16_tiled)
{
    return kg_start(call, tiled, kg_grid(KG_EXTENT(call, 1), WARPS * ROWS, KG_EXTENT(call, 0)),
                    LANES * WARPS, kg_shared(sizeof(shared)), job_of(call));
}

// SPDX-License-Identifier: MIT
