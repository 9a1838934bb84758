/* CUDA's intrinsics on the CPU model: what they give, and what of memory they count. */
#include <criterion/criterion.h>

#include "tests/model/intrinsics_kernels.h"
#include "tests/model/shared_kernels.h"
#include "tests/model/watch_fixture.h"

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

/* Dynamic shared memory, as people declare it: reversed blocks, with so many requests. */
Test(intrinsics, dynamic_shared_memory)
{
    static const struct {
        const char *name;
        launcher *launch;
        uint64_t requests; /* to shared memory, of each kind */
        kg__finding found;
    } rows[] = {
        { "of the file", launch_reverse_of_the_file, 4, { 0 } },
        { "in a kernel", launch_reverse_in_a_kernel, 4, { 0 } },
        { "aligned", launch_reverse_aligned, 4, { 0 } },
        { "volatile", launch_reverse_volatile, 4, { 0 } },
        { "rows", launch_reverse_rows, 4, { 0 } },
        { "by template", launch_reverse_by_template, 8, { 0 } },
        { "two views", launch_reverse_two_views, 12, { 0 } },
        { "without barrier",
          launch_reverse_without_barrier,
          4,
          { .kind = KG__RACE_IN_BLOCK, .symbol = "dynamic shared memory" } },
        { "beyond",
          launch_reverse_beyond,
          4,
          { .kind = KG__OUT_OF_BOUNDS,
            .symbol = "dynamic shared memory",
            .offset = 512,
            .size = 512 } },
    };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        watch_data data = watch_both(128);
        cudaLaunchConfig_t config = { .gridDim = single, .blockDim = line(128) };

        config.dynamicSmemBytes =
            128 * (rows[i].requests == 8 || i == 0 ? sizeof(double) : sizeof(float));
        cr_assert(rows[i].launch(&config, data) == cudaSuccess);
        expect_count(KG__SHARED_STORE_REQUESTS, rows[i].requests, rows[i].name);
        if (rows[i].found.symbol != NULL) {
            expect_only(&rows[i].found, rows[i].name);
        } else {
            expect_clean(rows[i].name);
            for (int j = 0; j < 128; j++)
                cr_assert(data.b[j] == data.a[127 - j], "%s: [%d]", rows[i].name, j);
        }
        kg__model_free_all();
    }
}

/* Above 48 KiB it is there once it was asked for. */
Test(intrinsics, much_dynamic_shared_memory)
{
    watch_data data = watch_both(1024);
    cudaLaunchConfig_t config = { .gridDim = single, .blockDim = line(1024) };

    config.dynamicSmemBytes = 49153;
    cr_assert(launch_reverse_in_a_kernel(&config, data) == cudaErrorInvalidValue);
    cr_assert(allow_reverse(232448) == cudaSuccess);
    config.dynamicSmemBytes = 232448;
    cr_assert(launch_reverse_in_a_kernel(&config, data) == cudaSuccess);
    expect_count(KG__SHARED_BYTES, 232448, "all of it");
    config.dynamicSmemBytes++;
    cr_assert(launch_reverse_in_a_kernel(&config, data) == cudaErrorInvalidValue);
    expect_clean("all of it");
}
