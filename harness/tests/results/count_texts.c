/* SPDX-License-Identifier: MIT */
/* Counting: what is said of a result: its lines of source, its baseline's origin. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "results/result_text.h"
#include "tests/fakes/drive.h"
#include "tests/results/count_fixture.h"

TestSuite(count_texts, .init = begin, .fini = release);

/* Adds a line of source with its loads. */
static void add_line(kg__lines *lines, const char *file, unsigned int line, uint64_t requests,
                     uint64_t sectors)
{
    kg__counts *counts = kg__lines_at(lines, file, strlen(file), line);

    counts->value[KG__GLOBAL_LOAD_REQUESTS] = requests;
    counts->value[KG__GLOBAL_LOAD_SECTORS] = sectors;
}

/* Gives the baseline lines. */
static void store_lines(kg__lines *lines)
{
    kg__baseline_find(&baseline, ID)->lines = lines;
}

/* Beside the counter stands the line that did it, how the baseline came about, and what to do. */
Test(count_texts, the_reason_names_the_line)
{
    kg__lines *before = kg__pool_lines(test_pool());
    kg__lines *now = kg__pool_lines(test_pool());

    usual_case();
    add_line(before, "kernels/matmul/naive.cu", 14, 9550600, 22432515);
    store_lines(before);
    add_line(now, "kernels/matmul/naive.cu", 14, 9550600, 151823100);
    observation.lines = now;
    count("global_load_sectors", 151823100);
    expect(KG__SLOWER, "global_load_sectors rose by 576.8 % (151 823 100 against 22 432 515); "
                       "kernels/matmul/naive.cu:14: loads went from 2.35 to 15.90 sectors per "
                       "request" ACCEPT);
    cr_assert(result->lines == now && result->at_line == 14);
    cr_expect_str_eq(result->at_file, "kernels/matmul/naive.cu");
    cr_expect(json_equal(keep_json(kg__lines_json(before)), result->lines_before));
    judge(&baseline, "the baseline was recorded with gcc 11, this run has gcc 12.2.0");
    cr_assert(strstr(result->why,
                     "sectors per request; the baseline was recorded with gcc 11, this run has gcc "
                     "12.2.0; to accept it: ") != NULL,
              "%s", result->why);
    cr_assert(strncmp(result->moves, result->why, strlen(result->moves)) == 0 &&
                  strcmp(result->why + strlen(result->moves), ACCEPT) == 0,
              "%s", result->moves);
    /* Nothing moved: then there is nothing to put down to a compiler. */
    count("global_load_sectors", 22432515);
    judge(&baseline, "the baseline was recorded with gcc 11, this run has gcc 12.2.0");
    cr_assert(strcmp(result->why, "") == 0 && result->lines_before == NULL);
}

/* The longest reason there is: counters both ways, long lines, and a baseline of other origin. */
Test(count_texts, the_command_is_never_cut_off)
{
    static const char *const risen[] = { "global_load_requests", "global_load_sectors",
                                         "global_atomic_requests", "global_atomic_sectors",
                                         "constant_load_requests" };
    static const char *const fallen[] = { "shared_store_requests", "shared_store_wavefronts",
                                          "shared_load_requests", "shared_load_wavefronts" };
    kg__lines *before = kg__pool_lines(test_pool());
    kg__lines *now = kg__pool_lines(test_pool());
    char file[200];
    char differences[250];

    for (size_t i = 0; i < sizeof risen / sizeof *risen; i++) {
        (void)store(risen[i], 123456789);
        count(risen[i], 987654321);
    }
    for (size_t i = 0; i < sizeof fallen / sizeof *fallen; i++) {
        (void)store(fallen[i], 987654321);
        count(fallen[i], 123456789);
    }
    snprintf(file, sizeof file, "kernels/matmul/%0150d.cu", 0);
    for (unsigned int line = 1; line <= 5; line++) {
        add_line(before, file, line, 1000, 2000);
        add_line(now, file, line, 1000, 9000);
    }
    store_lines(before);
    observation.lines = now;
    memset(differences, 'x', sizeof differences - 1);
    differences[sizeof differences - 1] = '\0';
    judge(&baseline, differences);

    const char *why = result->why;
    char *shown = keep_text(kg__case_result_reason(result));

    cr_assert(strlen(why) > strlen(ACCEPT));
    cr_assert(strcmp(why + strlen(why) - strlen(ACCEPT), ACCEPT) == 0, "%s", why);
    cr_assert(strstr(why, differences) != NULL, "%s", why);
    cr_assert(strcmp(shown + strlen(shown) - strlen(ACCEPT), ACCEPT) == 0, "%s", shown);
}

#define RECORDED "the baseline was recorded with "
#define UNJUDGED                                                                                   \
    "; not judged until it is recorded again: global_atomic_passes, shared_atomic_passes, "        \
    "constant_load_words, fences, printf_calls, tensor_multiply_adds, launches, blocks, threads, " \
    "busiest_block_requests, busiest_warp_requests, shared_bytes, copied_bytes"

static json_t *provenance_of(const char *model, const char *flags)
{
    return json_pack("{s:s*, s:s*}", "model", model, "flags", flags);
}

/* Counts may be the same although other code was counted. */
Test(count_texts, how_the_baseline_was_recorded_otherwise)
{
    static const struct {
        struct origin {
            const char *compiler, *model, *flags; /* NULL: not known, and none */
        } then, now;
        const char *text;
    } rows[] = {
        { { "", NULL, NULL }, { "gcc 13.1.0", "2", NULL }, "" },
        { { "gcc 12.2.0", "1", NULL }, { "gcc 12.2.0", "1", NULL }, "" },
        { { "gcc 12.2.0", "1", NULL }, { "gcc 12.2.0", NULL, NULL }, "" },
        { { "gcc 12.2.0", KG__MODEL_VERSION, NULL },
          { "gcc 13.1.0", KG__MODEL_VERSION, NULL },
          RECORDED "gcc 12.2.0, this run has gcc 13.1.0" },
        { { "gcc 12.2.0", "1", NULL },
          { "gcc 12.2.0", "2", NULL },
          RECORDED "model 1, this run has model 2" UNJUDGED },
        { { "gcc 12.2.0", "1", NULL },
          { "gcc 13.1.0", "2", NULL },
          RECORDED "gcc 12.2.0 and model 1, this run has gcc 13.1.0 and model 2" UNJUDGED },
        { { "", KG__MODEL_VERSION, "-O0" }, { "", KG__MODEL_VERSION, "-O0" }, "" },
        { { "", KG__MODEL_VERSION, NULL },
          { "", KG__MODEL_VERSION, "-ffast-math" },
          RECORDED "no CXXFLAGS, this run has CXXFLAGS -ffast-math" },
        { { "", KG__MODEL_VERSION, "-O0" },
          { "", KG__MODEL_VERSION, NULL },
          RECORDED "CXXFLAGS -O0, this run has no CXXFLAGS" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct origin *then = &rows[i].then;
        const struct origin *now = &rows[i].now;
        json_t *provenance = keep_json(provenance_of(now->model, now->flags));
        kg__target here = target;
        char text[512];

        kg__format(here.compiler, sizeof here.compiler, "%s", now->compiler);
        kg__format(baseline.target.compiler, sizeof here.compiler, "%s", then->compiler);
        baseline.provenance = provenance_of(then->model, then->flags);
        kg__json_keep(&baseline.pool, baseline.provenance);
        cr_expect(kg__recording_differences(&baseline, &here, provenance, text, sizeof text) ==
                  (rows[i].text[0] != '\0'));
        cr_expect_str_eq(text, rows[i].text);
        kg__baseline_free(&baseline);
    }
}
