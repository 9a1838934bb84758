/* SPDX-License-Identifier: MIT */
/* PROGRAM --work: what the cases of a comparison ask for, of its programs for the CPU model and for
 * a GPU. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/fakes/drive.h"

static json_t *document;

static void end(void)
{
    json_decref(document);
    remove_folder();
}

TestSuite(work, .init = make_folder, .fini = end);

static void ask(const char *program)
{
    ending seen = drive((const char *const[]){ program, "--work", NULL }, environment);

    expect_ending(&seen, 0, NULL);
    json_decref(document);
    document = json_loads(seen.output, 0, NULL);
    cr_assert(document != NULL, "%s", seen.output);
    free(seen.output);
}

static const json_t *find(const char *id)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(document, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "case"), id) == 0)
            return entry;
    }
    return NULL;
}

static void expect_numbers(const char *id, const char *const *keys, const double *values)
{
    const json_t *entry = find(id);

    cr_assert(entry != NULL, "%s is missing", id);
    for (; *keys != NULL; keys++, values++) {
        double value = kg__json_number(entry, *keys);

        cr_assert(value == *values, "%s: %s is %g, not %g", id, *keys, value, *values);
    }
}

#define NUMBERS(...) ((const double[]){ __VA_ARGS__ })

static const char *const sizes[] = {
    "bytes_read", "bytes_written", "bytes_to_device", "bytes_to_host", "kernels", "blocks", NULL
};
static const char *const sizes_alone[] = { "bytes_read", "bytes_written", "bytes_to_device",
                                           "bytes_to_host", NULL };

/* 5 rows and 5 of 100 floats, 25 means of each and as many counts: a block a pair. */
Test(work, of_a_kernel)
{
    const json_t *entry;

    need_comparison(KG__MEANS);
    ask(KG__MEANS);
    cr_assert_str_eq(kg__json_text(document, "comparison"), "pair_means");
    expect_numbers("pair_means/shared_tree/5x5x100/b16", sizes, NUMBERS(4000, 300, 0, 0, 1, 25));
    expect_numbers("pair_means/warp_shuffle/64x64x1000/b128", sizes,
                   NUMBERS(512000, 49152, 0, 0, 1, 4096));
    entry = find("pair_means/shared_tree/5x5x100/b16");
    cr_assert(kg__json_number(json_object_get(entry, "work"), "operations") == 10050);
    cr_assert(kg__json_number(json_object_get(entry, "work"), "bytes") == 4300);
    cr_assert_str_eq(kg__json_text(entry, "type"), "float32");
    cr_assert(json_array_size(json_object_get(entry, "purposes")) == 3);
    entry = find("pair_means/shared_tree/1x1x1/b16");
    cr_assert(json_array_size(json_object_get(entry, "purposes")) == 1);
}

/* Copies start no kernel, and are for no counting; the type is the first output's. */
Test(work, of_copies)
{
    need_comparison(KG__TRANSFERS);
    ask(KG__TRANSFERS);
    expect_numbers("transfers/h2d_pinned/8x8/-", sizes_alone, NUMBERS(256, 256, 256, 0));
    expect_numbers("transfers/d2h_pageable/8x8/-", sizes_alone, NUMBERS(256, 256, 0, 256));
    expect_numbers("transfers/global_to_shared/768x768/-", sizes,
                   NUMBERS(2359296, 2359296, 0, 0, 1, 576));
    cr_assert(json_object_get(find("transfers/h2d_pinned/8x8/-"), "kernels") == NULL);
    cr_assert_str_eq(kg__json_text(find("transfers/h2d_pinned/8x8/-"), "type"), "int32");
    cr_assert(
        json_array_size(json_object_get(find("transfers/h2d_pinned/530x530/-"), "purposes")) == 1,
        "it is not counted");
}

/* Launchers that touch their arguments, and one that never ends, cost their own figure alone. */
Test(work, of_launchers_that_break)
{
    set("KG_FILTER", "fake/*/64/b32,fake/plain/*");
    ask(KG__FAKE_MODEL);
    for (size_t i = 0; i < 2; i++) {
        const char *id = i == 0 ? "fake/hangs/64/b32" : "fake/crashes/64/b32";

        expect_numbers(id, sizes_alone, NUMBERS(256, 256, 0, 0));
        cr_assert(json_object_get(find(id), "blocks") == NULL);
    }
    cr_assert(find("fake/plain/7/b32") == NULL, "a refused case asks for nothing");
}

Test(work, of_a_program_for_a_gpu)
{
    ask(KG__FAKE_GPU);
    expect_numbers("fake/plain/64/b32", sizes_alone, NUMBERS(256, 256, 0, 0));
    cr_assert(json_object_get(find("fake/plain/64/b32"), "blocks") == NULL);
}

Test(work, takes_the_filter_and_nothing_else)
{
    set("KG_FILTER", "fake/plain/64/b*");
    ask(KG__FAKE_MODEL);
    cr_assert(json_array_size(json_object_get(document, "cases")) == 2);
    expect_drive((const char *const[]){ KG__FAKE_MODEL, "--work", "more", NULL }, 2,
                 "more: --work takes no value");
    expect_drive((const char *const[]){ KG__FAKE_BAD_TABLE, "--work", NULL }, 2, "twice");
}

Test(work, an_output_that_takes_no_more)
{
    ending seen = drive((const char *const[]){ "/bin/sh", "-c", "exec \"$0\" --work >/dev/full",
                                               KG__FAKE_MODEL, NULL },
                        environment);

    expect_ending(&seen, 2, "the work: cannot be written");
    free(seen.output);
}
