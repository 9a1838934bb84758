/* SPDX-License-Identifier: MIT */
/* Requests of kernels on values of 16 and 8 bits, counted by hand for one warp, and their results.
 */
#include <criterion/criterion.h>

#include "tests/model/watch_fixture.h"

#undef FOUND
#define FOUND(kind_, symbol_, offset_, size_, bytes_)                                              \
    &(const kg__finding)                                                                           \
    {                                                                                              \
        .kind = KG__##kind_, .symbol = symbol_, .offset = offset_, .size = size_, .bytes = bytes_  \
    }

static const trial by_hand[] = {
    { "add_halves", 1, 32, REQUESTS(2, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 4),
      ALSO(1, GLOBAL_STORE_SECTORS, 2) },
    { "add_half_pairs", 1, 32, REQUESTS(2, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 8),
      ALSO(1, GLOBAL_STORE_SECTORS, 4) },
    { "scale_eight_halves", 1, 32, REQUESTS(1, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 16),
      ALSO(1, GLOBAL_STORE_SECTORS, 16) },
    { "sum_halves_in_shared", 1, 32, REQUESTS(2, 1), ALSO(0, SHARED_STORE_REQUESTS, 2),
      ALSO(1, SHARED_LOAD_REQUESTS, 2), ALSO(2, SHARED_LOAD_WAVEFRONTS, 2) },
    { "add_bfloat_pairs", 1, 32, REQUESTS(2, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 8) },
    { "load_halves_with_hints", 1, 32, REQUESTS(2, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 4),
      ALSO(1, GLOBAL_STORE_SECTORS, 4) },
    { "double_quads_of_e4m3", 1, 32, REQUESTS(1, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 4),
      ALSO(1, GLOBAL_STORE_SECTORS, 4) },
    { "widen_e5m2", 1, 32, REQUESTS(1, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 1),
      ALSO(1, GLOBAL_STORE_SECTORS, 4) },
    { "reduce_halves_in_warp", 1, 32, REQUESTS(0, 1), ALSO(0, SHUFFLES, 5) },
    { "shuffle_pairs", 1, 32, REQUESTS(0, 1), ALSO(0, SHUFFLES, 3) },
    { "count_in_halves", 1, 32, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 2),
      ALSO(1, GLOBAL_ATOMIC_SECTORS, 2) },
    { "count_in_bfloat_pairs", 1, 32, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 2) },
    { "write_pairs_by_element", 1, 32, REQUESTS(0, 2), ALSO(0, GLOBAL_STORE_SECTORS, 8) },
};

Test(half_counts, by_hand)
{
    try_each(by_hand, LENGTH(by_hand), BOTH, BOTH, 1 << 10);
}

Test(half_counts, shuffles_and_atomics_give_what_they_should)
{
    watch_data data = watch_both(1 << 10);
    const void *memory = data.b;
    const uint16_t *halves = memory;

    start("count_in_halves", single, line(32), data);
    cr_assert(halves[0] == 0x5000, "32 times 1 is 32");
    cr_assert(halves[2] == 0x5000 && halves[3] == 0x4c00, "32 and 16");
    cr_assert(cudaMemset(data.b, 0, 16) == cudaSuccess);
    start("count_in_bfloat_pairs", single, line(32), data);
    cr_assert(halves[0] == 0x4280 && halves[2] == 0x4180 && halves[3] == 0x4200);
    start("reduce_halves_in_warp", single, line(32), data);
    for (int i = 0; i < 32; i++)
        cr_assert(data.b[i] == 496.0f);
    start("shuffle_pairs", single, line(32), data);
    for (int i = 1; i < 31; i++)
        cr_assert(data.b[i] == (float)(i + 1 - 2 * (i + 1) + 5 + i - 1));
}

static void *at_second_half(void *memory)
{
    return (char *)memory + 2;
}

/* A pair of halves at an odd half is misaligned, as on hardware. */
Test(half_counts, findings_have_the_size_of_the_type)
{
    watch_data data = watch_both(1 << 10);

    data.a = at_second_half(data.a);
    start("add_half_pairs", single, line(1), data);
    expect_only(FOUND(MISALIGNED, "a", 2, 4096, 4), "a pair");
    data = watch_both(15);
    start("widen_e5m2", single, line(1), data);
    expect_clean("one byte");
    data.a += 15;
    start("add_halves", single, line(1), data);
    expect_only(FOUND(OUT_OF_BOUNDS, "a", 60, 60, 2), "a half beyond");
}

Test(half_counts, races_on_halves)
{
    watch_data data = watch_both(1 << 10);

    start("sum_halves_unordered", single, line(64), data);
    expect_only(FOUND(RACE_IN_BLOCK, "tile", 0, 0, 2), "no barrier");
    data = watch_both(1 << 10);
    start("count_without_atomics", single, line(32), data);
    expect_only(FOUND(RACE_IN_WARP, "b", 0, 4096, 2), "plain sums");
}
