/* SPDX-License-Identifier: MIT */
/* CUDA's intrinsics on the CPU model: what they give, and what of memory they count. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/model/feature_kernels.h"
#include "tests/model/intrinsics_kernels.h"
#include "tests/model/watch_fixture.h"

#define FINDS(kind_, symbol_, size_, offset_)                                                      \
    .found = { .kind = KG__##kind_, .symbol = symbol_, .size = size_, .offset = offset_ }
#define NOTHING .found = { 0 }
#define DYNAMIC "dynamic shared memory"

/* Each expression gives what CUDA's documentation, and PTX's of the instruction, say. */
Test(intrinsics, values)
{
    static trier *const triers[] = { launch_conversions,      launch_arithmetic,
                                     launch_integers,         launch_lanes,
                                     launch_mathematics_more, launch_small_things };
    const cudaLaunchConfig_t config = { .gridDim = { 1, 1, 1 }, .blockDim = { 1, 1, 1 } };

    for (size_t i = 0; i < LENGTH(triers); i++) {
        tried *out = device_memory(TRIED_MAXIMUM * sizeof *out, "out");
        int *count = device_memory(sizeof *count, "count");

        cr_assert(triers[i](&config, out, count) == cudaSuccess, "%s", kg__model_failure());
        cr_assert(*count > 10);
        for (int j = 0; j < *count; j++)
            cr_assert(out[j].allowed > 0.0 ? out[j].error <= out[j].allowed
                                           : out[j].value == out[j].expected,
                      "%s: 0x%llx, not 0x%llx, %g roundoffs off", out[j].expression,
                      (unsigned long long)out[j].value, (unsigned long long)out[j].expected,
                      out[j].error);
        kg__model_free_all();
    }
}

/* Host code next to kernels may have statics that are made when they are reached. */
Test(intrinsics, statics_of_a_launcher)
{
    cr_assert(keep_first(3) == 3 && keep_first(4) == 3);
}

/* Dynamic shared memory, as people declare it: reversed blocks, with so many requests. */
Test(intrinsics, dynamic_shared_memory)
{
    static const struct {
        const char *name, *kernel;
        uint64_t requests; /* to shared memory, of each kind */
        kg__finding found;
    } rows[] = {
        { "of the file", "reverse_of_the_file", 4, NOTHING },
        { "in a kernel", "reverse_in_a_kernel", 4, NOTHING },
        { "aligned", "reverse_aligned", 4, NOTHING },
        { "volatile", "reverse_volatile", 4, NOTHING },
        { "rows", "reverse_rows", 4, NOTHING },
        { "by template", "reverse_by_template", 8, NOTHING },
        { "two views", "reverse_two_views", 12, NOTHING },
        { "without barrier", "reverse_without_barrier", 4, FINDS(RACE_IN_BLOCK, DYNAMIC, 0, 0) },
        { "beyond", "reverse_beyond", 4, FINDS(OUT_OF_BOUNDS, DYNAMIC, 512, 512) },
        { "before", "reverse_before", 4, FINDS(OUT_OF_BOUNDS, DYNAMIC, 512, -4) },
    };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        watch_data data = watch_both(128);
        const size_t bytes =
            128 * (rows[i].requests == 8 || i == 0 ? sizeof(double) : sizeof(float));
        /* What is before it cannot be touched; under a sanitizer it can be read. */
        cr_assert(launch(rows[i].kernel, single, line(128), bytes, data) == cudaSuccess ||
                  rows[i].found.offset < 0);
        expect_count(KG__SHARED_STORE_REQUESTS, rows[i].requests, rows[i].name);
        if (rows[i].found.symbol != NULL) {
            expect_only(&rows[i].found, rows[i].name);
        } else {
            expect_clean(rows[i].name);
            for (int j = 0; j < 128; j++)
                cr_assert(data.b[j] == data.a[127 - j], "%s: [%d]", rows[i].name, j);
        }
    }
}

/* Above 48 KiB it is there once it was asked for. */
Test(intrinsics, much_dynamic_shared_memory)
{
    watch_data data = watch_both(1024);
    const char *const name = "reverse_in_a_kernel";

    cr_assert(launch(name, single, line(1024), 49153, data) == cudaErrorInvalidValue);
    cr_assert(allow_reverse(232448) == cudaSuccess);
    cr_assert(launch(name, single, line(1024), 232448, data) == cudaSuccess);
    expect_count(KG__SHARED_BYTES, 232448, "all of it");
    cr_assert(launch(name, single, line(1024), 232449, data) == cudaErrorInvalidValue);
    expect_clean("all of it");
}

/* Whether element i is right. */
#define RIGHT(name, ...)                                                                           \
    static bool name(const watch_data *data, int i)                                                \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

RIGHT(has_active_lanes, data->numbers[i] == (i % 2 == 0 ? 0x55555555 : (int)0xaaaaaaab))
RIGHT(has_sum, data->numbers[0] == 22 && (i == 0 || data->numbers[i] == 0))
RIGHT(has_ones, data->numbers[i] == 1)
RIGHT(has_hinted, data->b[i] == 2.0f * data->a[i] && data->numbers[i] == 7)
RIGHT(has_uniform,
      data->b[i] > 0.0f && data->b[i] <= 1.0f && (i == 0 || data->b[i] != data->b[i - 1]))

static bool has_scoped(const watch_data *data, int i)
{
    const int expected[8] = { 4, -2, 32 + i, -32 - i, 5, 6, 8, 0 };

    return i >= 32 || (memcmp(&data->numbers[(ptrdiff_t)8 * i], expected, sizeof expected) == 0 &&
                       data->b[i] == 1.0f);
}

/* Two warps on 256 elements, and the global requests that they make, in either order of threads. */
Test(intrinsics, memory)
{
    static const struct {
        const char *name, *kernel;
        bool (*is_right)(const watch_data *data, int i);
        uint64_t loads, stores, atomics;
        kg__finding found;
    } rows[] = {
        { "active lanes", "active_lanes", has_active_lanes, 0, 4, 0, NOTHING },
        { "leader", "add_by_leader", has_sum, 0, 0, 2, NOTHING },
        { "leader, plain", "add_by_leader_without_atomics", NULL, 2, 2, 0,
          FINDS(RACE_IN_BLOCK, "numbers", 0, 0) },
        { "match_all", "match_all", has_ones, 0, 2, 0, NOTHING },
        { "scopes", "scoped_atomics", has_scoped, 0, 0, 16, NOTHING },
        { "hints", "hinted", has_hinted, 4, 4, 0, NOTHING },
        { "hints beyond", "hinted_beyond", NULL, 2, 2, 0, FINDS(OUT_OF_BOUNDS, "a", 256, 256) },
    };

    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        size_t row = i / 2;
        watch_data data = watch_in_order(i, rows[row].is_right == NULL ? 64 : 256);

        start(rows[row].kernel, single, line(64), data);
        expect_requests(rows[row].loads, rows[row].stores, rows[row].name);
        expect_count(KG__GLOBAL_ATOMIC_REQUESTS, rows[row].atomics, rows[row].name);
        if (rows[row].found.symbol != NULL)
            expect_only(&rows[row].found, rows[row].name);
        else
            expect_clean(rows[row].name);
        for (int j = 0; rows[row].is_right != NULL && j < 64; j++)
            cr_assert(rows[row].is_right(&data, j), "%s: [%d]", rows[row].name, j);
    }
}

/* cuRAND's numbers, as its own header gives them, compiled by nvcc 13.0 for the host. */
Test(intrinsics, random_numbers)
{
    /* A row with its seed and its numbers. */
#define SEED(a, b, c, d) .seed = { a, b, c, d }
#define NUMBERS(...) .numbers = { __VA_ARGS__ }
    static const struct {
        int xorwow;
        uint4 seed;
        unsigned int seventh, eighth;
        double numbers[7];
    } rows[] = {
        { 0, SEED(0, 0, 0, 0), 0xb1a574eb, 0x097eff67,
          NUMBERS(0x1.3ea8cap-6, 1.1698, 0.95604, -1.5699, 0x1.b504f814p-2, -0.426205840051,
                  0.741541548055) },
        { 1, SEED(0, 0, 0, 0), 0x3a46d453, 0x5450d66d,
          NUMBERS(0x1.270bb6p-3, -0.92717, 1.5764, -0.17596, 0x1.5afd1aae1bb0bp-2, 1.06809692462,
                  0.2657253695) },
        { 0, SEED(1234, 0, 77, 5), 0xe722a1ab, 0xdff1a478,
          NUMBERS(0x1.769a22p-3, 0.68614, -0.27059, 1.2457, 0x1.b474f44p-4, -1.90702948492,
                  0.440064440348) },
        { 1, SEED(1234, 0, 77, 5), 0x5bd4bed5, 0x5a5eae9f,
          NUMBERS(0x1.0dad2p-9, 0.80941, -0.29266, -0.22321, 0x1.34300a67de29p-1, 1.90799545976,
                  1.00290830895) },
        { 0, SEED(42, 0, 3, 7), 0xb83e9586, 0xe363ba7b,
          NUMBERS(0x1.7177ecp-2, 1.44, 0.63797, -1.8638, 0x1.9023378p-1, 1.06405958321,
                  0.0040820427789) },
        { 1, SEED(42, 0, 3, 7), 0xe18745d9, 0xfde9210d,
          NUMBERS(0x1.78ed58p-3, -0.28193, 0.34811, -0.4081, 0x1.68b210a628564p-1, -0.876551945401,
                  1.10308883599) },
    };
    const cudaLaunchConfig_t config = { .gridDim = { 1, 1, 1 }, .blockDim = { 1, 1, 1 } };
    unsigned int *words = device_memory(8 * sizeof *words, "words");
    double *numbers = device_memory(7 * sizeof *numbers, "numbers");

    for (size_t i = 0; i < LENGTH(rows); i++) {
        cr_assert(launch_generator(&config, rows[i].xorwow, rows[i].seed, words, numbers) ==
                  cudaSuccess);
        cr_assert(words[6] == rows[i].seventh && words[7] == rows[i].eighth, "%zu: 0x%x", i,
                  words[6]);
        for (int j = 0; j < 7; j++)
            cr_assert(fabs(numbers[j] - rows[i].numbers[j]) <= (j % 4 == 0 ? 0.0 : 1e-4),
                      "%zu: [%d] is %a", i, j, numbers[j]);
    }
}

/* A generator without its initialization is read uninitialized. */
Test(intrinsics, random_states)
{
    for (int i = 0; i < 2; i++) {
        watch_data data = watch_both(1 << 17);

        kg__model_forget(data.bytes, 1 << 17);
        start(i == 0 ? "draw" : "draw_without_init", single, line(64), data);
        if (i == 1) {
            expect_only(&(kg__finding){ .kind = KG__NEVER_WRITTEN,
                                        .symbol = "bytes",
                                        .offset = 65576,
                                        .size = 1 << 17 },
                        "no init");
            continue;
        }
        expect_clean("init");
        for (int j = 0; j < 64; j++)
            cr_assert(has_uniform(&data, j), "[%d]: %g", j, data.b[j]);
    }
}
