/* SPDX-License-Identifier: MIT */
/* Inline PTX's matrices: ldmatrix, stmatrix and mma. Part of kg_model_ptx.h, which includes it.
 *
 * Each lane holds two 16-bit elements of a row of 8 per 8x8 matrix: lane l has columns 2 (l % 4)
 * and the next of row l / 4 (PTX ISA, "Matrix multiply-accumulate operation using mma
 * instruction"). */
#pragma once

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

/* mma.m16n8 and m8n8: `Registers` of b, of `Count` elements each; a has as many for 8 rows. */
template <kg__model_element A, kg__model_element B, kg__model_element C, int Count, int Registers,
          bool Saturates = false, int Rows = 16, typename Word = uint32_t>
KG__PTX auto multiply(values<Word, Registers * Rows / 8> a, values<Word, Registers> b,
                      values<Word, Rows / (C == KG__MODEL_FLOAT16 ? 8 : 4)> c)
{
    constexpr int terms = 4 * Count * Registers;
    static constexpr kg__model_matrix of_a = {
        A, Rows, terms, Count, Count * Registers * Rows / 8, false, true, false
    };
    static constexpr kg__model_matrix of_b = { B,     8,    terms, Count, Count * Registers,
                                               false, true, false };
    static constexpr kg__model_matrix of_c = { C, Rows, 8, 2, Rows / 4, false, false, false };
    const kg__model_product product = { &of_a,   &of_b,   &of_c,   &of_c, a.value,
                                        b.value, c.value, c.value, terms, Saturates };

    kg__model_multiplies(Rows * 8 * terms / KG__MODEL_WARP);
    kg__model_join_for_matrix(&product, nullptr, 0);
    return c;
}

} // namespace kg__ptx

#undef KG__PTX_UNWATCHED
#pragma pop_macro("no_sanitize")
