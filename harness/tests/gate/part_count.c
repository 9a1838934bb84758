/* The part that counts from end to end: what rises, falls and holds, and what cannot be counted. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "records/records.h"
#include "results/time_result.h"
#include "tests/fakes/fake_runs.h"
#include "tests/fakes/made_baselines.h"

TestSuite(part_count, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

Test(part_count, counts_that_hold)
{
    json_t *verdicts;
    const json_t *entry;

    store_counts();
    expect_count(0, "pass         cpu-model    fake/quick/64/b64                 loads 200, 2.00 "
                    "sectors each  stores 100, 4.00 each  barriers 8");
    cr_assert(count_cases("model.fake.count", "pass") == 4);
    cr_assert(instrumented_processes() == 1, "counts repeat: nothing is confirmed");
    verdicts = verdicts_of("model.fake.count");
    cr_assert(size_of(verdicts, "refused") == 4 && size_of(verdicts, "vanished") == 0);
    cr_assert(size_of(verdicts, "notes") == 0 && size_of(verdicts, "errors") == 0);
    cr_assert(
        strcmp(kg__json_text(json_object_get(verdicts, "target"), "compiler"), "gcc 12.2.0") == 0);
    entry = find_entry(verdicts, SLOW);
    cr_assert(json_is_number(json_object_get(entry, "seconds")));
    cr_assert(json_object_size(json_object_get(entry, "lines")) == 3);
    json_decref(verdicts);
}

/* One request more fails, with the line that makes it and what accepts it. */
Test(part_count, counts_that_rise)
{
    store_counts();
    plan_counts("* " SLOW " global_load_sectors 3200 line kernels/fake/plain.cu:14 "
                "global_load_sectors 3200\n");
    expect_count(1, "slower       cpu-model    fake/plain/64/b32                 loads 200, 16.00 "
                    "sectors each (was 2.00)");
    expect_case("model.fake.count", SLOW, "slower",
                "global_load_sectors rose by 700.0 % (3 200 against 400); "
                "kernels/fake/plain.cu:14: loads went from 2.00 to 16.00 sectors per request; to "
                "accept it: commit, then KG_FILTER='fake/plain/*' ci/rebaseline --target model");
    cr_assert(count_cases("model.fake.count", "pass") == 3);
    cr_assert(instrumented_processes() == 1);
    plan_counts("* " SLOW " global_load_requests 100 shuffles 1\n");
    expect_count(1, "shuffles rose (1 against 0); fallen: global_load_requests");
}

Test(part_count, counts_that_fall)
{
    store_counts();
    plan_counts("* " SLOW " barriers 0\n");
    expect_count(0, "faster       cpu-model    fake/plain/64/b32");
    expect_case(
        "model.fake.count", SLOW, "faster",
        "barriers fell by 100.0 % (0 against 8); to keep it: commit, then KG_FILTER='fake/plain/*' "
        "ci/rebaseline --target model");
}

Test(part_count, a_launch_that_was_sampled)
{
    store_counts();
    plan_counts("* " SLOW " sampled\n");
    expect_count(0, "barriers 8  sampled, 120 of 16 384 blocks");
    expect_case("model.fake.count", SLOW, "pass", "");
}

/* The counts of a kernel that touches what it must not are no reason for praise or blame. */
Test(part_count, counts_of_a_wrong_kernel)
{
    store_counts();
    plan_counts("* " SLOW " barriers 7\n* " SLOW " finding\n");
    expect_count(1, "wrong        cpu-model    " SLOW);
    expect_case("model.fake.count", SLOW, "wrong", "kernels/fake/other.cu:14: error: ");
}

/* A launch that does nothing more, against a baseline of this model and of one that counted none.
 */
Test(part_count, an_empty_launch_more)
{
    static const char unjudged[] =
        "note         cpu-model    the baseline was recorded with model 2, this run has model 3; "
        "not judged until it is recorded again: constant_load_words, launches\n";

    store_counts();
    for (size_t i = 0; i < counts.case_count; i++)
        add_baseline_metric(&counts.cases[i], "launches")->value = 1;
    save_counts();
    plan_counts("* * launches 1\n* " SLOW " launches 2\n");
    expect_count(1, "launches rose by 100.0 % (2 against 1)");
    cr_assert(count_cases("model.fake.count", "slower") == 1);
    for (size_t i = 0; i < counts.case_count; i++)
        remove_baseline_metric(&counts.cases[i], "launches");
    kg__provenance_set_text(&counts.provenance, "model", "2");
    save_counts();
    expect_count(0, unjudged);
    cr_assert(count_cases("model.fake.count", "pass") == 4);
    plan_counts("* * launches 1\n* " SLOW " barriers 9\n");
    expect_count(1, "barriers rose by 12.5 % (9 against 8)");
}

/* Another compiler is no reason by itself; beside one it is told. */
Test(part_count, counts_of_another_compiler)
{
    json_t *verdicts;

    store_counts();
    set("FAKE_COMPILER", "gcc 13.1.0");
    expect_count(0, "note         cpu-model    the baseline was recorded with gcc 12.2.0, this run "
                    "has gcc 13.1.0");
    verdicts = verdicts_of("model.fake.count");
    cr_assert(size_of(verdicts, "notes") == 1);
    json_decref(verdicts);
    plan_counts("* " SLOW " barriers 9\n");
    expect_count(1, "; the baseline was recorded with gcc 12.2.0, this run has gcc 13.1.0; to "
                    "accept it: ");
    plan_counts("* " SLOW " barriers 7\n");
    expect_count(0, "; the baseline was recorded with gcc 12.2.0, this run has gcc 13.1.0; to "
                    "keep it: ");
}

/* What is optimized otherwise may count the same, and compute something else. */
Test(part_count, counts_of_other_flags)
{
    store_counts();
    set("FAKE_FLAGS", "-ffast-math");
    expect_count(0,
                 "note         cpu-model    the baseline was recorded with no CXXFLAGS, this run "
                 "has CXXFLAGS -ffast-math\n");
}

Test(part_count, counts_without_a_baseline)
{
    expect_count(77,
                 "baselines/cpu-model.json is not there: restore it, or record these cases with "
                 "ci/rebaseline");
    expect_skip("model.fake.count", "no-baseline", "cpu-model.json");
    cr_assert(count_cases("model.fake.count", "no-baseline") == 4);
    set("KG_STRICT", "1");
    expect_count(2, "no-baseline  cpu-model    fake/plain/64/b32                 loads 200");
    store_counts();
    remove_baseline_case(&counts, SLOW);
    save_counts();
    expect_count(1, "no baseline: record one with ci/rebaseline");
    set("KG_STRICT", "0");
    expect_count(0, "no baseline: record one with ci/rebaseline");
}

Test(part_count, a_bad_baseline_of_counts)
{
    store_counts();
    write_text(at("baselines/cpu-model.json"),
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"cpu-model\"},\n"
               "\"cases\": {\"fake/plain/64/b32\": {\"time_ns\": {\"value\": 5, \"band\": 0, "
               "\"floor\": 1}}}}");
    expect_count(2, "cpu-model.json:2: cases: fake/plain/64/b32: time_ns: ");
}

/* A baseline that would let any count pass makes an error of the run that it judges. */
Test(part_count, a_baseline_that_switches_a_check_off)
{
    static const char counter[] = "\"barriers\": {\"value\": 8, \"band\": 0}";
    static const char *const changed[] = {
        "\"barriers\": {\"value\": -0.0}",
        "\"barriers\": {\"value\": 8, \"gated\": false}",
        "\"barriers\": {\"value\": 900}",
    };

    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        char weakened[4096];
        const char *place;
        char *text;

        store_counts();
        text = read_text(at("baselines/cpu-model.json"));
        place = strstr(text, counter);
        cr_assert(place != NULL, "%s", text);
        kg__format(weakened, sizeof weakened, "%.*s%s%s", (int)(place - text), text, changed[i],
                   place + strlen(counter));
        write_text(at("baselines/cpu-model.json"), weakened);
        free(text);
        plan_counts("* " SLOW " barriers 900\n");
        expect_count(2, "cases: fake/plain/64/b32: barriers: ");
    }
}

Test(part_count, what_goes_wrong_while_counting)
{
    static const fake_part counted = { "model.fake.count", plan_counts, expect_count,
                                       instrumented_processes };
    static const mishap mishaps[] = {
        { "failed", "error", "kernels/fake/plain.cu: running the kernel: cudaError", 2, 1 },
        { "wrong", "wrong", "kernels/fake/plain.cu: to[17]: expected 1, got 2", 1, 1 },
        { "forget", "error", "kernels/fake/plain.cu: record lost", 2, 1 },
        { "crash", "error", "kernels/fake/plain.cu: crashed: the observer died of signal 11", 2,
          2 },
        { "hang", "error", "kernels/fake/plain.cu: hung: no record for 1 s", 2, 2 },
    };

    store_counts();
    expect_mishaps(&counted, mishaps, sizeof mishaps / sizeof *mishaps, 3);
}

Test(part_count, counting_needs_the_instrumented_program)
{
    expect_run(lone_program(), "--filter=fake/count", 2,
               "lone.instrumented: the program with instrumented kernels cannot be run: No such "
               "file or directory: build it");
    expect_case("model.fake.count", SLOW, "error", "no observer could be run for this case");
}

Test(part_count, a_part_count_that_is_filtered_out)
{
    store_counts();
    set("KG_FILTER", "fake/plain/1/*");
    set("KG_STRICT", "1");
    expect_count(77, "skipped      cpu-model    model.fake.count: not selected by");
    expect_skip("model.fake.count", "filter", "not selected by --filter");
}
