/* SPDX-License-Identifier: MIT */
/* Intrinsics on integers. Part of cuda_runtime.h, which includes it. */
#pragma once

/* The same bits as another type. */
template <typename To, typename From>
KG__MODEL_INLINE To kg__model_as(From x)
{
    To result;

    static_assert(sizeof result == sizeof x, "reinterpretation keeps the size");
    __builtin_memcpy(&result, &x, sizeof result);
    return result;
}

/* Whether operands are integers: streams have the same operators. */
template <typename Value, typename Count>
constexpr bool kg__model_shifts =
    std::is_integral<std::decay_t<Value>>::value &&std::is_integral<std::decay_t<Count>>::value;

/* A GPU's shift, which gives 0 from the width of the value on. Written without branches, which
 * would be basic blocks of the kernel. */
template <typename Value, typename Count, std::enable_if_t<kg__model_shifts<Value, Count>, int> = 0>
KG__MODEL_INLINE constexpr auto kg__model_shift_left(Value value, Count count)
{
    using bits = std::make_unsigned_t<decltype(value << count)>;
    const unsigned int by = static_cast<unsigned int>(count);
    const unsigned int width = 8 * sizeof(bits);

    return static_cast<decltype(value << count)>(static_cast<bits>(value) << (by & (width - 1)) &
                                                 -static_cast<bits>(by < width));
}

/* The same to the right, which gives 0, or the sign, from there on. */
template <typename Value, typename Count, std::enable_if_t<kg__model_shifts<Value, Count>, int> = 0>
KG__MODEL_INLINE constexpr auto kg__model_shift_right(Value value, Count count)
{
    using shifted = decltype(value >> count);
    const unsigned int by = static_cast<unsigned int>(count);
    const unsigned int width = 8 * sizeof(shifted);
    const bool is_whole = by < width;

    if constexpr (std::is_signed<shifted>::value)
        return static_cast<shifted>(value >>
                                    ((by | -static_cast<unsigned int>(!is_whole)) & (width - 1)));
    else
        return static_cast<shifted>(static_cast<shifted>(value) >> (by & (width - 1)) &
                                    -static_cast<shifted>(is_whole));
}

#define KG__MODEL_SHIFT(name, operation)                                                           \
    template <typename Value, typename Count,                                                      \
              std::enable_if_t<!kg__model_shifts<Value, Count>, int> = 0>                          \
    KG__MODEL_INLINE constexpr decltype(auto) name(Value &&value, Count &&count)                   \
    {                                                                                              \
        return std::forward<Value>(value) operation std::forward<Count>(count);                    \
    }                                                                                              \
    template <typename Value, typename Count>                                                      \
    KG__MODEL_INLINE constexpr Value &name##_by(Value &value, Count count)                         \
    {                                                                                              \
        if constexpr (kg__model_shifts<Value, Count>)                                              \
            value = static_cast<Value>(name(value, count));                                        \
        else                                                                                       \
            value operation## = count;                                                             \
        return value;                                                                              \
    }
KG__MODEL_SHIFT(kg__model_shift_left, <<)
KG__MODEL_SHIFT(kg__model_shift_right, >>)
#undef KG__MODEL_SHIFT

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

KG__MODEL_INLINE unsigned long long __brevll(unsigned long long x)
{
    return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
           __brev(static_cast<unsigned int>(x >> 32));
}

/* Returns the position of a set bit: the offset-th from `base` upward, or with a negative offset
 * downward; with 0 the bit at `base` itself. All ones if there is none. */
KG__MODEL_INLINE unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    const int step = offset < 0 ? -1 : 1;
    int left = offset < 0 ? -offset : offset == 0 ? 1 : offset;

    for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step) {
        left -= static_cast<int>(mask >> i & 1);
        if (left == 0)
            return static_cast<unsigned int>(i);
        if (offset == 0)
            break;
    }
    return 0xffffffffu;
}

__extension__ typedef __int128 kg__model_int128;
__extension__ typedef unsigned __int128 kg__model_uint128;

/* Upper halves of products, averages, and differences: signed and unsigned. */
#define KG__MODEL_PRODUCT(name, type, wide)                                                        \
    KG__MODEL_INLINE type name(type x, type y)                                                     \
    {                                                                                              \
        return static_cast<type>(static_cast<wide>(x) * y >> 8 * sizeof(type));                    \
    }
KG__MODEL_PRODUCT(__mulhi, int, int64_t)
KG__MODEL_PRODUCT(__umulhi, unsigned int, uint64_t)
KG__MODEL_PRODUCT(__mul64hi, long long, kg__model_int128)
KG__MODEL_PRODUCT(__umul64hi, unsigned long long, kg__model_uint128)
#undef KG__MODEL_PRODUCT
#define KG__MODEL_AVERAGES(half, rounded, sad, type)                                               \
    KG__MODEL_INLINE type half(type x, type y)                                                     \
    {                                                                                              \
        return static_cast<type>((static_cast<int64_t>(x) + y) >> 1);                              \
    }                                                                                              \
    KG__MODEL_INLINE type rounded(type x, type y)                                                  \
    {                                                                                              \
        return static_cast<type>((static_cast<int64_t>(x) + y + 1) >> 1);                          \
    }                                                                                              \
    KG__MODEL_INLINE unsigned int sad(type x, type y, unsigned int sum)                            \
    {                                                                                              \
        return sum + static_cast<unsigned int>(x < y ? static_cast<int64_t>(y) - x                 \
                                                     : static_cast<int64_t>(x) - y);               \
    }
KG__MODEL_AVERAGES(__hadd, __rhadd, __sad, int)
KG__MODEL_AVERAGES(__uhadd, __urhadd, __usad, unsigned int)
#undef KG__MODEL_AVERAGES

/* Products of 24 bits each. */
KG__MODEL_INLINE unsigned int __umul24(unsigned int x, unsigned int y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}

KG__MODEL_INLINE int __mul24(int x, int y)
{
    const unsigned int left =
        static_cast<unsigned int>(static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8);
    const unsigned int right =
        static_cast<unsigned int>(static_cast<int>(static_cast<unsigned int>(y) << 8) >> 8);

    return static_cast<int>(left * right);
}

/* Selects bytes of two words, each by three bits of `selector`; prmt alone has a fourth, for the
 * sign. */
KG__MODEL_INLINE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    const uint64_t both = static_cast<uint64_t>(y) << 32 | x;
    unsigned int result = 0;

    for (unsigned int i = 0; i < 4; i++)
        result |= (static_cast<unsigned int>(both >> 8 * (selector >> 4 * i & 7)) & 0xff) << 8 * i;
    return result;
}

/* Shifts 64 bits, `high` and `low`: the distance wraps at 32, or (c) is limited to it. */
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

/* Sums of products plus `sum`: of four bytes each; of two halves and the low or high two bytes. */
#define KG__MODEL_PRODUCTS(name, word, left, right, left_step, first, step)                        \
    KG__MODEL_INLINE word name(word a, word b, word sum)                                           \
    {                                                                                              \
        unsigned int result = static_cast<unsigned int>(sum);                                      \
                                                                                                   \
        for (int i = 0; i < 32 / left_step; i++)                                                   \
            result += static_cast<unsigned int>(static_cast<left>(a >> left_step * i) *            \
                                                static_cast<right>(b >> (first + step * i)));      \
        return static_cast<word>(result);                                                          \
    }
#define KG__MODEL_DOT(word, half, byte, halves, bytes)                                             \
    KG__MODEL_PRODUCTS(__dp4a, word, byte, byte, 8, 0, 8)                                          \
    KG__MODEL_PRODUCTS(__dp2a_lo, word, half, byte, 16, 0, 8)                                      \
    KG__MODEL_PRODUCTS(__dp2a_hi, word, half, byte, 16, 16, 8)                                     \
    KG__MODEL_INLINE word __dp4a(bytes a, bytes b, word sum)                                       \
    {                                                                                              \
        return __dp4a(kg__model_as<word>(a), kg__model_as<word>(b), sum);                          \
    }                                                                                              \
    KG__MODEL_INLINE word __dp2a_lo(halves a, bytes b, word sum)                                   \
    {                                                                                              \
        return __dp2a_lo(kg__model_as<word>(a), kg__model_as<word>(b), sum);                       \
    }                                                                                              \
    KG__MODEL_INLINE word __dp2a_hi(halves a, bytes b, word sum)                                   \
    {                                                                                              \
        return __dp2a_hi(kg__model_as<word>(a), kg__model_as<word>(b), sum);                       \
    }
KG__MODEL_DOT(int, short, signed char, short2, char4)
KG__MODEL_DOT(unsigned int, unsigned short, unsigned char, ushort2, uchar4)
#undef KG__MODEL_DOT
#undef KG__MODEL_PRODUCTS
