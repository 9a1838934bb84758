// wgmma on tiles that the tensor memory accelerator fetches (J. Shah et al., FlashAttention-3,
// 2024). One thread asks for tiles, as far ahead as the ring has room; two warp groups, to which
// its group gives its registers, have 64 queries each. Exponentials take half as long as products,
// so these must not wait for those: a warp group starts the next tile's scores and the last tile's
// values, passes its turn, and makes weights of the scores while the other's products run.
//
//     group 0    products | weights  | products | weights  | ...
//     group 1             | products | weights  | products | weights
//
// Scores and weights, which are an operand from registers, never touch memory.
#include "online.cuh"
#include "wgmma.cuh"

#define SLOTS 6        /* of the ring, each a tile of K or of V */
#define NEAR (8 << 20) /* bytes of K and V that blocks share at a time, in the L2 cache */

struct shared {
    bf16 q[GROUPS][64 * DEPTH]; // two panels each, one after the other
    bf16 ring[SLOTS][KEYS * DEPTH];
    uint64_t full[SLOTS], empty[SLOTS], queries;
};

// Which part of the work a block has: of a few heads, whose K and V blocks share in the L2 cache,
// those queries come first that see the most keys.
struct plan {
    int heads, few_heads, blocks_of_head;

    // The head and its first query.
    __device__ int2 place(int index) const
    {
        int first = index / (few_heads * blocks_of_head) * few_heads;
        int few = min(few_heads, heads - first), within = index - first * blocks_of_head;

        return make_int2(first + within % few, (blocks_of_head - 1 - within / few) * QUERIES);
    }
};

static constexpr unsigned BYTES_OF_TILE = KEYS * DEPTH * sizeof(bf16);

// One thread fetches the queries, and tiles in the order in which they are multiplied: the keys of
// a tile come before the values of the tile before it.
[[maybe_unused]] static __device__ void produce(shared &s, const CUtensorMap *q,
                                                const CUtensorMap *k, const CUtensorMap *v,
                                                int2 place, int tiles)
{
    position<SLOTS> at;

    expect_bytes(&s.queries, sizeof s.q);
    for (int i = 0; i < GROUPS; i++)
        fetch_rows(s.q[i], q, place.y + 64 * i, place.x, &s.queries);
    for (int i = 0; i < 2 * tiles; i++, at.advance()) {
        bool keys = i == 0 || (i % 2 == 1 && i < 2 * tiles - 1);
        int tile = keys ? (i + 1) / 2 : (i - 1) / 2;

        wait(&s.empty[at.slot], at.parity ^ 1);
        expect_bytes(&s.full[at.slot], BYTES_OF_TILE);
        fetch_rows(s.ring[at.slot], keys ? k : v, tile * KEYS, place.x, &s.full[at.slot]);
    }
}

// A warp group: the attention of its 64 queries, from `start` on.
[[maybe_unused]] static __device__ void consume(shared &s, const job &job, int start, int tiles,
                                                int group)
{
    int thread = threadIdx.x % GROUP, row = start + thread / 32 * 16 + thread % 32 / 4;
    int unmasked = job.keys(start) / KEYS;
    float score[KEYS / 8][4], out[DEPTH / 8][4], factor[2];
    unsigned weight[KEYS / 16][4];
    rows rows;
    position<SLOTS> at;
    auto wait_for_slot = [&] { wait(&s.full[at.slot], at.parity); };
    auto release = [&](int slot) {
        if (thread == 0)
            arrive(&s.empty[slot]);
    };

    if (group == 1)
        pass_turn(group);
    wait(&s.queries, 0);
    wait_for_slot();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    start_scores(score, s.q[group], s.ring[at.slot]);
    wait_for_scores(score, true);
    release(at.slot);
    at.advance();
    if (unmasked == 0)
        mask(score, job, row, 0);
    weigh(score, rows, factor);
    round(weight, score);
    for (int tile = 1; tile < tiles; tile++, at.advance()) {
        int keys = at.slot;

        wait_for_slot();
        await_turn(group);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        start_scores(score, s.q[group], s.ring[keys]);
        at.advance();
        wait_for_slot();
        start_values(out, weight, s.ring[at.slot], tile > 1);
        pass_turn(group);
        wait_for_scores(score, false);
        release(keys);
        if (tile >= unmasked)
            mask(score, job, row, tile * KEYS);
        weigh(score, rows, factor);
        wait_for_values(out);
        release(at.slot);
        rescale(out, factor);
        round(weight, score);
    }
    wait_for_slot();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    start_values(out, weight, s.ring[at.slot], tiles > 1);
    wait_for_values(out);
    store_rows(job, row, rows, out);
}

static __global__ void __launch_bounds__(GROUP *(GROUPS + 1), 1)
    attend(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
           const __grid_constant__ CUtensorMap v, job job, plan plan)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char memory[];
    shared &s = *reinterpret_cast<shared *>(memory);
    int2 place = plan.place(blockIdx.x);
    int tiles = (job.keys(place.y + QUERIES - 1) + KEYS - 1) / KEYS;
    // From lane 0, for the compiler to know that it is the same in all of them.
    int group = __shfl_sync(ALL_LANES, threadIdx.x / GROUP, 0);

    if (threadIdx.x == 0) {
        start_barrier(&s.queries, 1);
        for (int i = 0; i < SLOTS; i++) {
            start_barrier(&s.full[i], 1);
            start_barrier(&s.empty[i], GROUPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            produce(s, &q, &k, &v, place, tiles);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        consume(s, job.of_head(place.x), place.y + 64 * (group - 1), tiles, group - 1);
    }
#else
    __trap(); // wgmma is in the code of sm_90a alone.
#endif
}

KG_LAUNCHER(attention_bf16_wgmma_tma)
{
    int64_t heads = KG_EXTENT(call, 0), sequence = KG_EXTENT(call, 1);
    job job = job_of(call);
    int64_t near = NEAR / (2 * sequence * DEPTH * (int64_t)sizeof(bf16));
    plan plan = { (int)heads, (int)(near > 1 ? near : 1),
                  (int)((sequence + QUERIES - 1) / QUERIES) };
    CUtensorMap q, k, v;
    cudaError_t error = map_heads(&q, job.q, heads, sequence, 64);

    if (error == cudaSuccess)
        error = map_heads(&k, job.k, heads, sequence, KEYS);
    if (error == cudaSuccess)
        error = map_heads(&v, job.v, heads, sequence, KEYS);
    if (error != cudaSuccess)
        return error;
    return kg_start(call, attend, plan.heads * plan.blocks_of_head, GROUP * (GROUPS + 1),
                    kg_shared(sizeof(shared)), q, k, v, job, plan);
}

// SPDX-License-Identifier: MIT
