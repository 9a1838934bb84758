/* The conversions and the arithmetic of the model's cuda_fp16.h, cuda_bf16.h and cuda_fp8.h, called
 * on the host. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "tests/model/half_kernels.h"

#define HALF(bits) __ushort_as_half(static_cast<unsigned short>(bits))
#define BFLOAT(bits) __ushort_as_bfloat16(static_cast<unsigned short>(bits))

float half_widen(half_format format, unsigned int bits)
{
    const unsigned char byte = static_cast<unsigned char>(bits);

    switch (format) {
    case FLOAT16:
        return __half2float(HALF(bits));
    case BFLOAT16:
        return __bfloat162float(BFLOAT(bits));
    case E4M3:
        return __half2float(__nv_cvt_fp8_to_halfraw(byte, __NV_E4M3));
    case E5M2:
        return __half2float(__nv_cvt_fp8_to_halfraw(byte, __NV_E5M2));
    }
    return 0;
}

unsigned int half_round(half_format format, double value, int mode)
{
    switch (format) {
    case FLOAT16:
        return __half_as_ushort(__double2half(value));
    case BFLOAT16:
        return __bfloat16_as_ushort(__double2bfloat16(value));
    case E4M3:
        return __nv_cvt_double_to_fp8(value, mode == 1 ? __NV_NOSAT : __NV_SATFINITE, __NV_E4M3);
    case E5M2:
        return __nv_cvt_double_to_fp8(value, mode == 1 ? __NV_NOSAT : __NV_SATFINITE, __NV_E5M2);
    }
    return 0;
}

/* One of four functions by its rounding mode. */
#define BY_MODE(mode, prefix, value)                                                               \
    ((mode) == 0   ? prefix##_rn(value)                                                            \
     : (mode) == 1 ? prefix##_rz(value)                                                            \
     : (mode) == 2 ? prefix##_rd(value)                                                            \
                   : prefix##_ru(value))
#define TO_BITS(format, mode, from, value)                                                         \
    ((format) == FLOAT16 ? __half_as_ushort(BY_MODE(mode, __##from##2half, value))                 \
                         : __bfloat16_as_ushort(BY_MODE(mode, __##from##2bfloat16, value)))
#define OF_BITS(format, mode, to, bits)                                                            \
    ((format) == FLOAT16 ? BY_MODE(mode, __half2##to, HALF(bits))                                  \
                         : BY_MODE(mode, __bfloat162##to, BFLOAT(bits)))

unsigned int half_round_float(half_format format, float value, int mode)
{
    return TO_BITS(format, mode, float, value);
}

unsigned int half_of_int64(half_format format, int64_t value, int mode)
{
    return TO_BITS(format, mode, ll, value);
}

unsigned int half_of_uint64(half_format format, uint64_t value, int mode)
{
    return TO_BITS(format, mode, ull, value);
}

int64_t half_to_int64(half_format format, unsigned int bits, int mode)
{
    return OF_BITS(format, mode, ll, bits);
}

uint64_t half_to_uint64(half_format format, unsigned int bits, int mode)
{
    return OF_BITS(format, mode, ull, bits);
}

int half_to_int(half_format format, unsigned int bits, int mode)
{
    return OF_BITS(format, mode, int, bits);
}

unsigned short half_to_ushort(half_format format, unsigned int bits, int mode)
{
    return OF_BITS(format, mode, ushort, bits);
}

template <typename Half>
static Half compute(char operation, Half a, Half b, Half c)
{
    switch (operation) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    case 'r':
        return hsqrt(a);
    case 'f':
        return __hfma(a, b, c);
    }
    return c;
}

unsigned int half_compute(half_format format, char operation, unsigned int a, unsigned int b,
                          unsigned int c)
{
    if (format == FLOAT16)
        return __half_as_ushort(compute(operation, HALF(a), HALF(b), HALF(c)));
    return __bfloat16_as_ushort(compute(operation, BFLOAT(a), BFLOAT(b), BFLOAT(c)));
}

static int failures;
static int first_line;

static void expect(bool holds, int line)
{
    if (!holds && failures++ == 0)
        first_line = line;
}

#define EXPECT(condition) expect(condition, __LINE__)
#define IS(pair, low, high)                                                                        \
    EXPECT(__low2float(pair) == static_cast<float>(low) &&                                         \
           __high2float(pair) == static_cast<float>(high))

/* What float16 and bfloat16 have alike, in one's type and pair. */
template <typename One, typename Two>
static void check_type(One nan, One infinity)
{
    const One one = 1.0f;
    const One two = 2;
    const Two pair(one, two);
    One counter = 3u;

    static_assert(sizeof(One) == 2 && sizeof(Two) == 4, "as CUDA has them");
    static_assert(alignof(One) == 2 && alignof(Two) == 4, "as CUDA has them");
    static_assert(std::is_trivially_copyable<Two>::value, "loaded whole");
    EXPECT(one + one == two && one < two && one <= two && two > one && two >= one && one != two);
    EXPECT(static_cast<float>(counter++) == 3.0f && static_cast<float>(--counter) == 3.0f);
    EXPECT(static_cast<int>(counter) == 3 && static_cast<bool>(counter) && -one == One(-1.0));
    counter *= two;
    counter -= one;
    EXPECT(static_cast<long long>(counter / two) == 2);
    EXPECT(!(nan == nan) && nan != nan && !(nan < one) && __hneu(nan, nan) && !__hne(nan, nan));
    EXPECT(__hequ(nan, one) && __hltu(nan, one) && !__heq(nan, one) && __hgeu(one, nan));
    EXPECT(__hmax(nan, two) == two && __hmin(one, nan) == one && __hisnan(__hmax_nan(nan, one)));
    EXPECT(__hmax(one, two) == two && __hmin_nan(one, two) == one && __hisnan(__hmin(nan, nan)));
    EXPECT(__hisnan(nan) && !__hisnan(infinity) && __hisinf(__hneg(infinity)) == -1);
    EXPECT(__habs(-two) == two && hfloor(One(-1.5f)) == -two && hceil(One(1.5f)) == two);
    EXPECT(hrint(One(2.5f)) == two && htrunc(One(-1.5f)) == -one && hrcp(two) == One(0.5f));
    EXPECT(hrsqrt(One(4.0f)) == One(0.5f) && hexp2(two) == One(4.0f) && hlog2(One(4.0f)) == two);
    EXPECT(hexp(One(0.0f)) == one && hlog(one) == One(0.0f) && hcos(One(0.0f)) == one);
    EXPECT(__hadd_sat(one, two) == one && __hsub_sat(one, two) == One(0.0f));
    EXPECT(__hfma_sat(nan, one, one) == One(0.0f) && __hfma_relu(-one, one, -one) == One(0.0f));
    EXPECT(__hisnan(__hfma_relu(nan, one, one)));
    IS(pair + pair, 2, 4);
    IS(pair * -pair, -1, -4);
    IS(__h2div(pair, Two(two, two)), 0.5, 1);
    IS(__hfma2(pair, pair, pair), 2, 6);
    IS(__lowhigh2highlow(pair), 2, 1);
    IS(__hcmadd(pair, pair, pair), -2, 6);
    IS(__hmax2(pair, Two(two, one)), 2, 2);
    IS(__hlt2(pair, Two(two, one)), 1, 0);
    EXPECT(__hlt2_mask(pair, Two(two, one)) == 0xffffu && __hble2(pair, pair));
    EXPECT(pair == pair && !(pair < pair) && !__hbne2(pair, Two(one, one)));
    EXPECT(__hbneu2(Two(nan, nan), pair) && !__hbne2(Two(nan, nan), pair));
}

static void check_names()
{
    const half2 pair = __floats2half2_rn(1.0f, -2.0f);
    const nv_bfloat162 wide = __float22bfloat162_rn(make_float2(1.0f, -2.0f));

    IS(__half2half2(__high2half(pair)), -2, -2);
    IS(__lows2half2(pair, pair), 1, 1);
    IS(__highs2half2(pair, pair), -2, -2);
    IS(__low2half2(pair), 1, 1);
    IS(__high2half2(pair), -2, -2);
    IS(__halves2bfloat162(__low2bfloat16(wide), __high2bfloat16(wide)), 1, -2);
    IS(__bfloat162bfloat162(__high2bfloat16(wide)), -2, -2);
    EXPECT(__half22float2(pair).y == -2.0f && __bfloat1622float2(wide).x == 1.0f);
    EXPECT(__half_as_short(HALF(0x8000)) == -32768 && __half_as_ushort(__short_as_half(1)) == 1);
    EXPECT(__half2char_rz(HALF(0x7bff)) == 127 && __half2uchar_rz(HALF(0xbc00)) == 0);
    EXPECT(static_cast<float>(half(nv_bfloat16(1.5f))) == 1.5f);
    EXPECT(static_cast<float>(nv_bfloat16(half(1.5f))) == 1.5f);
    EXPECT(__half_as_ushort(CUDART_INF_FP16) == 0x7c00 && CUDART_ONE_BF16 == nv_bfloat16(1));
}

static void check_bytes()
{
    static_assert(sizeof(__nv_fp8_e4m3) == 1 && sizeof(__nv_fp8x2_e4m3) == 2, "as CUDA has them");
    static_assert(sizeof(__nv_fp8x4_e5m2) == 4, "as CUDA has them");
    static_assert(alignof(__nv_fp8x4_e5m2) == 4, "as CUDA has them");
    const __nv_fp8_e4m3 value(1.8125f);
    const __nv_fp8x2_e5m2 two(make_float2(3.0f, -100000.0f));
    const __nv_fp8x4_e4m3 four(__floats2half2_rn(1.0f, 2.0f), __floats2half2_rn(-3.0f, 1000.0f));

    EXPECT(static_cast<float>(value) == 1.75f && static_cast<int>(value) == 1);
    EXPECT(static_cast<float2>(two).x == 3.0f && static_cast<float2>(two).y == -57344.0f);
    EXPECT(static_cast<float4>(four).z == -3.0f && static_cast<float4>(four).w == 448.0f);
    EXPECT(static_cast<double>(__nv_fp8_e5m2(5)) == 5.0 && !static_cast<bool>(__nv_fp8_e5m2(0)));
    EXPECT(static_cast<unsigned char>(__nv_fp8_e4m3(-3)) == 0);
    EXPECT(static_cast<signed char>(__nv_fp8_e5m2(500.0)) == 127);
}

int half_failures(int *line)
{
    failures = 0;
    check_type<half, half2>(CUDART_NAN_FP16, CUDART_INF_FP16);
    check_type<nv_bfloat16, nv_bfloat162>(CUDART_NAN_BF16, CUDART_INF_BF16);
    check_names();
    check_bytes();
    *line = first_line;
    return failures;
}

// SPDX-License-Identifier: MIT
