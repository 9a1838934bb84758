/* The command `kernelgate baseline record`, with a comparison on a GPU that is not there: what it
 * stores, what it leaves alone, and what it refuses without touching a file. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/message.h"
#include "baseline/baseline.h"
#include "tests/fakes/drive.h"

#define SLOW "fake/plain/64/b32"

static void set_filter(const char *filter)
{
    set("KG_FILTER", filter);
}

static void begin(void)
{
    make_folder();
    set_fake_surroundings();
    set_filter("");
}

TestSuite(record, .init = begin, .fini = remove_folder, .timeout = 110);

static const char *path(void)
{
    return at("baselines/nvidia-fake.json");
}

static ending run(const char *program, const char *option, const char *value)
{
    const char *const arguments[] = { KG__COMMAND,     "baseline", "record",     "--baselines",
                                      at("baselines"), "--commit", "abcdef0123", program,
                                      option,          value,      NULL };

    (void)unlink(at("log"));
    return drive(arguments, environment);
}

static void expect_run(const char *program, int code, const char *line)
{
    ending result = run(program, NULL, NULL);

    expect_ending(&result, code, line);
    free(result.output);
}

/* Process 1 checks, 2 to 6 are the sessions. */
static void plan(const char *text)
{
    write_text(at("plan"), text);
}

static void load(kg__baseline *baseline)
{
    kg__error error = { "" };

    cr_assert(kg__baseline_load(path(), baseline, &error) == KG__LOADED, "%s", error.text);
}

/* A metric of SLOW in the baseline, whose sessions are not held. */
static kg__baseline_metric slow_metric(const char *name)
{
    kg__baseline baseline;
    kg__baseline_metric metric;

    load(&baseline);
    metric = *kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), name);
    kg__baseline_free(&baseline);
    return metric;
}

/* The lines of two texts that differ; SIZE_MAX where they have not as many. */
static size_t count_differing_lines(const char *left, const char *right)
{
    size_t count = 0;

    while (*left != '\0' && *right != '\0') {
        size_t length = strcspn(left, "\n");
        size_t other_length = strcspn(right, "\n");

        count += length != other_length || strncmp(left, right, length) != 0;
        left += length + (left[length] == '\n');
        right += other_length + (right[other_length] == '\n');
    }
    return *left == *right ? count : SIZE_MAX;
}

Test(record, a_first_recording)
{
    kg__baseline baseline;
    const kg__baseline_case *entry;
    const kg__baseline_metric *metric;
    char *log;
    ending result;

    plan("3 " SLOW " hot 10020\n4 " SLOW " hot 10010\n5 " SLOW " hot 9990\n");
    result = run(KG__FAKE_SOUND_GPU, NULL, NULL);
    expect_ending(&result, 0, "session 5 of 5");
    cr_assert(strstr(result.output, SLOW
                     "                                  time_ns                    -      10 000 "
                     "ns       new  band 2.0 %") != NULL,
              "%s", result.output);
    cr_assert(strstr(result.output, "nvidia-fake.json: 6 of 6 cases and sentinels changed, 5") !=
                  NULL,
              "%s", result.output);
    free(result.output);
    log = read_text(at("log"));
    cr_assert(occurrences(log, "\n") == 6, "one process checks, five measure");
    free(log);

    load(&baseline);
    cr_assert(strcmp(baseline.target.key, "nvidia-fake") == 0);
    cr_assert(strcmp(baseline.target.name, "NVIDIA Fake") == 0);
    cr_assert(baseline.target.memory_mib == 81920 && baseline.target.multiprocessors == 132);
    cr_assert_str_eq(kg__provenance_text(&baseline.provenance, "driver"), "1.2.3");
    cr_assert(kg__provenance_number(&baseline.provenance, "launch_ns") == 500);
    cr_assert(baseline.case_count == 4 && baseline.sentinel_count == 2);
    cr_assert(kg__baseline_metric_of(kg__baseline_sentinel(&baseline, "fma"), "time_ns")->value ==
              200000);
    entry = kg__baseline_find(&baseline, SLOW);
    cr_assert(entry != NULL && strcmp(entry->commit, "abcdef0123") == 0);
    cr_assert(kg__baseline_metric_of(entry, "cold_time_ns")->value == 12000);
    metric = kg__baseline_metric_of(entry, "time_ns");
    cr_assert(metric->session_count == 5);
    cr_assert(metric->sessions[0] == 10000 && metric->sessions[1] == 10020 &&
              metric->sessions[2] == 10010 && metric->sessions[3] == 9990);
    kg__baseline_free(&baseline);
}

/* Nothing is rewritten but the line of what moved, and that of the provenance. */
Test(record, only_what_moved_is_rewritten)
{
    char *first;
    char *second;

    expect_run(KG__FAKE_SOUND_GPU, 0, NULL);
    first = read_text(path());
    plan("* " SLOW " hot 10190\n* copy hot 101000\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, "0 of 6 cases and sentinels changed");
    second = read_text(path());
    cr_assert(strcmp(first, second) == 0);
    free(second);
    plan("* " SLOW " hot 12000\n");
    expect_run(KG__FAKE_SOUND_GPU, 0,
               "time_ns            10 000 ns      12 000 ns   +20.0 %  band");
    second = read_text(path());
    cr_assert(count_differing_lines(first, second) == 1, "%s\n%s", first, second);
    free(first);
    free(second);
    cr_assert(slow_metric("time_ns").value == 12000);
}

/* A metric whose sessions disagree alone is recorded, and not gated; so are those of a clock that
 * depends on the host. */
Test(record, what_is_noisy_is_recorded_ungated)
{
    static const struct {
        const char *plan;
        const char *line;
        bool cold_gated;
    } rows[] = {
        { "2 " SLOW " hot 10450\n4 " SLOW " hot 10450\n", "not gated: its noise is", true },
        { "3 " SLOW " hot 11100\n", SLOW ": time_ns: the sessions disagree, 10 000 ns to 11 100 ns",
          true },
        { "* " SLOW " clock host\n3 " SLOW " clock host hot 20000 cold 30000\n",
          "not gated: its noise is", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)unlink(path());
        plan(rows[i].plan);
        expect_run(KG__FAKE_SOUND_GPU, 0, rows[i].line);
        cr_expect(!slow_metric("time_ns").gated, "%zu", i);
        cr_expect(slow_metric("cold_time_ns").gated == rows[i].cold_gated, "%zu", i);
    }
}

/* A run that ends in an error leaves the file as it was. */
Test(record, what_refuses)
{
    /* Not as the store would write it: any rewriting would show. */
    static const char sound[] = "{\"schema\": \"kernelgate-baseline/1\", \"cases\": {},   "
                                "\"target\": {\"key\": \"nvidia-fake\"}}";
    static const char malformed[] = "{\"schema\": \"kernelgate-baseline/1\", ";
    static const struct {
        const char *program;
        const char *filter;
        const char *plan;
        const char *line;
    } rows[] = {
        { KG__FAKE_GPU, "fake/plain/*,fake/wrong/*", "", "fake/wrong/64/b32: to[17]: expected" },
        { KG__FAKE_GPU, "fake/cannot/*", "", "fake/cannot/64/b32: launching: cudaErrorInvalidV" },
        { KG__FAKE_GPU, "fake/crashes/*", "", "fake/crashes/64/b32: crashed: the observer died" },
        { KG__FAKE_SOUND_GPU, "", "4 " SLOW " wrong\n",
          SLOW ": to[3]: expected 1, got 2, after timing: nothing is" },
        { KG__FAKE_SOUND_GPU, "", "4 " SLOW " crash\n", SLOW ": crashed" },
        { KG__FAKE_SOUND_GPU, "", "4 " SLOW " forget\n", SLOW ": record lost" },
        { KG__FAKE_SOUND_GPU, "", "6 " SLOW " throttled\n", SLOW ": the GPU was throttled while" },
        { KG__FAKE_SOUND_GPU, "", "4 " SLOW " foreign 1\n", SLOW ": 1 other process computed" },
        /* The sentinels' is 500 ns. */
        { KG__FAKE_SOUND_GPU, "", "4 " SLOW " launch_ns 680\n",
          SLOW ": the launch overhead was 680 ns while it was timed and 500 ns before" },
        { KG__FAKE_SOUND_GPU, "", "3 " SLOW " hot 11100 cold 14000\n",
          "2 of 8 metrics differ from session to session: nothing is recorded" },
        { KG__FAKE_SOUND_GPU, "", "3 copy hot 120000\n", "copy: time_ns: the sessions disagree" },
        { KG__FAKE_SOUND_GPU, "", "3 " SLOW " cold 0\n", SLOW ": cold_time_ns: 4 values of 5" },
        { KG__FAKE_SOUND_GPU, "", "3 " SLOW " hot 0\n", SLOW ": time_ns: 4 values of 5 sessions" },
        { "/no/such/program", "", "", "it does not list its cases" },
        { "/bin/true", "", "", "no case to record" },
    };
    char *after;

    cr_assert(mkdir(at("baselines"), 0777) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_text(path(), sound);
        set_filter(rows[i].filter);
        plan(rows[i].plan);
        expect_run(rows[i].program, 2, rows[i].line);
        after = read_text(path());
        cr_expect_str_eq(after, sound);
        free(after);
    }
    set_filter("");
    plan("");
    set("FAKE_DEVICE", "broken");
    expect_run(KG__FAKE_SOUND_GPU, 2, "the driver does not work");
    set("FAKE_DEVICE", "absent");
    expect_run(KG__FAKE_SOUND_GPU, 2, "no GPU: this one is a fake");
    set("FAKE_DEVICE", NULL);
    /* It is seen before any session is measured. */
    write_text(path(), malformed);
    after = run(KG__FAKE_SOUND_GPU, NULL, NULL).output;
    cr_expect(strstr(after, "fix or move that file first; nothing is recorded") != NULL &&
                  strstr(after, "session 1") == NULL,
              "%s", after);
    free(after);
    after = read_text(path());
    cr_expect_str_eq(after, malformed);
    free(after);
}

/* What the baseline holds of a case's code, as text to be freed. */
static char *code_of(const char *id)
{
    kg__baseline baseline;
    json_t *code;
    char *text;

    load(&baseline);
    code = kg__kernel_code_json(kg__baseline_find(&baseline, id)->code);
    text = json_dumps(code, 0);
    json_decref(code);
    kg__baseline_free(&baseline);
    return text;
}

static void expect_code(const char *expected)
{
    char *text = code_of(SLOW);

    cr_assert(strcmp(text != NULL ? text : "none", expected) == 0, "%s, expected %s", text,
              expected);
    free(text);
}

Test(record, code_is_recorded_beside_values_that_stay)
{
    char *before;
    char *after;

    expect_run(KG__FAKE_SOUND_GPU, 0, "code: recorded");
    expect_code("{\"registers\": 40, \"occupancy\": 0.75}");
    before = read_text(path());
    plan("* " SLOW " registers 48 hot 10050\n");
    expect_run(KG__FAKE_SOUND_GPU, 0,
               SLOW "                                  code: registers 40 -> 48\n");
    expect_code("{\"registers\": 48, \"occupancy\": 0.75}");
    after = read_text(path());
    cr_assert(strstr(after, "10050") == NULL, "the value stays");
    /* The date is another one. */
    cr_assert(count_differing_lines(before, after) <= 2);
    free(before);
    free(after);
    expect_run(KG__FAKE_SOUND_GPU, 0, ": 0 of 6 cases and sentinels changed");
}

/* A copy of the program whose kernel has other machine code. */
static const char *make_other_program(void)
{
    static char path[512];
    char command[2048];

    (void)snprintf(path, sizeof path, "%s", at("other.gpu"));
    (void)snprintf(command, sizeof command,
                   "cp '%s' '%s' && LC_ALL=C sed -i s/fake_code_EXIT/fake_code_BRA0/ '%s'",
                   KG__FAKE_SOUND_GPU, path, path);
    cr_assert(system(command) == 0);
    return path;
}

/* Gives SLOW's code in the baseline a fingerprint as older versions made them. */
static void store_older_fingerprint(void)
{
    kg__baseline baseline;

    load(&baseline);
    strcpy(kg__baseline_find(&baseline, SLOW)->code->fingerprint, "0123456789abcdef");
    cr_assert(kg__baseline_save(path(), &baseline, NULL));
    kg__baseline_free(&baseline);
}

Test(record, machine_code_is_recorded)
{
    static const char other[] = "code: other machine code, or another launch\n";
    char *first;
    char *second;

    plan("* " SLOW " launch aa\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, NULL);
    first = code_of(SLOW);
    cr_assert(strstr(first, "\"fingerprint\": \"elf-") != NULL, "%s", first);
    expect_run(KG__FAKE_SOUND_GPU, 0, ": 0 of 6 cases and sentinels changed");

    expect_run(make_other_program(), 0, other);
    second = code_of(SLOW);
    cr_assert(strcmp(first, second) != 0);
    free(second);
    plan("* " SLOW " launch bb\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, other);
    plan("* " SLOW " launch aa\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, other);
    expect_code(first);

    /* A fingerprint is kept while it is not known and nothing contradicts it. */
    plan("* " SLOW " registers 40\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, ": 0 of 6 cases and sentinels changed");
    plan("* " SLOW " registers 48\n");
    expect_run(KG__FAKE_SOUND_GPU, 0,
               "code: registers 40 -> 48, its machine code is no longer known\n");
    expect_code("{\"registers\": 48, \"occupancy\": 0.75}");
    plan("* " SLOW " launch aa\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, "code: registers 48 -> 40, its machine code is known now\n");
    plan("* " SLOW " hot 12000\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, "code: its machine code is no longer known\n");
    expect_code("{\"registers\": 40, \"occupancy\": 0.75}");
    store_older_fingerprint();
    plan("* " SLOW " launch aa\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, "code: its machine code is known now\n");
    expect_code(first);
    free(first);
}

Test(record, a_band_set_by_hand_stays)
{
    kg__baseline baseline;
    kg__baseline_metric *metric;

    expect_run(KG__FAKE_SOUND_GPU, 0, NULL);
    load(&baseline);
    metric = kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "time_ns");
    metric->band = 0.1;
    metric->band_by_hand = true;
    cr_assert(kg__baseline_save(path(), &baseline, NULL));
    kg__baseline_free(&baseline);
    plan("* " SLOW " hot 10900\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, "0 of 6");
    plan("* " SLOW " hot 12000\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, "band 10.0 %, by hand");
    load(&baseline);
    metric = kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "time_ns");
    cr_assert(metric->band == 0.1 && metric->band_by_hand && metric->value == 12000);
    kg__baseline_free(&baseline);
}

Test(record, further_boards_are_merged)
{
    kg__baseline baseline;
    const kg__baseline_metric *metric;
    ending result;

    expect_run(KG__FAKE_SOUND_GPU, 0, NULL);
    plan("* " SLOW " hot 10100\n");
    result = run(KG__FAKE_SOUND_GPU, "--merge", NULL);
    expect_ending(&result, 0, "6 of 6 cases and sentinels changed");
    free(result.output);
    load(&baseline);
    metric = kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "time_ns");
    cr_assert(metric->session_count == 10 && metric->value == 10050, "%g", metric->value);
    kg__baseline_free(&baseline);
}

/* A case that the table no longer has is taken out; with a filter it might only be hidden. */
Test(record, a_case_that_is_gone_is_retired)
{
    kg__baseline baseline;
    kg__baseline_case *entry;
    double value = 1000;

    expect_run(KG__FAKE_SOUND_GPU, 0, NULL);
    load(&baseline);
    for (int i = 0; i < 2; i++) {
        entry = kg__baseline_add(&baseline, i == 0 ? "fake/old/64/b32" : "other/old/64/b32");
        free(entry->commit);
        entry->commit = kg__copy_text("0123456789");
        kg__baseline_add_metric(entry, "time_ns")->value = value;
        entry->metrics[0].band = 0.02;
        entry->metrics[0].floor = 50;
        kg__baseline_set_sessions(&entry->metrics[0], &value, 1);
    }
    cr_assert(kg__baseline_save(path(), &baseline, NULL));
    kg__baseline_free(&baseline);

    set_filter("fake/quick/*");
    expect_run(KG__FAKE_SOUND_GPU, 0, "0 of 4 cases and sentinels changed");
    set_filter("");
    expect_run(KG__FAKE_SOUND_GPU, 0,
               "fake/old/64/b32                                    retired: no longer in");
    load(&baseline);
    cr_assert(kg__baseline_find(&baseline, "fake/old/64/b32") == NULL);
    cr_assert(kg__baseline_find(&baseline, "other/old/64/b32") != NULL,
              "other comparisons were not recorded");
    cr_assert(kg__baseline_find(&baseline, SLOW) != NULL);
    kg__baseline_free(&baseline);
}

Test(record, a_filter_narrows)
{
    kg__baseline baseline;

    set_filter("fake/plain/64/b32,fake/quick/64/*");
    expect_run(KG__FAKE_GPU, 0, "5 of 5 cases and sentinels changed");
    load(&baseline);
    cr_assert(baseline.case_count == 3);
    kg__baseline_free(&baseline);
    set_filter("matmul/*");
    expect_run(KG__FAKE_GPU, 2,
               "no case to record: is KG_FILTER too narrow? `kernelgate list` has the cases");
    set_filter("fake/quik/*");
    expect_run(KG__FAKE_GPU, 2,
               "no case to record: is KG_FILTER too narrow? Did you mean \"fake/quick/*\"? "
               "`kernelgate list` has the cases");
}

/* What is recorded is timed with its neighbors, which are not recorded, whatever happens to
 * them. */
Test(record, neighbours_of_what_a_filter_takes)
{
    const char *const listing[] = { KG__FAKE_SOUND_GPU, "--beside", NULL };
    ending result;

    set_filter("matmul/*");
    result = drive(listing, environment);
    cr_assert_str_eq(result.output, "");
    free(result.output);
    set_filter("fake/quick/64/b32");
    result = drive(listing, environment);
    cr_assert_str_eq(result.output, "fake/plain/64/b32\nfake/quick/64/b32\n");
    free(result.output);
    plan("2 fake/plain/64/b32 crash\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, "3 of 3 cases and sentinels changed");
    result = (ending){ .output = read_text(at("log")) };
    cr_assert(occurrences(result.output, "\n") == 7, "a process more, for the crash: %s",
              result.output);
    free(result.output);
}

/* Without git's word the commit is unknown, and the file is right all the same. */
Test(record, the_commit_is_unknown_without_git)
{
    const char *const arguments[] = { KG__COMMAND,     "baseline",         "record", "--baselines",
                                      at("baselines"), KG__FAKE_SOUND_GPU, NULL };
    kg__baseline baseline;

    set("PATH", at(""));
    expect_drive(arguments, 0, "6 of 6");
    load(&baseline);
    cr_assert(strcmp(kg__baseline_find(&baseline, SLOW)->commit, "unknown") == 0);
    kg__baseline_free(&baseline);
}

/* Two recordings at once would each store what the other one does not know of. */
Test(record, a_folder_that_somebody_else_changes_refuses)
{
    char holder[64];
    struct stat facts;
    char name[96];
    int lock;

    cr_assert(mkdir(at("baselines"), 0777) == 0 && stat(at("baselines"), &facts) == 0);
    setenv("KG_LOCK_DIR", at(""), 1);
    snprintf(name, sizeof name, "baselines-%llx-%llx", (unsigned long long)facts.st_dev,
             (unsigned long long)facts.st_ino);
    lock = kg__lock_try(name, NULL);
    cr_assert(lock >= 0);
    snprintf(holder, sizeof holder, "baselines: it is held by process %ld", (long)getpid());
    expect_run(KG__FAKE_SOUND_GPU, 2, holder);
    cr_assert(!exists(at("log")) && !exists(path()), "nothing is measured in vain");
    kg__lock_release(lock);
    expect_run(KG__FAKE_SOUND_GPU, 0, "6 of 6 cases and sentinels changed");
}

Test(record, a_metric_that_no_session_has_is_left_out)
{
    kg__baseline baseline;

    plan("* " SLOW " cold 0\n");
    expect_run(KG__FAKE_SOUND_GPU, 0, "6 of 6");
    load(&baseline);
    cr_assert(kg__baseline_find(&baseline, SLOW)->metric_count == 1);
    kg__baseline_free(&baseline);
}

Test(record, arguments_that_are_wrong)
{
    static const char *const bad[] = { "4", "-1", "5x", "1000" };
    const char *const no_program[] = { KG__COMMAND,   "baseline",      "record",
                                       "--baselines", at("baselines"), NULL };
    const char *const no_folder[] = { KG__COMMAND, "baseline", "record", KG__FAKE_SOUND_GPU, NULL };
    ending result;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        result = run(KG__FAKE_SOUND_GPU, "--sessions", bad[i]);
        expect_ending(&result, 2, "not a number from 5 to 999");
        free(result.output);
    }
    expect_drive(no_program, 2, "needs --baselines DIR and a comparison's program");
    expect_drive(no_folder, 2, "needs --baselines DIR and a comparison's program");
    write_text(at("file"), "");
    expect_drive((const char *const[]){ KG__COMMAND, "baseline", "record", "--baselines",
                                        at("file/below"), KG__FAKE_SOUND_GPU, NULL },
                 2, "file/below: the folder cannot be made: Not a directory");
    /* One call records one target, and the model has no boards. */
    expect_drive((const char *const[]){ KG__COMMAND, "baseline", "record", "--baselines",
                                        at("baselines"), KG__FAKE_MODEL, KG__FAKE_SOUND_GPU, NULL },
                 2, "programs for a GPU and for the CPU model");
    result = run(KG__FAKE_MODEL, "--merge", NULL);
    expect_ending(&result, 2, "--merge: is for several boards of one GPU model");
    free(result.output);
    cr_assert(!exists(at("baselines")) && !exists(at("log")), "nothing is measured in vain");
    result = run(KG__FAKE_SOUND_GPU, "--sessions", "7");
    expect_ending(&result, 0, "session 7 of 7");
    free(result.output);
    cr_assert(slow_metric("time_ns").session_count == 7);
}

/* What was recorded is what the gate passes by. */
Test(record, the_gate_passes_by_what_was_recorded)
{
    const char *const gate[] = { KG__FAKE_SOUND_GPU, "--filter=fake/time", NULL };

    expect_run(KG__FAKE_SOUND_GPU, 0, NULL);
    set("KG_FILTER", NULL);
    set("KG_BASELINES", at("baselines"));
    set("KG_STRICT", "1");
    expect_drive(gate, 0, "pass         nvidia-fake  " SLOW);
    plan("* " SLOW " hot 10500\n");
    expect_drive(gate, 1, "slower       nvidia-fake  " SLOW);
}

/* What is recorded in part says nothing of where the rest was. */
Test(record, a_part_leaves_the_provenance_of_the_rest)
{
    kg__baseline baseline;

    expect_run(KG__FAKE_SOUND_GPU, 0, NULL);
    load(&baseline);
    kg__provenance_set_text(&baseline.provenance, "driver", "0.9");
    cr_assert(kg__baseline_save(path(), &baseline, NULL));
    kg__baseline_free(&baseline);
    plan("* " SLOW " hot 10500\n");
    set_filter(SLOW);
    expect_run(KG__FAKE_SOUND_GPU, 0, "1 of 3 cases and sentinels changed");
    load(&baseline);
    cr_expect_str_eq(kg__provenance_text(&baseline.provenance, "driver"), "0.9");
    kg__baseline_free(&baseline);
    plan("* " SLOW " hot 11000\n");
    set_filter("");
    expect_run(KG__FAKE_SOUND_GPU, 0, " cases and sentinels changed");
    load(&baseline);
    cr_expect_str_eq(kg__provenance_text(&baseline.provenance, "driver"), "1.2.3");
    kg__baseline_free(&baseline);
}

/* The CPU model: the same command, on a program that counts. Instrumented process 1 checks, 2 and 3
 * count. */

static void plan_counts(const char *text)
{
    write_text(at("count_plan"), text);
}

static const char *model_path(void)
{
    return at("baselines/cpu-model.json");
}

static void expect_model(int code, const char *line)
{
    (void)unlink(at("count_log"));
    expect_run(KG__FAKE_MODEL, code, line);
}

static void load_model(kg__baseline *baseline)
{
    kg__error error = { "" };

    cr_assert(kg__baseline_load(model_path(), baseline, &error) == KG__LOADED, "%s", error.text);
}

/* The right variants of the fake comparison. */
static void choose_right_ones(void)
{
    set_filter("fake/plain/*,fake/quick/*");
}

Test(record, a_first_recording_of_counts)
{
    kg__baseline baseline;
    const kg__baseline_case *entry;
    const kg__baseline_metric *metric;
    char *log;
    char *text;

    choose_right_ones();
    expect_model(0, "cpu-model.json: 4 of 4 cases changed, counted twice with equal results");
    log = read_text(at("count_log"));
    cr_assert(occurrences(log, "\n") == 3, "one process checks, two count");
    free(log);
    load_model(&baseline);
    cr_assert(strcmp(baseline.target.key, "cpu-model") == 0);
    cr_assert(strncmp(baseline.target.compiler, "gcc ", 4) == 0 ||
              strncmp(baseline.target.compiler, "clang ", 6) == 0);
    cr_assert(baseline.case_count == 4 && baseline.sentinel_count == 0);
    entry = kg__baseline_find(&baseline, SLOW);
    cr_assert(entry != NULL && strcmp(entry->commit, "abcdef0123") == 0);
    cr_assert(entry->metric_count == 7, "counters of 0 are omitted");
    metric = kg__baseline_metric_of(entry, "global_load_sectors");
    cr_assert(metric->value == 400 && metric->band == 0 && metric->session_count == 0 &&
              metric->gated);
    cr_assert(entry->lines->count == 3);
    kg__baseline_free(&baseline);
    text = read_text(model_path());
    cr_assert(strstr(text, "\"barriers\": {\"value\": 8, \"band\": 0}, \"global_load_requests\"") !=
                  NULL,
              "%s", text);
    cr_assert(strstr(text, "\"lines\": {\"kernels/fake/plain.cu:14\": {\"global_load_requests\": "
                           "200, \"global_load_sectors\": 400}, ") != NULL,
              "%s", text);
    cr_assert(occurrences(text, "\n") == 19, "one case per line: %s", text);
    cr_assert(strstr(text, " \"checked\": [\n  \"fake/plain/0/b32\",\n") != NULL, "%s", text);
    expect_model(0, "cpu-model.json: 0 of 4 cases changed");
    log = read_text(model_path());
    cr_assert_str_eq(log, text);
    free(log);
    free(text);
}

Test(record, only_counts_that_moved_are_rewritten)
{
    kg__baseline baseline;
    const kg__baseline_case *entry;
    char *first;
    char *second;
    ending result;

    choose_right_ones();
    expect_model(0, NULL);
    first = read_text(model_path());
    plan_counts("* " SLOW " global_load_requests 300 barriers 0 shuffles 5 "
                "line kernels/fake/plain.cu:14 global_load_requests 300 "
                "line kernels/fake/plain.cu:15 barriers 0 "
                "line kernels/fake/plain.cu:15 shuffles 5\n");
    result = run(KG__FAKE_MODEL, NULL, NULL);
    expect_ending(&result, 0, "cpu-model.json: 1 of 4 cases changed");
    cr_assert(strstr(result.output, SLOW
                     "                                  global_load_requests                    "
                     "200              300   +50.0 %\n") != NULL,
              "%s", result.output);
    cr_assert(strstr(result.output,
                     "barriers                                  8                0    "
                     "-100 %\n") != NULL,
              "%s", result.output);
    cr_assert(strstr(result.output,
                     "shuffles                                  0                5    "
                     "   new\n") != NULL,
              "%s", result.output);
    cr_assert(strstr(result.output, " ns") == NULL, "%s", result.output);
    free(result.output);
    second = read_text(model_path());
    cr_assert(count_differing_lines(first, second) == 1, "%s\n%s", first, second);
    free(first);
    free(second);
    load_model(&baseline);
    entry = kg__baseline_find(&baseline, SLOW);
    cr_assert(kg__baseline_metric_of(entry, "global_load_requests")->value == 300);
    cr_assert(kg__baseline_metric_of(entry, "barriers") == NULL);
    kg__baseline_free(&baseline);
}

/* Where the lines went elsewhere, the next verdict must not look for them where they were. */
Test(record, lines_that_moved_are_rewritten)
{
    kg__baseline baseline;

    choose_right_ones();
    expect_model(0, NULL);
    plan_counts("* " SLOW " line kernels/fake/plain.cu:15 barriers 5 "
                "line kernels/fake/plain.cu:20 barriers 3\n");
    expect_model(0, SLOW "                                  lines of source moved, and no counter");
    load_model(&baseline);
    cr_assert(kg__baseline_find(&baseline, SLOW)->lines->count == 4);
    cr_assert(kg__baseline_find(&baseline, "fake/quick/64/b32")->lines->count == 3);
    kg__baseline_free(&baseline);
}

Test(record, a_counters_band_set_by_hand_stays)
{
    kg__baseline baseline;
    kg__baseline_metric *metric;

    choose_right_ones();
    expect_model(0, NULL);
    load_model(&baseline);
    metric = kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "barriers");
    metric->band = 0.1;
    metric->band_by_hand = true;
    metric = kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "global_load_requests");
    metric->gated = false;
    metric->band_by_hand = true;
    cr_assert(kg__baseline_save(model_path(), &baseline, NULL));
    kg__baseline_free(&baseline);
    plan_counts("* " SLOW " global_load_requests 300 barriers 9 "
                "line kernels/fake/plain.cu:14 global_load_requests 300 "
                "line kernels/fake/plain.cu:15 barriers 9\n");
    expect_model(0, "1 of 4");
    load_model(&baseline);
    metric = kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "barriers");
    cr_assert(metric->band == 0.1 && metric->band_by_hand && metric->value == 9);
    metric = kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "global_load_requests");
    cr_assert(!metric->gated && metric->value == 300);
    kg__baseline_free(&baseline);
}

Test(record, a_case_that_counts_nothing)
{
    kg__baseline baseline;
    const kg__baseline_case *entry;

    set_filter(SLOW);
    plan_counts("* * global_load_requests 0 global_load_sectors 0 global_store_requests 0 "
                "global_store_sectors 0 barriers 0 unique_bytes_read 0 unique_bytes_written 0 "
                "line kernels/fake/plain.cu:14 global_load_requests 0 "
                "line kernels/fake/plain.cu:14 global_load_sectors 0 "
                "line kernels/fake/plain.cu:15 barriers 0 "
                "line kernels/fake/plain.cu:16 global_store_requests 0 "
                "line kernels/fake/plain.cu:16 global_store_sectors 0\n");
    expect_model(0, "1 of 1");
    load_model(&baseline);
    entry = kg__baseline_find(&baseline, SLOW);
    cr_assert(entry->metric_count == 1 && entry->metrics[0].value == 0);
    kg__baseline_free(&baseline);
    expect_model(0, "0 of 1");
}

/* The provenance names the flags of all cases, so that a part of them cannot have others. */
Test(record, counts_of_other_flags_than_the_rest_refuse)
{
    kg__baseline baseline;
    char *first;
    char *second;

    choose_right_ones();
    expect_model(0, NULL);
    load_model(&baseline);
    kg__provenance_set_text(&baseline.provenance, "flags", "-O0");
    cr_assert(kg__baseline_save(model_path(), &baseline, NULL));
    kg__baseline_free(&baseline);
    first = read_text(model_path());
    plan_counts("* " SLOW " global_load_requests 300\n");
    expect_model(2, "cpu-model.json: its other cases were recorded with CXXFLAGS \"-O0\", these "
                    "with \"\": build with the same flags, or record all cases");
    second = read_text(model_path());
    cr_expect_str_eq(first, second);
    free(first);
    free(second);
}

Test(record, what_refuses_counts)
{
    static const char before[] = "{\"schema\": \"kernelgate-baseline/1\", \"cases\": {},   "
                                 "\"target\": {\"key\": \"cpu-model\"}}";
    static const struct {
        const char *filter;
        const char *plan;
        const char *line;
    } rows[] = {
        { "", "3 " SLOW " global_load_sectors 401\n",
          SLOW ": global_load_sectors is 400 in one run and 401 in another" },
        { "", "2 " SLOW " line kernels/fake/plain.cu:14 global_load_sectors 401\n",
          SLOW ": its lines have other counts in another run" },
        { "", "1 " SLOW " finding\n", SLOW ": kernels/fake/other.cu:14: error: " },
        { "", "1 " SLOW " crash\n", SLOW ": crashed" },
        { "", "3 " SLOW " forget\n", SLOW ": record lost" },
        { "fake/plain/*,fake/wrong/*", "", "fake/wrong/64/b32: to[17]: expected" },
        { "fake/plain/1/*", "", "is KG_FILTER too narrow? Did you mean \"fake/plain/7/*\"?" },
    };
    char command[1200];

    cr_assert(mkdir(at("baselines"), 0777) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *after;

        write_text(model_path(), before);
        choose_right_ones();
        if (rows[i].filter[0] != '\0')
            set_filter(rows[i].filter);
        plan_counts(rows[i].plan);
        expect_model(2, rows[i].line);
        after = read_text(model_path());
        cr_expect_str_eq(after, before);
        free(after);
    }
    kg__format(command, sizeof command, "cp '%s' '%s'", KG__FAKE_MODEL, at("lone.model"));
    cr_assert(system(command) == 0);
    expect_run(at("lone.model"), 2,
               "lone.instrumented: the program with instrumented kernels cannot be run");
}

static void expect_lost_output(const char *program, const char *line)
{
    char script[1024];
    const char *const arguments[] = { "/bin/sh", "-c", script, KG__COMMAND, NULL };
    ending result;

    kg__format(script, sizeof script, "exec \"$0\" baseline record --baselines %s %s >/dev/full",
               at("baselines"), program);
    (void)unlink(at("log"));
    (void)unlink(at("count_log"));
    result = drive(arguments, environment);
    expect_ending(&result, 2, line);
    cr_assert(occurrences(result.output, "kernelgate: ") == 1, "%s", result.output);
    free(result.output);
}

/* The file is there by then, which nobody would expect of a command that failed. */
Test(record, says_that_the_file_was_written_where_its_table_is_lost)
{
    static const char lost[] = " was written, but its report is lost: the standard "
                               "output cannot be written";
    char line[256];

    choose_right_ones();
    kg__format(line, sizeof line, "nvidia-fake.json%s", lost);
    expect_lost_output(KG__FAKE_SOUND_GPU, line);
    kg__format(line, sizeof line, "cpu-model.json%s", lost);
    expect_lost_output(KG__FAKE_MODEL, line);
    cr_assert(exists(path()) && exists(model_path()));
}
