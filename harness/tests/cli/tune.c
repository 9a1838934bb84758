/* `kernelgate tune` on programs that follow a script. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "judge/judge.h"
#include "tests/fakes/drive.h"

TestSuite(tune, .init = make_folder, .fini = remove_folder, .timeout = 60);

#define TARGET "'target': {'key': 'nvidia-fake', 'name': 'NVIDIA Fake', 'multiprocessors': 132}"

/* Makes a program in the test's folder from its script, with ' for ". */
static void make_program(const char *name, const char *script)
{
    char file[256];
    char *quoted = kg__copy_text(script);

    for (char *c = quoted; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    kg__format(file, sizeof file, "%s.json", name);
    write_text(at(file), quoted);
    free(quoted);
    cr_assert(symlink(KG__FAKE_TUNER, at(name)) == 0);
}

/* Runs the command with up to six arguments after --build FOLDER. */
static ending tune_with(const char *const *settings, const char *const *more)
{
    const char *arguments[16] = { KG__COMMAND, "tune", "--build", at("") };
    size_t count = 4;

    while (*more != NULL)
        arguments[count++] = *more++;
    return drive(arguments, settings);
}

#define TUNE(...) tune_with(NULL, (const char *const[]){ __VA_ARGS__, NULL })

/* Runs it to an exit code, with this in its output. */
#define EXPECT(code_, expected_, ...)                                                              \
    do {                                                                                           \
        ending seen_ = TUNE(__VA_ARGS__);                                                          \
        expect_ending(&seen_, (code_), (expected_));                                               \
        free(seen_.output);                                                                        \
    } while (0)

#define TEXTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The same with each of several texts. */
#define EXPECT_EACH(code_, texts_, ...)                                                            \
    do {                                                                                           \
        ending seen_ = TUNE(__VA_ARGS__);                                                          \
        for (const char *const *text_ = (texts_); *text_ != NULL; text_++)                         \
            expect_ending(&seen_, (code_), *text_);                                                \
        free(seen_.output);                                                                        \
    } while (0)

#define MEASURED(id, time, occupancy, more)                                                        \
    "{'event': 'measured', 'case': '" id "', 'metrics': {'time_ns': {'value': " time               \
    ", 'low': " time ", 'high': " time ", 'samples': 20, 'launches': 10, 'clock': 'graph'}}, "     \
    "'kernel': {'registers': 16, 'occupancy': " occupancy "}, 'work': {'operations': 1000, "       \
    "'bytes': 12000}" more "}"

#define FINAL(samples)                                                                             \
    ", 'final': {'value': 1000, 'low': 999, 'high': 1001, 'samples_ns': " samples "}"

/* Two variants of two launches, with a final. */
#define ADD_CASES                                                                                  \
    "'cases': ['add/plain/1000/b32', 'add/strided/1000/b32g1', 'add/plain/1000/b64', "             \
    "'add/strided/1000/b64g1']"
#define ADD_RECORDS                                                                                                                    \
    "{'event': 'progress', 'comparison': 'add', 'size': '1000', 'done': 1, 'of': 4, "                                                  \
    "'seconds_left': 9}, " MEASURED("add/plain/1000/b32", "1000", "0.5", FINAL("[1000, 1010, 1000, 1010, 1000, 1010]")) ", " MEASURED( \
        "add/plain/1000/b64", "1500", "1",                                                                                             \
        ", 'dropped_in_round': 1") ", " MEASURED("add/strided/1000/b32g1", "2000", "0.5",                                              \
                                                 FINAL("[2000, 2020, 2000, 2020, 2000, "                                               \
                                                       "2020]")) ", " MEASURED("add/strided/"                                          \
                                                                               "1000/b64g1",                                           \
                                                                               "2500", "0.5", "")

static void make_add(void)
{
    make_program("add.gpu", "{'candidates': {" TARGET ", " ADD_CASES
                            ", 'refused': [{'case': 'add/plain/1000/b2048', 'why': 'a block "
                            "of 1024 threads at most'}]}, 'records': [" ADD_RECORDS "]}");
}

Test(tune, shows_the_best_of_each_variant_and_how_they_compare)
{
    char *log;

    make_add();
    EXPECT_EACH(KG__EXIT_PASS,
                TEXTS("add 1000 on NVIDIA Fake: time, in µs", "plain    b32", "b64 (100 %, 1.500)",
                      "0.500 (0.500 to 0.500)", "2.000 (2.000 to 2.000)", "5 candidates in",
                      "1 dropped early", "a block of 1024 threads at most"),
                "add");
    log = read_text(at("add.gpu.log"));
    cr_expect_str_eq(log, "tune race 0.005 4\n");
    free(log);
}

Test(tune, passes_mode_and_precision_on)
{
    char *log;

    make_add();
    EXPECT(KG__EXIT_PASS, "all timed to within 1.0 %", "--exhaustive", "--precision", "0.01");
    log = read_text(at("add.gpu.log"));
    cr_expect_str_eq(log, "tune exhaustive 0.01 4\n");
    free(log);
}

Test(tune, a_filter_narrows_what_is_tried)
{
    static const char *const filtered[] = { "KG_FILTER=add/strided/*", NULL };
    static const char *const none[] = { NULL };
    ending result;
    char *log;

    make_add();
    EXPECT(KG__EXIT_PASS, "1 candidate", "add/plain/*/b32");
    result = tune_with(filtered, none);
    expect_ending(&result, KG__EXIT_PASS, "2 candidates in");
    free(result.output);
    log = read_text(at("add.gpu.log"));
    cr_expect_str_eq(log, "tune race 0.005 1\ntune race 0.005 2\n");
    free(log);
}

Test(tune, names_what_is_nearest_to_a_name_that_is_none)
{
    make_add();
    EXPECT(KG__EXIT_ERROR, "no comparison \"adds\" among the candidates; did you mean \"add\"",
           "adds");
    EXPECT(KG__EXIT_ERROR, "no variant \"stride\" among the candidates; did you mean \"strided\"",
           "add/plain,add/stride/*");
    EXPECT(KG__EXIT_ERROR, "no size \"100\"", "add/plain/100/b32");
    EXPECT(KG__EXIT_ERROR, "no launch \"b33\"", "add/plain/1000/b33");
    EXPECT(KG__EXIT_ERROR, "no launch \"b64g1\"", "add/plain/1000/b64g1");
    EXPECT(KG__EXIT_ERROR, "\"add/plain/1000/b32/x\" takes no candidate", "add/plain/1000/b32/x");
    EXPECT(KG__EXIT_ERROR, "holds no glob", ",");
    EXPECT(KG__EXIT_ERROR, "did you mean global_load_sectors?", "--by", "global_load_sector");
    EXPECT(KG__EXIT_ERROR, "there is no such metric: use time_ns", "--by", "speed_of_light");
    EXPECT(KG__EXIT_ERROR, "did you mean launches", "--table", "launch");
    EXPECT(KG__EXIT_ERROR, "did you mean markdown", "--format", "markdwn");
    EXPECT(KG__EXIT_ERROR, "did you mean \"plain\"", "--set", "all=plin");
    EXPECT(KG__EXIT_ERROR, "is a variant's name", "--set", "plain=strided");
    EXPECT(KG__EXIT_ERROR, "two sets of one name", "--set", "a=plain", "--set", "a=strided");
    EXPECT(KG__EXIT_ERROR, "is not NAME=GLOB", "--set", "plain");
    EXPECT(KG__EXIT_ERROR, "not a fraction", "--precision", "1");
    EXPECT(KG__EXIT_ERROR, "takes one FILTER", "a", "b");
    EXPECT(KG__EXIT_ERROR, "nothing can be written", "--save", "/nowhere/at/all.json");
    cr_expect(!exists(at("add.gpu.log")), "nothing is timed in vain");
}

Test(tune, takes_no_more_sets_than_it_has_room_for)
{
    const char *arguments[80] = { KG__COMMAND, "tune" };
    ending result;

    for (size_t i = 2; i < 2 + 2 * 33; i += 2) {
        arguments[i] = "--set";
        arguments[i + 1] = "a=b";
    }
    result = drive(arguments, NULL);
    expect_ending(&result, KG__EXIT_ERROR, "more than 32 times");
    free(result.output);
}

Test(tune, holds_named_sets_against_each_other)
{
    make_add();
    EXPECT(KG__EXIT_ERROR, "no candidate is of a variant \"nothing_else\"", "--set", "one=plain",
           "--set", "loops=str*,nothing_else");
    EXPECT_EACH(KG__EXIT_PASS,
                TEXTS("| loops | strided b32g1 | 1.000 |", "### add 1000",
                      "| one |  | 0.500 (0.500 to 0.500) |"),
                "--set", "one=plain", "--set", "loops=str*", "--format", "markdown");
}

Test(tune, tables_of_launches_and_of_sizes)
{
    make_add();
    EXPECT_EACH(KG__EXIT_PASS,
                TEXTS("| b32 | 1.000 (best) |  |", "| b64 | 1.500 † |  |", "| b64g1 |  | 2.500 |",
                      "| b2048 | refused |  |", "†: a race dropped it"),
                "--table", "launches", "--format", "markdown");
    EXPECT_EACH(
        KG__EXIT_PASS,
        TEXTS("| 1000 | 1.000 (b32) | 1.000 (b32g1) |", "time by size, of launch b64, in µs"),
        "--table", "sizes", "--format", "markdown");
}

/* Where the program says what a block is, the table does. */
Test(tune, a_table_of_launches_says_what_a_block_is)
{
    make_program("red.gpu", "{'candidates': {" TARGET ", 'block_is_edge': false, 'cases': "
                            "['red/plain/9/b32']}, 'records': [" MEASURED("red/plain/9/b32", "1000",
                                                                          "0.5", "") "]}");
    EXPECT(KG__EXIT_PASS, "| threads per block | plain |", "--table", "launches", "--format",
           "markdown");
    EXPECT(KG__EXIT_PASS, "| 32 | 1.000 (best) |", "--table", "launches", "--format", "markdown");
}

Test(tune, a_wrong_candidate_is_named_and_never_wins)
{
    make_program("add.gpu",
                 "{'candidates': {" TARGET ", 'cases': ['add/plain/9/b32', 'add/plain/9/b64']}, "
                 "'records': [{'event': 'checked', 'case': 'add/plain/9/b32', 'right': false, "
                 "'why': 'c[3] differs'}, " MEASURED("add/plain/9/b32", "1", "1", "") ", " MEASURED(
                     "add/plain/9/b64", "2000", "1", "") "]}");
    EXPECT(KG__EXIT_FAIL, "wrong: add/plain/9/b32: c[3] differs", "add");
    EXPECT(KG__EXIT_FAIL, "plain    b64", "add");
}

Test(tune, a_crash_costs_its_candidate_alone)
{
    make_program("add.gpu",
                 "{'candidates': {" TARGET ", 'cases': ['add/plain/9/b32', 'add/plain/9/b64']}, "
                 "'records': [{'case': 'add/plain/9/b32', 'crash': true}, " MEASURED(
                     "add/plain/9/b64", "2000", "1", "") "]}");
    EXPECT(KG__EXIT_ERROR, "failed: add/plain/9/b32: the observer ended with exit code 9", "add");
    EXPECT(KG__EXIT_ERROR, "plain    b64", "add");
}

Test(tune, nothing_but_refusals_is_an_error)
{
    make_program("add.gpu",
                 "{'candidates': {" TARGET ", 'cases': ['add/plain/9/b32']}, 'records': [{'event': "
                 "'refused', 'case': 'add/plain/9/b32', 'why': 'no kernel for it'}]}");
    EXPECT(KG__EXIT_ERROR, "every candidate was refused", "add");
}

Test(tune, says_plainly_that_it_needs_a_gpu)
{
    static const char *const strict[] = { "KG_STRICT=1", NULL };
    static const char *const none[] = { NULL };
    ending result;

    make_program("add.model", "{}");
    EXPECT(KG__EXIT_NOTHING, "tune needs a GPU, and the build has no program for one; --by COUNTER",
           "add");
    make_program("add.gpu", "{'exit': 77}");
    EXPECT(KG__EXIT_NOTHING, "tune needs a GPU; --by COUNTER", "add");
    result = tune_with(strict, none);
    expect_ending(&result, KG__EXIT_ERROR, "tune needs a GPU");
    free(result.output);
    cr_assert(unlink(at("add.gpu")) == 0);
    make_program("add.gpu", "{'unavailable': true, 'candidates': {" TARGET ", " ADD_CASES "}}");
    EXPECT(KG__EXIT_NOTHING, "tune needs a GPU: the GPU is gone", "add");
}

Test(tune, refuses_programs_that_offer_nothing_sound)
{
    static const char *const programs[] = {
        "{'exit': 2}",
        "{'candidates': {}}",
        "{'candidates': {" TARGET ", 'cases': [7]}}",
        "{'candidates': {" TARGET ", 'cases': ['add']}}",
        "{'candidates': {" TARGET ", 'cases': ['add/a/1/b1', 'add/a/1/b1']}}",
        "{'candidates': {" TARGET ", 'cases': [], 'refused': [{}]}}",
        "{'candidates': {" TARGET ", 'cases': []}}",
    };

    EXPECT(KG__EXIT_ERROR, "there is no program *.gpu of a comparison in ", "add");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        ending result;

        make_program("add.gpu", programs[i]);
        result = tune_with(NULL, (const char *const[]){ NULL });
        expect_ending(&result, KG__EXIT_ERROR, "kernelgate: ");
        free(result.output);
        cr_assert(unlink(at("add.gpu")) == 0);
    }
}

/* A path with "=" is not a setting of the environment. */
Test(tune, a_folder_of_any_name)
{
    static const char *const filtered[] = { "KG_FILTER=add/strided/*", NULL };
    static const char *const settings[] = { "KG_FILTER=x", NULL };
    const char *const here[] = { "--build", at("a=b c"), NULL };
    const char *const other[] = { "--build", at("a=b c"), "ad", NULL };
    ending result;

    cr_assert(mkdir(at("a=b c"), 0777) == 0);
    make_program("a=b c/add.gpu",
                 "{'candidates': {" TARGET ", " ADD_CASES "}, 'records': [" ADD_RECORDS "]}");
    result = tune_with(filtered, here);
    expect_ending(&result, KG__EXIT_PASS, "2 candidates in");
    free(result.output);
    result = tune_with(settings, other);
    expect_ending(&result, KG__EXIT_ERROR, "did you mean \"add\"?");
    free(result.output);
}

/* What cannot be written is refused before minutes of searching. */
Test(tune, refuses_what_it_could_not_write)
{
    make_add();
    EXPECT(KG__EXIT_ERROR, "/dev/null: cannot be written: it is not a regular", "--save",
           "/dev/null");
    EXPECT(KG__EXIT_ERROR, "is not a regular file", "--save", at(""));
    EXPECT(KG__EXIT_ERROR, "nothing can be written in", "--save", at("nowhere/tuning.json"));
    EXPECT(KG__EXIT_ERROR, "the filter \"\" holds no glob", "");
    cr_expect(!exists(at("add.gpu.log")));
    EXPECT(KG__EXIT_ERROR, "a name is of UTF-8", "--save", at("tuning.json"), "--set",
           "\xff=plain");
    cr_expect(!exists(at("tuning.json")));
}

Test(tune, writes_its_document)
{
    json_t *document;
    const json_t *problem;
    const json_t *ratio;
    ending result;

    make_add();
    EXPECT(KG__EXIT_PASS, NULL, "--save", at("tuning.json"), "--set", "all=*");
    document = read_json(at("tuning.json"));
    cr_expect_str_eq(json_string_value(json_object_get(document, "schema")), "kernelgate-tuning/1");
    cr_expect(json_array_size(json_object_get(document, "candidates")) == 5);
    problem = json_array_get(json_object_get(document, "problems"), 0);
    cr_expect(json_array_size(json_object_get(problem, "best")) == 3);
    ratio = json_array_get(json_object_get(problem, "ratios"), 0);
    cr_expect(json_number_value(json_object_get(json_object_get(ratio, "time_ratio"), "value")) ==
              0.5);
    cr_expect(json_number_value(
                  json_object_get(json_object_get(ratio, "bandwidth_ratio"), "value")) == 2);
    cr_expect(json_is_true(json_object_get(ratio, "differs")));
    json_decref(document);
    result = TUNE("--format", "json");
    document = json_loads(result.output, 0, NULL);
    cr_expect(document != NULL, "%s", result.output);
    json_decref(document);
    free(result.output);
}

#define COUNTED(id, sectors)                                                                       \
    "{'part': 'count', 'event': 'measured', 'case': '" id                                          \
    "', 'metrics': {'global_load_sectors': {'value': " sectors "}}}"

/* A kernel that leaves work away has fewer accesses: it must be found before it is counted. */
Test(tune, ranks_by_counters_without_a_gpu)
{
    static const char script[] =
        "{'candidates': {'target': {'key': 'cpu-model'}, 'cases': ['add/plain/9/b32', "
        "'add/plain/9/b64', 'add/plain/9/b96', 'add/strided/9/b32g1']}, 'records': [{'part': "
        "'check', 'event': 'checked', 'case': 'add/plain/9/b32', 'right': false, 'why': 'half of "
        "it is missing'}, " COUNTED("add/plain/9/b32", "10") ", " COUNTED(
            "add/plain/9/b64", "200") ", " COUNTED("add/plain/9/b96",
                                                   "200") ", " COUNTED("add/strided/9/b32g1",
                                                                       "300") "]}";
    char *log;

    make_program("add.model", script);
    make_program("add.instrumented", script);
    EXPECT_EACH(KG__EXIT_FAIL,
                TEXTS("add 9 on cpu-model: global_load_sectors", "b64 and 1 more", "0.667",
                      "wrong: add/plain/9/b32: half of it is missing"),
                "--by", "global_load_sectors", "--save", at("tuning.json"));
    log = read_text(at("add.instrumented.log"));
    cr_expect(strstr(log, "count ") == log && strstr(log, " 3\n") != NULL, "%s", log);
    free(log);
    EXPECT(KG__EXIT_ERROR, "are for times", "--by", "global_load_sectors", "--exhaustive");
}

#define SLOW_SCRIPT                                                                                \
    "{'candidates': {" TARGET                                                                      \
    ", 'cases': ['add/plain/9/b32', 'add/plain/9/b64']}, 'records': [" MEASURED(                   \
        "add/plain/9/b32", "1000", "1",                                                            \
        "") ", {'pause_ms': 2100, 'event': 'progress', "                                           \
            "'comparison': 'add', 'size': '9', 'done': 1, 'of': 2, 'seconds_left': 70}, "          \
            "{'pause_ms': 250, 'event': 'progress', 'comparison': 'add', 'size': '9', 'done': 2, " \
            "'of': "                                                                               \
            "2, 'seconds_left': 0}, " MEASURED("add/plain/9/b64", "1000", "1", "") "]}"

/* The very records of a GPU's program, on a clock that is none. */
Test(tune, takes_what_a_gpus_program_records)
{
    static const char *const arguments[] = { "fake/*/64", NULL };
    ending result;

    set("KG_LOCK_DIR", at(""));
    cr_assert(symlink(KG__FAKE_SOUND_GPU, at("fake.gpu")) == 0);
    result = tune_with(environment, arguments);
    expect_ending(&result, KG__EXIT_PASS, "fake 64 on NVIDIA Fake: time, in µs");
    cr_expect(strstr(result.output, "quick    0.500 (0.500 to 0.500)") != NULL, "%s",
              result.output);
    cr_expect(strstr(result.output, "; raced to within 0.5 % of the median") != NULL, "%s",
              result.output);
    free(result.output);
}

/* Neither a line too many of what is over soon, nor silence of what takes long. */
Test(tune, tells_how_far_it_is)
{
    ending result;

    make_program("add.gpu", SLOW_SCRIPT);
    result = TUNE("add");
    expect_ending(&result, KG__EXIT_PASS, "kernelgate: tune: 50 %  add 9, about 1 min 10 s left\n");
    cr_expect(strchr(result.output, '\r') == NULL && strchr(result.output, '\033') == NULL);
    free(result.output);
    cr_assert(unlink(at("add.gpu")) == 0);
    make_add();
    result = TUNE("add");
    cr_expect(strstr(result.output, " left") == NULL, "%s", result.output);
    free(result.output);
}

/* By the work that is done, not by how many candidates did it: a step each and a step more for
 * every 100 000 operations, and five times that to count. 1 + 10 to check, then 5 of 5 + 50 to
 * count. */
Test(tune, tells_how_much_work_is_done)
{
    static const char script[] =
        "{'candidates': {'target': {'key': 'cpu-model'}, 'work': {'9': {'operations': 0, 'bytes': "
        "0}, '99': {'operations': 700000, 'bytes': 800000}}, 'cases': ['add/plain/9/b32', "
        "'add/plain/99/b32']}, 'records': [{'pause_ms': 2100, 'part': 'count', 'event': 'nothing', "
        "'case': 'add/plain/9/b32'}, " COUNTED("add/plain/9/b32",
                                               "100") ", " COUNTED("add/plain/99/b32", "200") "]}";

    make_program("add.model", script);
    make_program("add.instrumented", script);
    EXPECT(KG__EXIT_PASS, "kernelgate: tune: 24 %  add/plain/9/b32, about ", "--by",
           "global_load_sectors");
}

/* Runs the command on a terminal of this kind; returns what a reader of it gets. */
static char *run_on_terminal(const char *terminal, bool colour)
{
    const char *const arguments[] = { KG__COMMAND, "tune", "--build", at(""), NULL };
    char kind[32];
    const char *const settings[] = { kind, colour ? "NO_COLOR" : "NO_COLOR=1", NULL };
    ending result;

    kg__format(kind, sizeof kind, "TERM=%s", terminal);
    result = drive_on_terminal(arguments, settings);
    cr_expect(result.code == KG__EXIT_PASS, "%s", result.output);
    return result.output;
}

Test(tune, a_terminal_has_a_bar)
{
    char *text;

    make_program("add.gpu", SLOW_SCRIPT);
    text = run_on_terminal("xterm", true);
    cr_expect(strstr(text, "\r[\033[32m############\033[0m............]  50 %  add 9") != NULL,
              "%s", text);
    /* It is gone before anything else is written. */
    cr_expect(strstr(text, " \radd 9 on NVIDIA Fake") != NULL, "%s", text);
    free(text);
    text = run_on_terminal("xterm", false);
    cr_expect(strstr(text, "\r[############............]  50 %  add 9") != NULL, "%s", text);
    cr_expect(strchr(text, '\033') == NULL, "%s", text);
    free(text);
    text = run_on_terminal("dumb", true);
    cr_expect(strstr(text, "kernelgate: tune: 50 %  add 9, about 1 min 10 s left") != NULL, "%s",
              text);
    cr_expect(strstr(text, "[#") == NULL, "%s", text);
    free(text);
}

/* Recording shows its progress in the same way. */
Test(tune, a_recording_tells_how_far_it_is)
{
    const char *const arguments[] = { KG__COMMAND, "baseline",    "record", "--baselines",
                                      at("b"),     at("add.gpu"), NULL };
    char locks[256];
    const char *const settings[] = { locks, NULL };
    ending result;

    kg__format(locks, sizeof locks, "KG_LOCK_DIR=%s", at(""));
    make_program("add.gpu",
                 "{'candidates': {" TARGET ", 'cases': ['add/plain/9/b32', 'add/plain/9/b64']}, "
                 "'records': [{'pause_ms': 2100, 'event': 'checked', 'case': 'add/plain/9/b32', "
                 "'part': 'check', 'right': true}, {'event': 'checked', 'case': "
                 "'add/plain/9/b64', 'part': 'check', 'right': false, 'why': 'off by one'}]}");
    result = drive(arguments, settings);
    expect_ending(&result, KG__EXIT_ERROR,
                  "kernelgate: baseline record: 50 %  add/plain/9/b32, about 3 s left\n");
    expect_ending(&result, KG__EXIT_ERROR, "add/plain/9/b64: off by one: nothing is recorded\n");
    free(result.output);
}

/* A message in between has its own line, not after the bar. */
Test(tune, a_line_takes_the_place_of_the_bar)
{
    char *text;

    make_program("add.gpu",
                 "{'candidates': {" TARGET ", 'cases': ['add/plain/9/b32']}, 'records': ["
                 "{'pause_ms': 2100, 'event': 'progress', 'comparison': 'add', 'size': '9', "
                 "'done': 1, 'of': 2, 'seconds_left': 70}, "
                 "{'event': 'waiting', 'why': 'waiting for the lock of X'}, " MEASURED(
                     "add/plain/9/b32", "1000", "1", "") "]}");
    text = run_on_terminal("xterm", true);
    cr_expect(strstr(text, "50 %  add 9") != NULL, "%s", text);
    cr_expect(strstr(text, "\r\033[Kkernelgate: waiting for the lock of X\r\n") != NULL, "%s",
              text);
    free(text);
    /* Without a bar there is nothing to clear. */
    text = run_on_terminal("dumb", true);
    cr_expect(strstr(text, "\nkernelgate: waiting for the lock of X\r\n") != NULL, "%s", text);
    free(text);
}

/* Thousands of candidates take long: that is said before it begins. */
Test(tune, tells_how_many_it_takes)
{
    enum { CANDIDATES = 60 };
    char script[8192];
    size_t used;

    kg__format(script, sizeof script, "{'candidates': {%s, 'cases': [", TARGET);
    for (int i = 0; i < CANDIDATES; i++) {
        used = strlen(script);
        kg__format(script + used, sizeof script - used, "%s'add/plain/9/b%d'", i > 0 ? ", " : "",
                   i + 1);
    }
    used = strlen(script);
    kg__format(script + used, sizeof script - used, "]}, 'records': [%s]}",
               MEASURED("add/plain/9/b32", "1000", "1", ""));
    make_program("add.gpu", script);
    EXPECT(KG__EXIT_ERROR,
           "kernelgate: tune: 60 candidates of 1 comparison to check and time: a "
           "FILTER selects fewer\n",
           "add");
    /* Of a few it is not worth a line. */
    ending result = TUNE("add/plain/9/b32");
    cr_expect(strstr(result.output, "to check and time") == NULL, "%s", result.output);
    free(result.output);
}
