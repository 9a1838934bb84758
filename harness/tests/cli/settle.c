/* Base against head from end to end: a comparison's real program twice, on a GPU that is not there,
 * each with a plan of its own for the times of its cases. */
#include <criterion/criterion.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "records/records.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/fake_baselines.h"
#include "tests/fakes/fake_code.h"
#include "tests/fakes/made_baselines.h"

#define SLOW "fake/plain/64/b32"
#define OTHER "fake/quick/64/b64"
#define VERDICTS "out/records/gpu.fake.time.verdicts.json"

static void plan(const char *side, const char *text)
{
    char name[32];

    kg__format(name, sizeof name, "%s_plan", side);
    write_text(at(name), text);
    kg__format(name, sizeof name, "%s_log", side);
    (void)unlink(at(name));
}

/* A build's program: the fake one with its own plan and log, after the commands `before`. Each
 * observer adds a line to `order`: whose it was, and how long it may sample.
 */
static void build(const char *side, const char *before)
{
    char text[4096];
    char name[64];

    (void)mkdir(at(side), 0777);
    (void)snprintf(text, sizeof text,
                   "#!/bin/sh\n"
                   "[ \"$1\" = --observe ] && echo %s \"$KG_CASE_SECONDS\" >>'%s/order'\n"
                   "%s FAKE_PLAN='%s/%s_plan' FAKE_LOG='%s/%s_log' exec '%s' \"$@\"\n",
                   side, at(""), before, at(""), side, at(""), side, KG__FAKE_GPU);
    kg__format(name, sizeof name, "%s/fake.gpu", side);
    write_text(at(name), text);
    cr_assert(chmod(at(name), 0777) == 0);
    plan(side, "");
}

static void begin(void)
{
    make_folder();
    cr_assert(mkdir(at("baselines"), 0777) == 0);
    begin_fake_baselines();
    store_baseline();
    build("base", "");
    build("head", "");
    set("KG_OUT", at("out"));
    set("KG_BASELINES", at("baselines"));
    set("KG_LOCK_DIR", at(""));
    set("KG_CASE_TIMEOUT", "20");
    set("KG_FILTER", "fake/plain/*,fake/quick/*");
    set("KG_BASE", at("base"));
}

static void end(void)
{
    end_fake_baselines();
    remove_folder();
}

TestSuite(settle, .init = begin, .fini = end, .timeout = 110);

/* Runs this build's part `time`; the test of it passes or fails by its exit code. */
static void expect_time(int code, const char *line)
{
    const char *const arguments[] = { at("head/fake.gpu"), "--filter=fake/time", NULL };

    expect_drive(arguments, code, line);
}

/* The same with what the plan says of the first observation alone, forgotten then. */
static void expect_suspects(const char *head_plan, const char *line)
{
    plan("head", head_plan);
    expect_time(0, line);
}

static void expect_settle(const char *option, const char *value, int code, const char *line)
{
    const char *const arguments[] = { KG__COMMAND, "settle",   "--base", at("base"),
                                      "--head",    at("head"), "--ref",  "main",
                                      option,      value,      NULL };
    ending result = drive(arguments, environment);

    expect_ending(&result, code, line);
    free(result.output);
}

static void expect_results(int code, const char *line)
{
    const char *const arguments[] = { KG__COMMAND, "results", "--verbose", NULL };
    ending result = drive(arguments, environment);

    expect_ending(&result, code, line);
    free(result.output);
}

/* The entry of a case in the verdicts, of a document that the caller frees. */
static json_t *entry_of(const char *id, json_t **document)
{
    size_t i;
    json_t *entry;

    *document = read_json(at(VERDICTS));
    json_array_foreach (json_object_get(*document, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "case"), id) == 0)
            return entry;
    }
    cr_assert_fail("%s is not in the verdicts", id);
    return NULL;
}

static void expect_case(const char *id, const char *verdict, const char *why)
{
    json_t *document;
    json_t *entry = entry_of(id, &document);

    cr_assert(strcmp(kg__json_text(entry, "verdict"), verdict) == 0, "%s: %s (%s)", id,
              kg__json_text(entry, "verdict"), kg__json_text(entry, "why"));
    cr_assert(strstr(kg__json_text(entry, "why"), why) != NULL, "%s: %s", id,
              kg__json_text(entry, "why"));
    json_decref(document);
}

static bool is_suspect(const char *id)
{
    json_t *document;
    const json_t *mark = json_object_get(entry_of(id, &document), "suspect");
    bool suspect = json_is_true(mark);

    json_decref(document);
    return suspect;
}

/* How many processes a build's observers were. */
static size_t processes(const char *side)
{
    char name[32];
    char *text;
    size_t count;

    kg__format(name, sizeof name, "%s_log", side);
    if (!exists(at(name)))
        return 0;
    text = read_text(at(name));
    count = occurrences(text, "\n");
    free(text);
    return count;
}

Test(settle, what_tripped_is_a_suspect_and_fails_where_nobody_settles_it)
{
    json_t *results;
    const json_t *entry;
    size_t i;

    expect_suspects("* " SLOW " hot 10300\n",
                    "suspect      nvidia-fake  fake/plain/64/b32                 hot 10 300 ns "
                    "(+3.0 %)");
    cr_assert(processes("head") == 1, "not confirmed");
    cr_assert(is_suspect(SLOW) && !is_suspect(OTHER));
    expect_case(SLOW, "slower", "slower by 3.0 %");
    expect_results(1, "1 suspect not settled against a base");
    results = read_json(at("out/results.json"));
    cr_assert(json_object_get(results, "base") == NULL, "nothing was held against it");
    json_array_foreach (json_object_get(results, "cases"), i, entry)
        cr_assert(json_object_get(entry, "first") == NULL, "records are no results");
    json_decref(results);
}

/* Whatever its one observation would be attributed to: pairs with a base are more precise. */
Test(settle, doubtful_trips_are_suspects_too)
{
    expect_suspects("* " SLOW " hot 10300 throttled\n", "suspect");
    expect_case(SLOW, "environment", "the card throttled");
    cr_assert(is_suspect(SLOW));
    expect_suspects("* " SLOW " hot 10300 width 0.05\n", "suspect");
    expect_case(SLOW, "noisy", "");
    cr_assert(is_suspect(SLOW));
    /* Not so what did not trip. */
    plan("head", "* " SLOW " width 0.05\n");
    expect_time(0, "noisy        nvidia-fake");
    cr_assert(!is_suspect(SLOW));
}

/* What the baseline has and the head no longer measures is an error, as slow or fast as the rest of
 * the case may be: no base settles that. */
Test(settle, an_error_is_no_suspect)
{
    static const char lost[] = "cold_time_ns is in the baseline and was not measured";

    plan("head", "* " SLOW " cold 0 hot 10300\n");
    expect_time(2, lost);
    cr_assert(!is_suspect(SLOW));
    expect_settle(NULL, NULL, 0, "no suspects");
    expect_case(SLOW, "error", lost);
    set("KG_PAIRED", "1");
    plan("head", "* " SLOW " cold 0\n");
    expect_time(2, lost);
    expect_settle(NULL, NULL, 0, "settled 3 of 3");
    expect_case(SLOW, "error", lost);
    expect_results(2, lost);
}

Test(settle, what_got_faster_is_confirmed_as_ever)
{
    expect_suspects("* " SLOW " hot 9000\n", "confirming   nvidia-fake  fake/plain/64/b32");
    cr_assert(processes("head") == 3);
    cr_assert(!is_suspect(SLOW));
    expect_case(SLOW, "faster", "");
    expect_settle(NULL, NULL, 0, "no suspects: nothing to settle");
}

Test(settle, a_head_as_fast_as_its_base_passes)
{
    json_t *document;
    const json_t *entry;
    const json_t *pairs;

    set("KG_BASE_COMMIT", "0a1b2c3d4e");
    expect_suspects("* " SLOW " hot 10311\n", "suspect");
    plan("base", "* " SLOW " hot 10300\n");
    expect_settle(NULL, NULL, 0,
                  "settling 1 suspect in 1 comparison against main (0a1b2c3d4e): 12 to 24 pairs, ");
    cr_assert(processes("base") == 12, "one look is enough: %zu", processes("base"));
    cr_assert(processes("head") == 13);
    expect_case(SLOW, "pass",
                "time_ns as fast as main (+0.1 %, 12 pairs, p = 1.00); against the stored baseline "
                "+3.1 %: the machine, or an earlier commit");
    cr_assert(!is_suspect(SLOW));
    entry = entry_of(SLOW, &document);
    pairs = json_object_get(json_object_get(entry, "pairs"), "time_ns");
    cr_assert(json_integer_value(json_object_get(pairs, "count")) == 12);
    cr_assert(json_object_get(json_object_get(entry, "pairs"), "cold_time_ns") == NULL,
              "it was never in doubt");
    cr_assert(json_object_get(entry, "first") == NULL);
    cr_assert(strcmp(kg__json_text(json_object_get(entry, "base"), "ref"), "main") == 0);
    cr_assert(strcmp(kg__json_text(json_object_get(entry, "base"), "commit"), "0a1b2c3d4e") == 0);
    json_decref(document);
    set("KG_BASE_REF", "main");
    expect_results(0, "against the stored baseline +3.1 %");
    document = read_json(at("out/results.json"));
    cr_assert(strcmp(kg__json_text(json_object_get(document, "base"), "ref"), "main") == 0);
    cr_assert(strcmp(kg__json_text(json_object_get(document, "base"), "commit"), "0a1b2c3d4e") ==
              0);
    json_decref(document);
}

/* Base, head; head, base; and so on, each as short as twelve of them may be. The neighbors of the
 * suspect alone run again with it. */
Test(settle, a_head_slower_than_its_base_fails)
{
    static const char turns[] = "base 0.1\nhead 0.1\nhead 0.1\nbase 0.1\n";
    char *text;

    expect_suspects("* " SLOW " hot 10300 cold 12360\n", "suspect");
    expect_settle(NULL, NULL, 0, "slower       nvidia-fake  fake/plain/64/b32");
    expect_case(SLOW, "slower",
                "time_ns slower than main by 3.0 % (interval 3.0 % to 3.0 %, 12 pairs, p = 0.0002; "
                "10 300 ns against 10 000 ns)");
    expect_results(1, "slower than main by 3.0 %");
    text = read_text(at("order"));
    cr_assert(strncmp(text, turns, strlen(turns)) == 0, "%s", text);
    cr_assert(occurrences(text, "\n") == 24 && occurrences(text, turns) == 6, "%s", text);
    free(text);
    text = read_text(at("out/records/gpu.fake.time.head.cases"));
    cr_assert(strstr(text, "fake/plain/64/b32\nfake/quick/64/b32\n") == text &&
                  strstr(text, "/b64") == NULL,
              "%s", text);
    free(text);
    write_text(at("cases"), "fake/plain/65/b32\n");
    expect_drive((const char *const[]){ KG__FAKE_GPU, "--beside", at("cases"), NULL }, 2,
                 "no such case in the table");
}

#define FIRST_BOARD "GPU-11111111-2222-3333-4444-555555555555"
#define OTHER_BOARD "GPU-66666666-7777-8888-9999-000000000000"

/* A machine may have several GPUs; the suspects' own is asked again. */
Test(settle, pairs_are_run_on_the_board_of_the_test)
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

/* A new variant would change the times of the others in its process, in one build only. */
Test(settle, neighbours_that_the_base_has_not_are_left_away)
{
    char *cases;

    build("base", "[ \"$1\" = --cases ] && KG_FILTER='fake/plain/*';");
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    expect_settle(NULL, NULL, 0, "settled 1 of 1 suspects");
    cases = read_text(at("out/records/gpu.fake.time.head.cases"));
    cr_assert(strcmp(cases, "fake/plain/64/b32\n") == 0, "%s", cases);
    free(cases);
}

Test(settle, every_case_of_a_paired_run)
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
Test(settle, ungated_metrics_are_not_paired)
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
Test(settle, a_paired_run_without_a_baseline)
{
    (void)unlink(at("baselines/nvidia-fake.json"));
    set("KG_PAIRED", "1");
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    expect_settle(NULL, NULL, 0, "settled 4 of 4");
    expect_case(SLOW, "slower", "slower than main by 3.0 %");
    expect_case(OTHER, "pass", "as fast as main");
}

Test(settle, a_case_that_the_base_has_not)
{
    json_t *document;

    build("base", "KG_FILTER='fake/quick/*'");
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    expect_settle(NULL, NULL, 0, "new: main has no such case");
    cr_assert(processes("head") == 3 && processes("base") == 0);
    expect_case(SLOW, "slower", "time_ns slower by 3.0 % (10 300 ns against 10 000 ns");
    cr_assert(strcmp(kg__json_text(entry_of(SLOW, &document), "note"),
                     "new: main has no such case") == 0);
    json_decref(document);
    /* The baseline's rule: the median of three. */
    expect_suspects("1 " SLOW " hot 10300\n", "suspect");
    expect_settle(NULL, NULL, 0, "settled 1 of 1");
    expect_case(SLOW, "pass", "");
}

/* Writes into the baseline, and into what the first observation left, that a case runs this code.
 */
static void fingerprint(const char *id, const char *text)
{
    kg__error error = { "" };
    kg__baseline baseline;
    const kg__kernel_code code = fake_code(-1, NAN, text);
    json_t *document;
    json_t *measured;

    cr_assert(kg__baseline_load(at("baselines/nvidia-fake.json"), &baseline, &error) == KG__LOADED);
    set_baseline_code(kg__baseline_find(&baseline, id), &code);
    write_baseline(at("baselines/nvidia-fake.json"), &baseline);
    kg__baseline_free(&baseline);
    measured = json_object_get(json_object_get(entry_of(id, &document), "first"), "measured");
    cr_assert(json_object_set_new(json_object_get(measured, "kernel"), "fingerprint",
                                  json_string(text)) == 0);
    cr_assert(json_dump_file(document, at(VERDICTS), 0) == 0);
    json_decref(document);
}

/* Where the baseline judges, what is known of the first process's code holds of the others, as long
 * as they launch alike. */
Test(settle, the_baselines_own_code_judged_by_the_baseline)
{
    static const char *const plans[][2] = {
        { "* " SLOW " hot 10300 launch aa\n", "environment" },
        { "* " SLOW " hot 10300 launch bb\n1 " SLOW " launch aa\n", "slower" },
        { "* " SLOW " hot 10300\n1 " SLOW " launch aa\n", "slower" },
    };

    build("base", "KG_FILTER='fake/quick/*'");
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        expect_suspects(plans[i][0], "suspect");
        fingerprint(SLOW, "0123456789abcdef");
        /* Of three equal values the second is the median. */
        expect_settle(NULL, NULL, 0, "settled 1 of 1");
        expect_case(SLOW, plans[i][1], "slower by 3.0 %");
    }
}

/* What goes wrong while pairs run: the base's faults leave the verdict to the baseline, the head's
 * are its own. */
Test(settle, what_goes_wrong_in_pairs)
{
    static const struct {
        const char *side;
        const char *plan;
        const char *line;
        const char *verdict;
        const char *why;
        size_t processes; /* of the base; 0: any */
    } rows[] = {
        { "base", "* " SLOW " crash\n", "main cannot be measured: crashed: the observer died of",
          "slower", "slower by 3.0 %", 0 },
        { "base", "* " SLOW " wrong\n", "main cannot be measured: to[3]: expected 1, got 2",
          "slower", "slower by 3.0 %", 0 },
        { "base", "3 " SLOW " forget\n", "main cannot be measured: record lost", "slower",
          "slower by 3.0 %", 0 },
        { "base", "* " SLOW " clock host\n", "time_ns of main has another clock (host; here graph)",
          "slower", "slower by 3.0 %", 0 },
        { "base", "* " SLOW " cold 0\n", NULL, "slower", "slower than main by 3.0 %", 12 },
        { "base", "* " SLOW " throttled\n", "environment  nvidia-fake", "environment",
          "the card was throttled, or not alone, in 7 of 7 pairs", 7 },
        { "head", "* " SLOW " hot 10300\n3 " SLOW " wrong\n", "wrong        nvidia-fake", "wrong",
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

/* The base's program is another one, or none. */
Test(settle, a_base_without_the_comparison)
{
    static const struct {
        const char *program; /* NULL: none */
        const char *line;
    } rows[] = {
        { "#!/bin/sh\n[ \"$1\" = --cases ] && echo " SLOW " || exit 3\n",
          "main cannot be measured: part time: " },
        { "#!/bin/sh\nexit 3\n", "main's program does not list its cases (exit code 3)" },
        { NULL, "new: main has no such comparison" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].program != NULL)
            write_text(at("base/fake.gpu"), rows[i].program);
        else
            (void)unlink(at("base/fake.gpu"));
        expect_suspects("* " SLOW " hot 10300\n", "suspect");
        expect_settle(NULL, NULL, 0, rows[i].line);
        expect_case(SLOW, "slower", "slower by 3.0 %");
    }
}

/* What is close takes more looks: a third of the pairs are well below the margin. */
Test(settle, what_is_close_takes_more_pairs)
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

Test(settle, what_was_found_stays_found)
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
                         "not found slower by more than 1 % than main") != NULL);
        json_decref(document);
        expect_results(1, "slower than main by 1.9 %");
    }
}

Test(settle, without_time_for_pairs_the_baseline_judges)
{
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    build("base", "sleep 0.4;");
    expect_settle("--seconds", "3", 0, "there is no time for 12 pairs within 3 s (a pair takes 0.");
    expect_case(SLOW, "slower", "time_ns slower by 3.0 % (10 300 ns against 10 000 ns");
    cr_assert(processes("head") == 3 && processes("base") == 1, "%zu and %zu", processes("head"),
              processes("base"));
}

Test(settle, without_any_time_the_first_verdict_stands)
{
    expect_suspects("1 " SLOW " hot 10300\n", "suspect");
    build("base", "sleep 0.6;");
    expect_settle("--seconds", "0.4", 0, "no time for two more observations: its first one counts");
    expect_case(SLOW, "slower", "slower by 3.0 %");
    cr_assert(!is_suspect(SLOW));
}

Test(settle, an_interrupted_settling_leaves_whole_verdicts)
{
    const char *const arguments[] = { KG__COMMAND, "settle",   "--base", at("base"),
                                      "--head",    at("head"), NULL };
    pid_t process;
    int status;

    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    build("base", "sleep 0.2;");
    cr_assert(posix_spawn(&process, KG__COMMAND, NULL, NULL, (char *const *)arguments,
                          (char *const *)environment) == 0);
    nanosleep(&(struct timespec){ .tv_nsec = 700000000 }, NULL);
    /* Meanwhile nobody else does. */
    expect_settle(NULL, NULL, 2, "held by kernelgate, process ");
    cr_assert(kill(process, SIGKILL) == 0);
    cr_assert(waitpid(process, &status, 0) == process);
    cr_assert(is_suspect(SLOW), "who is not settled is a suspect still");
    expect_results(1, "slower");
    build("base", "");
    expect_settle(NULL, NULL, 0, "settled 1 of 1");
}

Test(settle, what_it_is_told_wrongly)
{
    static const char *const tries[][2] = {
        { "--seconds", "0" }, { "--seconds", "nan" }, { "--base", "/no" }, { "--out", "/no" }
    };

    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        expect_settle(tries[i][0], tries[i][1], 2, tries[i][1]);
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    expect_settle("--base", at("head/../head"), 2, "name the folders of two builds");
    cr_assert(is_suspect(SLOW));
}

static json_t *settle_as_json(const char *option, const char *value, int code, char **complaints)
{
    const char *const arguments[] = { KG__COMMAND, "settle", "--json",   "--base",
                                      at("base"),  "--head", at("head"), "--ref",
                                      "main",      option,   value,      NULL };

    return drive_document(arguments, environment, code, complaints);
}

static double figure(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    cr_assert(json_is_number(value), "%s", key);
    return json_number_value(value);
}

Test(settle, prints_a_document)
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

Test(settle, prints_a_document_of_what_no_pair_judges)
{
    const json_t *suspect;
    json_t *document;

    build("base", "KG_FILTER='fake/quick/*'");
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    document = settle_as_json(NULL, NULL, 0, NULL);
    suspect = ENTRY(document, "suspects", "case", SLOW, "verdict", "slower", "judged_by",
                    "baseline", "note", "new: main has no such case");
    cr_expect(json_object_get(suspect, "pairs") == NULL);
    json_decref(document);
    build("base", "");
    expect_suspects("* " SLOW " hot 10300\n4 " SLOW " wrong\n", "suspect");
    document = settle_as_json(NULL, NULL, 0, NULL);
    (void)ENTRY(document, "suspects", "case", SLOW, "verdict", "wrong", "judged_by", "observation");
    json_decref(document);
}

/* Verdicts of another version or changed by hand, or no program of this build: nothing passes. */
Test(settle, nothing_is_settled)
{
    const json_t *suspect;
    json_t *document;

    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    (void)json_object_del(entry_of(SLOW, &document), "first");
    cr_assert(json_dump_file(document, at(VERDICTS), 0) == 0);
    json_decref(document);
    expect_settle(NULL, NULL, 2, SLOW ": a suspect without its first observation");
    cr_assert(is_suspect(SLOW));
    expect_suspects("* " SLOW " hot 10300\n", "suspect");
    (void)unlink(at("head/fake.gpu"));
    document = settle_as_json(NULL, NULL, 2, NULL);
    suspect = ENTRY(document, "suspects", "case", SLOW);
    cr_expect(json_is_false(json_object_get(suspect, "settled")) &&
              json_object_get(suspect, "verdict") == NULL);
    cr_expect(figure(document, "settled") == 0 && figure(document, "exit_code") == 2);
    json_decref(document);
    expect_settle(NULL, NULL, 2, "build it again");
    cr_assert(is_suspect(SLOW));
    expect_results(1, "slower");
    write_text(at(VERDICTS), "{\"schema\": \"kernelgate-verdicts/9\"}");
    expect_settle(NULL, NULL, 2, "it was written by another version");
}
