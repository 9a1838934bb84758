/* SPDX-License-Identifier: MIT */
/* Reading baselines: what a file says, and files that cannot be read as a whole. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/baseline/baseline_fixture.h"

static kg__baseline baseline;

TestSuite(baseline_read, .init = begin_baselines, .fini = remove_folder);

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file);
    cr_assert(fwrite(bytes, 1, size, file) == size);
    cr_assert(fclose(file) == 0);
}

Test(baseline_read, loads_what_the_file_says)
{
    kg__error error = { .text = "" };

    write_text(path, whole);
    cr_assert(kg__baseline_load(path, &baseline, &error) == KG__LOADED, "%s", error.text);
    cr_expect_str_eq(error.text, "");
    cr_expect_str_eq(baseline.target.key, "nvidia-h200");
    cr_expect_str_eq(baseline.target.name, "NVIDIA H200");
    cr_expect_str_eq(baseline.target.compute_capability, "9.0");
    cr_expect_str_eq(baseline.target.compiler, "");
    cr_expect(baseline.target.memory_mib == 143771);
    cr_expect(baseline.target.multiprocessors == 132);
    cr_expect(json_is_true(json_object_get(baseline.provenance, "ecc")));
    cr_expect(baseline.sentinel_count == 2 && baseline.case_count == 2);

    kg__baseline_case *copy = kg__baseline_sentinel(&baseline, "copy");

    cr_assert_not_null(copy);
    cr_expect_null(copy->commit);
    cr_expect(kg__baseline_metric_of(copy, "time_ns")->value == 256000.5);
    cr_expect_null(kg__baseline_sentinel(&baseline, "cpy"));

    kg__baseline_case *naive = kg__baseline_find(&baseline, "matmul_f32/naive/530/b16");

    cr_assert_not_null(naive);
    cr_expect_str_eq(naive->commit, "0b1c2d3");
    /* Memory that is not named is none where registers are. */
    cr_expect(naive->code->registers == 40 && naive->code->local_bytes == 0 &&
              naive->code->shared_bytes == 0 && isnan(naive->code->occupancy));
    cr_expect(naive->metric_count == 2);
    cr_expect_not(kg__baseline_metric_of(naive, "cold_time_ns")->gated);
    cr_expect(kg__baseline_metric_of(naive, "cold_time_ns")->floor == 60);
    cr_expect_null(kg__baseline_metric_of(naive, "time_us"));

    kg__expectation time = kg__baseline_expectation(kg__baseline_metric_of(naive, "time_ns"));

    cr_expect(time.value == 60010 && time.band == 0.02 && time.floor == 50 && time.gated);

    kg__baseline_case *tiled = kg__baseline_find(&baseline, "matmul_f32/tiled/530/b16");

    cr_assert_not_null(tiled);
    cr_expect(kg__baseline_metric_of(tiled, "time_ns")->band_by_hand);
    cr_expect_null(tiled->code);

    kg__expectation requests =
        kg__baseline_expectation(kg__baseline_metric_of(tiled, "global_load_requests"));

    cr_expect(requests.value == 612680 && requests.band == 0 && requests.floor == 0);
    cr_expect(requests.gated);
    cr_expect_null(kg__baseline_find(&baseline, "matmul_f32/tiled/530/b32"));
    kg__baseline_free(&baseline);
    cr_expect(baseline.cases == NULL && baseline.case_count == 0);
}

Test(baseline_read, an_absent_file_is_no_error)
{
    kg__error error = { .text = "old" };

    cr_expect(kg__baseline_load(path, &baseline, &error) == KG__ABSENT);
    cr_expect_str_eq(error.text, "");
    cr_expect(baseline.case_count == 0);
    cr_expect_null(kg__baseline_find(&baseline, "a/b/1/-"));
    kg__baseline_free(&baseline);
    cr_expect(kg__baseline_load(path, &baseline, NULL) == KG__ABSENT);
    kg__baseline_free(&baseline);
}

Test(baseline_read, a_pipe_is_no_baseline, .timeout = 10)
{
    cr_assert(mkfifo(path, 0600) == 0);
    expect_bad(": cannot be opened: it is not a regular file: record a baseline with kernelgate "
               "rebaseline",
               0);
}

Test(baseline_read, an_unreadable_file)
{
    write_text(path, whole);
    cr_assert(chmod(path, 0) == 0);
    /* Whoever is root reads it all the same, after which there is nothing to be tested. */
    if (geteuid() == 0)
        cr_assert(setegid(65534) == 0 && seteuid(65534) == 0 && chdir("/") == 0);

    kg__error error = { .text = "" };

    cr_expect(kg__baseline_load(path, &baseline, &error) == KG__BAD);
    cr_expect_not_null(strstr(error.text, "cannot be opened: Permission denied: check its "
                                          "permissions"),
                       "%s", error.text);
    kg__baseline_free(&baseline);
    if (getuid() == 0)
        cr_assert(seteuid(0) == 0);
}

Test(baseline_read, every_truncation_is_noticed)
{
    size_t length = strlen(whole);

    /* All but the last newline is needed. */
    for (size_t kept = 0; kept + 1 < length; kept++) {
        kg__error error = { .text = "" };

        write_bytes(whole, kept);
        cr_assert(kg__baseline_load(path, &baseline, &error) == KG__BAD, "%zu bytes", kept);
        cr_assert(strncmp(error.text, path, strlen(path)) == 0, "%s", error.text);
        cr_assert(baseline.case_count == 0 && baseline.sentinel_count == 0);
        kg__baseline_free(&baseline);
    }
}

Test(baseline_read, deep_nesting)
{
    size_t depth = 1000000;
    char *text = kg__pool_array(test_pool(), depth, 1);

    memset(text, '[', depth);
    write_bytes(text, depth);
    expect_bad(": line 1: maximum parsing depth reached near '['" REMEDY, 0);
}

Test(baseline_read, an_empty_file)
{
    write_text(path, "");
    expect_bad(": line 1: the file is empty" REMEDY, 0);
    write_text(path, "\n \n");
    expect_bad(": line 3: the file is empty" REMEDY, 0);
}

Test(baseline_read, an_enormous_file)
{
    write_text(path, whole);
    /* Sparse, so that it takes no room on the disk. */
    cr_assert(truncate(path, (64L << 20) + 1) == 0);
    expect_bad(": has more than 64 MiB, which no baseline has" REMEDY, 0);
}

/* A file that is not strict JSON holds nothing. */
Test(baseline_read, duplicate_keys_are_named_with_their_line)
{
    write_text(path, with_case("'a/b/530/b16': {'barriers': {'value': 1},\n   'barriers': "
                               "{'value': 2}}"));
    expect_bad(": line 5: duplicate object key near '\"barriers\"'" REMEDY, 0);
}

Test(baseline_read, the_first_fault_is_named_by_its_keys)
{
    write_text(path, with_case("'a/a/1/-': {'barriers': {'value': -1.5}}, 'a/b/1/-': 1"));
    expect_bad(": cases: a/a/1/-: barriers: value: is not valid" LINT, 1);
}
