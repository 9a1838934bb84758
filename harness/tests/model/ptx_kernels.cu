// Kernels with inline PTX. A .cu, for g++ alone does not understand it.
#include "tests/model/ptx_kernels.h"
#include "tests/model/watch_start.h"

#define COMPUTE(text, a, b, c, expected)                                                           \
    {                                                                                              \
        unsigned int result = 7;                                                                   \
                                                                                                   \
        asm volatile(text : "+r"(result) : "r"(a), "r"(b), "r"(c));                                \
        d.numbers[row++] = (int)result;                                                            \
    }
#define COMPUTE_REALS(text, a, b, c, expected)                                                     \
    {                                                                                              \
        float result = a;                                                                          \
                                                                                                   \
        asm volatile("{ .reg .f32 x, y, z; mov.f32 x, %0; mov.f32 y, %1; mov.f32 z, %2;" text      \
                     "mov.f32 %0, x; }"                                                            \
                     : "+f"(result)                                                                \
                     : "f"(b), "f"(c));                                                            \
        d.numbers[row++] = __float_as_int(result);                                                 \
    }
#define COMPUTE_LONGS(text, a, b, c, expected)                                                     \
    {                                                                                              \
        unsigned long long result = 7, x = a, y = b, z = c;                                        \
                                                                                                   \
        asm volatile(text : "+l"(result) : "l"(x), "l"(y), "l"(z));                                \
        d.numbers[row++] = (int)result;                                                            \
        d.numbers[row++] = (int)(result >> 32);                                                    \
    }
KERNEL(compute_rows)
{
    int row = 0;

    PTX_ROWS(COMPUTE)
    PTX_ROWS_OF_VIDEO(COMPUTE)
    PTX_ROWS_OF_REALS(COMPUTE_REALS)
    PTX_ROWS_OF_LONGS(COMPUTE_LONGS)
}

static __device__ unsigned int shared_address(const void *p)
{
    unsigned int address;

    asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(address) : "l"(p));
    return address;
}

// b[4 i …] = a[4 i …]; k == 1: one vector too many.
KERNEL(ptx_copy_quads)
{
    float4 quad;
    int i = index_in_grid() + (d.k == 1 ? 1 : 0);

    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(quad.x), "=f"(quad.y), "=f"(quad.z), "=f"(quad.w)
                 : "l"(d.a + 4 * i));
    i = index_in_grid();
    asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(d.b + 4 * i), "f"(quad.x),
                 "f"(quad.y), "f"(quad.z), "f"(quad.w)
                 : "memory");
}

// Bytes and halves: numbers[i] is -1 of a byte 0xff, and twice the byte; k == 1: of an odd half.
KERNEL(ptx_narrow)
{
    int i = index_in_grid(), same;
    unsigned short both;

    asm volatile("st.u8 [%0], %1;" ::"l"(d.bytes + 2 * i), "r"(0x1ff) : "memory");
    asm volatile("st.global.b8 [%0 + 1], %1;" ::"l"(d.bytes + 2 * i), "r"(1) : "memory");
    asm volatile("ld.s8 %0, [%1];" : "=r"(same) : "l"(d.bytes + 2 * i));
    asm volatile("ld.global.ca.u16 %0, [%1];" : "=h"(both) : "l"(d.bytes + 2 * i + d.k));
    d.numbers[i] = same * 1000 + both;
}

// Loads that nobody uses, and the same twice, are all loads.
KERNEL(ptx_volatile)
{
    [[maybe_unused]] int first, second;
    int *place = d.numbers + index_in_grid();

    asm volatile("ld.global.b32 %0, [%1];" : "=r"(first) : "l"(place));
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(second) : "l"(place));
    asm volatile("ld.volatile.global.b32 %0, [%1];" : "=r"(second) : "l"(place));
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(second) : "l"(place));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(place));
    asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(place), "r"(second + 1) : "memory");
}

// b[i] is a of the opposite end of the block, by way of shared memory; k == 1: without barrier.
KERNEL(ptx_reverse)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    unsigned int base = shared_address(staged);
    int i = threadIdx.x;
    float value;

    asm volatile("st.shared.f32 [%0], %1;" ::"r"(base + 4 * i), "f"(d.a[i]) : "memory");
    if (d.k != 1)
        asm volatile("bar.sync 0;" ::: "memory");
    // By a generic pointer.
    asm volatile("ld.shared.f32 %0, [%1 + -4];" : "=f"(value) : "l"(staged + blockDim.x - i));
    d.b[i] = value;
}

// The same by asynchronous copies; k == 1: without their wait, 2: without barrier, 3: of 1 byte
// less.
KERNEL(ptx_reverse_staged)
{
    extern __shared__ float4 quads[];
    int i = threadIdx.x;
    unsigned int to = static_cast<unsigned int>(__cvta_generic_to_shared(quads + i));

    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(d.a + 4 * i), "r"(d.k == 3 ? 12 : 16));
    asm volatile("cp.async.commit_group;");
    if (d.k != 1)
        asm volatile("cp.async.wait_group %0;" ::"n"(0) : "memory");
    if (d.k != 2)
        __syncthreads();
    reinterpret_cast<float4 *>(d.b)[i] = quads[blockDim.x - 1 - i];
}

// Sums by atomics; k == 1: by a load and a store.
KERNEL(ptx_atomics)
{
    [[maybe_unused]] unsigned int old, swapped;

    if (d.k == 1) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(old) : "l"(d.numbers + 3));
        asm volatile("st.global.u32 [%0], %1;" ::"l"(d.numbers + 3), "r"(old + 1) : "memory");
    }
    if (d.k == 2) {
        asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %2};" ::"l"(d.b), "f"(0.5f),
                     "f"(1.0f)
                     : "memory");
        asm volatile("red.relaxed.gpu.global.v2.f32.add [%0], {%1, %1};" ::"l"(d.b + 2), "f"(0.5f)
                     : "memory");
    }
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(d.numbers), "r"(2) : "memory");
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(d.b), "f"(0.5f) : "memory");
    asm volatile("atom.global.max.s32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(d.numbers + 1), "r"((int)threadIdx.x)
                 : "memory");
    asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(swapped)
                 : "l"(d.numbers + 2), "r"(0), "r"(5)
                 : "memory");
}

// The last block adds up what the blocks release; k == 1: to threads of their own block alone.
KERNEL(ptx_last_block)
{
    unsigned int before;
    float sum = 0.0f;

    d.b[blockIdx.x] = d.a[blockIdx.x];
    if (d.k == 1)
        asm volatile("atom.acq_rel.cta.global.add.u32 %0, [%1], 1;"
                     : "=r"(before)
                     : "l"(d.numbers)
                     : "memory");
    else
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                     : "=r"(before)
                     : "l"(d.numbers)
                     : "memory");
    for (unsigned int block = 0; before == gridDim.x - 1 && block < gridDim.x; block++)
        sum += d.b[block];
    d.b[gridDim.x + blockIdx.x] = sum;
}

// A thread waits for another warp's; k == 1: which does not release what it wrote.
KERNEL(ptx_handshake)
{
    int value = 0;

    if (threadIdx.x == 32) {
        d.b[0] = d.a[1];
        if (d.k == 1)
            asm volatile("st.relaxed.gpu.global.s32 [%0], 7;" ::"l"(d.numbers) : "memory");
        else
            asm volatile("st.release.gpu.global.s32 [%0], 7;" ::"l"(d.numbers) : "memory");
    }
    while (threadIdx.x == 0 && value != 7)
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                     : "=r"(value)
                     : "l"(d.numbers)
                     : "memory");
    if (threadIdx.x == 0)
        d.b[1] = d.b[0];
}

// What a warp does together: numbers[i] is the sum of its lanes' numbers, and more; k == 1: a lane
// that the mask leaves out is read.
KERNEL(ptx_warp)
{
    unsigned int sum = threadIdx.x, other, votes, some, total;
    unsigned int mask = d.k == 1 ? 0x7fffffffu : 0xffffffffu;

    if (d.k == 1 && threadIdx.x == 31)
        return;
    for (int offset = 16; offset > 0; offset /= 2) {
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, %3;"
                     : "=r"(other)
                     : "r"(sum), "r"(offset), "r"(mask));
        sum += other;
    }
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 99; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(votes)
                 : "r"(threadIdx.x), "r"(mask));
    asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 3; vote.sync.any.pred q, p, %2; "
                 "selp.u32 %0, 1, 0, q; }"
                 : "=r"(some)
                 : "r"(threadIdx.x), "r"(mask));
    asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 1, 0, %2; @!p mov.u32 %0, 100; }"
                 : "=r"(other)
                 : "r"(threadIdx.x), "r"(mask));
    asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(total) : "r"(threadIdx.x), "r"(mask));
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
    d.numbers[threadIdx.x] = (int)(sum + (votes == mask) * 1000 + some * 2000 + total * 10000);
    d.bytes[threadIdx.x] = (unsigned char)other;
}

// More of it: eight numbers for each lane.
KERNEL(ptx_warp_more)
{
    __shared__ int staged;
    unsigned int any, all, all_told, elected, uniform, transposed, active, places;
    unsigned int lane = threadIdx.x;

    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(any) : "r"(lane % 2));
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, 0xffffffff; selp.u32 %1, 1, 0, p; }"
                 : "=r"(all), "=r"(all_told)
                 : "r"(lane / 32));
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                 : "=r"(elected));
    asm volatile("{ .reg .pred p, q, r; setp.lt.u32 p, %1, 32; setp.lt.u32 r, %1, 5; "
                 "vote.sync.uni.pred q, p, 0xffffffff; vote.sync.all.pred r, r, 0xffffffff; "
                 "selp.u32 %0, 1, 0, q; @r mov.u32 %0, 7; }"
                 : "=r"(uniform)
                 : "r"(lane));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
                 : "=r"(transposed)
                 : "r"(2 * lane | (2 * lane + 1) << 16));
    asm volatile("activemask.b32 %0;" : "=r"(active));
    asm("{ .reg .pred p, q; isspacep.shared p, %1; isspacep.global q, %2; "
        "and.pred p, p, q; selp.u32 %0, 1, 0, p; }"
        : "=r"(places)
        : "l"(&staged), "l"(d.numbers));
    int *out = d.numbers + 8 * lane;
    out[0] = (int)any;
    out[1] = (int)(all & all_told << 31);
    out[2] = (int)elected;
    out[3] = (int)uniform;
    out[4] = (int)transposed;
    out[5] = (int)active;
    out[6] = (int)places;
}

KERNEL(ptx_registers)
{
    unsigned int x, y, lane, warp, block, clock;

    asm("mov.u32 %0, %tid.x;" : "=r"(x));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(y));
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %ctaid.x;" : "=r"(block));
    asm volatile("mov.u32 %0, %clock;" : "=r"(clock));
    asm volatile("nanosleep.u32 20;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("" ::: "memory");
    d.numbers[block * y + x] = (int)(x + 1000 * y + 100000 * lane + 10000000 * warp) + (clock == 0);
}

typedef unsigned short half_bits;

// Each warp: numbers[4 lane …] are the words of four 8x8 matrices of bytes, in rows of `n` halves;
// k == 1: one lane does not come, 2: without __syncwarp().
KERNEL(ptx_transpose)
{
    extern __shared__ half_bits tile[];
    int lane = threadIdx.x;
    unsigned int address = shared_address(tile + lane * d.n);
    unsigned int *out = reinterpret_cast<unsigned int *>(d.numbers) + 8 * lane;

    for (int i = 0; i < 8; i++)
        tile[(31 - lane) * d.n + i] = (half_bits)((31 - lane) * 8 + i);
    if (d.k != 2)
        __syncwarp();
    if (d.k == 1 && lane == 31)
        return;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0, %1}, [%2];"
                 : "=r"(out[4]), "=r"(out[5])
                 : "r"(address));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(out[6])
                 : "r"(address));
}

// numbers[2 lane …] is what a store of a matrix and one transposed leave; k == 1: beyond the end,
// 2: without __syncwarp().
KERNEL(ptx_transpose_store)
{
    __shared__ half_bits tile[2][64];
    int lane = threadIdx.x;
    unsigned int address = shared_address(&tile[0][lane % 8 * 8]);
    unsigned int word = (unsigned int)(2 * lane | (2 * lane + 1) << 16);

    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(word)
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(
                     address + (d.k == 1 ? 256 : 128)),
                 "r"(word)
                 : "memory");
    if (d.k != 2)
        __syncwarp();
    d.numbers[2 * lane] = tile[0][2 * lane] | tile[0][2 * lane + 1] << 16;
    if (d.k != 1)
        d.numbers[2 * lane + 1] = tile[1][2 * lane] | tile[1][2 * lane + 1] << 16;
}

// A barrier of a number of threads, which is the block's.
KERNEL(ptx_expected_barrier)
{
    __shared__ int staged[WATCH_MAX_BLOCK];

    staged[threadIdx.x] = (int)threadIdx.x;
    asm volatile("bar.sync 0, %0;" ::"r"(blockDim.x) : "memory");
    d.numbers[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

// Products. A register of `a` has the elements of row `row` from column `column` on, one of b those
// of column `column` from row `row` on, both of which lie together, as the PTX ISA has it.
template <typename Element>
static __device__ unsigned int load_word(const unsigned char *matrix, int major, int minor, int k)
{
    return *reinterpret_cast<const unsigned int *>(matrix +
                                                   (major * k + minor) * (int)sizeof(Element));
}

#define A_WORD(i, type, k, count)                                                                  \
    "r"(load_word<type>(d.bytes, lane / 4 + i % 2 * 8, lane % 4 * count + i / 2 * 4 * count, k))
#define B_WORD(i, type, k, count)                                                                  \
    "r"(load_word<type>(d.bytes + 2048, lane / 4, lane % 4 * count + i * 4 * count, k))
#define MULTIPLY(name, text, operands, constraint, out, ...)                                       \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        int lane = threadIdx.x;                                                                    \
        auto *c = out + lane / 4 * 8 + lane % 4 * 2;                                               \
                                                                                                   \
        if (d.k == 1 && lane == 31)                                                                \
            return;                                                                                \
        asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, " operands ", {%0, %1, %2, %3};" \
                     : "+" constraint(c[0]), "+" constraint(c[1]), "+" constraint(c[64]),          \
                       "+" constraint(c[65])                                                       \
                     : __VA_ARGS__);                                                               \
    }
#define MULTIPLY_FOUR(name, text, constraint, out, ...)                                            \
    MULTIPLY(name, text, "{%4, %5, %6, %7}, {%8, %9}", constraint, out, A_WORD(0, __VA_ARGS__),    \
             A_WORD(1, __VA_ARGS__), A_WORD(2, __VA_ARGS__), A_WORD(3, __VA_ARGS__),               \
             B_WORD(0, __VA_ARGS__), B_WORD(1, __VA_ARGS__))
#define MULTIPLY_TWO(name, text, constraint, out, ...)                                             \
    MULTIPLY(name, text, "{%4, %5}, {%6}", constraint, out, A_WORD(0, __VA_ARGS__),                \
             A_WORD(1, __VA_ARGS__), B_WORD(0, __VA_ARGS__))
MULTIPLY_FOUR(multiply_halves, "m16n8k16.row.col.f32.f16.f16.f32", "f", d.b, half_bits, 16, 2)
MULTIPLY_TWO(multiply_halves_short, "m16n8k8.row.col.f32.f16.f16.f32", "f", d.b, half_bits, 8, 2)
MULTIPLY_FOUR(multiply_bfloats, "m16n8k16.row.col.f32.bf16.bf16.f32", "f", d.b, half_bits, 16, 2)
MULTIPLY_FOUR(multiply_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", "f", d.b, float, 8, 1)
MULTIPLY_TWO(multiply_tf32_short, "m16n8k4.row.col.f32.tf32.tf32.f32", "f", d.b, float, 4, 1)
MULTIPLY_FOUR(multiply_bytes, "m16n8k32.row.col.s32.s8.s8.s32", "r", d.numbers, char, 32, 4)
MULTIPLY_FOUR(multiply_eights, "m16n8k32.row.col.f32.e5m2.e5m2.f32", "f", d.b, char, 32, 4)
MULTIPLY_TWO(multiply_bytes_short, "m16n8k16.row.col.satfinite.s32.s8.s8.s32", "r", d.numbers, char,
             16, 4)

// The same with 8 rows.
KERNEL(multiply_bytes_by_eight)
{
    int lane = threadIdx.x;
    int *c = d.numbers + lane / 4 * 8 + lane % 4 * 2;

    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(c[0]), "+r"(c[1])
                 : A_WORD(0, char, 16, 4), B_WORD(0, char, 16, 4));
}

KERNEL(multiply_doubles)
{
    int lane = threadIdx.x;
    float *c = d.b + lane / 4 * 8 + lane % 4 * 2;
    double sums[2] = { c[0], c[1] };
    const float *a = reinterpret_cast<const float *>(d.bytes) + lane;

    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sums[0]), "+d"(sums[1])
                 : "d"(static_cast<double>(a[0])), "d"(static_cast<double>(a[512])));
    c[0] = static_cast<float>(sums[0]);
    c[1] = static_cast<float>(sums[1]);
}

// The sums are halves, two in a word of numbers.
KERNEL(multiply_to_halves)
{
    int lane = threadIdx.x;
    int *c = d.numbers + lane / 4 * 4 + lane % 4;

    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, "
                 "{%6, %7}, {%0, %1};"
                 : "+r"(c[0]), "+r"(c[32])
                 : A_WORD(0, half_bits, 16, 2), A_WORD(1, half_bits, 16, 2),
                   A_WORD(2, half_bits, 16, 2), A_WORD(3, half_bits, 16, 2),
                   B_WORD(0, half_bits, 16, 2), B_WORD(1, half_bits, 16, 2));
}

// A tile of a product as kernels have it: copied asynchronously, loaded by ldmatrix, multiplied. a
// and b are 16 x 16 halves at bytes and bytes + 2048, the 16 x 8 sums floats; k == 1: no wait.
KERNEL(ptx_tiles)
{
    __shared__ __align__(16) half_bits a[16][24], b[8][24];
    int lane = threadIdx.x;
    unsigned int fragment_a[4], fragment_b[2];
    float sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f };

    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                     shared_address(&a[lane / 2][lane % 2 * 8])),
                 "l"(d.bytes + lane * 16));
    if (lane < 16)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                         shared_address(&b[lane / 2][lane % 2 * 8])),
                     "l"(d.bytes + 2048 + lane * 16));
    if (d.k != 1)
        asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment_a[0]), "=r"(fragment_a[1]), "=r"(fragment_a[2]),
                   "=r"(fragment_a[3])
                 : "r"(shared_address(&a[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fragment_b[0]), "=r"(fragment_b[1])
                 : "r"(shared_address(&b[lane % 8][lane / 8 % 2 * 8])));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(fragment_a[0]), "r"(fragment_a[1]), "r"(fragment_a[2]), "r"(fragment_a[3]),
                   "r"(fragment_b[0]), "r"(fragment_b[1]));
    for (int i = 0; i < 4; i++)
        d.b[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
}

// SPDX-License-Identifier: MIT
