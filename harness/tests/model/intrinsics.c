/* CUDA's intrinsics on the CPU model: what they give, and what of memory they count. */
#include <criterion/criterion.h>

#include "tests/model/intrinsics_kernels.h"
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
