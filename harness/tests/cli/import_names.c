/* The ids that imported cases get, and the figures of few samples. */
#include <criterion/criterion.h>
#include <string.h>

#include "cli/import.h"

static void expect_id(const char *benchmark, const char *const *axes, const char *expected)
{
    kg__import_name name;
    char id[KG__IMPORT_ID_SIZE];

    kg__import_name_begin(&name, benchmark);
    for (; *axes != NULL; axes += 2)
        kg__import_name_add(&name, axes[0], axes[1]);
    cr_assert(kg__import_name_id(&name, id, NULL));
    cr_expect(strcmp(id, expected) == 0, "%s, not %s", id, expected);
}

#define AXES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_AXES ((const char *const[]){ NULL })

Test(import_names, names)
{
    expect_id("copy", NO_AXES, "copy/-/-/-");
    expect_id("a/b/c", NO_AXES, "a/b_c/-/-");
    expect_id("cub.bench.scan", AXES("T", "std::int64_t"), "cub_bench_scan/std_int64_t/-/-");
    expect_id(" A b-c/", AXES("", "(x)"), "a_b_c/x/-/-");
    expect_id("///", NO_AXES, "-/-/-/-");
    expect_id("m", AXES("n", "8", "m", "16", "k", "0"), "m/-/8x16x0/-");
    expect_id("m", AXES("n", "1.5", "r", "1e+06", "s", "960x1280x4"), "m/1_5_1e_06/960x1280x4/-");
    expect_id("m", AXES("n", "nan", "o", "x8", "p", "8x", "q", ""), "m/nan_x8_8x/-/-");
    expect_id("m", AXES("Threads per block", "128", "num_blocks", "64"), "m/-/-/b128g64");
    expect_id("m", AXES("n", "-5", "r", "1e-06", "s", "a-b"), "m/minus5_1eminus06_a_b/-/-");
    expect_id("m", AXES("n", "5", "r", "-5-", "s", "-0.5"), "m/5_minus0_5/5/-");
    expect_id("m", AXES("grid", "64", "n", "8"), "m/-/8x64/-");
    expect_id("m", AXES("block", "auto", "blocks", "0", "tpb", "32", "b", "64"), "m/auto/0x64/b32");
}

Test(import_names, a_name_that_is_too_long)
{
    kg__import_name name;
    char id[KG__IMPORT_ID_SIZE];
    char text[KG__IMPORT_ID_SIZE + 10];
    kg__error error = { "" };

    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    kg__import_name_begin(&name, text);
    cr_expect_not(kg__import_name_id(&name, id, &error));
    cr_expect(strstr(error.text, "longer than the 159 characters") != NULL, "%s", error.text);
    text[KG__IMPORT_ID_SIZE - 6] = '\0';
    kg__import_name_begin(&name, text);
    cr_expect_not(kg__import_name_id(&name, id, NULL));
    text[KG__IMPORT_ID_SIZE - 7] = '\0';
    kg__import_name_begin(&name, text);
    cr_expect(kg__import_name_id(&name, id, NULL));
}

Test(import_names, few_samples)
{
    double samples[] = { 3, 1, 2, 5, 4 };
    json_t *figures = kg__import_sampled(samples, 5, "events");

    cr_expect(json_number_value(json_object_get(figures, "value")) == 3);
    cr_expect(json_number_value(json_object_get(figures, "low")) == 1);
    cr_expect(json_number_value(json_object_get(figures, "high")) == 5);
    json_decref(figures);
}
