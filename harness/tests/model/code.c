/* SPDX-License-Identifier: MIT */
/* Device code of two files, and the forms of launches, shared arrays and functions that a grammar
 * tells. */
#include "tests/model/code_kernels.h"
#include "tests/model/watch_fixture.h"

#include <criterion/criterion.h>

/* What element 5 of b becomes, of a[5] 6, in the first file and in the second. */
static const struct {
    const char *what;
    int form;
    int n;
    float first, second;
} results[] = {
    { "functions, variables and arrays", 0, 0, 5 * 6 + 10, 2 * 5 * 6 + 20 },
    { "a kernel template", 1, 0, 3 * 6, 6 * 6 },
    { "a cluster", 2, 0, 2, 1 },
    { "__shared__ in any position", 3, 0, 6 * 27, 6 * 27 },
    { "__shared__ outside of a function", 4, 1, 27, 27 },
    { "recursive functions", 5, 6, 164, 164 },
    { "a default argument of a template that was declared before", 7, 0, 6, 6 },
    { "an overload, by explicit arguments", 8, 0, 2, 2 },
    { "an overload that is no template", 9, 8, 8, 8 },
    { "operators of two characters", 10, 0, 9, 9 },
    { "a dependent launch with spaces in its marks", 11, 0, 5, 5 },
    { "an element", 12, 1, 1, 1 },
    { "a choice", 13, 3, 3, 3 },
    { "a parameter that is named like a kernel", 14, 3, 4, 4 },
    { "a default argument in C", 15, 0, 5, 5 },
};

Test(code, of_two_files_is_apart)
{
    for (size_t row = 0; row < sizeof results / sizeof *results; row++) {
        watch_data data = watch_both(64);

        data.numbers[5] = 0;
        cr_assert(start_of_first(data, results[row].form, results[row].n) == cudaSuccess, "%s",
                  results[row].what);
        cr_expect(data.b[5] == results[row].first, "%s: %g", results[row].what, (double)data.b[5]);
        cr_assert(start_of_second(data, results[row].form, results[row].n) == cudaSuccess);
        cr_expect(data.b[5] == results[row].second, "%s: %g", results[row].what, (double)data.b[5]);
        expect_clean(results[row].what);
    }
}

Test(code, shared_arrays_outside_of_functions_are_watched)
{
    watch_data data = watch_both(64);

    cr_assert(start_of_second(data, 4, 0) == cudaSuccess);
    expect_only(&(kg__finding){ .kind = KG__RACE_IN_BLOCK, .symbol = "at_file_scope" },
                "no barrier");
}

Test(code, that_recurses_for_ever_overflows_its_stack)
{
    cr_expect(start_of_first(watch_both(64), 6, 0) == cudaErrorHardwareStackError);
}
