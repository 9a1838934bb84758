/* SPDX-License-Identifier: MIT */
/* Operations on two halves or four bytes of a word. Part of cuda_runtime.h, which includes it. */
#pragma once

/* Returns the nearest number that a lane can represent. */
template <typename Lane>
KG__MODEL_INLINE constexpr int kg__model_clamp(int x)
{
    const int range = 1 << 8 * sizeof(Lane);
    const int least = std::is_signed<Lane>::value ? -range / 2 : 0;
    const int most = least + range - 1;

    return x < least ? least : x > most ? most : x;
}

/* Combines the lanes x, y and z of a, b and c, as integers (0 + makes them ints), into the lanes of
 * the result. It has no lambda, and so needs no template: g++ would instantiate a hundred for each
 * source that includes this. */
#define KG__MODEL_LANES(name, lane, parameters, b, c, expression)                                  \
    KG__MODEL_INLINE unsigned int name parameters                                                  \
    {                                                                                              \
        const unsigned int bits = 8 * sizeof(lane);                                                \
        unsigned int result = 0;                                                                   \
                                                                                                   \
        for (unsigned int i = 0; i < 32; i += bits) {                                              \
            const int x = 0 + static_cast<lane>(a >> i);                                           \
            [[maybe_unused]] const int y = 0 + static_cast<lane>(b >> i);                          \
            [[maybe_unused]] const int z = 0 + static_cast<lane>(c >> i);                          \
                                                                                                   \
            result |= (static_cast<unsigned int>(expression) & ((1u << bits) - 1)) << i;           \
        }                                                                                          \
        return result;                                                                             \
    }
#define KG__MODEL_LANES_1(name, lane, expression)                                                  \
    KG__MODEL_LANES(name, lane, (unsigned int a), 0u, 0u, expression)
#define KG__MODEL_LANES_2(name, lane, expression)                                                  \
    KG__MODEL_LANES(name, lane, (unsigned int a, unsigned int b), b, 0u, expression)
#define KG__MODEL_LANES_3(name, lane, expression)                                                  \
    KG__MODEL_LANES(name, lane, (unsigned int a, unsigned int b, unsigned int c), b, c, expression)

/* A comparison: all ones in a lane, or one, if it holds. */
#define KG__MODEL_COMPARISON(suffix, lane, operator_)                                              \
    KG__MODEL_LANES_2(__vcmp##suffix, lane, x operator_ y ? -1 : 0)                                \
    KG__MODEL_LANES_2(__vset##suffix, lane, x operator_ y ? 1 : 0)

/* The operations on lanes of one size: signed, unsigned, and sign-independent. */
#define KG__MODEL_SIMD(n, s, u)                                                                    \
    KG__MODEL_LANES_1(__vabs##n, s, x < 0 ? -x : x)                                                \
    KG__MODEL_LANES_1(__vabsss##n, s, kg__model_clamp<s>(x < 0 ? -x : x))                          \
    KG__MODEL_LANES_1(__vneg##n, s, -x)                                                            \
    KG__MODEL_LANES_1(__vnegss##n, s, kg__model_clamp<s>(-x))                                      \
    KG__MODEL_LANES_2(__vabsdiffs##n, s, x < y ? y - x : x - y)                                    \
    KG__MODEL_LANES_2(__vabsdiffu##n, u, x < y ? y - x : x - y)                                    \
    KG__MODEL_LANES_2(__vadd##n, u, x + y)                                                         \
    KG__MODEL_LANES_2(__vaddss##n, s, kg__model_clamp<s>(x + y))                                   \
    KG__MODEL_LANES_2(__vaddus##n, u, kg__model_clamp<u>(x + y))                                   \
    KG__MODEL_LANES_2(__vsub##n, u, x - y)                                                         \
    KG__MODEL_LANES_2(__vsubss##n, s, kg__model_clamp<s>(x - y))                                   \
    KG__MODEL_LANES_2(__vsubus##n, u, kg__model_clamp<u>(x - y))                                   \
    /* The half is rounded away from zero. */                                                      \
    KG__MODEL_LANES_2(__vavgs##n, s, (x + y + (x + y >= 0)) >> 1)                                  \
    KG__MODEL_LANES_2(__vavgu##n, u, (x + y + 1) >> 1)                                             \
    KG__MODEL_LANES_2(__vhaddu##n, u, (x + y) >> 1)                                                \
    KG__MODEL_LANES_2(__vmaxs##n, s, x > y ? x : y)                                                \
    KG__MODEL_LANES_2(__vmaxu##n, u, x > y ? x : y)                                                \
    KG__MODEL_LANES_2(__vmins##n, s, x < y ? x : y)                                                \
    KG__MODEL_LANES_2(__vminu##n, u, x < y ? x : y)                                                \
    KG__MODEL_COMPARISON(eq##n, u, ==)                                                             \
    KG__MODEL_COMPARISON(ne##n, u, !=)                                                             \
    KG__MODEL_COMPARISON(ges##n, s, >=)                                                            \
    KG__MODEL_COMPARISON(geu##n, u, >=)                                                            \
    KG__MODEL_COMPARISON(gts##n, s, >)                                                             \
    KG__MODEL_COMPARISON(gtu##n, u, >)                                                             \
    KG__MODEL_COMPARISON(les##n, s, <=)                                                            \
    KG__MODEL_COMPARISON(leu##n, u, <=)                                                            \
    KG__MODEL_COMPARISON(lts##n, s, <)                                                             \
    KG__MODEL_COMPARISON(ltu##n, u, <)                                                             \
    KG__MODEL_SUM_OF_DIFFERENCES(__vsads##n, __vabsdiffs##n, u)                                    \
    KG__MODEL_SUM_OF_DIFFERENCES(__vsadu##n, __vabsdiffu##n, u)
#define KG__MODEL_SUM_OF_DIFFERENCES(name, differences, lane)                                      \
    KG__MODEL_INLINE unsigned int name(unsigned int a, unsigned int b)                             \
    {                                                                                              \
        const unsigned int apart = differences(a, b);                                              \
        unsigned int sum = 0;                                                                      \
                                                                                                   \
        for (unsigned int i = 0; i < 32; i += 8 * sizeof(lane))                                    \
            sum += static_cast<lane>(apart >> i);                                                  \
        return sum;                                                                                \
    }
KG__MODEL_SIMD(2, short, unsigned short)
KG__MODEL_SIMD(4, signed char, unsigned char)
#undef KG__MODEL_SIMD
#undef KG__MODEL_SUM_OF_DIFFERENCES
#undef KG__MODEL_COMPARISON

/* Extremes of two or three, of a sum and one more, and none below 0 (relu). Sums wrap. */
#define KG__MODEL_EXTREMES_OF_SUMS(three, suffix, relu, type, sum)                                 \
    three(__vimax3_##suffix, type, relu(max(max(x, y), z)))                                        \
        three(__vimin3_##suffix, type, relu(min(min(x, y), z)))                                    \
            three(__viaddmax_##suffix, type, relu(max(sum, z)))                                    \
                three(__viaddmin_##suffix, type, relu(min(sum, z)))
#define KG__MODEL_WORDS_3(name, type, expression)                                                  \
    KG__MODEL_INLINE type name(type x, type y, type z)                                             \
    {                                                                                              \
        return (expression);                                                                       \
    }
#define KG__MODEL_AS_IT_IS(x) x
#define KG__MODEL_NOT_BELOW_0(x) max(x, 0)
#define KG__MODEL_WORDS_SUM                                                                        \
    static_cast<int>(static_cast<unsigned int>(x) + static_cast<unsigned int>(y))
KG__MODEL_EXTREMES_OF_SUMS(KG__MODEL_WORDS_3, s32, KG__MODEL_AS_IT_IS, int, KG__MODEL_WORDS_SUM)
KG__MODEL_EXTREMES_OF_SUMS(KG__MODEL_WORDS_3, s32_relu, KG__MODEL_NOT_BELOW_0, int,
                           KG__MODEL_WORDS_SUM)
KG__MODEL_EXTREMES_OF_SUMS(KG__MODEL_WORDS_3, u32, KG__MODEL_AS_IT_IS, unsigned int, x + y)
KG__MODEL_EXTREMES_OF_SUMS(KG__MODEL_LANES_3, s16x2, KG__MODEL_AS_IT_IS, short,
                           static_cast<int>(static_cast<short>(x + y)))
KG__MODEL_EXTREMES_OF_SUMS(KG__MODEL_LANES_3, s16x2_relu, KG__MODEL_NOT_BELOW_0, short,
                           static_cast<int>(static_cast<short>(x + y)))
KG__MODEL_EXTREMES_OF_SUMS(KG__MODEL_LANES_3, u16x2, KG__MODEL_AS_IT_IS, unsigned short,
                           static_cast<int>(static_cast<unsigned short>(x + y)))
KG__MODEL_LANES_2(__vimax_s16x2_relu, short, max(max(x, y), 0))
KG__MODEL_LANES_2(__vimin_s16x2_relu, short, max(min(x, y), 0))
#undef KG__MODEL_WORDS_SUM
#undef KG__MODEL_EXTREMES_OF_SUMS
#undef KG__MODEL_WORDS_3
#undef KG__MODEL_LANES_3
#undef KG__MODEL_LANES_2
#undef KG__MODEL_LANES_1
#undef KG__MODEL_LANES

KG__MODEL_INLINE int __vimax_s32_relu(int x, int y)
{
    return max(max(x, y), 0);
}

KG__MODEL_INLINE int __vimin_s32_relu(int x, int y)
{
    return max(min(x, y), 0);
}

/* An extreme, and whether it is the first of the two. */
#define KG__MODEL_WHICH(name, type, extreme, comparison)                                           \
    KG__MODEL_INLINE type name(type x, type y, bool *first)                                        \
    {                                                                                              \
        *first = x comparison y;                                                                   \
        return extreme(x, y);                                                                      \
    }
KG__MODEL_WHICH(__vibmax_s32, int, max, >=)
KG__MODEL_WHICH(__vibmin_s32, int, min, <=)
KG__MODEL_WHICH(__vibmax_u32, unsigned int, max, >=)
KG__MODEL_WHICH(__vibmin_u32, unsigned int, min, <=)
#undef KG__MODEL_WHICH
#define KG__MODEL_WHICH(name, extremes, comparisons)                                               \
    KG__MODEL_INLINE unsigned int name(unsigned int x, unsigned int y, bool *high, bool *low)      \
    {                                                                                              \
        const unsigned int holds = comparisons(x, y);                                              \
                                                                                                   \
        *high = holds >> 16 != 0;                                                                  \
        *low = (holds & 1) != 0;                                                                   \
        return extremes(x, y);                                                                     \
    }
KG__MODEL_WHICH(__vibmax_s16x2, __vmaxs2, __vsetges2)
KG__MODEL_WHICH(__vibmin_s16x2, __vmins2, __vsetles2)
KG__MODEL_WHICH(__vibmax_u16x2, __vmaxu2, __vsetgeu2)
KG__MODEL_WHICH(__vibmin_u16x2, __vminu2, __vsetleu2)
#undef KG__MODEL_WHICH
