/* kernelgate selftest: proves the gate on kernels of known duration. It records a baseline of them,
 * makes them slower by a known extent, has the gate's own test judge them, and holds the verdicts
 * against what they must be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/exit_code.h"
#include "base/file.h"
#include "base/json.h"
#include "base/run_lock.h"
#include "base/text.h"
#include "baseline/baseline.h"
#include "cli/command.h"
#include "records/records.h"
#include "results/results.h"
#include "results/time_result.h"
#include "suite/settings.h"

#define SELFTEST_SCHEMA "kernelgate-selftest/1"

/* How much slower the machine is made to look, or the kernels alone. */
#define DRIFT 0.05
/* What a run of the program may print, in bytes, and how long it may take, in seconds. */
#define OUTPUT_SIZE ((size_t)1 << 18)
#define RUN_SECONDS 240
#define METRICS 2
#define PER_MILLE 1000

static const char *const metric_names[METRICS] = { "time_ns", "cold_time_ns" };

static bool as_json;

/* A way to have the gate judge the kernels. */
typedef struct trial {
    const char *folder;    /* of its results */
    const char *name;      /* in the table */
    const char *extra;     /* KG_SELFTEST_EXTRA: the work added, in per mille */
    const char *baselines; /* the folder of the baseline that it is judged against */
    kg__verdict expected;  /* of every case */
    bool is_reported;      /* its verdicts are only counted: they may be either */
} trial;

static const trial trials[] = {
    { "plus0", "+0 %", "0", "baselines", KG__PASS, false },
    { "plus1", "+1 %", "10", "baselines", KG__SLOWER, true },
    { "plus2", "+2 %", "20", "baselines", KG__SLOWER, true },
    { "plus3", "+3 %", "30", "baselines", KG__SLOWER, false },
    { "plus5", "+5 %", "50", "baselines", KG__SLOWER, false },
    { "drift", "machine +5 %", "0", "drifted", KG__ENVIRONMENT, false },
    { "no-drift", "kernels +5 %", "0", "drifted-kernels", KG__SLOWER, false },
};

#define TRIALS (sizeof trials / sizeof trials[0])

/* A self-test in progress. */
typedef struct proof {
    const char *program;
    char out[KG__PATH_SIZE];
    char key[128]; /* the target's */
    kg__baseline baseline;
    char comparison[128];
    FILE *report;     /* the table, and what is said below it */
    json_t *runs;     /* the same, for --json */
    json_t *failures; /* likewise */
    size_t agreed[TRIALS];
    size_t failed; /* verdicts and exit codes that are not as they must be */
} proof;

/* A path in the self-test's folder. */
static const char *path_in(const proof *all, const char *folder, const char *name, char *path)
{
    kg__format_path(path, KG__PATH_SIZE, "%s/%s%s%s", all->out, folder, name[0] != '\0' ? "/" : "",
                    name);
    return path;
}

/* What steers a run is set here alone: the surroundings' filter, strictness or base build would
 * prove another gate. A case's time is short, for these kernels repeat well. */
static void set_surroundings(void)
{
    static const char *const unwanted[] = { "KG_FILTER", "KG_STRICT", "KG_BASE", "KG_PAIRED",
                                            "KG_WRAPPER" };

    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++)
        unsetenv(unwanted[i]);
    setenv("KG_CASE_SECONDS", "0.2", 0);
}

/* Empties a folder of the self-test, so that nothing of an earlier one is taken for this one's. */
static bool clear_folder(const proof *all, const char *folder)
{
    char path[KG__PATH_SIZE];
    kg__error error = { "" };

    kg__file_remove_folder(path_in(all, folder, "", path));
    if (kg__file_make_folder(path, &error))
        return true;
    kg__complain("%s", error.text);
    return false;
}

static bool make_folders(const proof *all)
{
    static const char *const folders[] = { "device", "baselines", "drifted", "drifted-kernels" };
    char path[KG__PATH_SIZE];

    (void)unlink(path_in(all, "selftest.md", "", path));
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (!clear_folder(all, folders[i]))
            return false;
    }
    for (size_t i = 0; i < TRIALS; i++) {
        kg__format_path(path, sizeof path, "%s/records", trials[i].folder);
        if (!clear_folder(all, path))
            return false;
    }
    return true;
}

/* Takes the target's key, or the reason why there is none, from what an observer recorded. */
static void read_device(const char *records, proof *all, kg__error *why)
{
    kg__record_reader reader;
    json_t *record;

    if (!kg__record_open(&reader, records, NULL))
        return;
    while ((record = kg__record_next(&reader)) != NULL) {
        const char *event = kg__json_text(record, "event");

        if (strcmp(event, "target") == 0)
            kg__format(all->key, sizeof all->key, "%s",
                       kg__json_text(json_object_get(record, "target"), "key"));
        else if (strcmp(event, "unavailable") == 0 || strcmp(event, "broken") == 0)
            kg__fail(why, "%s", kg__json_text(record, "why"));
        json_decref(record);
    }
    kg__record_close(&reader);
}

/* Asks for the GPU by an observer that is given no case. Returns an exit code, with a complaint
 * where that is not KG__EXIT_PASS. */
static int look_for_gpu(proof *all)
{
    char cases[KG__PATH_SIZE];
    char records[KG__PATH_SIZE];
    const char *const arguments[] = {
        all->program, "--observe", path_in(all, "device", "none.cases", cases),      "--part",
        "check",      "--records", path_in(all, "device", "records.jsonl", records), NULL,
    };
    char output[KG__MESSAGE_SIZE];
    kg__error why = { "" };
    int code;

    if (!kg__file_replace(cases, "", 0, &why)) {
        kg__complain("%s", why.text);
        return KG__EXIT_ERROR;
    }
    code = kg__child_run(arguments, RUN_SECONDS, output, sizeof output);
    if (code == KG__CHILD_NOT_FOUND) {
        kg__complain("%s: no such program: build the preset gpu and name its selftest.gpu",
                     all->program);
        return KG__EXIT_ERROR;
    }
    read_device(records, all, &why);
    if (code == KG__EXIT_PASS && all->key[0] != '\0')
        return KG__EXIT_PASS;
    if (code == KG__EXIT_NOTHING) {
        kg__complain("%s: nothing is proven", why.text);
        return KG__EXIT_NOTHING;
    }
    kg__complain("%s: its observer ended with exit code %d (%s): see kernelgate doctor",
                 all->program, code, why.text[0] != '\0' ? why.text : output);
    return KG__EXIT_ERROR;
}

/* Records the baseline of the kernels as they are, and reads it back. */
static bool record(proof *all)
{
    char folder[KG__PATH_SIZE];
    char file[KG__PATH_SIZE];
    char path[KG__PATH_SIZE];
    char *arguments[] = { (char *)"--sessions",  (char *)"5",
                          (char *)"--baselines", (char *)path_in(all, "baselines", "", folder),
                          (char *)"--commit",    (char *)"selftest",
                          (char *)all->program };
    size_t operands;
    bool help = false;
    kg__error error = { "" };

    setenv("KG_SELFTEST_EXTRA", "0", 1);
    if (!kg__parse_arguments(&kg__baseline_record_command, sizeof arguments / sizeof arguments[0],
                             arguments, &operands, &help) ||
        kg__baseline_record_command.run(operands, arguments) != KG__EXIT_PASS) {
        kg__complain("selftest: there is no baseline to judge by: see above");
        return false;
    }
    kg__format_path(file, sizeof file, "%s.json", all->key);
    path_in(all, "baselines", file, path);
    if (kg__baseline_load(path, &all->baseline, &error) != KG__LOADED ||
        all->baseline.case_count == 0) {
        kg__complain("selftest: %s holds no baseline to judge by%s%s", path,
                     error.text[0] != '\0' ? ": " : "", error.text);
        return false;
    }
    kg__format(all->comparison, sizeof all->comparison, "%.*s",
               (int)strcspn(all->baseline.cases[0].id, "/"), all->baseline.cases[0].id);
    return true;
}

/* Makes it look as if what was recorded had been faster then than it is today. */
static void speed_up(kg__baseline_case *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t m = 0; m < entries[i].metric_count; m++) {
            kg__baseline_metric *metric = &entries[i].metrics[m];

            metric->value /= 1 + DRIFT;
            for (size_t s = 0; s < metric->session_count; s++)
                metric->sessions[s] /= 1 + DRIFT;
        }
    }
}

/* Writes the baselines of a day when everything, or these kernels alone, took less. The kernels'
 * code is taken out, for it has not changed since, and would speak for the machine. */
static bool write_drifted(proof *all)
{
    kg__baseline *baseline = &all->baseline;
    char file[KG__PATH_SIZE];
    char path[KG__PATH_SIZE];
    kg__error error = { "" };
    bool written;

    for (size_t i = 0; i < baseline->case_count; i++) {
        json_decref(baseline->cases[i].code);
        baseline->cases[i].code = NULL;
    }
    kg__format_path(file, sizeof file, "%s.json", all->key);
    speed_up(baseline->cases, baseline->case_count);
    written = kg__baseline_save(path_in(all, "drifted-kernels", file, path), baseline, &error);
    speed_up(baseline->sentinels, baseline->sentinel_count);
    written = written && kg__baseline_save(path_in(all, "drifted", file, path), baseline, &error);
    if (!written)
        kg__complain("%s", error.text);
    return written;
}

/* Runs the gate's own test of the kernels, as CTest would. Returns its exit code, or a code of
 * kg__child_run(); what it printed stays in a file, whose path is `log`. */
static int run_gate(const proof *all, const trial *one, char *log)
{
    char folder[KG__PATH_SIZE];
    char filter[sizeof all->comparison + 32];
    const char *const arguments[] = { all->program, filter, NULL };
    char *output = kg__allocate(OUTPUT_SIZE, 1);
    kg__error error = { "" };
    int code;

    kg__format(filter, sizeof filter, "--filter=%s/time", all->comparison);
    setenv("KG_SELFTEST_EXTRA", one->extra, 1);
    setenv("KG_OUT", path_in(all, one->folder, "", folder), 1);
    setenv("KG_BASELINES", path_in(all, one->baselines, "", folder), 1);
    code = kg__child_run(arguments, RUN_SECONDS, output, OUTPUT_SIZE);
    if (!kg__file_replace(path_in(all, one->folder, "output.txt", log), output, strlen(output),
                          &error))
        kg__complain("%s", error.text);
    free(output);
    return code;
}

/* Whether a run judged every case; `why` says what it lacks. */
static bool is_whole(const proof *all, const json_t *verdicts, kg__error *why)
{
    const json_t *errors = json_object_get(verdicts, "errors");

    if (verdicts == NULL)
        return false;
    if (!json_is_true(json_object_get(verdicts, "complete")))
        return kg__fail(why, "it did not come to its end");
    if (json_array_size(errors) > 0)
        return kg__fail(why, "%s", json_string_value(json_array_get(errors, 0)));
    if (json_object_get(verdicts, "skipped") != NULL)
        return kg__fail(why, "it judged nothing: %s", kg__json_text(verdicts, "skipped"));
    for (size_t i = 0; i < all->baseline.case_count; i++) {
        if (kg__find_entry(verdicts, all->baseline.cases[i].id) == NULL)
            return kg__fail(why, "it has no verdict of %s", all->baseline.cases[i].id);
    }
    return true;
}

/* Two decimals, for what is asked of these kernels is known so well. */
static void show_percent(char *text, const json_t *metric, const char *key, bool sign)
{
    const json_t *value = json_object_get(metric, key);

    if (json_is_number(value))
        kg__format(text, KG__FIGURE_SIZE, sign ? "%+.2f %%" : "%.2f %%",
                   100 * json_number_value(value));
    else
        kg__format(text, KG__FIGURE_SIZE, "-");
}

static void add_row(proof *all, const trial *one, const json_t *entry)
{
    fprintf(all->report, "| %-20s | %-12s |", kg__json_text(entry, "case"), one->name);
    for (size_t i = 0; i < METRICS; i++) {
        const json_t *metric = json_object_get(json_object_get(entry, "metrics"), metric_names[i]);
        char change[KG__FIGURE_SIZE];
        char limit[KG__FIGURE_SIZE];

        show_percent(change, metric, "change", true);
        show_percent(limit, metric, "limit", false);
        fprintf(all->report, " %9s | %6s |", change, limit);
    }
    fprintf(all->report, " %-11s | %-11s |\n", kg__json_text(entry, "verdict"),
            one->is_reported ? "" : kg__verdict_name(one->expected));
}

/* Whether a case's verdict is the one that the trial is to have; a slowdown is only one when every
 * confirmation was there. */
static bool is_as_expected(const trial *one, const json_t *entry)
{
    return strcmp(kg__json_text(entry, "verdict"), kg__verdict_name(one->expected)) == 0 &&
           (one->expected != KG__SLOWER ||
            json_integer_value(json_object_get(entry, "observers")) == 1 + KG__CONFIRMATIONS);
}

/* Says what is not as it must be. */
static void refute(proof *all, const trial *one, const char *what, const char *why)
{
    json_t *failure = json_pack("{s:s, s:s, s:s}", "run", one->folder, "what", what, "expected",
                                kg__verdict_name(one->expected));

    if (why[0] != '\0')
        json_object_set_new(failure, "why", kg__json_clean_string(why));
    json_array_append_new(all->failures, failure);
    all->failed++;
    kg__complain("selftest: %s: %s; expected %s%s%s", one->name, what,
                 kg__verdict_name(one->expected), why[0] != '\0' ? ": " : "", why);
}

/* A case of a run, in the form that --json prints it. */
static json_t *case_json(const json_t *entry)
{
    json_t *metrics = json_object();
    json_t *one = json_pack("{s:s, s:s, s:O*, s:o}", "case", kg__json_text(entry, "case"),
                            "verdict", kg__json_text(entry, "verdict"), "observers",
                            json_object_get(entry, "observers"), "metrics", metrics);

    for (size_t i = 0; i < METRICS; i++) {
        const json_t *metric = json_object_get(json_object_get(entry, "metrics"), metric_names[i]);
        json_t *figures = json_object();

        kg__json_set_finite(figures, "change", kg__json_number(metric, "change"));
        kg__json_set_finite(figures, "limit", kg__json_number(metric, "limit"));
        if (metric != NULL)
            json_object_set(metrics, metric_names[i], figures);
        json_decref(figures);
    }
    return one;
}

/* Adds a run and its exit code to what --json prints. */
static void add_run(const proof *all, size_t number, const json_t *verdicts, int code)
{
    const trial *one = &trials[number];
    json_t *cases = json_array();

    for (size_t i = 0; i < all->baseline.case_count; i++)
        json_array_append_new(cases,
                              case_json(kg__find_entry(verdicts, all->baseline.cases[i].id)));
    json_array_append_new(all->runs,
                          json_pack("{s:s, s:s, s:f, s:s, s:s, s:b, s:i, s:I, s:o}", "run",
                                    one->folder, "made_slower", one->name, "extra",
                                    strtod(one->extra, NULL) / PER_MILLE, "baselines",
                                    one->baselines, "expected", kg__verdict_name(one->expected),
                                    "judged", (int)!one->is_reported, "exit_code", code, "agreed",
                                    (json_int_t)all->agreed[number], "cases", cases));
}

static void judge_case(proof *all, size_t number, const json_t *entry)
{
    const trial *one = &trials[number];
    char what[KG__MESSAGE_SIZE];

    add_row(all, one, entry);
    if (is_as_expected(one, entry)) {
        all->agreed[number]++;
    } else if (!one->is_reported) {
        kg__format(what, sizeof what, "%s is %s, by %d observers", kg__json_text(entry, "case"),
                   kg__json_text(entry, "verdict"),
                   (int)json_integer_value(json_object_get(entry, "observers")));
        refute(all, one, what, kg__json_text(entry, "why"));
    }
}

/* Holds a run's verdicts and its exit code against what they must be. */
static void judge_trial(proof *all, size_t number, const json_t *verdicts, int code)
{
    const trial *one = &trials[number];
    int expected = one->expected == KG__SLOWER ? KG__EXIT_FAIL : KG__EXIT_PASS;
    char what[64];

    for (size_t i = 0; i < all->baseline.case_count; i++)
        judge_case(all, number, kg__find_entry(verdicts, all->baseline.cases[i].id));
    add_run(all, number, verdicts, code);
    if (one->is_reported || code == expected || all->agreed[number] < all->baseline.case_count)
        return;
    kg__format(what, sizeof what, "the test ended with exit code %d", code);
    refute(all, one, what, "its verdicts are right");
}

/* False, with a complaint, where the gate could not be run. */
static bool try_gate(proof *all, size_t number)
{
    const trial *one = &trials[number];
    char test[2 * sizeof all->comparison];
    char path[KG__PATH_SIZE];
    char log[KG__PATH_SIZE];
    kg__error why = { "" };
    json_t *verdicts;
    bool whole;
    int code = run_gate(all, one, log);

    kg__test_name("gpu", all->comparison, "time", test, sizeof test);
    kg__verdicts_path("", test, path, sizeof path);
    verdicts = kg__verdicts_load(path, &why);
    whole = is_whole(all, verdicts, &why);
    if (whole && (code == KG__EXIT_PASS || code == KG__EXIT_FAIL))
        judge_trial(all, number, verdicts, code);
    else
        kg__complain("selftest: %s: the test ended with exit code %d%s%s: see %s", one->name, code,
                     whole ? "" : ": ", why.text, log);
    json_decref(verdicts);
    return whole && (code == KG__EXIT_PASS || code == KG__EXIT_FAIL);
}

static void begin_report(proof *all)
{
    fprintf(all->report,
            "# The gate on kernels of known duration\n\nOn %s, against a baseline of five "
            "sessions.\n\n| %-20s | %-12s | %9s | %6s | %9s | %6s | %-11s | %-11s |\n",
            all->key, "case", "made slower", "hot", "limit", "cold", "limit", "verdict",
            "expected");
    fputs("| -------------------- | ------------ | --------: | -----: | --------: | -----: | "
          "----------- | ----------- |\n",
          all->report);
}

static void end_report(proof *all)
{
    fputs("\n", all->report);
    for (size_t i = 0; i < TRIALS; i++)
        fprintf(all->report, "- %s: %zu of %zu %s%s\n", trials[i].name, all->agreed[i],
                all->baseline.case_count, kg__verdict_name(trials[i].expected),
                trials[i].is_reported ? " (reported, whatever it is)" : "");
    if (all->failed == 0)
        fputs("\nselftest: PASS: the gate did as it must\n", all->report);
    else
        fprintf(all->report, "\nselftest: FAIL: the gate did otherwise than it must %zu times\n",
                all->failed);
}

static bool print_document(const proof *all, int code)
{
    json_t *document = json_pack("{s:s, s:o, s:s, s:O, s:O, s:i}", "schema", SELFTEST_SCHEMA,
                                 "program", kg__json_clean_string(all->program), "target", all->key,
                                 "runs", all->runs, "failures", all->failures, "exit_code", code);
    char path[KG__PATH_SIZE];

    if (code != KG__EXIT_ERROR)
        json_object_set_new(document, "table",
                            kg__json_clean_string(path_in(all, "selftest.md", "", path)));
    return kg__json_print(document, JSON_INDENT(1), "selftest");
}

/* Runs every trial and writes what came of them. Returns the exit code. */
static int prove(proof *all)
{
    char path[KG__PATH_SIZE];
    char *text = NULL;
    size_t size = 0;
    kg__error error = { "" };
    bool good = true;
    int code;

    all->report = open_memstream(&text, &size);
    if (all->report == NULL) {
        kg__complain("selftest: out of host memory for the table: free some memory");
        return KG__EXIT_ERROR;
    }
    begin_report(all);
    for (size_t i = 0; i < TRIALS && good; i++) {
        fprintf(kg__narration(), "judging %s\n", trials[i].name);
        (void)fflush(kg__narration());
        good = try_gate(all, i);
    }
    if (good)
        end_report(all);
    (void)fclose(all->report);
    fprintf(kg__narration(), "\n%s", text);
    if (good && !kg__file_replace(path_in(all, "selftest.md", "", path), text, size, &error)) {
        kg__complain("%s", error.text);
        good = false;
    }
    free(text);
    code = !good ? KG__EXIT_ERROR : all->failed > 0 ? KG__EXIT_FAIL : KG__EXIT_PASS;
    return as_json && !print_document(all, code) ? KG__EXIT_ERROR : code;
}

/* Holds the folder of the results: two self-tests in it would judge by each other's baselines. */
static bool hold(const proof *all)
{
    kg__error error = { "" };

    if (kg__file_make_folder(all->out, &error) && kg__run_lock_take(all->out, getpid(), &error))
        return true;
    kg__complain("selftest: %s", error.text);
    return false;
}

/* Proves the gate in a folder that is held. Returns the exit code. */
static int prove_held(proof *all)
{
    int code;

    if (!make_folders(all))
        return KG__EXIT_ERROR;
    code = look_for_gpu(all);
    if (code != KG__EXIT_PASS)
        return code;
    code = record(all) && write_drifted(all) ? prove(all) : KG__EXIT_ERROR;
    kg__baseline_free(&all->baseline);
    return code;
}

static int selftest(size_t count, char **operands)
{
    proof all = { .program = count == 1 ? operands[0] : NULL };
    int code;

    if (as_json)
        kg__narrate_to_stderr();
    if (count != 1) {
        kg__complain("selftest: needs one program, the build's selftest.gpu");
        return KG__EXIT_ERROR;
    }
    if (!kg__ends_with(all.program, ".gpu")) {
        kg__complain("selftest: %s: is no program for a GPU: those end in .gpu", all.program);
        return KG__EXIT_ERROR;
    }
    kg__format_path(all.out, sizeof all.out, "%s/selftest", kg__results_folder(NULL));
    set_surroundings();
    if (!hold(&all))
        return KG__EXIT_ERROR;
    all.runs = json_array();
    all.failures = json_array();
    code = prove_held(&all);
    json_decref(all.runs);
    json_decref(all.failures);
    kg__run_lock_release(all.out, getpid());
    return code;
}

static const kg__option options[] = {
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__selftest_command = {
    .name = "selftest",
    .operands = "PROGRAM",
    .summary = "Prove the gate: kernels of known duration, made slower by a known extent",
    .details =
        "Records a baseline of the program's kernels, then has the gate's own test judge them as\n"
        "they are, with 1, 2, 3 and 5 % more to do, and against baselines that a machine, or the\n"
        "kernels alone, 5 % faster would have left. The build's selftest/selftest.gpu is such a\n"
        "program: KG_SELFTEST_EXTRA, in per mille, is what makes its kernels slower. Leaves\n"
        "selftest.md, the table, and the runs' results in selftest/ of KG_OUT (else of out).\n"
        "exit: 0 as they are they pass, 3 and 5 % are slower, a drift is environment; 1 one of\n"
        "them is not; 2 the gate could not be run; 77 there is no GPU\n",
    .options = options,
    .takes_operands = true,
    .run = selftest,
};
