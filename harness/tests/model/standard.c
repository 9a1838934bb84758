/* SPDX-License-Identifier: MIT */
/* What cuda:: and cuda::std have: atomics with orders and scopes, each right, or wrong in one way.
 */
#include <criterion/criterion.h>

#include "tests/model/watch_fixture.h"

/* Some blocks wait for those before them. */
static const trial atomics[] = {
    { "look_back_acquired", 5, 32, .in_order = true },
    { "look_back_sequential", 5, 32, .in_order = true },
    { "look_back_fenced", 5, 32, .in_order = true },
    { "look_back_relaxed", 5, 32, .in_order = true, WRONG(MISSING_FENCE, .symbol = "b") },
    { "look_back_not_acquired", 5, 32, .in_order = true, WRONG(MISSING_FENCE, .symbol = "b") },
    { "look_back_not_released", 5, 32, .in_order = true, WRONG(MISSING_FENCE, .symbol = "b") },
    { "look_back_of_block", 5, 32, .in_order = true, RACES(BETWEEN_BLOCKS, "b") },
    { "last_block", 4, 32, CLEAN },
    { "last_block_relaxed", 4, 32, WRONG(MISSING_FENCE, .symbol = "b") },
    { "last_block_not_acquired", 4, 32, WRONG(MISSING_FENCE, .symbol = "b") },
    { "hand_over_acquired", 1, 96, CLEAN },
    { "hand_over_relaxed", 1, 96, WRONG(MISSING_FENCE, .symbol = "staged") },
    { "hand_over_not_acquired", 1, 96, WRONG(MISSING_FENCE, .symbol = "staged") },
    { "wait_for_value", 1, 96, CLEAN },
    { "add_in_turn_acquired", 1, 32, CLEAN },
    { "add_in_turn_acquired", 1, 80, CLEAN },
    { "add_in_turn_relaxed", 1, 32, RACES(IN_BLOCK, "sum") },
    { "lock_by_exchange", 3, 96, CLEAN },
    { "lock_by_exchange_relaxed", 1, 96, WRONG(MISSING_FENCE, .symbol = "b") },
    { "lock_by_flag", 1, 96, CLEAN },
    { "count_of_device", 3, 64, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 6) },
    { "count_of_block", 1, 64, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 2) },
    { "count_of_block", 3, 64, RACES(BETWEEN_BLOCKS, "numbers") },
    { "add_of_block", 3, 64, RACES(BETWEEN_BLOCKS, "numbers") },
    { "add_of_own_block", 3, 64, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 6) },
    { "nv_add_of_device", 3, 64, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 6) },
    { "nv_add_of_block", 3, 64, RACES(BETWEEN_BLOCKS, "numbers") },
    { "plain_and_atomic", 1, 64, RACES(IN_BLOCK, "numbers") },
    { "atomic_requests", 3, 64, REQUESTS(6, 6), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 12) },
    { "vector_atomics", 2, 64, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 16) },
    { "vector_atomics_misaligned", 1, 64, WRONG(MISALIGNED, .symbol = "b") },
    { "wide_load_misaligned", 1, 64, WRONG(MISALIGNED, .symbol = "a") },
};

Test(standard, atomics_are_right_or_wrong_in_one_way)
{
    try_each(atomics, LENGTH(atomics), BOTH, 0, 1 << 10);
}

/* A release takes a fence, whatever its scope; an acquire does not. */
Test(standard, releases_are_fences)
{
    static const struct {
        const char *name;
        unsigned int grid, block;
        uint64_t fences;
    } rows[] = {
        { "hand_over_acquired", 1, 96, 1 },
        { "last_block", 4, 32, 4 },
        { "last_block_relaxed", 4, 32, 0 },
        { "count_of_device", 3, 64, 6 },
    };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        kg__model_watch(COUNT, 0);
        start(rows[i].name, line(rows[i].grid), line(rows[i].block), make_data(1 << 10));
        expect_count(KG__FENCES, rows[i].fences, rows[i].name);
    }
}

Test(standard, atomics_out_of_bounds)
{
    start("atomic_beyond", single, line(64), watch_both(64));
    expect_only(FOUND(OUT_OF_BOUNDS, "numbers", 256, 256, 1), "beyond");
    cr_expect(kg__model_seen()->findings[0].by.access == KG__ATOMIC);
}

/* What atomics on vectors leave behind, and a count that threads of several blocks lock. */
Test(standard, atomics_give_their_sums)
{
    watch_data data = watch_both(1 << 10);
    const float *b = data.b;
    const int *numbers = data.numbers;

    start("vector_atomics", line(2), line(64), data);
    cr_expect(b[0] == 128.0f && b[1] == 256.0f && b[4] == 128.0f && b[6] == 384.0f &&
              b[7] == 127.0f * 64.0f);
    cr_expect(numbers[0] == 5 && numbers[2] == 7 && numbers[3] == 0 && numbers[7] == 4);
    start("lock_by_exchange", line(3), line(96), data = make_data(1 << 10));
    cr_expect(data.b[0] == 288.0f);
}

/* What the headers of cuda::std give, and what using them costs: a load as often as by a pointer.
 */
Test(standard, library)
{
    watch_data data = watch_both(256);

    start("std_values", single, line(64), data);
    for (int i = 0; i < 64; i++)
        cr_assert(data.numbers[i] == 1, "[%d]", i);
    start("nv_values", single, line(64), data);
    for (int i = 0; i < 64; i++)
        cr_assert(data.numbers[i] == 1, "[%d] of nvcc's atomics", i);
    data.n = 64;
    start("std_waits", single, line(64), data);
    for (int i = 0; i < 64; i++)
        cr_assert(data.numbers[i] == 1, "[%d] after waiting", i);
    expect_clean("values");
    data = watch_both(256);
    data.n = 64;
    start("std_requests", single, line(64), data);
    start("std_array_in_shared", single, line(64), data);
    expect_clean("requests");
    expect_requests(2 * 4 + 2, 2 + 2, "requests");
    expect_count(KG__SHARED_LOAD_REQUESTS, 2, "an array in shared memory");
}

/* And their misuse is at the line of the kernel. */
#define MISUSED(name) name, 1, 64, .k = 1, .file = "std_kernels.cpp"
static const trial misused[] = {
    { MISUSED("std_requests"), .in_order = true,
      WRONG(OUT_OF_BOUNDS, .symbol = "a", .offset = 256, .size = 256) },
    { MISUSED("std_array_beyond"), WRONG(OUT_OF_BOUNDS, .has_index = true, .index = 4) },
    { MISUSED("std_array_in_shared"), RACES(IN_BLOCK, "staged") },
};

Test(standard, library_misused)
{
    try_each(misused, LENGTH(misused), BOTH, BOTH, 64);
}
