/* SPDX-License-Identifier: MIT */
/* Inline PTX on the CPU model (harness/model/rewrite/rewrite_ptx.py): a register is an unsigned
 * integer of its width or a bool, and an instruction is a call of one of these functions, which
 * have its name with _ for dots. Included before a source with inline PTX, whose `asm` is
 * therefore not refused. */
#ifndef KG__MODEL_PTX_H
#define KG__MODEL_PTX_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#define KG__PTX static inline __attribute__((always_inline, unused))

namespace kg__ptx
{

/* Registers. */

template <size_t Bytes>
using unsigned_of = std::conditional_t<
    Bytes == 1, uint8_t,
    std::conditional_t<Bytes == 2, uint16_t, std::conditional_t<Bytes == 4, uint32_t, uint64_t>>>;

/* Returns the bits of a value. */
template <typename Value>
KG__PTX auto bits(Value value)
{
    return __builtin_bit_cast(unsigned_of<sizeof(Value)>, value);
}

/* Returns a register's lowest bits as a value. */
template <typename Value, typename Register>
KG__PTX Value of(Register x)
{
    return __builtin_bit_cast(Value, static_cast<unsigned_of<sizeof(Value)>>(x));
}

/* Sets a register to a value, which is extended to its width. */
template <typename Register, typename Value>
KG__PTX void set(Register &x, Value value)
{
    if constexpr (std::is_integral<Value>::value)
        x = static_cast<Register>(value);
    else
        x = static_cast<Register>(bits(value));
}

/* Returns an operand's value as the register of its constraint, whose type in C++ is Kind. */
template <typename Kind, typename Value>
KG__PTX auto take(Value value)
{
    if constexpr (std::is_pointer<Value>::value)
        return static_cast<unsigned_of<sizeof(Kind)>>(reinterpret_cast<uintptr_t>(value));
    else if constexpr (std::is_arithmetic<Value>::value || std::is_enum<Value>::value)
        return bits(static_cast<Kind>(value));
    else
        return bits(value);
}

/* Copies a register to an operand. */
template <typename Kind, typename Place, typename Register>
KG__PTX void give(Place &place, Register x)
{
    if constexpr (std::is_pointer<Place>::value)
        place = reinterpret_cast<Place>(static_cast<uintptr_t>(x));
    else if constexpr (std::is_arithmetic<Place>::value || std::is_enum<Place>::value)
        place = static_cast<Place>(of<Kind>(x));
    else
        place = of<Place>(x);
}

/* Special registers. */

KG__PTX unsigned int thread()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

KG__PTX unsigned int threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

KG__PTX unsigned int lane()
{
    return thread() % KG__MODEL_WARP;
}

/* Arithmetic; for integers modulo 2 to the power of their bits. */

#define KG__PTX_INTEGER(name, parameters, expression)                                              \
    template <typename Value>                                                                      \
    KG__PTX std::enable_if_t<std::is_integral<Value>::value, Value> name parameters                \
    {                                                                                              \
        [[maybe_unused]] constexpr int width = 8 * sizeof(Value);                                  \
        using positive [[maybe_unused]] = std::make_unsigned_t<Value>;                             \
                                                                                                   \
        return static_cast<Value>(expression);                                                     \
    }
#define KG__PTX_REAL(name, parameters, of_float, of_double)                                        \
    KG__PTX float name(KG__PTX_PARAMETERS_##parameters(float))                                     \
    {                                                                                              \
        return of_float;                                                                           \
    }                                                                                              \
    KG__PTX double name(KG__PTX_PARAMETERS_##parameters(double))                                   \
    {                                                                                              \
        return of_double;                                                                          \
    }
#define KG__PTX_HALF(name, parameters, of_half, of_pair)                                           \
    KG__PTX_ONE_HALF(name, parameters, __half, of_half)                                            \
    KG__PTX_ONE_HALF(name, parameters, __nv_bfloat16, of_half)                                     \
    KG__PTX_ONE_HALF(name, parameters, __half2, of_pair)                                           \
    KG__PTX_ONE_HALF(name, parameters, __nv_bfloat162, of_pair)
#define KG__PTX_ONE_HALF(name, parameters, type, value)                                            \
    KG__PTX type name(KG__PTX_PARAMETERS_##parameters(type))                                       \
    {                                                                                              \
        return value;                                                                              \
    }
#define KG__PTX_PARAMETERS_1(type) type a
#define KG__PTX_PARAMETERS_2(type) type a, type b
#define KG__PTX_PARAMETERS_3(type) type a, type b, type c

/* With twice the bits. */
template <typename Value>
using wide = std::conditional_t<
    std::is_signed<Value>::value,
    std::conditional_t<sizeof(Value) == 2, int,
                       std::conditional_t<sizeof(Value) == 4, long long, kg__model_int128>>,
    std::conditional_t<
        sizeof(Value) == 2, unsigned int,
        std::conditional_t<sizeof(Value) == 4, unsigned long long, kg__model_uint128>>>;

template <typename Value>
KG__PTX wide<Value> mul_wide_(Value a, Value b)
{
    return static_cast<wide<Value>>(a) * static_cast<wide<Value>>(b);
}

template <typename Value>
KG__PTX wide<Value> mad_wide_(Value a, Value b, wide<Value> c)
{
    typedef std::make_unsigned_t<wide<Value>> positive;

    return static_cast<wide<Value>>(static_cast<positive>(mul_wide_(a, b)) +
                                    static_cast<positive>(c));
}

#define KG__PTX_PAIR Value a, Value b
KG__PTX_INTEGER(add_, (KG__PTX_PAIR), static_cast<positive>(a) + static_cast<positive>(b))
KG__PTX_INTEGER(sub_, (KG__PTX_PAIR), static_cast<positive>(a) - static_cast<positive>(b))
KG__PTX_INTEGER(mul_lo_, (KG__PTX_PAIR), mul_wide_(a, b))
KG__PTX_INTEGER(mul_hi_, (KG__PTX_PAIR), mul_wide_(a, b) >> width)
KG__PTX_INTEGER(mad_lo_, (KG__PTX_PAIR, Value c),
                static_cast<positive>(mul_wide_(a, b)) + static_cast<positive>(c))
KG__PTX_INTEGER(mad_hi_, (KG__PTX_PAIR, Value c),
                static_cast<positive>(mul_hi_(a, b)) + static_cast<positive>(c))
KG__PTX_INTEGER(sad_, (KG__PTX_PAIR, Value c), c + (a > b ? a - b : b - a))
/* A division by zero returns all ones; neither it nor the one quotient that overflows traps. */
KG__PTX_INTEGER(div_, (KG__PTX_PAIR),
                b == 0                           ? ~Value()
                : b == ~Value() && Value(-1) < 0 ? sub_(Value(), a)
                                                 : a / b)
KG__PTX_INTEGER(rem_, (KG__PTX_PAIR), b == 0 ? a : b == ~Value() && Value(-1) < 0 ? Value() : a % b)
KG__PTX_INTEGER(min_, (KG__PTX_PAIR), a < b ? a : b)
KG__PTX_INTEGER(max_, (KG__PTX_PAIR), a > b ? a : b)
KG__PTX_INTEGER(neg_, (Value a), sub_(Value(), a))
KG__PTX_INTEGER(abs_, (Value a), a < 0 ? sub_(Value(), a) : a)
KG__PTX_INTEGER(and_, (KG__PTX_PAIR), a &b)
KG__PTX_INTEGER(or_, (KG__PTX_PAIR), a | b)
KG__PTX_INTEGER(xor_, (KG__PTX_PAIR), a ^ b)
KG__PTX_INTEGER(not_, (Value a), ~a)
KG__PTX_INTEGER(cnot_, (Value a), a == 0)
KG__PTX_INTEGER(shl_, (Value a, unsigned int b), b < width ? static_cast<positive>(a) << b : 0)
KG__PTX_INTEGER(shr_, (Value a, unsigned int b), b < width ? a >> b : a < 0 ? -1 : 0)
#undef KG__PTX_PAIR

KG__PTX int saturated_(long long a, long long b)
{
    const long long sum = a + b;

    return static_cast<int>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

KG__PTX unsigned int mul24_lo_(unsigned int a, unsigned int b)
{
    return __umul24(a, b);
}

KG__PTX int mul24_lo_(int a, int b)
{
    return __mul24(a, b);
}

template <typename Value>
KG__PTX Value mad24_lo_(Value a, Value b, Value c)
{
    return add_(mul24_lo_(a, b), c);
}

/* Returns the number of ones. */
template <typename Value>
KG__PTX unsigned int popc_(Value a)
{
    return static_cast<unsigned int>(__popcll(a));
}

template <typename Value>
KG__PTX unsigned int clz_(Value a)
{
    return static_cast<unsigned int>(__clzll(static_cast<long long>(a))) - 64 + 8 * sizeof(Value);
}

template <typename Value>
KG__PTX Value brev_(Value a)
{
    return static_cast<Value>(__brevll(a) >> (64 - 8 * sizeof(Value)));
}

/* Returns the position of the highest bit that differs from the sign bit. */
template <typename Value>
KG__PTX unsigned int bfind_(Value a)
{
    typedef std::make_unsigned_t<Value> positive;
    const positive x = static_cast<positive>(a < 0 ? ~a : a);

    return x == 0 ? UINT32_MAX : 8 * sizeof(Value) - 1 - clz_(x);
}

template <typename Value>
KG__PTX unsigned int bfind_shiftamt_(Value a)
{
    const unsigned int found = bfind_(a);

    return found == UINT32_MAX ? found : 8 * sizeof(Value) - 1 - found;
}

/* Returns `c` bits of `a` from bit `b` on, sign-extended for signed types. */
template <typename Value>
KG__PTX Value bfe_(Value a, unsigned int b, unsigned int c)
{
    const unsigned int width = 8 * sizeof(Value);
    const unsigned int first = b & 0xff;
    const unsigned int count = c & 0xff;
    const Value moved = shr_(a, first);

    if (count == 0)
        return 0;
    return count >= width ? moved : shr_(shl_(moved, width - count), width - count);
}

/* Returns `b` with the lowest `d` bits of `a` inserted from bit `c` on. */
template <typename Value>
KG__PTX Value bfi_(Value a, Value b, unsigned int c, unsigned int d)
{
    const unsigned int count = d & 0xff;
    const Value ones = count >= 8 * sizeof(Value) ? ~Value() : shl_(Value(1), count) - 1;
    const Value mask = shl_(ones, c & 0xff);

    return (b & ~mask) | (shl_(a, c & 0xff) & mask);
}

KG__PTX unsigned int lop3_(unsigned int a, unsigned int b, unsigned int c, unsigned int table)
{
    unsigned int result = 0;

    for (unsigned int row = 0; row < 8; row++) {
        if ((table >> row & 1) != 0)
            result |=
                ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
    }
    return result;
}

/* A selector's fourth bit replicates the sign of its byte. */
KG__PTX unsigned int prmt_(unsigned int a, unsigned int b, unsigned int selector)
{
    unsigned int result = __byte_perm(a, b, selector);

    for (unsigned int i = 0; i < 4; i++) {
        const unsigned int byte = result >> 8 * i & 0xff;

        if ((selector >> (4 * i + 3) & 1) != 0)
            result = (result & ~(0xffu << 8 * i)) | (byte >> 7) * 0xffu << 8 * i;
    }
    return result;
}

#define KG__PTX_FUNNEL(name, function)                                                             \
    KG__PTX unsigned int name(unsigned int a, unsigned int b, unsigned int c)                      \
    {                                                                                              \
        return function(a, b, c);                                                                  \
    }
KG__PTX_FUNNEL(shf_l_wrap_, __funnelshift_l)
KG__PTX_FUNNEL(shf_l_clamp_, __funnelshift_lc)
KG__PTX_FUNNEL(shf_r_wrap_, __funnelshift_r)
KG__PTX_FUNNEL(shf_r_clamp_, __funnelshift_rc)
#undef KG__PTX_FUNNEL

KG__PTX_REAL(add_, 2, a + b, a + b)
KG__PTX_REAL(sub_, 2, a - b, a - b)
KG__PTX_REAL(mul_, 2, a *b, a *b)
KG__PTX_REAL(div_, 2, a / b, a / b)
KG__PTX_REAL(fma_, 3, fmaf(a, b, c), fma(a, b, c))
KG__PTX_REAL(mad_, 3, fmaf(a, b, c), fma(a, b, c))
KG__PTX_REAL(min_, 2, fminf(a, b), fmin(a, b))
KG__PTX_REAL(max_, 2, fmaxf(a, b), fmax(a, b))
KG__PTX_REAL(neg_, 1, -a, -a)
KG__PTX_REAL(abs_, 1, fabsf(a), fabs(a))
KG__PTX_REAL(copysign_, 2, copysignf(b, a), copysign(b, a))
KG__PTX_REAL(rcp_, 1, 1.0f / a, 1.0 / a)
KG__PTX_REAL(sqrt_, 1, sqrtf(a), sqrt(a))
KG__PTX_REAL(rsqrt_, 1, rsqrtf(a), rsqrt(a))
KG__PTX_REAL(ex2_, 1, exp2f(a), exp2(a))
KG__PTX_REAL(lg2_, 1, log2f(a), log2(a))
KG__PTX_REAL(sin_, 1, sinf(a), sin(a))
KG__PTX_REAL(cos_, 1, cosf(a), cos(a))
KG__PTX_REAL(tanh_, 1, tanhf(a), tanh(a))

KG__PTX_HALF(add_, 2, __hadd(a, b), __hadd2(a, b))
KG__PTX_HALF(sub_, 2, __hsub(a, b), __hsub2(a, b))
KG__PTX_HALF(mul_, 2, __hmul(a, b), __hmul2(a, b))
KG__PTX_HALF(fma_, 3, __hfma(a, b, c), __hfma2(a, b, c))
KG__PTX_HALF(mad_, 3, __hfma(a, b, c), __hfma2(a, b, c))
KG__PTX_HALF(min_, 2, __hmin(a, b), __hmin2(a, b))
KG__PTX_HALF(max_, 2, __hmax(a, b), __hmax2(a, b))
KG__PTX_HALF(neg_, 1, __hneg(a), __hneg2(a))
KG__PTX_HALF(abs_, 1, __habs(a), __habs2(a))
KG__PTX_HALF(ex2_, 1, hexp2(a), h2exp2(a))

template <typename Half>
KG__PTX Half tanh_of_half(Half a)
{
    return Half(tanhf(static_cast<float>(a)));
}
KG__PTX_ONE_HALF(tanh_, 1, __half, tanh_of_half(a))
KG__PTX_ONE_HALF(tanh_, 1, __nv_bfloat16, tanh_of_half(a))
KG__PTX_ONE_HALF(tanh_, 1, __half2, __half2(tanh_of_half(a.x), tanh_of_half(a.y)))
KG__PTX_ONE_HALF(tanh_, 1, __nv_bfloat162, __nv_bfloat162(tanh_of_half(a.x), tanh_of_half(a.y)))

#undef KG__PTX_PARAMETERS_3
#undef KG__PTX_PARAMETERS_2
#undef KG__PTX_PARAMETERS_1
#undef KG__PTX_ONE_HALF
#undef KG__PTX_HALF
#undef KG__PTX_REAL
#undef KG__PTX_INTEGER

/* Flushes a subnormal number to zero, as .ftz does. */
KG__PTX float flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

/* Returns whether two values are unordered: one is NaN. */
template <typename Value>
KG__PTX bool unordered([[maybe_unused]] Value a, [[maybe_unused]] Value b)
{
    if constexpr (std::is_integral<Value>::value)
        return false;
    else
        return static_cast<float>(a) != static_cast<float>(a) ||
               static_cast<float>(b) != static_cast<float>(b);
}

template <typename Value>
KG__PTX bool ordered(Value a, Value b)
{
    return !unordered(a, b);
}

/* Conversions. */

/* Rounds a real number to a whole one. */
template <char Rounding, typename Value>
KG__PTX Value whole(Value x)
{
    return Rounding == 'Z'   ? trunc(x)
           : Rounding == 'M' ? floor(x)
           : Rounding == 'P' ? ceil(x)
                             : rint(x);
}

#define KG__PTX_ROUND(function)                                                                    \
    (Rounding == 'z'   ? function##_rz(x)                                                          \
     : Rounding == 'm' ? function##_rd(x)                                                          \
     : Rounding == 'p' ? function##_ru(x)                                                          \
                       : function##_rn(x))

/* Converts a value of up to 64 bits to float or double. */
template <typename To, char Rounding, typename From>
KG__PTX To to_real(From value)
{
    if constexpr (std::is_integral<From>::value) {
        const std::conditional_t<std::is_signed<From>::value, long long, unsigned long long> x =
            value;

        if constexpr (std::is_signed<From>::value)
            return sizeof(To) == 4 ? KG__PTX_ROUND(__ll2float) : KG__PTX_ROUND(__ll2double);
        else
            return sizeof(To) == 4 ? KG__PTX_ROUND(__ull2float) : KG__PTX_ROUND(__ull2double);
    } else if constexpr (sizeof(From) < sizeof(To)) {
        return static_cast<To>(value);
    } else if constexpr (sizeof(From) > sizeof(To)) {
        const From x = value;

        return KG__PTX_ROUND(__double2float);
    } else if constexpr (Rounding < 'a') {
        return whole<Rounding>(value);
    } else {
        return value;
    }
}
#undef KG__PTX_ROUND

/* Converts to 16 bits. */
template <typename To, char Rounding, typename From>
KG__PTX To to_half(From value)
{
    constexpr kg__model_rounding rounding = Rounding == 'z'   ? KG__MODEL_TO_ZERO
                                            : Rounding == 'm' ? KG__MODEL_DOWN
                                            : Rounding == 'p' ? KG__MODEL_UP
                                                              : KG__MODEL_NEAREST;
    double exact;

    if constexpr (std::is_integral<From>::value)
        exact = kg__model_exact_integer(value);
    else
        exact = static_cast<double>(value);
    if constexpr (std::is_same<To, __half>::value)
        return of<__half>(kg__model_half_bits(exact, rounding));
    else
        return of<__nv_bfloat16>(kg__model_bfloat16_bits(exact, rounding));
}

template <typename To, typename From>
KG__PTX To to_integer(From value, bool saturates)
{
    typedef std::numeric_limits<To> limits;

    if (saturates && value < 0 && std::is_unsigned<To>::value)
        return 0;
    if (saturates && value > 0 &&
        static_cast<uint64_t>(value) > static_cast<uint64_t>(limits::max()))
        return limits::max();
    if (saturates && value < 0 &&
        static_cast<long long>(value) < static_cast<long long>(limits::min()))
        return limits::min();
    return static_cast<To>(value);
}

/* cvt. Rounding: n, z, m, p, as the letters in PTX; uppercase rounds to a whole number. */
template <typename To, char Rounding, bool Saturates = false, typename From>
KG__PTX To convert(From value)
{
    constexpr bool from_half =
        std::is_same<From, __half>::value || std::is_same<From, __nv_bfloat16>::value;

    if constexpr (from_half)
        return convert<To, Rounding, Saturates>(static_cast<float>(value));
    else if constexpr (std::is_integral<To>::value && std::is_integral<From>::value)
        return to_integer<To>(value, Saturates);
    else if constexpr (std::is_integral<To>::value)
        return kg__model_whole<To>(whole<Rounding>(value));
    else if constexpr (!std::is_floating_point<To>::value)
        return to_half<To, Rounding>(value);
    else if constexpr (Saturates)
        return static_cast<To>(
            kg__model_saturate(static_cast<double>(to_real<To, Rounding>(value))));
    else
        return to_real<To, Rounding>(value);
}

/* To the nearest, ties away from zero. */
KG__PTX float to_tf32(float x)
{
    return isnan(x) ? x : of<float>((bits(x) + 0x1000u) & ~0x1fffu);
}

/* Two 8-bit floats, the first in the upper bits. */
KG__PTX uint16_t to_eights(float high, float low, __nv_fp8_interpretation_t format)
{
    return static_cast<uint16_t>(__nv_cvt_float_to_fp8(high, __NV_SATFINITE, format) << 8 |
                                 __nv_cvt_float_to_fp8(low, __NV_SATFINITE, format));
}

} // namespace kg__ptx

#include "kg_model_ptx_bulk.h"
#include "kg_model_ptx_carries.h"
#include "kg_model_ptx_matrix.h"
#include "kg_model_ptx_video.h"
#include "kg_model_ptx_wgmma.h"

#undef KG__PTX

#endif
