/* Mathematics, conversions, intrinsics on integers, and makers of vectors. Part of cuda_runtime.h,
 * which includes it. */
#ifndef KG__MODEL_MATH_H
#define KG__MODEL_MATH_H

/* Mathematics beyond what math.h has. */

#define KG__MODEL_EXTREMES(type, left, right)                                                      \
    KG__MODEL_INLINE constexpr type min(left a, right b)                                           \
    {                                                                                              \
        return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }                                                                                              \
    KG__MODEL_INLINE constexpr type max(left a, right b)                                           \
    {                                                                                              \
        return static_cast<type>(a) > static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }
#define KG__MODEL_INTEGER_EXTREMES(type, unsigned_type)                                            \
    KG__MODEL_EXTREMES(type, type, type)                                                           \
    KG__MODEL_EXTREMES(unsigned_type, unsigned_type, unsigned_type)                                \
    KG__MODEL_EXTREMES(unsigned_type, type, unsigned_type)                                         \
    KG__MODEL_EXTREMES(unsigned_type, unsigned_type, type)
KG__MODEL_INTEGER_EXTREMES(int, unsigned int)
KG__MODEL_INTEGER_EXTREMES(long, unsigned long)
KG__MODEL_INTEGER_EXTREMES(long long, unsigned long long)
#undef KG__MODEL_INTEGER_EXTREMES
#undef KG__MODEL_EXTREMES

/* Of a number and a NaN these give the number, as fmin() and fmax() do. */
#define KG__MODEL_FLOAT_EXTREMES(type, left, right, smaller, larger)                               \
    KG__MODEL_INLINE type min(left a, right b)                                                     \
    {                                                                                              \
        return smaller(a, b);                                                                      \
    }                                                                                              \
    KG__MODEL_INLINE type max(left a, right b)                                                     \
    {                                                                                              \
        return larger(a, b);                                                                       \
    }
KG__MODEL_FLOAT_EXTREMES(float, float, float, fminf, fmaxf)
KG__MODEL_FLOAT_EXTREMES(double, double, double, fmin, fmax)
KG__MODEL_FLOAT_EXTREMES(double, float, double, fmin, fmax)
KG__MODEL_FLOAT_EXTREMES(double, double, float, fmin, fmax)
#undef KG__MODEL_FLOAT_EXTREMES

/* Names that the C library declares, or may come to declare, for purposes of its own. */
#define rsqrtf kg__model_rsqrtf
#define rsqrt kg__model_rsqrt

/* 1 over the square root, in single precision. */
KG__MODEL_INLINE float kg__model_rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}

/* The same in double precision. */
KG__MODEL_INLINE double kg__model_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

KG__MODEL_INLINE float __saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* The fast variants are as exact here as the plain ones. */
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf

#define KG__MODEL_UNARY(name, type, expression)                                                    \
    KG__MODEL_INLINE type name(type x)                                                             \
    {                                                                                              \
        return expression;                                                                         \
    }
KG__MODEL_UNARY(__frcp_rn, float, 1.0f / x)
KG__MODEL_UNARY(__fsqrt_rn, float, sqrtf(x))
KG__MODEL_UNARY(__frsqrt_rn, float, rsqrtf(x))
KG__MODEL_UNARY(__drcp_rn, double, 1.0 / x)
KG__MODEL_UNARY(__dsqrt_rn, double, sqrt(x))
#undef KG__MODEL_UNARY

#define KG__MODEL_BINARY(name, type, expression)                                                   \
    KG__MODEL_INLINE type name(type x, type y)                                                     \
    {                                                                                              \
        return expression;                                                                         \
    }
KG__MODEL_BINARY(__fdividef, float, x / y)
KG__MODEL_BINARY(__fdiv_rn, float, x / y)
KG__MODEL_BINARY(__fadd_rn, float, x + y)
KG__MODEL_BINARY(__fsub_rn, float, x - y)
KG__MODEL_BINARY(__fmul_rn, float, x *y)
KG__MODEL_BINARY(__ddiv_rn, double, x / y)
KG__MODEL_BINARY(__dadd_rn, double, x + y)
KG__MODEL_BINARY(__dsub_rn, double, x - y)
KG__MODEL_BINARY(__dmul_rn, double, x *y)
KG__MODEL_BINARY(__umulhi, unsigned int,
                 static_cast<unsigned int>((static_cast<uint64_t>(x) * y) >> 32))
KG__MODEL_BINARY(__mulhi, int, static_cast<int>((static_cast<int64_t>(x) * y) >> 32))
#undef KG__MODEL_BINARY

KG__MODEL_INLINE float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}

KG__MODEL_INLINE double __fma_rn(double x, double y, double z)
{
    return fma(x, y, z);
}

KG__MODEL_INLINE int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}

KG__MODEL_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

KG__MODEL_INLINE int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}

KG__MODEL_INLINE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}

KG__MODEL_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}

KG__MODEL_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

KG__MODEL_INLINE unsigned int __brev(unsigned int x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

/* Bytes of two words, each chosen by four bits of `selector`, the topmost of which spreads its
 * sign.
 */
KG__MODEL_INLINE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    const uint64_t both = static_cast<uint64_t>(y) << 32 | x;
    unsigned int result = 0;

    for (unsigned int i = 0; i < 4; i++) {
        const unsigned int choice = selector >> 4 * i & 0xf;
        const unsigned int byte = static_cast<unsigned int>(both >> 8 * (choice & 7)) & 0xff;

        result |= ((choice & 8) != 0 ? (byte >> 7) * 0xffu : byte) << 8 * i;
    }
    return result;
}

/* 64 bits, of `high` and `low`, shifted: the distance wraps at 32, or (c) stops there. */
#define KG__MODEL_FUNNEL(name, expression, distance)                                               \
    KG__MODEL_INLINE unsigned int name(unsigned int low, unsigned int high, unsigned int shift)    \
    {                                                                                              \
        const uint64_t both = static_cast<uint64_t>(high) << 32 | low;                             \
        const unsigned int by = distance;                                                          \
                                                                                                   \
        return static_cast<unsigned int>(expression);                                              \
    }
KG__MODEL_FUNNEL(__funnelshift_l, (both << by) >> 32, shift & 31)
KG__MODEL_FUNNEL(__funnelshift_lc, (both << by) >> 32, shift < 32 ? shift : 32)
KG__MODEL_FUNNEL(__funnelshift_r, both >> by, shift & 31)
KG__MODEL_FUNNEL(__funnelshift_rc, both >> by, shift < 32 ? shift : 32)
#undef KG__MODEL_FUNNEL

/* The products of four bytes each, and `sum`. */
#define KG__MODEL_DOT(word, byte)                                                                  \
    KG__MODEL_INLINE word __dp4a(word a, word b, word sum)                                         \
    {                                                                                              \
        unsigned int result = static_cast<unsigned int>(sum);                                      \
                                                                                                   \
        for (int i = 0; i < 32; i += 8)                                                            \
            result +=                                                                              \
                static_cast<unsigned int>(static_cast<byte>(a >> i) * static_cast<byte>(b >> i));  \
        return static_cast<word>(result);                                                          \
    }
KG__MODEL_DOT(int, signed char)
KG__MODEL_DOT(unsigned int, unsigned char)
#undef KG__MODEL_DOT

#define KG__MODEL_REINTERPRET(name, to, from)                                                      \
    KG__MODEL_INLINE to name(from x)                                                               \
    {                                                                                              \
        to result;                                                                                 \
                                                                                                   \
        static_assert(sizeof result == sizeof x, "reinterpretation keeps the size");               \
        memcpy(&result, &x, sizeof result);                                                        \
        return result;                                                                             \
    }
KG__MODEL_REINTERPRET(__float_as_int, int, float)
KG__MODEL_REINTERPRET(__float_as_uint, unsigned int, float)
KG__MODEL_REINTERPRET(__int_as_float, float, int)
KG__MODEL_REINTERPRET(__uint_as_float, float, unsigned int)
KG__MODEL_REINTERPRET(__double_as_longlong, long long, double)
KG__MODEL_REINTERPRET(__longlong_as_double, double, long long)
#undef KG__MODEL_REINTERPRET

/* Makers of vectors. */

#define KG__MODEL_MAKERS(name, element)                                                            \
    KG__MODEL_INLINE constexpr name##1 make_##name##1(element x)                                   \
    {                                                                                              \
        return name##1 { x };                                                                      \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##2 make_##name##2(element x, element y)                        \
    {                                                                                              \
        return name##2 { x, y };                                                                   \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##3 make_##name##3(element x, element y, element z)             \
    {                                                                                              \
        return name##3 { x, y, z };                                                                \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##4 make_##name##4(element x, element y, element z, element w)  \
    {                                                                                              \
        return name##4 { x, y, z, w };                                                             \
    }
KG__MODEL_MAKERS(char, signed char)
KG__MODEL_MAKERS(uchar, unsigned char)
KG__MODEL_MAKERS(short, short)
KG__MODEL_MAKERS(ushort, unsigned short)
KG__MODEL_MAKERS(int, int)
KG__MODEL_MAKERS(uint, unsigned int)
KG__MODEL_MAKERS(long, long)
KG__MODEL_MAKERS(ulong, unsigned long)
KG__MODEL_MAKERS(longlong, long long)
KG__MODEL_MAKERS(ulonglong, unsigned long long)
KG__MODEL_MAKERS(float, float)
KG__MODEL_MAKERS(double, double)
#undef KG__MODEL_MAKERS

#endif
