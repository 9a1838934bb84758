/* SPDX-License-Identifier: MIT */
/* Inline PTX's matrices: ldmatrix, stmatrix and mma. Part of kg_model_ptx.h, which includes it.
 *
 * Each lane holds two 16-bit elements of a row of 8 per 8x8 matrix: lane l has columns 2 (l % 4)
 * and the next of row l / 4 (PTX ISA, "Matrix multiply-accumulate operation using mma
 * instruction"). */
#pragma once

#include "kg_model_dot.h"
#include "kg_model_matrix.h"
#include "kg_model_ptx_memory.h"

/* Computing with all lanes' registers is no access by the kernel. */
#pragma push_macro("no_sanitize")
#undef no_sanitize
#define KG__PTX_UNWATCHED                                                                          \
    static inline __attribute__((noinline, unused, no_sanitize("thread", "coverage")))

namespace kg__ptx
{

typedef const uint32_t (*lanes)[KG__MODEL_GATHERED];

/* Returns two elements of an 8x8 matrix whose rows the lanes of `all` have. */
KG__PTX_UNWATCHED uint32_t pick(lanes all, bool transposed, unsigned int lane)
{
    const unsigned int row = lane / 4;
    const unsigned int column = lane % 4 * 2;

    if (!transposed)
        return all[row][column / 2];
    return (all[column][row / 2] >> row % 2 * 16 & 0xffff) |
           all[column + 1][row / 2] >> row % 2 * 16 << 16;
}

/* Collects a row of an 8x8 matrix from the two elements that each lane of `all` has in its word
 * `word`. */
KG__PTX_UNWATCHED void gather_row(lanes all, bool transposed, unsigned int word, unsigned int row,
                                  uint32_t *words)
{
    for (unsigned int i = 0; i < 4; i++) {
        if (!transposed)
            words[i] = all[4 * row + i][word];
        else
            words[i] = (all[8 * i + row / 2][word] >> row % 2 * 16 & 0xffff) |
                       all[8 * i + 4 + row / 2][word] >> row % 2 * 16 << 16;
    }
}

/* ldmatrix: lanes 0 to 7 have the addresses of the first matrix's rows, and so on. No lane reads
 * before all are here, though what they stored is not ordered: without __syncwarp() it is a race,
 * which lanes in step hide on a GPU. */
template <int Count, bool Transposed>
KG__PTX values<uint32_t, Count> load_matrices(const void *address)
{
    values<uint32_t, KG__MODEL_GATHERED> mine = {};
    values<uint32_t, Count> result;
    lanes all;

    (void)kg__model_gather(mine.value);
    if (lane() < 8 * Count)
        kg__model_read_row(address, mine.value);
    all = static_cast<lanes>(kg__model_gather(mine.value));
    for (int i = 0; i < Count; i++)
        result.value[i] = pick(all + 8 * i, Transposed, lane());
    return result;
}

/* Waits for all lanes of the warp, as .aligned requires; orders nothing. */
KG__PTX void join_warp()
{
    kg__model_join_for_matrix(nullptr, nullptr, 0);
}

/* stmatrix. No lane goes on before all have stored, though their stores are not ordered: a read of
 * another lane's before __syncwarp() is a race, and gets what a GPU's lanes read in step. */
template <int Count, bool Transposed>
KG__PTX void store_matrices(void *address, values<uint32_t, Count> words)
{
    values<uint32_t, KG__MODEL_GATHERED> mine = {};
    uint32_t row[4];
    lanes all;

    for (int i = 0; i < Count; i++)
        mine.value[i] = words.value[i];
    all = static_cast<lanes>(kg__model_gather(mine.value));
    if (lane() < 8 * Count) {
        gather_row(all, Transposed, lane() / 8, lane() % 8, row);
        kg__model_write_row(address, row);
    }
    join_warp();
}

/* movmatrix: transposes the matrix of all lanes' words. */
KG__PTX uint32_t transpose(uint32_t word)
{
    values<uint32_t, KG__MODEL_GATHERED> mine = { { word } };
    uint32_t row[4];

    gather_row(static_cast<lanes>(kg__model_gather(mine.value)), true, 0, lane() / 4, row);
    return row[lane() % 4];
}

/* Elements of mma: how many are in a register, and the values. */
struct tf32;
template <typename Kind>
struct element {
    typedef std::conditional_t<std::is_integral<Kind>::value, int, float> value;
    static constexpr unsigned int count = 4 / sizeof(Kind);

    KG__PTX_UNWATCHED value of_word(uint32_t word, unsigned int i)
    {
        return static_cast<value>(of<Kind>(word >> i * 8 * sizeof(Kind)));
    }
};
template <>
struct element<tf32> {
    typedef float value;
    static constexpr unsigned int count = 1;

    KG__PTX_UNWATCHED float of_word(uint32_t word, unsigned int)
    {
        return kg__model_cut_to_tf32(of<float>(word));
    }
};

/* Returns the sum of products of 8-bit floats. For sm_90, nvcc 13.0 makes halves of them,
 * multiplies the first two of each four, then the others, and adds c at the end, as seen on an
 * H200. */
KG__PTX_UNWATCHED float dot_of_eight_bits(const float *a, const float *b, unsigned int terms)
{
    const kg__model_cut cut = KG__MODEL_CUT;
    float sum = 0;

    for (unsigned int begin = 0; begin < 4; begin += 2) {
        float half[32] = {};

        for (unsigned int k = 0; k < terms; k++)
            half[k] = k % 4 / 2 == begin / 2 ? a[k] : 0;
        sum = kg__model_dot_of_floats(half, b, terms, sum, &cut);
    }
    return sum;
}

/* Returns an element of the result: row `row` of a times column `column` of b. */
template <typename A, typename B, int Registers, bool Saturates, typename Sum>
KG__PTX_UNWATCHED Sum multiply_one(lanes all, unsigned int row, unsigned int column, Sum sum)
{
    constexpr unsigned int count = element<A>::count;
    constexpr unsigned int terms = 4 * count * Registers;
    typename element<A>::value a[terms];
    typename element<B>::value b[terms];
    const kg__model_cut cut = KG__MODEL_CUT;

    for (unsigned int k = 0; k < terms; k++) {
        const unsigned int lane = k / count % 4;
        const unsigned int part = k / (4 * count);

        a[k] = element<A>::of_word(all[row % 8 * 4 + lane][row / 8 + 2 * part], k % count);
        b[k] = element<B>::of_word(all[column * 4 + lane][2 * Registers + part], k % count);
    }
    if constexpr (std::is_same<Sum, int>::value)
        return kg__model_dot_of_integers(a, b, terms, sum, Saturates);
    else if constexpr (count == 4)
        return dot_of_eight_bits(a, b, terms) + sum;
    else
        return kg__model_dot_of_floats(a, b, terms, sum, &cut);
}

/* mma.m16n8: `Registers` of b, twice as many of a. With 8 rows, m8n8, there are half of the words
 * of a and c, which come first. */
template <typename A, typename B, typename C, int Registers, bool Saturates = false, int Rows = 16>
KG__PTX values<uint32_t, sizeof(C)> multiply(values<uint32_t, 2 * Registers> a,
                                             values<uint32_t, Registers> b,
                                             values<uint32_t, sizeof(C)> c)
{
    typedef std::conditional_t<std::is_same<C, int>::value, int, float> sum;
    values<uint32_t, KG__MODEL_GATHERED> mine = {};
    values<uint32_t, sizeof(C)> result = {};
    lanes all;

    for (int i = 0; i < 2 * Registers; i++)
        mine.value[i] = a.value[i];
    for (int i = 0; i < Registers; i++)
        mine.value[2 * Registers + i] = b.value[i];
    kg__model_multiplies(Rows * 8 * 4 * element<A>::count * Registers / KG__MODEL_WARP);
    all = static_cast<lanes>(kg__model_gather(mine.value));
    for (unsigned int i = 0; i < Rows / 4; i++) {
        const unsigned int word = i * sizeof(C) / 4;
        const unsigned int shift = i * sizeof(C) % 4 * 8;
        const C before = of<C>(c.value[word] >> shift);
        const sum value = multiply_one<A, B, Registers, Saturates>(
            all, lane() / 4 + i / 2 * 8, lane() % 4 * 2 + i % 2, static_cast<sum>(before));

        result.value[word] |= static_cast<uint32_t>(bits(C(value))) << shift;
    }
    return result;
}

/* Returns an element of a product of doubles: a lane has one of a and one of b. */
KG__PTX_UNWATCHED double multiply_one_of_doubles(lanes all, unsigned int row, unsigned int column,
                                                 double sum)
{
    double a[4];
    double b[4];

    for (unsigned int k = 0; k < 4; k++) {
        const uint32_t *of_a = all[row * 4 + k];
        const uint32_t *of_b = all[column * 4 + k] + 2;

        a[k] = of<double>(static_cast<uint64_t>(of_a[1]) << 32 | of_a[0]);
        b[k] = of<double>(static_cast<uint64_t>(of_b[1]) << 32 | of_b[0]);
    }
    return kg__model_dot_of_doubles(a, b, 4, sum);
}

/* mma.m8n8k4 of doubles. */
KG__PTX values<uint64_t, 2> multiply_doubles(uint64_t a, uint64_t b, values<uint64_t, 2> c)
{
    const values<uint32_t, KG__MODEL_GATHERED> mine = {
        { static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), static_cast<uint32_t>(b),
          static_cast<uint32_t>(b >> 32) }
    };
    values<uint64_t, 2> result;
    lanes all;

    kg__model_multiplies(8 * 8 * 4 / KG__MODEL_WARP);
    all = static_cast<lanes>(kg__model_gather(mine.value));
    for (unsigned int i = 0; i < 2; i++)
        result.value[i] = bits(
            multiply_one_of_doubles(all, lane() / 4, lane() % 4 * 2 + i, of<double>(c.value[i])));
    return result;
}

} // namespace kg__ptx

#undef KG__PTX_UNWATCHED
#pragma pop_macro("no_sanitize")
