// Products of a warp group by wgmma, of every shape, type, layout and swizzle: a program, which
// holds the CPU model against the hardware. Each row verifies itself by loops on the host, exactly
// where the elements are small whole numbers, and prints a checksum of its sums' bits. Compile it
// by `kernelgate nvcc` and by `nvcc -arch=sm_90a`: both print the same.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#define GROUP 128
#define ROWS 64
#define MAX_COLUMNS 256
#define MAX_WORDS (MAX_COLUMNS / 2) /* of sums, of a thread */
#define TILE (96 * 1024)            /* bytes of shared memory for an operand */

enum kind { F16, BF16, TF32, S8, U8, E4M3, E5M2 };

static __host__ __device__ int size_of(kind type)
{
    return type == TF32 ? 4 : type >= S8 ? 1 : 2;
}

// Where an operand's elements lie: `across` counts rows of a or columns of b.
struct layout {
    int width;   // bytes of a swizzled row; 16: no swizzle
    bool turned; // contiguous across, not along k
    int step;    // which 32 bytes of k, or 16 rows where it is turned
    int shift;   // bytes from where the swizzle repeats, multiples of 128

    __host__ __device__ int stride() const
    {
        return width == 16 && turned ? 512 : 8 * width + (width == 16 ? 128 : 1024);
    }
    __host__ __device__ int leading() const
    {
        return width == 16 ? (turned ? 128 : 16384) : turned ? 16384 : 16;
    }
    __device__ int place(int across, int along, int size) const
    {
        const int chunk = 16 / size;
        int at;

        if (!turned && width == 16)
            at = across % 8 * 16 + across / 8 * stride() + along / chunk * leading() +
                 along % chunk * size;
        else if (!turned)
            at = across % 8 * width + across / 8 * stride() + (step * 32 + along * size);
        else if (width == 16)
            at = along % 8 * 16 + along / 8 * leading() + across / chunk * stride() +
                 across % chunk * size;
        else
            at = (along % 8) * width + (along / 8 + 2 * step) * stride() +
                 across / (width / size) * leading() + across % (width / size) * size;
        return at ^ ((at >> 7) & (width / 16 - 1)) << 4;
    }
    __device__ uint64_t descriptor(unsigned address) const
    {
        const uint64_t mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
        const int begin = width == 16 ? 0 : turned ? 2 * step * stride() : step * 32;

        return mode << 62 | (uint64_t)(shift / 128) << 49 | (uint64_t)(stride() >> 4) << 32 |
               (uint64_t)(leading() >> 4) << 16 | ((address + begin) & 0x3ffff) >> 4;
    }
};

struct row {
    const char *name;
    kind a, b;
    int columns, words; // words of a thread
    bool halves;        // sums of f16
    layout of_a, of_b;
    bool by_registers;
    int scales[2];
    bool adds;
    void (*kernel)(row, const unsigned char *, const unsigned char *, unsigned *);

    int depth() const
    {
        return 32 / size_of(a);
    }
};

// Copies `count` x `depth` elements, k contiguous, to where the layout has them.
static __device__ void stage(unsigned char *tile, const unsigned char *from, const layout &to,
                             int count, int size)
{
    for (int i = threadIdx.x; i < count * 32; i += GROUP)
        tile[to.shift + to.place(i / 32, i % 32 / size, size) + i % size] = from[i];
}

// The registers after the first of so many.
#define R4(X) X(1) X(2) X(3)
#define R8(X) R4(X) X(4) X(5) X(6) X(7)
#define R12(X) R8(X) X(8) X(9) X(10) X(11)
#define R16(X) R12(X) X(12) X(13) X(14) X(15)
#define R20(X) R16(X) X(16) X(17) X(18) X(19)
#define R24(X) R20(X) X(20) X(21) X(22) X(23)
#define R28(X) R24(X) X(24) X(25) X(26) X(27)
#define R32(X) R28(X) X(28) X(29) X(30) X(31)
#define R36(X) R32(X) X(32) X(33) X(34) X(35)
#define R40(X) R36(X) X(36) X(37) X(38) X(39)
#define R44(X) R40(X) X(40) X(41) X(42) X(43)
#define R48(X) R44(X) X(44) X(45) X(46) X(47)
#define R52(X) R48(X) X(48) X(49) X(50) X(51)
#define R56(X) R52(X) X(52) X(53) X(54) X(55)
#define R60(X) R56(X) X(56) X(57) X(58) X(59)
#define R64(X) R60(X) X(60) X(61) X(62) X(63)
#define R68(X) R64(X) X(64) X(65) X(66) X(67)
#define R72(X) R68(X) X(68) X(69) X(70) X(71)
#define R76(X) R72(X) X(72) X(73) X(74) X(75)
#define R80(X) R76(X) X(76) X(77) X(78) X(79)
#define R84(X) R80(X) X(80) X(81) X(82) X(83)
#define R88(X) R84(X) X(84) X(85) X(86) X(87)
#define R92(X) R88(X) X(88) X(89) X(90) X(91)
#define R96(X) R92(X) X(92) X(93) X(94) X(95)
#define R100(X) R96(X) X(96) X(97) X(98) X(99)
#define R104(X) R100(X) X(100) X(101) X(102) X(103)
#define R108(X) R104(X) X(104) X(105) X(106) X(107)
#define R112(X) R108(X) X(108) X(109) X(110) X(111)
#define R116(X) R112(X) X(112) X(113) X(114) X(115)
#define R120(X) R116(X) X(116) X(117) X(118) X(119)
#define R124(X) R120(X) X(120) X(121) X(122) X(123)
#define R128(X) R124(X) X(124) X(125) X(126) X(127)
#define LOAD(i) "ld.global.b32 d" #i ", [p]; add.u64 p, p, 4;"
#define STORE(i) "st.global.b32 [p], d" #i "; add.u64 p, p, 4;"
#define NAME(i) ", d" #i
// One product: the thread's sums come from memory and go there. `source` is a as it is written.
#define PRODUCT(name, list, source, immediates)                                                    \
    "{ .reg .b32 d<128>; .reg .u64 p; .reg .pred adds; setp.ne.b32 adds, %3, 0; mov.u64 p, "       \
    "%0;" LOAD(0)                                                                                  \
        list(LOAD) "wgmma.fence.sync.aligned;"                                                     \
                   "wgmma.mma_async.sync.aligned." name                                            \
                   " {d0" list(NAME) "}, " source ", %2, adds" immediates ";"                      \
                                     "wgmma.commit_group.sync.aligned; "                           \
                                     "wgmma.wait_group.sync.aligned 0; mov.u64 p, %0;" STORE(0)    \
                                         list(STORE) "}"

#define SHARED "%1"
#define REGISTERS "{%4, %5, %6, %7}"
#define NO_IMMEDIATES
#define SCALES ", %8, %9"
#define ALL ", %8, %9, %10, %11"
#define OF_REGISTERS ", %8, %9, %11"

// A kernel of one block: stages both operands, multiplies once.
#define KERNEL(name, text, type, list, source, immediates)                                         \
    template <int ScaleA, int ScaleB, int TurnA, int TurnB>                                        \
    static __global__ void name(row which, const unsigned char *left, const unsigned char *right,  \
                                unsigned *sums)                                                    \
    {                                                                                              \
        extern __shared__ __align__(1024) unsigned char tiles[];                                   \
        const int t = threadIdx.x, size = size_of(which.a);                                        \
        unsigned own[4];                                                                           \
        uint64_t descriptors[2];                                                                   \
                                                                                                   \
        stage(tiles, left, which.of_a, ROWS, size);                                                \
        stage(tiles + TILE, right, which.of_b, which.columns, size);                               \
        for (int i = 0; i < 4; i++)                                                                \
            memcpy(&own[i],                                                                        \
                   left + (t / 32 * 16 + t % 32 / 4 + i % 2 * 8) * 32 + i / 2 * 16 + t % 4 * 4,    \
                   4);                                                                             \
        asm volatile("fence.proxy.async;" ::: "memory");                                           \
        __syncthreads();                                                                           \
        descriptors[0] =                                                                           \
            which.of_a.descriptor((unsigned)__cvta_generic_to_shared(tiles) + which.of_a.shift);   \
        descriptors[1] = which.of_b.descriptor((unsigned)__cvta_generic_to_shared(tiles + TILE) +  \
                                               which.of_b.shift);                                  \
        asm volatile(PRODUCT(text type, list, source, immediates)::"l"(sums + t * MAX_WORDS),      \
                     "l"(descriptors[0]), "l"(descriptors[1]), "r"((int)which.adds), "r"(own[0]),  \
                     "r"(own[1]), "r"(own[2]), "r"(own[3]), "n"(ScaleA), "n"(ScaleB), "n"(TurnA),  \
                     "n"(TurnB)                                                                    \
                     : "memory");                                                                  \
    }

// clang-format off
// All numbers of columns, with the words of a thread's sums: of floats, and of halves.
#define EACH_OF_FLOATS(X)                                                                          \
    X(8, 4) X(16, 8) X(24, 12) X(32, 16) X(40, 20) X(48, 24) \
    X(56, 28) X(64, 32) X(72, 36) X(80, 40) X(88, 44) X(96, 48) \
    X(104, 52) X(112, 56) X(120, 60) X(128, 64) X(136, 68) X(144, 72) \
    X(152, 76) X(160, 80) X(168, 84) X(176, 88) X(184, 92) X(192, 96) \
    X(200, 100) X(208, 104) X(216, 108) X(224, 112) X(232, 116) X(240, 120) \
    X(248, 124) X(256, 128)
#define EACH_OF_HALVES(X)                                                                          \
    X(16, 4) X(80, 20) X(128, 32) X(256, 64)
// clang-format on
#define OF_FLOATS(n, words)                                                                        \
    KERNEL(floats_##n, "m64n" #n "k16", ".f32.f16.f16", R##words, SHARED, ALL)
#define OF_HALVES(n, words)                                                                        \
    KERNEL(halves_##n, "m64n" #n "k16", ".f16.f16.f16", R##words, SHARED, ALL)
// clang-format off
EACH_OF_FLOATS(OF_FLOATS)
EACH_OF_HALVES(OF_HALVES)
KERNEL(bf16_64, "m64n64k16", ".f32.bf16.bf16", R32, SHARED, ALL)
KERNEL(bf16_own, "m64n40k16", ".f32.bf16.bf16", R20, REGISTERS, OF_REGISTERS)
KERNEL(f16_own, "m64n64k16", ".f16.f16.f16", R16, REGISTERS, OF_REGISTERS)
KERNEL(tf32, "m64n24k8", ".f32.tf32.tf32", R12, SHARED, SCALES)
KERNEL(tf32_own, "m64n128k8", ".f32.tf32.tf32", R64, REGISTERS, SCALES)
KERNEL(s8_s8, "m64n32k32", ".s32.s8.s8", R16, SHARED, NO_IMMEDIATES)
KERNEL(s8_u8, "m64n64k32", ".s32.s8.u8", R32, SHARED, NO_IMMEDIATES)
KERNEL(u8_s8_own, "m64n16k32", ".s32.u8.s8", R8, REGISTERS, NO_IMMEDIATES)
KERNEL(u8_u8, "m64n96k32", ".satfinite.s32.u8.u8", R48, SHARED, NO_IMMEDIATES)
KERNEL(e4m3_e4m3, "m64n64k32", ".f32.e4m3.e4m3", R32, SHARED, SCALES)
KERNEL(e5m2_e5m2, "m64n32k32", ".f32.e5m2.e5m2", R16, SHARED, SCALES)
KERNEL(e4m3_e5m2_own, "m64n128k32", ".f32.e4m3.e5m2", R64, REGISTERS, SCALES)
KERNEL(e5m2_e4m3, "m64n24k32", ".f32.e5m2.e4m3", R12, SHARED, SCALES)
KERNEL(e4m3_to_f16, "m64n64k32", ".f16.e4m3.e4m3", R16, SHARED, SCALES)
KERNEL(e5m2_to_f16, "m64n32k32", ".f16.e5m2.e4m3", R8, REGISTERS, SCALES)
// clang-format on

// clang-format on
constexpr layout K16 = { 16, false, 0, 0 }, K32 = { 32, false, 0, 0 }, K64 = { 64, false, 0, 0 },
                 K128 = { 128, false, 0, 0 }, M16 = { 16, true, 0, 0 }, M32 = { 32, true, 0, 0 },
                 M64 = { 64, true, 0, 0 }, M128 = { 128, true, 0, 0 };
constexpr layout K64_1 = { 64, false, 1, 0 }, K128_1 = { 128, false, 1, 0 },
                 K128_3 = { 128, false, 3, 0 }, M32_1 = { 32, true, 1, 0 },
                 M64_1 = { 64, true, 1, 0 }, M128_2 = { 128, true, 2, 0 };
// The swizzle repeats from elsewhere than a multiple of 1024 bytes.
constexpr layout K128_MOVED = { 128, false, 0, 256 }, M128_MOVED = { 128, true, 0, 384 };

#define ROW_OF(kernel, a, b, n, words, halves, of_a, of_b, own, scale_a, scale_b, adds)            \
    { #kernel " " #of_a " " #of_b,                                                                 \
      a,                                                                                           \
      b,                                                                                           \
      n,                                                                                           \
      words,                                                                                       \
      halves,                                                                                      \
      of_a,                                                                                        \
      of_b,                                                                                        \
      own,                                                                                         \
      { scale_a, scale_b },                                                                        \
      adds,                                                                                        \
      kernel<scale_a, scale_b, of_a.turned, of_b.turned> },
#define ROW_OF_FLOATS(n, words)                                                                    \
    ROW_OF(floats_##n, F16, F16, n, words, false, K128, K128, false, 1, 1, true)
#define ROW_OF_HALVES(n, words)                                                                    \
    ROW_OF(halves_##n, F16, F16, n, words, true, K128, K128, false, 1, 1, true)
#define ROW_OF_LAYOUTS(of_a, of_b)                                                                 \
    ROW_OF(bf16_64, BF16, BF16, 64, 32, false, of_a, of_b, false, 1, 1, false)
// clang-format off
static const row rows[] = {
    EACH_OF_FLOATS(ROW_OF_FLOATS) EACH_OF_HALVES(ROW_OF_HALVES)
    ROW_OF_LAYOUTS(K16, K128) ROW_OF_LAYOUTS(K32, K64) ROW_OF_LAYOUTS(K64, K32) ROW_OF_LAYOUTS(K128, K16)
    ROW_OF_LAYOUTS(M16, K128) ROW_OF_LAYOUTS(M32, K64) ROW_OF_LAYOUTS(M64, K32) ROW_OF_LAYOUTS(M128, K16)
    ROW_OF_LAYOUTS(K16, M128) ROW_OF_LAYOUTS(K32, M64) ROW_OF_LAYOUTS(K64, M32) ROW_OF_LAYOUTS(K128, M16)
    ROW_OF_LAYOUTS(M16, M32) ROW_OF_LAYOUTS(M64, M128) ROW_OF_LAYOUTS(M128, M64) ROW_OF_LAYOUTS(M32, M16)
    ROW_OF_LAYOUTS(K64_1, K128_1) ROW_OF_LAYOUTS(K128_3, K64_1) ROW_OF_LAYOUTS(M128_2, M64_1)
    ROW_OF_LAYOUTS(M32_1, M128_2) ROW_OF_LAYOUTS(M64_1, M32_1)
    ROW_OF_LAYOUTS(K128_MOVED, K128) ROW_OF_LAYOUTS(K128, K128_MOVED)
    ROW_OF_LAYOUTS(M128_MOVED, K128) ROW_OF_LAYOUTS(K128, M128_MOVED)
    ROW_OF(bf16_64, BF16, BF16, 64, 32, false, K128, M128, false, -1, 1, true)
    ROW_OF(bf16_64, BF16, BF16, 64, 32, false, M64, K32, false, 1, -1, true)
    ROW_OF(bf16_64, BF16, BF16, 64, 32, false, K16, M16, false, -1, -1, true)
    ROW_OF(bf16_own, BF16, BF16, 40, 20, false, K128, K64, true, 1, 1, true)
    ROW_OF(bf16_own, BF16, BF16, 40, 20, false, K128, M16, true, -1, 1, false)
    ROW_OF(f16_own, F16, F16, 64, 16, true, K128, M128, true, 1, -1, true)
    ROW_OF(tf32, TF32, TF32, 24, 12, false, K128, K64, false, 1, 1, true)
    ROW_OF(tf32, TF32, TF32, 24, 12, false, K16, K128_3, false, -1, 1, true)
    ROW_OF(tf32_own, TF32, TF32, 128, 64, false, K128, K32, true, 1, 1, true)
    ROW_OF(s8_s8, S8, S8, 32, 16, false, K128, K128_1, false, 1, 1, true)
    ROW_OF(s8_u8, S8, U8, 64, 32, false, K64_1, K32, false, 1, 1, true)
    ROW_OF(u8_s8_own, U8, S8, 16, 8, false, K128, K16, true, 1, 1, false)
    ROW_OF(u8_u8, U8, U8, 96, 48, false, K32, K128, false, 1, 1, true)
    ROW_OF(e4m3_e4m3, E4M3, E4M3, 64, 32, false, K128, K128_1, false, 1, 1, true)
    ROW_OF(e4m3_e4m3, E4M3, E4M3, 64, 32, false, K64, K16, false, -1, 1, false)
    ROW_OF(e5m2_e5m2, E5M2, E5M2, 32, 16, false, K128, K128, false, 1, -1, true)
    ROW_OF(e4m3_e5m2_own, E4M3, E5M2, 128, 64, false, K128, K64, true, 1, 1, true)
    ROW_OF(e5m2_e4m3, E5M2, E4M3, 24, 12, false, K32, K128_3, false, 1, 1, true)
    ROW_OF(e4m3_to_f16, E4M3, E4M3, 64, 16, true, K128, K128, false, 1, 1, true)
    ROW_OF(e5m2_to_f16, E5M2, E4M3, 32, 8, true, K128, K128, true, 1, 1, true)
};

// clang-format on
static unsigned random_bits()
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33);
}

enum range { SMALL, BELOW_16, DENORMAL, ANY };

// Makes an 8-bit float; returns its value.
template <typename Type>
static double make_eight(range which, unsigned normal, unsigned below_16, unsigned char *to)
{
    Type made((float)(random_bits() % 9) - 4);
    unsigned rest;

    do {
        made.__x = which == SMALL ? made.__x : (unsigned char)random_bits();
        rest = made.__x & 0x7fu;
    } while ((which == BELOW_16 && rest >= below_16) || (which == DENORMAL && rest >= normal) ||
             (float)made - (float)made != 0);
    *to = made.__x;
    return (float)made;
}

// Makes an element: small whole numbers have few bits; others all of a float's below 16, those of
// 8 bits all of theirs. Returns its value.
static double make(kind type, range which, unsigned char *to)
{
    const bool small = which == SMALL || (which == BELOW_16 && type == F16);
    float value = small ? (float)(random_bits() % 9) - 4
                        : (random_bits() % 65536 - 32768.0f) / (1 << random_bits() % 16);
    const __half half = __float2half(value);
    const __nv_bfloat16 wide = __float2bfloat16(value);

    if (type == E4M3)
        return make_eight<__nv_fp8_e4m3>(which, 0x08, 0x58, to);
    if (type == E5M2)
        return make_eight<__nv_fp8_e5m2>(which, 0x04, 0x4c, to);
    if (type == S8 || type == U8) {
        *to = (unsigned char)(small && type == S8 ? random_bits() % 9 - 4 : random_bits());
        return type == S8 ? (signed char)*to : *to;
    }
    if (type == TF32)
        value = (float)((int)(value * 8)) / 8;
    memcpy(to,
           type == F16    ? (const void *)&half
           : type == BF16 ? (const void *)&wide
                          : &value,
           size_of(type));
    if (type == TF32) {
        uint32_t bits;

        memcpy(&bits, &value, 4);
        bits &= ~0x1fffu;
        memcpy(&value, &bits, 4);
    }
    return type == F16 ? __half2float(half) : type == BF16 ? __bfloat162float(wide) : value;
}

// A sum of a thread: what the register has before, or after.
static double sum_of(const row &which, const unsigned *words, int number)
{
    float value;

    if (which.halves) {
        __half half;

        memcpy(&half, (const char *)words + 2 * number, 2);
        return __half2float(half);
    }
    if (which.a == S8 || which.a == U8)
        return (int)words[number];
    memcpy(&value, &words[number], 4);
    return value;
}

static double left[ROWS][32], right[MAX_COLUMNS][32];
static unsigned before[GROUP][MAX_WORDS], after[GROUP][MAX_WORDS];

static int count_wrong(const row &which, bool small, unsigned *checksum)
{
    int wrong = 0;

    for (int i = 0; i < GROUP * which.words * (which.halves ? 2 : 1); i++) {
        const int t = i % GROUP, number = i / GROUP;
        const int line = t / 32 * 16 + t % 32 / 4 + number / 2 % 2 * 8;
        const int column = number / 4 * 8 + t % 4 * 2 + number % 2;
        double expected = which.adds ? sum_of(which, before[t], number) : 0;
        double magnitude = expected < 0 ? -expected : expected;
        double difference;

        for (int k = 0; k < which.depth(); k++) {
            const double product =
                left[line][k] * right[column][k] * which.scales[0] * which.scales[1];

            expected += product;
            magnitude += product < 0 ? -product : product;
        }
        difference = sum_of(which, after[t], number) - expected;
        if (which.a == S8 || which.a == U8 || small)
            wrong += difference != 0;
        else
            wrong += !((difference < 0 ? -difference : difference) <=
                       magnitude * (which.a >= E4M3 ? 0x1p-7
                                    : which.halves  ? 0x1p-10
                                                    : 0x1p-19));
        *checksum = (*checksum ^ after[t][which.halves ? number / 2 : number]) * 16777619u;
    }
    return wrong;
}

// Returns how many sums are wrong.
static int run(const row &which, bool small, unsigned *checksum)
{
    static unsigned char bytes[(ROWS + MAX_COLUMNS) * 32];
    const int size = size_of(which.a);
    unsigned char *operands;
    unsigned *sums;
    int wrong = -1;

    for (int i = 0; i < (ROWS + which.columns) * which.depth(); i++) {
        const int across = i / which.depth(), k = i % which.depth();
        double *to = across < ROWS ? &left[across][k] : &right[across - ROWS][k];

        *to = make(across < ROWS ? which.a : which.b,
                   small                                ? SMALL
                   : which.halves                       ? BELOW_16
                   : which.a >= E4M3 && across % 8 == 0 ? DENORMAL
                                                        : ANY,
                   bytes + across * 32 + k * size);
    }
    for (int i = 0; i < GROUP * MAX_WORDS; i++) {
        const float value = (float)(random_bits() % 64) - 32;
        const __half2 pair = __floats2half2_rn(value, -value);
        const int number = (int)value;

        memcpy(&before[i / MAX_WORDS][i % MAX_WORDS],
               which.halves                     ? (const void *)&pair
               : which.a == S8 || which.a == U8 ? (const void *)&number
                                                : &value,
               4);
    }
    if (cudaMalloc(&operands, sizeof bytes) != cudaSuccess ||
        cudaMalloc(&sums, sizeof before) != cudaSuccess)
        return wrong;
    if (cudaMemcpy(operands, bytes, sizeof bytes, cudaMemcpyHostToDevice) == cudaSuccess &&
        cudaMemcpy(sums, before, sizeof before, cudaMemcpyHostToDevice) == cudaSuccess &&
        cudaFuncSetAttribute((const void *)which.kernel,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             2 * TILE) == cudaSuccess) {
        which.kernel<<<1, GROUP, 2 * TILE>>>(which, operands, operands + ROWS * 32, sums);
        if (cudaMemcpy(after, sums, sizeof after, cudaMemcpyDeviceToHost) == cudaSuccess)
            wrong = count_wrong(which, small, checksum);
    }
    return cudaFree(operands) == cudaSuccess && cudaFree(sums) == cudaSuccess ? wrong : -1;
}

int main()
{
    int failures = 0;

    for (const row &which : rows) {
        unsigned checksum = 2166136261u;
        const int small = run(which, true, &checksum), wide = run(which, false, &checksum);

        failures += small != 0 || wide != 0;
        std::printf("%-28s %4d %3d wrong, %08x\n", which.name, small, wide, checksum);
    }
    std::printf("%d of %zu rows are wrong\n", failures, sizeof rows / sizeof *rows);
    return failures != 0;
}

// SPDX-License-Identifier: MIT
