/* SPDX-License-Identifier: MIT */
/* Settling by pairs of base and head: how they run, and what they find. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/made_baselines.h"
#include "tests/gate/settle_fixture.h"

TestSuite(settle_pairs, .init = begin_settle, .fini = end_settle, .timeout = 110);

Test(settle_pairs, a_head_as_fast_as_its_base_passes)
{
    json_t *document;
    const json_t *entry;
    const json_t *pairs;

    set("KG_BASE_COMMIT", "0a1b2c3d4e");
    expect_suspects("* " SLOW " hot 10311\n", "suspect");
    plan("base", "* " SLOW " hot 10300\n");
    expect_settle(NULL, NULL, 0,
                  "settling 1 suspect in 1 comparison against main (0a1b2c3d4e): at most 300 s");
    cr_assert(processes("base") == 12, "one look is enough: %zu", processes("base"));
    cr_assert(processes("head") == 14);
    expect_case(SLOW, "pass",
                "time_ns as fast as main (+0.1 %, 12 pairs, p = 1.00); against the stored baseline "
                "+3.1 %: the machine, or an earlier commit");
    cr_assert(!is_suspect(SLOW));
    entry = entry_of(SLOW, &document);
    pairs = json_object_get(json_object_get(entry, "pairs"), "time_ns");
    cr_assert(json_integer_value(json_object_get(pairs, "count")) == 12);
    for (size_t side = 0; side < 2; side++) {
        const json_t *list = json_object_get(pairs, side == 0 ? "base_ns" : "head_ns");

        cr_assert(json_array_size(list) == 12);
        cr_assert(json_number_value(json_array_get(list, 11)) == (side == 0 ? 10300 : 10311));
    }
    cr_assert(json_object_get(json_object_get(entry, "pairs"), "cold_time_ns") == NULL,
              "it was never in doubt");
    cr_assert(json_object_get(entry, "first") == NULL);
    cr_assert(strcmp(kg__json_text(json_object_get(entry, "base"), "ref"), "main") == 0);
    cr_assert(strcmp(kg__json_text(json_object_get(entry, "base"), "commit"), "0a1b2c3d4e") == 0);
    json_decref(document);
    expect_results(0, "against the stored baseline +3.1 %");
}

/* Base, head; head, base; and so on, each as short as twelve of them may be, and only the first two
 * compute references. Suspects run without their neighbors. */
Test(settle_pairs, a_head_slower_than_its_base_fails)
{
    /* What each process of the base may sample for, whether results are checked, and how many of
     * this build's came before. */
    static const char order[] = "0.02 - 2\n0.02 1 4\n0.02 1 4\n0.02 1 6\n0.02 1 6\n";
    char *text;

    build("base", "[ \"$1\" = --observe ] && echo \"$KG_CASE_SECONDS\" \"${KG__CHECKED:--}\" "
                  "$(wc -l <\"${0%/base/*}/head_log\") >>\"${0%/base/*}/order\";");
    expect_suspects("* " SLOW " hot 10300 cold 12360\n", "suspect");
    expect_settle(NULL, NULL, 0, "slower       nvidia-fake  fake/plain/64/b32");
    expect_case(SLOW, "slower",
                "time_ns slower than main by 3.0 % (interval 3.0 % to 3.0 %, 12 pairs, p = 0.0002; "
                "10 300 ns against 10 000 ns)");
    expect_results(1, "slower than main by 3.0 %");
    text = read_text(at("order"));
    cr_assert(strncmp(text, order, strlen(order)) == 0 && occurrences(text, "\n") == 12, "%s",
              text);
    free(text);
    text = read_text(at("out/records/gpu.fake.time.head.cases"));
    cr_assert_str_eq(text, SLOW "\n");
    free(text);
}

#define FIRST_BOARD "GPU-11111111-2222-3333-4444-555555555555"
#define OTHER_BOARD "GPU-66666666-7777-8888-9999-000000000000"

/* A machine may have several GPUs; the suspects' own is asked again. */
Test(settle_pairs, pairs_are_run_on_the_board_of_the_test)
{
    char *records;

    set("FAKE_BOARDS", FIRST_BOARD "=NVIDIA Fake," OTHER_BOARD "=NVIDIA Fake");
    set("CUDA_VISIBLE_DEVICES", OTHER_BOARD);
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    set("CUDA_VISIBLE_DEVICES", FIRST_BOARD);
    expect_settle(NULL, NULL, 0, "settled 1 of 1 suspects");
    records = read_text(at("out/records/gpu.fake.time.base.jsonl"));
    cr_assert(strstr(records, OTHER_BOARD) != NULL, "%s", records);
    free(records);
}

Test(settle_pairs, every_case_of_a_paired_run)
{
    set("KG_PAIRED", "1");
    expect_suspects("* " OTHER " cold 6130\n", "suspect      nvidia-fake  fake/plain/64/b64");
    cr_assert(is_suspect(SLOW) && is_suspect(OTHER));
    expect_settle(NULL, NULL, 0, "settling 4 suspects");
    expect_case(SLOW, "pass", "as fast as main");
    expect_case(OTHER, "slower", "cold_time_ns slower than main by 2.2 %");
    expect_results(1, "slower than main by 2.2 %");
}

/* What is recorded ungated is in no doubt, paired or not. */
Test(settle_pairs, ungated_metrics_are_not_paired)
{
    kg__error error = { "" };
    kg__baseline baseline;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &baseline, &error) == KG__LOADED);
    for (size_t i = 0; i < baseline.case_count; i++) {
        bool other = strcmp(baseline.cases[i].id, OTHER) == 0;

        kg__baseline_metric_of(&baseline.cases[i], "cold_time_ns")->gated = false;
        kg__baseline_metric_of(&baseline.cases[i], "time_ns")->gated = !other;
    }
    write_baseline(at("baselines/nvidia-fake.json"), &baseline);
    kg__baseline_free(&baseline);
    set("KG_PAIRED", "1");
    expect_suspects("* " OTHER " hot 6000\n* " SLOW " cold 19000\n", "suspect");
    expect_settle(NULL, NULL, 0, "settled 4 of 4");
    expect_case(SLOW, "pass", "time_ns as fast as main");
    expect_case(OTHER, "pass", "");
}

/* A base is enough: what has no baseline is judged all the same. */
Test(settle_pairs, a_paired_run_without_a_baseline)
{
    (void)unlink(at("baselines/nvidia-fake.json"));
    set("KG_PAIRED", "1");
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    expect_settle(NULL, NULL, 0, "settled 4 of 4");
    expect_case(SLOW, "slower", "slower than main by 3.0 %");
    expect_case(OTHER, "pass", "as fast as main");
}

/* What goes wrong while pairs run: the base's faults leave the verdict to the baseline, the head's
 * are its own. */
Test(settle_pairs, what_goes_wrong_in_pairs)
{
    static const struct {
        const char *side, *plan, *line, *verdict, *why;
        size_t processes; /* of the base; 0: any */
    } rows[] = {
        { "base", "* " SLOW " crash\n", "main cannot be measured: crashed: the observer died of",
          "slower", "slower by 3.0 %", 0 },
        { "base", "* " SLOW " wrong\n", "main cannot be measured: to[3]: expected 1, got 2",
          "slower", "slower by 3.0 %", 0 },
        { "base", "3 " SLOW " forget\n", "main cannot be measured: the observer ended early",
          "slower", "slower by 3.0 %", 0 },
        { "base", "* " SLOW " clock host\n", "time_ns of main has another clock (host; here graph)",
          "slower", "slower by 3.0 %", 0 },
        { "base", "* " SLOW " cold 0\n", NULL, "slower", "slower than main by 3.0 %", 12 },
        { "base", "* " SLOW " throttled\n", "environment  nvidia-fake", "environment",
          "the GPU was throttled, or not alone, in 7 of 7 pairs", 7 },
        { "head", "* " SLOW " hot 10300\n1 " SLOW " wrong\n", "wrong        nvidia-fake", "wrong",
          "to[3]: expected 1, got 2", 0 },
        { "head", "* " SLOW " hot 10300\n3 " SLOW " crash\n", "error        nvidia-fake", "error",
          "crashed: the observer died of signal 11", 0 },
        { "head", "* " SLOW " hot 10300\n3 " SLOW " hot 99000 throttled\n", "slower", "slower",
          "slower than main by 3.0 %", 13 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan("base", "");
        expect_suspects("* " SLOW " hot 10300\n", "suspect");
        plan(rows[i].side, rows[i].plan);
        expect_settle(NULL, NULL, 0, rows[i].line);
        expect_case(SLOW, rows[i].verdict, rows[i].why);
        cr_expect(rows[i].processes == 0 || processes("base") == rows[i].processes, "%zu: %zu", i,
                  processes("base"));
    }
}

/* What is close takes more looks: a third of the pairs are well below the margin. */
Test(settle_pairs, what_is_close_takes_more_pairs)
{
    expect_suspects("* " SLOW " hot 10210\n1 " SLOW " hot 10300\n3 " SLOW " hot 9990\n7 " SLOW
                    " hot 9990\n11 " SLOW " hot 9991\n",
                    "suspect");
    expect_settle(NULL, NULL, 0, "slower");
    cr_assert(processes("base") > 12, "%zu", processes("base"));
}

/* Plans a metric that is found slower at the first look, and one that is not decided by then: it is
 * slower by 2 % in all pairs but every fourth. From then on, nothing of the base is of use. */
static void plan_one_found(const char *then)
{
    char text[4096] = "* " SLOW " hot 10190 cold 12240\n1 " SLOW " hot 10300 cold 12400\n";
    size_t used = strlen(text);

    for (int i = 3; i < 40; i += 4)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%d " SLOW " hot 10190 cold 11990\n", i);
    expect_suspects(text, "suspect");
    text[0] = '\0';
    used = 0;
    for (int i = 13; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d " SLOW " %s\n", i, then);
    plan("base", text);
}

Test(settle_pairs, what_was_found_stays_found)
{
    static const char *const then[] = { "throttled", "crash" };

    for (size_t i = 0; i < sizeof then / sizeof *then; i++) {
        json_t *document;
        const json_t *metrics;

        plan_one_found(then[i]);
        expect_settle(NULL, NULL, 0, "slower       nvidia-fake  fake/plain/64/b32");
        cr_assert(processes("base") > 12, "%s: %zu", then[i], processes("base"));
        expect_case(SLOW, "slower", "time_ns slower than main by 1.9 %");
        metrics = json_object_get(entry_of(SLOW, &document), "metrics");
        cr_assert(strstr(kg__json_text(json_object_get(metrics, "cold_time_ns"), "why"),
                         "not found slower by more than 1.0 % than main") != NULL);
        json_decref(document);
        expect_results(1, "slower than main by 1.9 %");
    }
}

Test(settle_pairs, prints_a_document)
{
    const json_t *suspect;
    const json_t *pairs;
    char *complaints;
    json_t *document;

    set("KG_BASE_COMMIT", "0a1b2c3d4e");
    expect_suspects("* " SLOW " hot 10300\n* " OTHER " hot 5160\n", "suspect");
    plan("base", "* " OTHER " hot 5160\n");
    document = settle_as_json(NULL, NULL, 0, &complaints);
    cr_expect(strstr(complaints, "settling 2 suspects in 1 comparison") != NULL &&
                  strstr(complaints, "slower       nvidia-fake  " SLOW) != NULL,
              "%s", complaints);
    free(complaints);
    cr_expect_str_eq(kg__json_text(json_object_get(document, "base"), "ref"), "main");
    cr_expect_str_eq(kg__json_text(json_object_get(document, "base"), "commit"), "0a1b2c3d4e");
    cr_expect(figure(document, "settled") == 2 && figure(document, "limit_seconds") == 300);
    suspect = ENTRY(document, "suspects", "case", SLOW, "verdict", "slower", "judged_by", "pairs",
                    "target", "nvidia-fake");
    pairs = json_object_get(json_object_get(suspect, "pairs"), "time_ns");
    cr_expect(figure(pairs, "count") == 12 && figure(suspect, "undisturbed_pairs") == 12 &&
              figure(suspect, "disturbed_pairs") == 0);
    cr_expect(figure(pairs, "change") > 0.029 && figure(pairs, "low") <= figure(pairs, "change") &&
              figure(pairs, "high") < 0.031 && figure(pairs, "p") < 0.001);
    suspect = ENTRY(document, "suspects", "case", OTHER, "verdict", "pass", "judged_by", "pairs");
    pairs = json_object_get(json_object_get(suspect, "pairs"), "time_ns");
    cr_expect(figure(pairs, "change") == 0 && figure(pairs, "p") > 0.5);
    expect_strict(document);
    json_decref(document);
    document = settle_as_json(NULL, NULL, 0, NULL);
    cr_expect(json_array_size(json_object_get(document, "suspects")) == 0 &&
              figure(document, "settled") == 0);
    json_decref(document);
}
