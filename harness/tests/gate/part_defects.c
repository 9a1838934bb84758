/* The part that holds the checks against kernels that are known to be wrong, from end to end. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/json.h"
#include "records/records.h"
#include "results/time_result.h"
#include "tests/fakes/fake_runs.h"

TestSuite(part_defects, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

#define DEFECTS "--filter=fake/defects"
#define DEFECTS_TEST "model.fake.defects"

/* A defect is there to be found wrong, and then all is well; its source is told by its launcher,
 * for several variants and defects may share one. */
Test(part_defects, a_defect_that_is_caught)
{
    json_t *verdicts;

    set("KG_FILTER", "fake/misses/*");
    set("KG_STRICT", "1");
    expect_run(KG__FAKE_MODEL, DEFECTS, 0,
               "pass         cpu-model    fake/misses/64/b32                caught: "
               "kernels/fake/adds_one.cu: to[17]: expected ");
    expect_case(DEFECTS_TEST, "fake/misses/64/b32", "pass", "caught: kernels/fake/adds_one.cu: ");
    verdicts = verdicts_of(DEFECTS_TEST);
    cr_assert(size_of(verdicts, "cases") == 1 && size_of(verdicts, "errors") == 0);
    cr_assert(strcmp(kg__json_text(find_entry(verdicts, "fake/misses/64/b32"), "part"),
                     "defects") == 0);
    json_decref(verdicts);
    expect_run(KG__FAKE_GPU, DEFECTS, 0,
               "pass         nvidia-fake  fake/misses/64/b32                caught: kernels/fake/");
    expect_case("gpu.fake.defects", "fake/misses/64/b32", "pass", "caught: ");
}

/* What the instrumented program sees counts alike, and both reasons are told. */
Test(part_defects, a_defect_that_instrumented_kernels_catch)
{
    set("KG_FILTER", "fake/harmless/*");
    plan_counts("* fake/harmless/64/b32 finding\n");
    expect_run(KG__FAKE_MODEL, DEFECTS, 0, "caught: " FINDING);
    cr_assert(instrumented_processes() == 1);
    set("KG_FILTER", "fake/misses/*");
    plan_counts("* fake/misses/64/b32 finding\n");
    expect_run(KG__FAKE_MODEL, DEFECTS, 0, "caught: " FINDING);
    expect_case(DEFECTS_TEST, "fake/misses/64/b32", "pass",
                "3 times; kernels/fake/adds_one.cu: to[17]: expected ");
}

Test(part_defects, a_defect_that_is_not_caught)
{
    set("KG_FILTER", "fake/harmless/*,fake/misses/*");
    expect_run(KG__FAKE_MODEL, DEFECTS, 1,
               "wrong        cpu-model    fake/harmless/64/b32              no check caught this "
               "defect (is right after all): fix the checks, or the row that says where it shows");
    expect_case(DEFECTS_TEST, "fake/harmless/64/b32", "wrong", "(is right after all)");
    cr_assert(count_cases(DEFECTS_TEST, "pass") == 1);
    expect_merge(1, "ctest --test-dir build/cpu -R '^model\\.fake\\.defects$'");
    expect_run(KG__FAKE_GPU, DEFECTS, 1, "wrong        nvidia-fake  fake/harmless/64/b32");
}

/* What could not be run was not looked at by any check. */
Test(part_defects, defects_that_cannot_be_run)
{
    set("KG_FILTER", "fake/unlaunchable/*,fake/misses/*");
    expect_run(KG__FAKE_MODEL, DEFECTS, 2,
               "error        cpu-model    fake/unlaunchable/64/b32          "
               "kernels/fake/unlaunchable.cu: launching: cudaErrorInvalidValue");
    expect_case(DEFECTS_TEST, "fake/unlaunchable/64/b32", "error", "launching: ");
    cr_assert(count_cases(DEFECTS_TEST, "pass") == 1);
    expect_run(KG__FAKE_GPU, DEFECTS, 2, "launching: cudaErrorInvalidValue");
    set("KG_FILTER", "fake/misses/*");
    plan_counts("* fake/misses/64/b32 crash\n");
    expect_run(KG__FAKE_MODEL, DEFECTS, 2, "with instrumented kernels: kernels/fake/adds_one.cu: ");
    set("KG_FILTER", "fake/unlucky/*");
    expect_run(KG__FAKE_MODEL, DEFECTS, 2,
               "error        cpu-model    fake/unlucky/7/b32                refused (7 is an "
               "unlucky size): no check sees this defect: fix its row");
    expect_case(DEFECTS_TEST, "fake/unlucky/7/b32", "error", "refused");
    expect_run(KG__FAKE_GPU, DEFECTS, 2, "refused (7 is an unlucky size)");
}

Test(part_defects, defects_that_are_filtered_out_or_absent)
{
    expect_run(KG__FAKE_MODEL, DEFECTS, 77, "not selected by --filter");
    expect_skip(DEFECTS_TEST, "filter", "not selected by --filter");
    expect_run(KG__FAKE_SOUND_GPU, DEFECTS, 2, "fake: the filter matches no test");
}

/* A part that cannot write down what it found is an error, whichever part it is. */
Test(part_defects, defects_that_cannot_be_written)
{
    set("KG_FILTER", "fake/misses/*");
    write_text(at("file"), "");
    set("KG_OUT", at("file/out"));
    expect_run(KG__FAKE_MODEL, DEFECTS, 2, "file/out: the folder cannot be made");
}
