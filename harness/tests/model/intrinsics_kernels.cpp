/* Kernels that try CUDA's intrinsics at the edges of what they take. */
#include <cuda_runtime.h>

#include "tests/model/intrinsics_kernels.h"

// By which kernels choose what they use.
static_assert(__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 == CUDART_VERSION,
              "nvcc is of the toolkit's version");

static_assert(sizeof(float4) == 16 && sizeof(uchar3) == 3 && sizeof(float3) == 12,
              "as CUDA has them");
static_assert(alignof(float4) == 16 && alignof(float3) == 4 && alignof(double2) == 16,
              "as CUDA has them");
static_assert(alignof(short4) == 8 && alignof(uchar4) == 4 && alignof(int2) == 8,
              "as CUDA has them");

#define NOT_A_NUMBER __int_as_float(0x7fc00000)
#define INFINITE __int_as_float(0x7f800000)
#define LEAST_INT (-2147483647 - 1)
#define LEAST_LONG (-9223372036854775807ll - 1)

template <typename Value>
static __device__ uint64_t bits_of(Value value)
{
    uint64_t bits = 0;

    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename Value>
static __device__ tried equal(const char *expression, Value value, Value expected)
{
    return { expression, bits_of(value), bits_of(expected), 0.0, 0.0 };
}

template <typename Value>
static __device__ tried close(const char *expression, Value value, double expected)
{
    const double unit = sizeof value == 4 ? 0x1p-24 : 0x1p-53;

    return { expression, bits_of(value), bits_of(static_cast<Value>(expected)),
             fabs(static_cast<double>(value) / expected - 1.0) / unit, 4.0 };
}

#define IS(expression, expected)                                                                   \
    out[i++] = equal<decltype(expression)>(#expression, expression, expected);
#define IS_CLOSE(expression, expected) out[i++] = close(#expression, expression, expected);

#define TRIES(name)                                                                                \
    static __global__ void name(tried *out, int *count);                                           \
    cudaError_t launch_##name(const cudaLaunchConfig_t *config, tried *out, int *count)            \
    {                                                                                              \
        return cudaLaunchKernelEx(config, name, out, count);                                       \
    }                                                                                              \
    static __global__ void name(tried *out, int *count)

TRIES(conversions)
{
    int i = 0;

    IS(__float2int_rn(2.5f), 2)
    IS(__float2int_rn(3.5f), 4)
    IS(__float2int_rn(-2.5f), -2)
    IS(__float2int_rz(-2.9f), -2)
    IS(__float2int_ru(-2.9f), -2)
    IS(__float2int_ru(2.1f), 3)
    IS(__float2int_rd(-2.1f), -3)
    IS(__float2int_rn(NOT_A_NUMBER), 0)
    IS(__float2int_rz(INFINITE), 2147483647)
    IS(__float2int_rz(-INFINITE), LEAST_INT)
    IS(__float2int_rd(3e9f), 2147483647)
    IS(__float2int_rd(-2147483648.0f), LEAST_INT)
    IS(__float2uint_rn(0.5f), 0u)
    IS(__float2uint_ru(0.5f), 1u)
    IS(__float2uint_rz(-3.5f), 0u)
    IS(__float2uint_rz(4294967040.0f), 4294967040u)
    IS(__float2uint_rn(1e10f), 4294967295u)
    IS(__float2uint_rn(NOT_A_NUMBER), 0u)
    IS(__float2ll_rn(-1e18f), -999999984306749440ll)
    IS(__float2ll_rz(1e19f), 9223372036854775807ll)
    IS(__float2ll_rn(NOT_A_NUMBER), LEAST_LONG)
    IS(__float2ull_rz(1.5e19f), 0xd02ab50000000000ull)
    IS(__float2ull_rd(-1.0f), 0ull)
    IS(__float2ull_rn(NOT_A_NUMBER), 0x8000000000000000ull)
    IS(__double2int_rn(0.5), 0)
    IS(__double2int_rn(1.5), 2)
    IS(__double2int_ru(2147483646.5), 2147483647)
    IS(__double2int_rn(NAN), LEAST_INT)
    IS(__double2uint_rn(4294967294.5), 4294967294u)
    IS(__double2uint_rd(-0.25), 0u)
    IS(__double2uint_rn(NAN), 0x80000000u)
    IS(__double2ll_rd(-0.5), -1ll)
    IS(__double2ll_rz(-9.3e18), LEAST_LONG)
    IS(__double2ull_ru(1.25), 2ull)
    IS(__double2ull_rn(NAN), 0x8000000000000000ull)
    IS(__int2float_rn(16777217), 16777216.0f)
    IS(__int2float_rn(16777219), 16777220.0f)
    IS(__int2float_ru(16777217), 16777218.0f)
    IS(__int2float_rz(-16777219), -16777218.0f)
    IS(__int2float_rd(-16777217), -16777218.0f)
    IS(__uint2float_rn(0xffffffffu), 4294967296.0f)
    IS(__uint2float_rz(0xffffffffu), 4294967040.0f)
    IS(__ll2float_rd(LEAST_LONG), -9223372036854775808.0f)
    IS(__ll2float_rd(LEAST_LONG + 1), -9223372036854775808.0f)
    IS(__ll2float_ru(LEAST_LONG + 1), -9223371487098961920.0f)
    IS(__ull2float_rz(~0ull), 18446742974197923840.0f)
    IS(__ull2float_rn(~0ull), 18446744073709551616.0f)
    IS(__ull2float_ru(0x8000000000000001ull), 9223373136366403584.0f)
    IS(__ll2double_rn(9007199254740993ll), 9007199254740992.0)
    IS(__ll2double_ru(9007199254740993ll), 9007199254740994.0)
    IS(__ll2double_rd(-9007199254740993ll), -9007199254740994.0)
    IS(__ull2double_rz(~0ull), 18446744073709549568.0)
    IS(__int2double_rn(LEAST_INT), -2147483648.0)
    IS(__uint2double_rn(0xffffffffu), 4294967295.0)
    IS(__double2float_rn(1.0 + 0x1p-24), 1.0f)
    IS(__double2float_ru(1.0 + 0x1p-52), 1.0f + 0x1p-23f)
    IS(__double2float_rd(-1.0 - 0x1p-52), -1.0f - 0x1p-23f)
    IS(__double2float_rz(1e300), 0x1.fffffep127f)
    IS(__double2float_rn(1e300), INFINITE)
    IS(__double2float_ru(1e-300), 0x1p-149f)
    IS(__float_as_uint(-0.0f), 0x80000000u)
    IS(__uint_as_float(0x3f800000u), 1.0f)
    IS(__double_as_longlong(-0.0), LEAST_LONG)
    IS(__longlong_as_double(0x3ff0000000000000ll), 1.0)
    IS(__double2hiint(-2.0), -1073741824)
    IS(__double2loint(1.0 + 0x1p-52), 1)
    IS(__hiloint2double(0x3ff00000, -1), 1.0 + 0xffffffffp-52)
    *count = i;
}

TRIES(arithmetic)
{
    const float tiny = 0x1p-149f;
    const float huge = 0x1.fffffep127f;
    int i = 0;

    IS(__fadd_rn(1.0f, 0x1p-24f), 1.0f)
    IS(__fadd_ru(1.0f, tiny), 1.0f + 0x1p-23f)
    IS(__fadd_rd(1.0f, -tiny), 1.0f - 0x1p-24f)
    IS(__fadd_rz(-1.0f, tiny), -1.0f + 0x1p-24f)
    IS(__fadd_rz(huge, huge), huge)
    IS(__fadd_ru(huge, huge), INFINITE)
    IS(__fadd_rd(1.0f, -1.0f), -0.0f)
    IS(__fadd_rn(1.0f, -1.0f), 0.0f)
    IS(__fsub_rd(1.0f, tiny), 1.0f - 0x1p-24f)
    IS(__fsub_ru(-1.0f, -tiny), -1.0f + 0x1p-24f)
    IS(__fmul_rn(0.1f, 10.0f), 1.0f)
    IS(__fmul_rd(0.1f, 10.0f), 1.0f)
    IS(__fmul_ru(0.1f, 10.0f), 1.0f + 0x1p-23f)
    IS(__fmul_ru(tiny, tiny), tiny)
    IS(__fmul_rz(tiny, -tiny), -0.0f)
    IS(__fdiv_rn(1.0f, 3.0f), 0x1.555556p-2f)
    IS(__fdiv_rz(1.0f, 3.0f), 0x1.555554p-2f)
    IS(__fdiv_ru(-1.0f, 3.0f), -0x1.555554p-2f)
    IS(__fdiv_rd(-1.0f, 3.0f), -0x1.555556p-2f)
    IS(__frcp_ru(3.0f), 0x1.555556p-2f)
    IS(__frcp_rd(3.0f), 0x1.555554p-2f)
    IS(__frcp_rn(-0.0f), -INFINITE)
    IS(__fsqrt_rn(2.0f), 0x1.6a09e6p+0f)
    IS(__fsqrt_ru(2.0f), 0x1.6a09e8p+0f)
    IS(__fsqrt_rd(4.0f), 2.0f)
    IS(__frsqrt_rn(0.25f), 2.0f)
    IS(__fmaf_rn(1.0f + 0x1p-23f, 1.0f - 0x1p-23f, -1.0f), -0x1p-46f)
    IS(__fmaf_ru(1.0f, 1.0f, tiny), 1.0f + 0x1p-23f)
    IS(__fmaf_rd(1.0f, 1.0f, -tiny), 1.0f - 0x1p-24f)
    IS(__fmaf_rz(-1.0f, 1.0f, tiny), -1.0f + 0x1p-24f)
    IS(__fmaf_ieee_ru(1.0f, 1.0f, tiny), 1.0f + 0x1p-23f)
    IS(__dadd_ru(1.0, 5e-324), 1.0 + 0x1p-52)
    IS(__dadd_rz(-1.0, 5e-324), -1.0 + 0x1p-53)
    IS(__dsub_rd(1.0, 5e-324), 1.0 - 0x1p-53)
    IS(__dmul_ru(5e-324, 5e-324), 5e-324)
    IS(__ddiv_rd(1.0, 3.0), 0x1.5555555555555p-2)
    IS(__ddiv_ru(1.0, 3.0), 0x1.5555555555556p-2)
    IS(__drcp_rz(3.0), 0x1.5555555555555p-2)
    IS(__dsqrt_ru(2.0), 0x1.6a09e667f3bcdp+0)
    IS(__dsqrt_rd(2.0), 0x1.6a09e667f3bccp+0)
    IS(__fma_rd(1.0, 1.0, -5e-324), 1.0 - 0x1p-53)
    IS(__fma_rn(1.0 + 0x1p-52, 1.0 - 0x1p-52, -1.0), -0x1p-104)
    /* The rounding is as before. */
    IS(1.0f + *static_cast<volatile const float *>(&tiny), 1.0f)
    IS(__saturatef(NOT_A_NUMBER), 0.0f)
    IS(__fdividef(3.0f, 0x1p126f), 3.0f / 0x1p126f)
    IS(__fdividef(3.0f, 0x1.8p126f), 0.0f)
    IS(__fdividef(INFINITE, 0x1.8p126f) != 0.0f, true)
    IS(fdividef(3.0f, 0x1.8p126f), 0x1p-125f)
    *count = i;
}

TRIES(integers)
{
    int i = 0;

    IS(__mul24(-1, 0x7fffff), -0x7fffff)
    IS(__mul24(0x01000003, 5), 15)
    IS(__mul24(0x00800000, 1), -0x800000)
    IS(__umul24(0xff000003u, 5u), 15u)
    IS(__umul24(0xffffffu, 0xffffffu), 0xfe000001u)
    IS(__mulhi(LEAST_INT, LEAST_INT), 0x40000000)
    IS(__umulhi(~0u, ~0u), ~0u - 1)
    IS(__mul64hi(LEAST_LONG, LEAST_LONG), 0x4000000000000000ll)
    IS(__mul64hi(-1ll, 1ll), -1ll)
    IS(__umul64hi(~0ull, ~0ull), ~0ull - 1)
    IS(__sad(LEAST_INT, 2147483647, 1u), 0u)
    IS(__sad(-3, 4, 10u), 17u)
    IS(__usad(0u, ~0u, 2u), 1u)
    IS(__hadd(2147483647, 2147483647), 2147483647)
    IS(__hadd(-3, 0), -2)
    IS(__rhadd(-3, 0), -1)
    IS(__uhadd(~0u, ~0u - 1), ~0u - 1)
    IS(__urhadd(~0u, ~0u - 1), ~0u)
    IS(__brev(6u), 0x60000000u)
    IS(__brevll(1ull), 0x8000000000000000ull)
    IS(__clz(LEAST_INT), 0)
    IS(__clzll(1ll), 63)
    IS(__ffs(LEAST_INT), 32)
    IS(__ffsll(LEAST_LONG), 64)
    IS(__popc(~0u), 32)
    IS(__fns(0xb4u, 0u, 2), 4u)
    IS(__fns(0xb4u, 7u, -2), 5u)
    IS(__fns(0xb4u, 4u, 0), 4u)
    IS(__fns(0xb4u, 3u, 0), ~0u)
    IS(__fns(0xb4u, 0u, 5), ~0u)
    IS(__byte_perm(0x44332211u, 0x88776655u, 0x3120u), 0x44223311u)
    IS(__funnelshift_lc(1u, 2u, 32), 1u)
    IS(__funnelshift_rc(1u, 2u, 33), 2u)
    IS(__dp4a(make_char4(1, -2, 3, -4), make_char4(5, 6, 7, -128), 1), 527)
    IS(__dp4a(0x80808080u, 0xffffffffu, 0u), 130560u)
    IS(__dp2a_lo(0x7fff8000, 0x00007f80, 0), 0x7fff * 127 + 32768 * 128)
    IS(__dp2a_hi(0x7fff8000, 0x7f800000, 1), 0x7fff * 127 + 32768 * 128 + 1)
    IS(__dp2a_lo(make_ushort2(65535, 1), make_uchar4(255, 2, 9, 9), 0u), 65535u * 255 + 2)
    IS(__dp2a_hi(make_short2(-1, 1), make_char4(9, 9, -128, 2), 0), 130)
    IS(umin(3u, 2u) + umax(3u, 2u), 5u)
    IS(min(3, -2), -2)
    IS(max(3u, 4u), 4u)
    IS(max(-1, 1u), ~0u)
    IS(min(1ll << 40, 5ll), 5ll)
    IS(min(2.0f, NOT_A_NUMBER), 2.0f)
    IS(max(2.0, 1.0f), 2.0)
    IS(__popcll(1ull << 63), 1)
    IS(__clz(0), 32)
    IS(__clzll(0), 64)
    IS(__ffs(0), 0)
    IS(__byte_perm(0x00008000u, 0u, 0x0009u), 0x80u)
    IS(__funnelshift_l(0x80000000u, 1u, 1), 3u)
    IS(__funnelshift_l(7u, 9u, 32), 9u)
    IS(__funnelshift_r(2u, 1u, 1), 0x80000001u)
    IS(__funnelshift_r(7u, 9u, 32), 7u)
    IS(__dp4a(0x04030201, -1, 100), 90)
    IS(llmin(-1ll, 2ll) + llmax(-1ll, 2ll), 1ll)
    IS(ullmax(~0ull, 1ull), ~0ull)
    *count = i;
}

TRIES(lanes)
{
    const unsigned int a = 0x80ff7f01u; /* -128, -1, 127, 1 */
    const unsigned int b = 0x01ff0180u;
    const unsigned int h = 0x80007fffu; /* -32768, 32767 */
    const unsigned int g = 0xffff0001u;
    bool high = false;
    bool low = false;
    int i = 0;

    IS(__vadd4(a, b), 0x81fe8081u)
    IS(__vaddss4(a, b), 0x81fe7f81u)
    IS(__vaddus4(a, b), 0x81ff8081u)
    IS(__vsub4(a, b), 0x7f007e81u)
    IS(__vsubss4(a, b), 0x80007e7fu)
    IS(__vsubus4(a, b), 0x7f007e00u)
    IS(__vabs4(a), 0x80017f01u)
    IS(__vabsss4(a), 0x7f017f01u)
    IS(__vneg4(a), 0x800181ffu)
    IS(__vnegss4(a), 0x7f0181ffu)
    IS(__vabsdiffs4(a, b), 0x81007e81u)
    IS(__vabsdiffu4(a, b), 0x7f007e7fu)
    IS(__vavgs4(a, b), 0xc0ff40c0u)
    IS(__vavgs4(0x0002ff03u, 0x010101fcu), 0x010200ffu)
    IS(__vavgu4(a, b), 0x41ff4041u)
    IS(__vhaddu4(a, b), 0x40ff4040u)
    IS(__vmaxs4(a, b), 0x01ff7f01u)
    IS(__vmaxu4(a, b), 0x80ff7f80u)
    IS(__vmins4(a, b), 0x80ff0180u)
    IS(__vminu4(a, b), 0x01ff0101u)
    IS(__vcmpeq4(a, b), 0x00ff0000u)
    IS(__vcmpne4(a, b), 0xff00ffffu)
    IS(__vcmpgts4(a, b), 0x0000ffffu)
    IS(__vcmpgtu4(a, b), 0xff00ff00u)
    IS(__vcmpges4(a, b), 0x00ffffffu)
    IS(__vcmpleu4(a, b), 0x00ff00ffu)
    IS(__vsetlts4(a, b), 0x01000000u)
    IS(__vsetltu4(a, b), 0x00000001u)
    IS(__vsads4(a, b), 0x81u + 0x7eu + 0x81u)
    IS(__vsadu4(a, b), 0x7fu + 0x7eu + 0x7fu)
    IS(__vadd2(h, g), 0x7fff8000u)
    IS(__vaddss2(h, g), 0x80007fffu)
    IS(__vaddus2(h, g), 0xffff8000u)
    IS(__vsubss2(h, g), 0x80017ffeu)
    IS(__vabsss2(h), 0x7fff7fffu)
    IS(__vavgs2(0xffff0003u, 0x00000000u), 0xffff0002u)
    IS(__vmaxs2(h, g), 0xffff7fffu)
    IS(__vsetges2(h, g), 0x00000001u)
    IS(__vsads2(h, g), 0x7fffu + 0x7ffeu)
    IS(__vimax3_s32(-5, 3, 2), 3)
    IS(__vimin3_u32(5u, 3u, ~0u), 3u)
    IS(__vimax_s32_relu(-5, -3), 0)
    IS(__vimin_s16x2_relu(h, g), 0x00000001u)
    IS(__viaddmax_s32(2147483647, 1, -7), -7)
    IS(__viaddmin_u32(~0u, 2u, 5u), 1u)
    IS(__viaddmax_s16x2(h, g, 0u), 0x7fff0000u)
    IS(__viaddmax_u16x2(0xffff0001u, 0x00020002u, 0x00000005u), 0x00010005u)
    IS(__vimax3_s16x2_relu(0x8000ffffu, 0xfffe8000u, 0xffff0007u), 0x00000007u)
    IS(__vibmax_s32(-1, -1, &high), -1)
    IS(high, true)
    IS(__vibmin_u16x2(0x00030002u, 0x00020003u, &high, &low), 0x00020002u)
    IS(high, false)
    IS(low, true)
    *count = i;
}

TRIES(mathematics_more)
{
    const double values[4] = { 3.0, 4.0, 12.0, 84.0 };
    const float floats[4] = { 3.0f, 4.0f, 12.0f, 84.0f };
    const float4 four = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    const uchar3 three = make_uchar3(1, 2, 3);
    float sine = 0.0f;
    float cosine = 0.0f;
    int i = 0;

    IS(sinpif(1.0f), 0.0f)
    IS(sinpi(-0.0), -0.0)
    IS(sinpi(0.5), 1.0)
    IS(sinpif(-1.5f), 1.0f)
    IS(sinpi(1e300), 0.0)
    IS(isnan(sinpif(INFINITE)) != 0, true)
    IS(cospif(0.5f), 0.0f)
    IS(cospi(1.0), -1.0)
    IS(cospi(1e15 + 0.5), 0.0)
    IS_CLOSE(sinpi(0.25), 0.70710678118654752440)
    IS_CLOSE(cospi(1.0 / 3.0), 0.5)
    sincospif(0.25f, &sine, &cosine);
    IS_CLOSE(sine, 0.70710678118654752440)
    IS_CLOSE(cosine, 0.70710678118654752440)
    __sincosf(1.0f, &sine, &cosine);
    IS_CLOSE(sine, 0.84147098480789650665)
    IS_CLOSE(cosine, 0.54030230586813971740)
    IS_CLOSE(normcdff(-3.0f), 0.0013498980316300945267)
    IS_CLOSE(normcdf(1.0), 0.84134474606854294859)
    IS_CLOSE(normcdf(-38.0), 2.8854283600687843e-316)
    IS_CLOSE(normcdfinv(0.975), 1.9599639845400542355)
    IS_CLOSE(normcdfinvf(0x1p-10f), -3.0972690781987844623)
    IS(normcdfinv(0.5), 0.0)
    IS(normcdfinvf(0.0f), -INFINITE)
    IS(isnan(normcdfinvf(1.5f)) != 0, true)
    IS_CLOSE(erfcx(1.0), 0.42758357615580700441)
    IS_CLOSE(erfcx(30.0), 0.018795888861416749830)
    IS_CLOSE(erfcxf(-2.0f), 108.94090438997797244)
    IS(erfcxf(-INFINITE), INFINITE)
    IS(erfcxf(INFINITE), 0.0f)
    IS_CLOSE(erfinv(0.5), 0.47693627620446987338)
    IS_CLOSE(erfinvf(-0.875f), -1.0847870400692831413)
    IS(erfinv(1.0), HUGE_VAL)
    IS(erfinvf(-0.0f), -0.0f)
    IS_CLOSE(erfcinv(1e-300), 26.209469960516123886)
    IS_CLOSE(erfcinv(0.75), 0.22531205501217810206)
    IS_CLOSE(cyl_bessel_i0(1.0), 1.2660658777520083356)
    IS_CLOSE(cyl_bessel_i1f(-2.0f), -1.5906368546373290634)
    IS_CLOSE(rcbrt(8.0), 0.5)
    IS_CLOSE(rcbrtf(-27.0f), -1.0 / 3.0)
    IS_CLOSE(rhypot(3.0, 4.0), 0.2)
    IS_CLOSE(rhypotf(3e20f, 4e20f), 2e-21)
    IS(rhypotf(NOT_A_NUMBER, INFINITE), 0.0f)
    IS_CLOSE(norm3d(3.0, 4.0, 12.0), 13.0)
    IS_CLOSE(rnorm4df(3.0f, 4.0f, 12.0f, 84.0f), 1.0 / 85.0)
    IS_CLOSE(norm(4, values), 85.0)
    IS_CLOSE(rnormf(4, floats), 1.0 / 85.0)
    IS_CLOSE(rsqrtf(3.0f), 0.57735026918962576451)
    IS_CLOSE(exp10f(2.0f), 100.0)
    IS(rsqrt(0.25), 2.0)
    IS(fabsf(__expf(1.0f) - 2.7182817f) < 1e-5f, true)
    IS(fabsf(__powf(2.0f, 10.0f) - 1024.0f) < 0.01f, true)
    IS(__ldg(&four.y) + four.z + four.w, 9.0f)
    IS(three.x + three.y + three.z, 6)
    IS(__syncthreads_count(1), 1)
    *count = i;
}

// Of a host and a device function the device's branch is compiled.
static __host__ __device__ int which_side()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__;
#else
    return 0;
#endif
}

static __noinline__ __device__ int add_one(int x)
{
    __builtin_assume(x > 0);
#ifdef __assume
    __assume(x > 0);
#endif
    return x + 1;
}

static __constant__ int a_constant[4];
static __device__ int a_variable;

static __global__ void __launch_bounds__(256, 2, 1)
    bounded(tried *out, __grid_constant__ int *const count)
{
    __shared__ int shared[2];
    long long before = clock64();
    int local = 0;
    int i = 0;

    shared[0] = 0;
    __prof_trigger(1);
    __nanosleep(100);
    IS(which_side(), 900)
    IS(add_one(2), 3)
    IS(__builtin_expect(1, 1), 1l)
    IS(clock64() > before, true)
    IS(clock() != static_cast<clock_t>(-1), true)
    IS(__isGlobal(out), 1u)
    IS(__isGlobal(&a_variable), 1u)
    IS(__isGlobal(&shared[1]), 0u)
    IS(__isShared(&shared[1]), 1u)
    IS(__isShared(out), 0u)
    IS(__isConstant(&a_constant[1]), 1u)
    IS(__isLocal(&local), 1u)
    IS(__isLocal(&shared[1]), 0u)
    IS(__isGlobal(nullptr), 0u)
    *count = i;
}

cudaError_t launch_small_things(const cudaLaunchConfig_t *config, tried *out, int *count)
{
    return cudaLaunchKernelEx(config, bounded, out, count);
}

// SPDX-License-Identifier: MIT
