// A warp per query, whose scores are all in shared memory: one pass over K for the scores, a key
// per lane, one over the scores for their maximum and sum, one over V, four columns per lane.
// Each query reads all of K and V that it sees.
#include "job.cuh"

#define WARPS 4

static __global__ void naive(job job)
{
    KG_DYNAMIC_SHARED(float, scores);
    int lane = threadIdx.x % LANES, row = blockIdx.x * WARPS + threadIdx.x / LANES;
    int keys = job.keys(row);
    float *score = scores + threadIdx.x / LANES * job.sequence;
    float max = -INFINITY, sum = 0.0f;
    float4 out = {};

    job = job.of_head(blockIdx.y);
    if (row >= job.sequence)
        return;
    for (int key = lane; key < keys; key += LANES) {
        float dot = 0.0f;

        for (int i = 0; i < DEPTH; i += 4)
            dot = dot_4(load_4(job.q + row * DEPTH + i), load_4(job.k + key * DEPTH + i), dot);
        score[key] = dot;
        max = fmaxf(max, dot);
    }
    max = max_of_warp(max);
    for (int key = lane; key < keys; key += LANES) {
        score[key] = power_of_2((score[key] - max) * SCALE);
        sum += score[key];
    }
    sum = sum_of_warp(sum);
    __syncwarp();
    for (int key = 0; key < keys; key++)
        add_4(out, score[key], load_4(job.v + key * DEPTH + 4 * lane));
    store_4(job.out + row * DEPTH + 4 * lane, out, 1.0f / sum);
}

KG_LAUNCHER(attention_bf16_naive)
{
    int64_t heads = KG_EXTENT(call, 0), sequence = KG_EXTENT(call, 1);

    return kg_start(call, naive, kg_grid(sequence, WARPS, heads), LANES * WARPS,
                    kg_shared(WARPS * sequence * sizeof(float)), job_of(call));
}

// SPDX-License-Identifier: MIT
