/* SPDX-License-Identifier: MIT */
/* Counting: from what an observer of the CPU model counted of a case to its verdict. */

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/made_baselines.h"
#include "tests/results/count_fixture.h"

TestSuite(count_result, .init = begin, .fini = release);

static const kg__metric_result *metric_of(const char *name)
{
    return kg__case_result_metric(result, name);
}

/* What either side leaves out is 0 there. */
Test(count_result, one_counter_moved)
{
    static const struct {
        const char *counter;
        double then; /* 0: as in the usual case */
        double now;  /* -1: left out */
        kg__verdict verdict;
        const char *why;
    } rows[] = {
        { "shuffles", 0, 0, KG__PASS, "" },
        { "global_load_requests", 0, 9550601, KG__SLOWER,
          "global_load_requests rose by 0.00001 % (9 550 601 against 9 550 600)" ACCEPT },
        { "global_load_sectors", 0, 22432514, KG__FASTER,
          "global_load_sectors fell by 0.000004 % (22 432 514 against 22 432 515)" KEEP },
        { "shared_load_wavefronts", 4, 5, KG__SLOWER,
          "shared_load_wavefronts rose by 25.0 % (5 against 4)" ACCEPT },
        { "launches", 1, 2, KG__SLOWER, "launches rose by 100.0 % (2 against 1)" ACCEPT },
        { "shuffles", 0, 1, KG__SLOWER, "shuffles rose (1 against 0)" ACCEPT },
        { "global_store_requests", 0, -1, KG__FASTER,
          "global_store_requests fell by 100.0 % (0 against 17 980)" KEEP },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__baseline_free(&baseline);
        begin();
        usual_case();
        if (rows[i].then > 0)
            (void)store(rows[i].counter, rows[i].then);
        if (rows[i].now >= 0)
            count(rows[i].counter, rows[i].now);
        else
            lose(rows[i].counter);
        expect(rows[i].verdict, rows[i].why);
        cr_expect(rows[i].now < 0 || metric_of(rows[i].counter)->verdict == rows[i].verdict, "%s",
                  rows[i].counter);
        cr_expect(metric_of("unique_bytes_read")->verdict == KG__PASS);
    }
    cr_expect_str_eq(result->id, ID);
    cr_expect_str_eq(result->target, "cpu-model");
    cr_expect_str_eq(result->part, "count");
    cr_expect(result->lines == NULL && result->sampled_of == 0);
}

Test(count_result, observations_that_are_wrong)
{
    static const double values[] = { -1, 1.5, NAN, 9007199254740994.0 };

    usual_case();
    count("speed", 7);
    expect(KG__ERROR, "speed was counted, and is not a counter: build both programs again");
    lose("speed");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        count("barriers", values[i]);
        expect(KG__ERROR, "barriers is not a whole number from 0 to 2^53 in the record");
    }
    observation.metric_count = 0;
    expect(KG__ERROR, "the observer recorded no counter of this case");
}

/* The results hold every counter, zeros too, as the whole numbers that they are. */
Test(count_result, every_counter_is_in_the_results)
{
    json_t *json;

    usual_case();
    judge(&baseline, "");
    json = keep_json(kg__case_result_json(result));
    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);
        const json_t *written = json_object_get(json_object_get(json, "metrics"), name);

        cr_assert(json_is_integer(json_object_get(written, "value")));
        cr_assert(json_is_integer(json_object_get(written, "baseline")));
        cr_assert(metric_of(name)->change == 0 && metric_of(name)->verdict == KG__PASS);
    }
    cr_assert(metric_of("global_load_sectors")->figures.value == 22432515);
    cr_assert(metric_of("barriers")->baseline == 0);
}

/* A rise fails, whatever else fell; what fell is said, for it may be worth it. */
Test(count_result, a_rise_is_slower_even_where_another_fell)
{
    usual_case();
    count("global_load_requests", 612680);
    count("global_load_sectors", 3305548);
    count("barriers", 78608);
    count("shared_load_requests", 100);
    count("shared_load_wavefronts", 100);
    count("shared_store_requests", 100);
    count("shared_store_wavefronts", 100);
    expect(KG__SLOWER,
           "shared_load_requests rose (100 against 0); also risen: shared_load_wavefronts, "
           "shared_store_requests, shared_store_wavefronts and 1 more; fallen: "
           "global_load_requests, global_load_sectors" ACCEPT);
}

/* The one that moved furthest stands first. */
Test(count_result, several_counters_moved)
{
    usual_case();
    count("global_load_requests", 2.0 * 9550600);
    count("global_load_sectors", 3.0 * 22432515);
    count("unique_bytes_read", 2247204);
    expect(KG__SLOWER,
           "global_load_sectors rose by 200.0 % (67 297 545 against 22 432 515); also risen: "
           "global_load_requests, unique_bytes_read" ACCEPT);
    count("global_load_requests", 1);
    count("global_load_sectors", 22432515);
    count("unique_bytes_read", 4);
    count("unique_bytes_written", 1123600);
    expect(KG__FASTER, "global_load_requests fell by 100.0 % (1 against 9 550 600); also fallen: "
                       "unique_bytes_read" KEEP);
}

/* What an older model did not count, or counted otherwise, is shown and not judged; the rest is. In
 * strict mode the case does not pass. */
Test(count_result, what_an_older_model_did_not_count)
{
    static const struct {
        const char *model; /* that recorded the baseline */
        const char *counter;
        bool judged;
    } rows[] = {
        { "4", "fences", true },
        { "3", "fences", false },
        { "3", "threads", false },
        { "3", "global_atomic_passes", false },
        { "3", "launches", true },
        { "2", "launches", false },
        { "2", "constant_load_words", false },
        { "2", "busiest_block_requests", true },
        { "1", "busiest_block_requests", false },
        { "1", "copied_bytes", false },
        { "1", "shared_bytes", false },
        { "1", "shuffles", true },
        { "unheard of", "launches", true },
        { "-5", "launches", true },
        { "", "launches", true },
        { "2147483648", "launches", true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const kg__metric_result *metric;

        usual_case();
        baseline.provenance = json_pack("{s:s}", "model", rows[i].model);
        kg__json_keep(&baseline.pool, baseline.provenance);
        count(rows[i].counter, 7);
        judge(&baseline, "");
        metric = metric_of(rows[i].counter);
        cr_expect(metric->figures.value == 7);
        cr_expect(result->verdict == (rows[i].judged ? KG__SLOWER : KG__PASS));
        cr_expect(metric->verdict == (rows[i].judged ? KG__SLOWER : KG__PASS));
        cr_expect((metric->gated == KG__NO) != rows[i].judged);
        cr_expect(*metric->why != '\0', "%s", rows[i].counter);
        strict = true;
        judge(&baseline, "");
        cr_expect(result->verdict == (rows[i].judged ? KG__SLOWER : KG__NO_BASELINE));
        cr_expect(metric_of(rows[i].counter)->verdict == result->verdict);
        cr_expect(rows[i].judged ||
                  strstr(result->why, "kernelgate rebaseline --target model") != NULL);
        strict = false;
        count("global_load_requests", 9550601);
        judge(&baseline, "");
        cr_expect(result->verdict == KG__SLOWER);
        count(rows[i].counter, 0);
        kg__baseline_free(&baseline);
    }
}

/* The same requests by fewer blocks: no line of source says it, so words do. */
Test(count_result, a_busier_block)
{
    usual_case();
    (void)store("busiest_block_requests", 8448);
    count("busiest_block_requests", 8448.0 * 1156);
    expect(KG__SLOWER, "busiest_block_requests rose by 115 500.0 % (9 765 888 against 8 448); the "
                       "work is done by fewer blocks, or spread less evenly" ACCEPT);
    (void)store("busiest_warp_requests", 1056);
    count("busiest_warp_requests", 2112);
    expect(KG__SLOWER, "busiest_block_requests rose by 115 500.0 % (9 765 888 against 8 448); also "
                       "risen: busiest_warp_requests; the work is done by fewer blocks, or spread "
                       "less evenly" ACCEPT);
    count("busiest_block_requests", 8448);
    expect(KG__SLOWER, "busiest_warp_requests rose by 100.0 % (2 112 against 1 056); the work is "
                       "done by fewer warps, or spread less evenly" ACCEPT);
    count("busiest_block_requests", 8448.0 * 1156);
    count("busiest_warp_requests", 1056);
    count("unique_bytes_read", 2247204);
    expect(KG__SLOWER, "busiest_block_requests rose by 115 500.0 % (9 765 888 against 8 448); also "
                       "risen: unique_bytes_read" ACCEPT);
    usual_case();
    count("busiest_block_requests", 8);
    expect(KG__FASTER, "busiest_block_requests fell by 99.9 % (8 against 8 448)" KEEP);
}

/* Work on tensor cores may be gained; that all of it is gone fails, and where some is, no counter
 * that fell makes the case faster. */
Test(count_result, work_on_tensor_cores)
{
    static const struct {
        double then, now, loads;
        kg__verdict verdict;
        const char *why;
    } rows[] = {
        { 0, 8192, 9550600, KG__PASS, "tensor_multiply_adds rose (8 192 against 0)" },
        { 0, 8192, 612680, KG__FASTER,
          "global_load_requests fell by 93.6 % (612 680 against 9 550 600)" KEEP },
        { 4096, 8192, 612680, KG__SLOWER,
          "tensor_multiply_adds rose by 100.0 % (8 192 against 4 096); fallen: "
          "global_load_requests" ACCEPT },
        { 8192, 4096, 612680, KG__PASS,
          "tensor_multiply_adds fell by 50.0 % (4 096 against 8 192): not called faster" },
        { 8192, 4096, 9550600, KG__PASS,
          "tensor_multiply_adds fell by 50.0 % (4 096 against 8 192)" },
        { 8192, 4096, 2.0 * 9550600, KG__SLOWER,
          "global_load_requests rose by 100.0 % (19 101 200 against 9 550 600)" ACCEPT },
        { 8192, 0, 612680, KG__SLOWER,
          "tensor_multiply_adds fell by 100.0 % (0 against 8 192); fallen: "
          "global_load_requests" ACCEPT },
        { 8192, 0, 4.0 * 9550600, KG__SLOWER,
          "tensor_multiply_adds fell by 100.0 % (0 against 8 192); also risen: "
          "global_load_requests" ACCEPT },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__baseline_free(&baseline);
        begin();
        usual_case();
        (void)store("tensor_multiply_adds", rows[i].then);
        count("tensor_multiply_adds", rows[i].now);
        count("global_load_requests", rows[i].loads);
        expect(rows[i].verdict, rows[i].why);
        cr_expect(metric_of("global_load_requests")->verdict != KG__FASTER ||
                  result->verdict != KG__PASS);
    }
}

/* What a launcher copies beside its kernel, and what a block that returns at once holds, is not the
 * kernel's work: all that was any fell to nothing. */
Test(count_result, a_kernel_that_does_nothing_more)
{
    static const char *const beside[] = { "copied_bytes", "launches", "blocks", "threads",
                                          "shared_bytes" };

    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        usual_case();
        for (int j = 0; j < KG__COUNTERS; j++)
            count(kg__counter_name((kg__counter)j), 0);
        (void)store(beside[i], 2048);
        count(beside[i], 2048);
        expect(KG__ERROR, "nothing was counted, where the baseline has counts: does the "
                          "launcher still launch its kernel?");
        kg__baseline_free(&baseline);
    }
}

/* A launcher that never did anything else than to copy starts no kernel that could be missed. */
Test(count_result, a_launcher_that_copies_alone)
{
    (void)store("copied_bytes", 2048);
    count("copied_bytes", 2048);
    expect(KG__PASS, "");
    count("copied_bytes", 1024);
    expect(KG__FASTER, "copied_bytes fell by 50.0 % (1 024 against 2 048)" KEEP);
    count("copied_bytes", 0);
    expect(KG__ERROR, "nothing was counted, where the baseline has counts: does the launcher "
                      "still launch its kernel?");
}

/* Unique bytes of a launch that was sampled are not known. */
Test(count_result, a_sampled_launch_has_no_unique_bytes)
{
    usual_case();
    sample();
    expect(KG__PASS, "");
    cr_assert(metric_of("unique_bytes_read") == NULL);
    cr_assert(result->absent.count == 2 && result->sampled_of == 16384);
    cr_expect_str_eq(result->absent.list[0].why, "the launch was sampled");
    count("global_load_requests", 9550601);
    judge(&baseline, "");
    cr_assert(result->verdict == KG__SLOWER, "the rest is judged");
}

/* A baseline without them counts as 0, whoever took them out: a launch that is no longer sampled is
 * to be recorded again. */
Test(count_result, a_baseline_without_unique_bytes)
{
    usual_case();
    remove_baseline_metric(kg__baseline_find(&baseline, ID), "unique_bytes_read");
    remove_baseline_metric(kg__baseline_find(&baseline, ID), "unique_bytes_written");
    expect(KG__SLOWER, "unique_bytes_read rose (2 247 200 against 0); also risen: "
                       "unique_bytes_written" ACCEPT);
}

/* Only a sampled launch may leave them out, and nothing else may be absent. */
Test(count_result, what_is_absent_for_another_reason_is_an_error)
{
    usual_case();
    lose("barriers");
    absent[0] = (kg__absence){ "barriers", "nobody looked" };
    observation.absent.count = 1;
    expect(KG__ERROR, "barriers was not counted: nobody looked");
    usual_case();
    sample();
    lose("global_load_sectors");
    absent[2] = (kg__absence){ "global_load_sectors", "too many" };
    observation.absent.count = 3;
    expect(KG__ERROR, "global_load_sectors was not counted: too many");
}

Test(count_result, without_a_baseline)
{
    static const kg_work work = { .operations = 8, .bytes = 12 };

    count("global_load_requests", 200);
    count("global_load_sectors", 400);
    observation.work = &work;
    expect(KG__NO_BASELINE, "no baseline: record one with kernelgate rebaseline");
    cr_assert(isnan(metric_of("barriers")->baseline));
    cr_assert(metric_of("global_load_sectors_per_request")->figures.value == 2);
    cr_assert(result->work == &work);
    judge(NULL, "");
    cr_assert(result->verdict == KG__NO_BASELINE);
}

/* A baseline's figure that the store would refuse is no reason to pass. */
Test(count_result, a_baseline_that_is_wrong)
{
    usual_case();
    store("global_load_requests", 5)->band = NAN;
    expect(KG__ERROR,
           "global_load_requests the baseline's figures are unusable: record it again with "
           "kernelgate rebaseline");
}

/* What a hand wrote into the baseline holds. */
Test(count_result, bands_and_gates_that_were_set_by_hand)
{
    kg__baseline_metric *metric;

    usual_case();
    metric = store("barriers", 1000);
    metric->band = 0.01;
    count("barriers", 1010);
    expect(KG__PASS, "");
    count("barriers", 1011);
    expect(KG__SLOWER, "barriers rose by 1.1 % (1 011 against 1 000, limit 1.0 %)" ACCEPT);
    metric->gated = false;
    expect(KG__PASS, "barriers not gated: rose by 1.1 % (1 011 against 1 000, limit 1.0 %)");
    cr_assert(metric_of("barriers")->gated == KG__NO);
}

Test(count_result, ratios_are_shown_and_not_gated)
{
    const kg__metric_result *ratio;

    usual_case();
    count("global_load_sectors", 2.0 * 22432515);
    judge(&baseline, "");
    ratio = metric_of("global_load_sectors_per_request");
    cr_assert(fabs(ratio->figures.value - 2 * 22432515.0 / 9550600) < 1e-12);
    cr_assert(fabs(ratio->baseline - 22432515.0 / 9550600) < 1e-12);
    cr_assert(fabs(ratio->change - 1) < 1e-12);
    cr_assert(ratio->gated == KG__NO && ratio->verdict == KG__PASS);
    cr_assert(metric_of("shared_load_wavefronts_per_request") == NULL, "nothing to divide by");
}
