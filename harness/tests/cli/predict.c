/* kernelgate predict, as its users call it. The program and the GPU have round figures: what
 * is to come of them can be seen. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

static json_t *results;

/* A GPU of 10 multiprocessors at 1 GHz that do 100 operations a clock, and so 1000 a nanosecond;
 * its memory moves 100 bytes a nanosecond. */
#define FIGURE(name, value) "\"" name "\": {\"value\": " value ", \"source\": \"a test\"}"
#define ROUND                                                                                        \
    "{\"schema\": \"kernelgate-gpus/1\", \"gpus\": {\"round\": {\"name\": \"Round\", " FIGURE(       \
        "multiprocessors",                                                                           \
        "10") ", " FIGURE("clock_mhz",                                                               \
                          "1000") ", " FIGURE("float32_operations_per_clock",                        \
                                              "100") ", " FIGURE("dram_gb_per_s",                    \
                                                                 "100") ", " FIGURE("l2_mib",        \
                                                                                    "1") ","         \
                                                                                         " " FIGURE( \
                                                                                             "sha"   \
                                                                                             "red"   \
                                                                                             "_by"   \
                                                                                             "tes"   \
                                                                                             "_pe"   \
                                                                                             "r_"    \
                                                                                             "clo"   \
                                                                                             "ck",   \
                                                                                             "12"    \
                                                                                             "8") "}}}"

/* A comparison `sums` of three cases, of which one is only checked; the first was counted. */
#define CASE(id, purposes, operations, bytes)                                                      \
    "{\"case\": \"" id "\", \"purposes\": [" purposes "], \"work\": {\"operations\": " operations  \
    ", \"bytes\": " bytes "}, \"type\": \"float32\", \"bytes_to_device\": 0.0, "                   \
    "\"bytes_to_host\": 0.0, \"kernels\": 1, \"blocks\": 10}"
#define WORK                                                                                       \
    "{\"comparison\": \"sums\", \"cases\": [" CASE(                                                \
        "sums/tree/64/b32", "\"check\", \"time\"", "3000.0",                                       \
        "1000.0") ", " CASE("sums/serial/64/b32", "\"count\"", "90000.0",                          \
                            "2000.0") ", " CASE("sums/tree/1/b32", "\"check\"", "1.0", "4.0") "]}"
#define COUNTED                                                                                    \
    "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"cpu-model\", \"name\": "      \
    "\"CPU model\"}, \"cases\": {\"sums/tree/64/b32\": {\"commit\": \"c\", "                       \
    "\"global_load_requests\": {\"value\": 40, \"band\": 0}, \"global_load_sectors\": "            \
    "{\"value\": "                                                                                 \
    "800, \"band\": 0}, \"unique_bytes_read\": {\"value\": 1900, \"band\": 0}, "                   \
    "\"unique_bytes_written\": {\"value\": 100, \"band\": 0}}}}"

static void write_program(const char *name, const char *says)
{
    char text[4096];

    (void)snprintf(text, sizeof text, "#!/bin/sh\ncat <<'END'\n%s\nEND\n", says);
    write_text(at(name), text);
    cr_assert(chmod(at(name), 0755) == 0);
}

static void add_timed(const char *id, double hot, double cold)
{
    json_t *metrics = json_pack("{s:{s:f, s:s}}", "time_ns", "value", hot, "clock", "graph");

    if (cold > 0)
        json_object_set_new(metrics, "cold_time_ns", json_pack("{s:f}", "value", cold));
    json_array_append_new(json_object_get(results, "cases"),
                          json_pack("{s:s, s:s, s:[s], s:o, s:s, s:s, s:{s:f, s:f}}", "case", id,
                                    "target", "round", "parts", "time", "metrics", metrics,
                                    "verdict", "pass", "why", "", "work", "operations", 3000.0,
                                    "bytes", 1000.0));
}

static void save_results(void)
{
    cr_assert(json_dump_file(results, at("results.json"), 0) == 0);
}

static void begin(void)
{
    make_folder();
    cr_assert(mkdir(at("build"), 0777) == 0 && mkdir(at("baselines"), 0777) == 0 &&
              mkdir(at("empty"), 0777) == 0);
    write_program("build/sums.model", WORK);
    write_program("build/sums.gpu", "not asked, since the model's program is there");
    write_text(at("baselines/cpu-model.json"), COUNTED);
    write_text(at("gpus.json"), ROUND);
    set("KG_BASELINES", at("baselines"));
    results =
        json_pack("{s:s, s:{s:{s:s, s:s, s:i}}, s:{s:{s:{s:f}, s:{s:f}}}, s:[], s:[]}", "schema",
                  "kernelgate-results/1", "targets", "round", "key", "round", "name", "Round",
                  "multiprocessors", 10, "provenance", "round", "sentinels_ns", "empty", 700.0,
                  "limits", "copy_bytes_per_second", 9e10, "cases", "refused");
    complete_results(results);
    add_timed("sums/tree/64/b32", 25, 40);
    add_timed("sums/serial/64/b32", 100, 0);
}

static void end(void)
{
    json_decref(results);
    remove_folder();
}

TestSuite(predict, .init = begin, .fini = end);

/* Runs the command on the test's folder, with further arguments that end in NULL. */
static ending predict(const char *const *given)
{
    const char *arguments[24] = { KG__COMMAND, "predict", "--build",
                                  at("build"), "--gpus",  at("gpus.json") };

    for (size_t i = 0; i < 16 && given[i] != NULL; i++)
        arguments[i + 6] = given[i];
    return drive(arguments, environment);
}

static void expect(int code, const char *expected, const char *const *given)
{
    ending result = predict(given);

    expect_ending(&result, code, expected);
    free(result.output);
}

#define OPTIONS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* 2000 bytes counted at 100 a nanosecond, and 800 sectors as 200 wavefronts at 10 a nanosecond. */
Test(predict, bounds_as_a_table)
{
    expect(0,
           "### Round\n"
           "\n"
           "| ns                 | compute | DRAM | L2 | L1/shared | blocks | body | bound by | "
           "launch | total |\n"
           "| ------------------ | ------: | ---: | -: | --------: | -----: | ---: | -------: | "
           "-----: | ----: |\n"
           "| sums/tree/64/b32   |       3 |   20 |  – |        20 |      – |   20 |     DRAM | "
           " 5 000 | 5 020 |\n"
           "| sums/serial/64/b32 |      90 |   20 |  – |         – |      – |   90 |  compute | "
           " 5 000 | 5 090 |\n"
           "\n"
           "- the launch overhead is 5000 ns, assumed for a single launch: none was measured\n"
           "- no bound by L2 for 2 of 2 cases: the GPU has no l2_gb_per_s\n"
           "- no bound by L1/shared for 1 of 2 cases: its accesses are not counted\n"
           "- no bound by blocks for 2 of 2 cases: the GPU has no blocks_per_us\n",
           OPTIONS("--gpu", "round", "--format", "markdown"));
}

Test(predict, a_case_on_several_gpus)
{
    static const char counted[] =
        "### `sums/tree/64/b32`\n\n3 000 operations (float32), 1 000 bytes; counted: 1 900 bytes "
        "read and 100 written, 800 sectors; 10 blocks\n\n";
    static const char *const expected[] = {
        counted,
        "\n| Round       | ",
        "\n| NVIDIA H200 | ",
        "### `sums/serial/64/b32`\n\n90 000 operations (float32), 2 000 bytes; 10 blocks\n",
        NULL,
    };
    ending result = predict(OPTIONS("--gpu", "round,nvidia-h200", "--format", "markdown"));

    for (size_t i = 0; expected[i] != NULL; i++)
        expect_ending(&result, 0, expected[i]);
    free(result.output);
}

Test(predict, what_a_launch_costs)
{
    expect(0, "5 020", OPTIONS("--gpu", "round"));
    expect(0, "\nthe launch overhead is 550 ns, in a CUDA graph",
           OPTIONS("--gpu", "round", "--launch-cost", "graph"));
    expect(0, "\nthe launch overhead is 1234 ns, from --launch-cost",
           OPTIONS("--gpu", "round", "--launch-cost", "1234"));
    expect(2, "--launch-cost cheap: is not a number from 0",
           OPTIONS("--gpu", "round", "--launch-cost", "cheap"));
    expect(2, "--launch-cost -1: is not a number",
           OPTIONS("--gpu", "round", "--launch-cost", "-1"));
    save_results();
    expect(0,
           "\nthe launch overhead is 700 ns, as an empty kernel took in a CUDA graph in this run",
           OPTIONS("--results", at("results.json")));
}

/* Whatever was counted: the work is the options'. */
Test(predict, other_work)
{
    expect(0, "13 800 operations (float32), 20 300 bytes\n",
           OPTIONS("sums/tree/*", "--gpu", "round,nvidia-titan-v", "--operations", "13800",
                   "--bytes", "20300"));
    expect(0, "|   13.80 |  203 |",
           OPTIONS("sums/tree/*", "--gpu", "round", "--operations", "13800", "--bytes", "20300",
                   "--format", "markdown"));
    expect(2, "--operations and --bytes go together",
           OPTIONS("--gpu", "round", "--operations", "13800"));
    expect(2, "--bytes many: is not a number",
           OPTIONS("--gpu", "round", "--operations", "1", "--bytes", "many"));
    expect(2, "replace the work that --results timed",
           OPTIONS("--results", "r", "--operations", "1", "--bytes", "1"));
}

Test(predict, held_against_what_was_measured)
{
    static const char *const expected[] = {
        "sums/tree/64/b32            20  DRAM        40  50.0 %         20  L1/shared        25  "
        "80.0 %\n",
        "sums/serial/64/b32           –     –         –       –         90    compute       100  "
        "90.0 %\n",
        "the copy sentinel of this run moved 90 GB/s\n",
        "0 of 3 times are below their bound by more than 5 %; nearest to its bound: "
        "sums/serial/64/b32, 90.0 %\n",
        NULL,
    };
    ending result;

    save_results();
    result = predict(OPTIONS("--results", at("results.json")));
    for (size_t i = 0; expected[i] != NULL; i++)
        expect_ending(&result, 0, expected[i]);
    free(result.output);
}

/* At least 20 ns predicted and 19 measured are within about 5 %; 18 are not. */
Test(predict, a_bound_that_is_violated_fails)
{
    add_timed("sums/tree/64/b32", 30, 19.1);
    save_results();
    expect(0, "0 of 5 times", OPTIONS("--results", at("results.json")));
    add_timed("sums/tree/64/b32", 30, 18);
    save_results();
    expect(1, "bound violated: sums/tree/64/b32: at least 20 ns predicted, 18 measured",
           OPTIONS("--results", at("results.json")));
    expect(1, "\"violated\": 1", OPTIONS("--results", at("results.json"), "--format", "json"));
}

Test(predict, the_median_of_memory_bound_cases)
{
    add_timed("sums/long/64/b32", 15000, 16000);
    json_object_set_new(
        json_object_get(json_array_get(json_object_get(results, "cases"), 2), "work"), "bytes",
        json_real(1e6));
    save_results();
    expect(0, "median of the 1 memory-bound cases above 10 µs: 1.60",
           OPTIONS("--results", at("results.json")));
}

/* A case that was wrong has no time, and one that no program has is predicted by its own record. */
Test(predict, which_cases_of_results)
{
    json_object_set_new(json_array_get(json_object_get(results, "cases"), 1), "verdict",
                        json_string("wrong"));
    add_timed("sums/gone/64/b32", 50, 60);
    save_results();
    expect(0, "0 of 4 times", OPTIONS("--results", at("results.json")));
    expect(0, "0 of 2 times", OPTIONS("*/gone/*", "--results", at("results.json")));
    expect(2, "sums/serial/* takes no case that was timed on round",
           OPTIONS("sums/serial/*", "--results", at("results.json")));
}

Test(predict, as_json)
{
    ending result = predict(OPTIONS("sums/tree/*", "--gpu", "round", "--format", "json"));
    json_t *document = json_loads(result.output, 0, NULL);
    const json_t *first = json_array_get(json_object_get(document, "predictions"), 0);
    const json_t *cold = json_object_get(first, "cold");

    cr_assert(result.code == 0 && document != NULL, "%s", result.output);
    expect_strict(document);
    cr_assert_str_eq(json_string_value(json_object_get(first, "case")), "sums/tree/64/b32");
    cr_assert_str_eq(json_string_value(json_object_get(cold, "bound_by")), "DRAM");
    cr_assert(json_number_value(json_object_get(cold, "total_ns")) == 5020);
    cr_assert(json_number_value(json_object_get(json_object_get(cold, "bounds"), "dram_ns")) == 20);
    cr_assert_str_eq(json_string_value(json_object_get(json_object_get(cold, "absent"), "l2_ns")),
                     "the GPU has no l2_gb_per_s");
    cr_assert(json_object_get(cold, "measured_ns") == NULL);
    cr_assert(json_object_get(document, "held") == NULL);
    json_decref(document);
    free(result.output);
    save_results();
    result = predict(OPTIONS("--results", at("results.json"), "--json"));
    document = json_loads(result.output, 0, NULL);
    cr_assert(result.code == 0 && document != NULL, "%s", result.output);
    expect_strict(document);
    cr_assert(json_object_get(document, "held") != NULL);
    json_decref(document);
    free(result.output);
}

Test(predict, options_that_do_not_fit)
{
    expect(2, "name a GPU: --gpu KEY", OPTIONS("sums/*"));
    expect(2, "takes one FILTER", OPTIONS("a", "b", "--gpu", "round"));
    expect(2, "no figures of a GPU \"rund\"; did you mean \"round\"?", OPTIONS("--gpu", "rund"));
    expect(2, "no figures of a GPU \"radeon-rx-7900\": add them with --gpus FILE",
           OPTIONS("--gpu", "radeon-rx-7900"));
    expect(2, "--gpu names round twice", OPTIONS("--gpu", "round,round"));
    expect(2, "--gpu ,: names no GPU", OPTIONS("--gpu", ","));
    expect(2, "there is no format \"jsn\"; did you mean \"json\"?",
           OPTIONS("--gpu", "round", "--format", "jsn"));
    expect(2, "there is no format \"1234567890\": use text",
           OPTIONS("--gpu", "round", "--format", "1234567890"));
    expect(2, "cannot be opened", OPTIONS("--gpu", "round", "--gpus", "/nowhere.json"));
    expect(2, "--launch-cost 1e300: is not a number from 0 to 1e+24",
           OPTIONS("--gpu", "round", "--launch-cost", "1e300"));
    expect(2, "--bytes nan: is not a number",
           OPTIONS("--gpu", "round", "--operations", "1", "--bytes", "nan"));
}

Test(predict, a_filter_that_leaves_nothing)
{
    expect(2, "no case matches sms/tree/*; did you mean \"sums\"?",
           OPTIONS("sms/tree/*", "--gpu", "round"));
    expect(2, "no case matches sums/tre/*; did you mean \"tree\"?",
           OPTIONS("sums/tre/*", "--gpu", "round"));
    expect(2, "sums/tree/1/* takes no case that is timed or counted: `kernelgate list`",
           OPTIONS("sums/tree/1/*", "--gpu", "round"));
    expect(2, "sums/tree/65 takes no case", OPTIONS("sums/tree/65", "--gpu", "round"));
    expect(2, "no case matches sums/tre/*", OPTIONS("sums/tree,sums/tre/*", "--gpu", "round"));
    expect(2, "the filter \",\" holds no glob", OPTIONS(",", "--gpu", "round"));
    expect(0, "sums/serial/64/b32", OPTIONS("sums", "--gpu", "round"));
    set("KG_FILTER", "sums/tree/2/*");
    expect(2, "sums/tree/2/* takes no case", OPTIONS("--gpu", "round"));
    set("KG_FILTER", "sums/tree/*");
    expect(0, "sums/tree/64/b32", OPTIONS("sums/*", "--gpu", "round"));
}

Test(predict, results_that_do_not_fit)
{
    expect(2, "/nowhere.json", OPTIONS("--results", "/nowhere.json"));
    save_results();
    expect(2, "has no times of nvidia-h200",
           OPTIONS("--results", at("results.json"), "--gpu", "nvidia-h200"));
    expect(2, "--gpu names the GPU that was timed",
           OPTIONS("--results", at("results.json"), "--gpu", "round,nvidia-h200"));
    json_object_set_new(json_object_get(results, "targets"), "nvidia-h200",
                        json_pack("{s:s, s:s, s:i}", "key", "nvidia-h200", "name", "NVIDIA H200",
                                  "multiprocessors", 132));
    save_results();
    expect(2, "is of round and nvidia-h200: choose one", OPTIONS("--results", at("results.json")));
    expect(2, "no case was timed on nvidia-h200",
           OPTIONS("--results", at("results.json"), "--gpu", "nvidia-h200"));
    json_object_clear(json_object_get(results, "targets"));
    save_results();
    expect(2, "has no times of a GPU", OPTIONS("--results", at("results.json")));
    json_object_set_new(results, "schema", json_string("kernelgate-results/9"));
    save_results();
    expect(2, "kernelgate-results/9", OPTIONS("--results", at("results.json")));
}

/* The results' own counters come before the baseline's. */
Test(predict, counters_of_the_run_itself)
{
    json_array_append_new(
        json_object_get(results, "cases"),
        json_pack("{s:s, s:s, s:[s], s:{s:{s:i}, s:{s:i}}, s:s, s:s}", "case", "sums/tree/64/b32",
                  "target", "cpu-model", "parts", "count", "metrics", "unique_bytes_read", "value",
                  2900, "unique_bytes_written", "value", 100, "verdict", "pass", "why", ""));
    save_results();
    expect(0, "sums/tree/64/b32            30  DRAM        40  75.0 %",
           OPTIONS("--results", at("results.json")));
}

Test(predict, programs_that_do_not_tell)
{
    ending result = drive((const char *const[]){ KG__COMMAND, "predict", "--gpu", "nvidia-h200",
                                                 "--build", at("empty"), NULL },
                          environment);

    expect_ending(&result, 2, "holds no program NAME.model");
    free(result.output);
    write_program("build/sums.model", "{\"comparison\": \"sums\"}");
    expect(2, "sums.model --work: does not list its cases' work (exit code 0)",
           OPTIONS("--gpu", "round"));
    write_program("build/sums.model", "{\"cases\": [{\"case\": \"\"}]}");
    expect(2, "does not list its cases' work", OPTIONS("--gpu", "round"));
    write_text(at("build/sums.model"), "#!/bin/sh\nexit 3\n");
    expect(2, "does not list its cases' work (exit code 3)", OPTIONS("--gpu", "round"));
}

Test(predict, counters_that_cannot_be_read)
{
    write_text(at("baselines/cpu-model.json"), "{");
    expect(2, "cpu-model.json:1: ", OPTIONS("--gpu", "round"));
    expect(2, "empty/cpu-model.json: no such file",
           OPTIONS("--gpu", "round", "--baselines", at("empty")));
    set("KG_BASELINES", at("empty"));
    expect(0, "no bound by L1/shared for 2 of 2 cases", OPTIONS("--gpu", "round"));
}

/* Only a program for a GPU: its blocks are not known. */
Test(predict, a_program_for_a_gpu)
{
    cr_assert(symlink(KG__FAKE_SOUND_GPU, at("build/fake.gpu")) == 0);
    expect(0, "no bound by blocks for 1 of 1 cases: its blocks are not known",
           OPTIONS("fake/plain/64/b32", "--gpu", "nvidia-h200"));
}

/* The report that a publication has by hand: 13 800 operations and 20 300 bytes take no longer than
 * the 5 us of their launch, and 60.4, 60.3, 31.1, 33.0 and 40.3 ns, whatever the GPU computes. */
Test(predict, a_published_report)
{
    static const char *const gpus =
        "nvidia-geforce-gtx-titan-black,nvidia-geforce-gtx-titan-x,nvidia-titan-v,"
        "nvidia-geforce-rtx-2080-ti,nvidia-geforce-rtx-4070";
    static const char without_l2[] =
        "- no bound by L2 for 1 of 1 cases: the GPU has no l2_gb_per_s (NVIDIA GeForce GTX TITAN "
        "Black, NVIDIA GeForce GTX TITAN X (Maxwell), NVIDIA GeForce RTX 2080 Ti, NVIDIA GeForce "
        "RTX 4070)\n";
    static const char *const expected[] = {
        "| NVIDIA GeForce GTX TITAN Black       |   2.445 | 60.42 |",
        "| NVIDIA GeForce GTX TITAN X (Maxwell) |",
        " 5 060 |",
        without_l2,
        " 5 031 |",
        " 5 033 |",
        " 5 040 |",
        NULL,
    };
    ending result;

    need_comparison(KG__MEANS);
    cr_assert(symlink(KG__MEANS, at("build/pair_means.model")) == 0);
    set("KG_BASELINES", KG__BASELINES);
    result = predict(OPTIONS("pair_means/shared_tree/5x5x100/b32", "--gpu", gpus, "--operations",
                             "13800", "--bytes", "20300", "--format", "markdown"));
    for (size_t i = 0; expected[i] != NULL; i++)
        expect_ending(&result, 0, expected[i]);
    free(result.output);
    result = predict(
        OPTIONS("pair_means/shared_tree/5x5x100/b32", "--gpu", gpus, "--format", "markdown"));
    expect_ending(&result, 0,
                  "10 050 operations (float32), 4 300 bytes; counted: 4 000 bytes read and 300 "
                  "written, 785 sectors; 25 blocks\n");
    free(result.output);
}
