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
#include "../hopper.cuh"
#include "online.cuh"

#define GROUPS 2
#define QUERIES (GROUPS * 64)
#define KEYS 176    /* of a tile: as many as registers for scores, weights and sums allow */
#define SLOTS 4     /* of the ring, each a tile of K or of V */
#define PANEL 64    /* columns in one row of 128 bytes */
#define FEW_HEADS 8 /* whose K and V the L2 cache holds */

struct shared {
    bf16 q[GROUPS][64 * DEPTH]; // two panels each, one after the other
    bf16 ring[SLOTS][KEYS * DEPTH];
    uint64_t full[SLOTS], empty[SLOTS], queries;
};

static constexpr unsigned BYTES_OF_TILE = KEYS * DEPTH * sizeof(bf16);

// Fetches the box at (row, head), both panels; the barrier counts its bytes.
static __device__ __forceinline__ void fetch_rows(bf16 *to, const CUtensorMap *map, int row,
                                                  int head, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {0, %2, 0, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(row), "r"(head), "r"(shared_address(barrier))
                 : "memory");
}

// One thread fetches the queries, and tiles in the order in which they are multiplied: the keys of
// a tile come before the values of the tile before it.
[[maybe_unused]] static __device__ void produce(shared &s, const CUtensorMap *q,
                                                const CUtensorMap *k, const CUtensorMap *v,
                                                int start, int head, int tiles)
{
    position<SLOTS> at;

    expect_bytes(&s.queries, sizeof s.q);
    for (int i = 0; i < GROUPS; i++)
        fetch_rows(s.q[i], q, start + 64 * i, head, &s.queries);
    for (int i = 0; i < 2 * tiles; i++, at.advance()) {
        bool keys = i == 0 || (i % 2 == 1 && i < 2 * tiles - 1);
        int tile = keys ? (i + 1) / 2 : (i - 1) / 2;

        wait(&s.empty[at.slot], at.parity ^ 1);
        expect_bytes(&s.full[at.slot], BYTES_OF_TILE);
        fetch_rows(s.ring[at.slot], keys ? k : v, tile * KEYS, head, &s.full[at.slot]);
    }
}

#define REGISTERS_64                                                                               \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "   \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "   \
    "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "   \
    "%56, %57, %58, %59, %60, %61, %62, %63"
#define REGISTERS_88                                                                               \
    REGISTERS_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, "   \
                 "%79, %80, %81, %82, %83, %84, %85, %86, %87"
#define SCORES SUMS_64(0), SUMS_16(16), SUMS_4(20), SUMS_4(21)

// sums (+)= 16 columns of Q times those of K, 64 x KEYS; both run along the columns.
static __device__ __forceinline__ void multiply_step(float (&sums)[KEYS / 8][4], uint64_t q,
                                                     uint64_t k, int adds)
{
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %90, 0; "
                 "wgmma.mma_async.sync.aligned.m64n176k16.f32.bf16.bf16 {" REGISTERS_88 "}, "
                 "%88, %89, adds, 1, 1, 0, 0; }"
                 : SCORES
                 : "l"(q), "l"(k), "r"(adds));
}

// sums (+)= weights of 16 keys, in registers, times their rows of V, 64 x 128; the last 1 says
// that V runs along n.
static __device__ __forceinline__ void
multiply_step(float (&sums)[DEPTH / 8][4], const unsigned (&weight)[4], uint64_t v, int adds)
{
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %69, 0; "
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" REGISTERS_64 "}, "
                 "{%64, %65, %66, %67}, %68, adds, 1, 1, 1; }"
                 : SUMS_64(0)
                 : "r"(weight[0]), "r"(weight[1]), "r"(weight[2]), "r"(weight[3]), "l"(v),
                   "r"(adds));
}

// Starts score = Q K^T. 16 columns are 32 bytes of a panel's row, in units of 16 bytes.
static __device__ __forceinline__ void start_scores(float (&score)[KEYS / 8][4], const bf16 *q,
                                                    const bf16 *k)
{
    uint64_t a = describe(q, 16, 8 * 128), b = describe(k, 16, 8 * 128);

#pragma unroll
    for (int i = 0; i < DEPTH / 16; i++)
        multiply_step(score, a + i / 4 * (64 * 128 / 16) + i % 4 * 2,
                      b + i / 4 * (KEYS * 128 / 16) + i % 4 * 2, i > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Starts out (+)= weights V. 16 keys are 16 rows of both panels.
static __device__ __forceinline__ void start_values(float (&out)[DEPTH / 8][4],
                                                    const unsigned (&weight)[KEYS / 16][4],
                                                    const bf16 *v, bool adds)
{
    uint64_t b = describe(v, KEYS * 128, 8 * 128);

#pragma unroll
    for (int i = 0; i < KEYS / 16; i++)
        multiply_step(out, weight[i], b + i * (16 * 128 / 16), adds || i > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Wait for products, all or all but the newest, whose sums the compiler sees change here.
static __device__ __forceinline__ void wait_for_scores(float (&sums)[KEYS / 8][4], bool all)
{
    if (all)
        asm volatile("wgmma.wait_group.sync.aligned 0;" : SCORES::"memory");
    else
        asm volatile("wgmma.wait_group.sync.aligned 1;" : SCORES::"memory");
}

static __device__ __forceinline__ void wait_for_values(float (&sums)[DEPTH / 8][4])
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS_64(0)::"memory");
}

// Of two warp groups one at a time may start products: a named barrier each, where the other
// arrives when it has started its own.
static __device__ __forceinline__ void await_turn(int group)
{
    asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(GROUPS * GROUP) : "memory");
}

static __device__ __forceinline__ void pass_turn(int group)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(2 - group), "n"(GROUPS * GROUP) : "memory");
}

// A warp group: the attention of its 64 queries.
[[maybe_unused]] static __device__ void consume(shared &s, const job &job, int start, int tiles,
                                                int group)
{
    int thread = threadIdx.x % GROUP, first = start + 64 * group;
    int row = first + thread / 32 * 16 + thread % 32 / 4;
    int unmasked = job.keys(first) / KEYS;
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

// Block `index`, as head and block of queries: of a few heads the blocks with the most keys first.
[[maybe_unused]] static __device__ __forceinline__ int2 place_of(int index, int heads, int blocks)
{
    int first = index / (FEW_HEADS * blocks) * FEW_HEADS, few = min(FEW_HEADS, heads - first);
    int within = index - first * blocks;

    return make_int2(first + within % few, blocks - 1 - within / few);
}

static __global__ void __launch_bounds__(GROUP *(GROUPS + 1), 1)
    attend(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
           const __grid_constant__ CUtensorMap v, job job, int heads)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char memory[];
    shared &s = *reinterpret_cast<shared *>(memory);
    int2 place = place_of(blockIdx.x, heads, gridDim.x / heads);
    int start = place.y * QUERIES, tiles = (job.keys(start + QUERIES - 1) + KEYS - 1) / KEYS;
    int group = threadIdx.x / GROUP;

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
            produce(s, &q, &k, &v, start, place.x, tiles);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        consume(s, job.of_head(place.x), start, tiles, group - 1);
    }
#else
    __trap(); // wgmma is in the code of sm_90a alone.
#endif
}

// A map of heads of `sequence` rows, in two panels, for boxes of `rows` of one head. Boxes end with
// the head: beyond are zeros.
static cudaError_t map_heads(CUtensorMap *map, const bf16 *array, int64_t heads, int64_t sequence,
                             unsigned rows)
{
    cuuint64_t extent[4] = { PANEL, (cuuint64_t)sequence, DEPTH / PANEL, (cuuint64_t)heads };
    cuuint64_t pitch[3] = { DEPTH * sizeof(bf16), PANEL * sizeof(bf16),
                            (cuuint64_t)sequence * DEPTH * sizeof(bf16) };
    cuuint32_t box[4] = { PANEL, rows, DEPTH / PANEL, 1 };

    return map_boxes(map, array, 4, extent, pitch, box);
}

KG_LAUNCHER(attention_bf16_wgmma_tma)
{
    int64_t heads = KG_EXTENT(call, 0), sequence = KG_EXTENT(call, 1);
    job job = job_of(call);
    CUtensorMap q, k, v;
    cudaError_t error = map_heads(&q, job.q, heads, sequence, 64);

    if (error == cudaSuccess)
        error = map_heads(&k, job.k, heads, sequence, KEYS);
    if (error == cudaSuccess)
        error = map_heads(&v, job.v, heads, sequence, KEYS);
    if (error != cudaSuccess)
        return error;
    return kg_start(call, attend, kg_grid(heads * ((sequence + QUERIES - 1) / QUERIES), 1),
                    GROUP * (GROUPS + 1), kg_shared(sizeof(shared)), q, k, v, job, heads);
}
