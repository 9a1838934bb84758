/* kernelgate baseline lint: checks baseline files. */
#include "baseline/baseline_lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "baseline/make_baseline.h"
#include "cli/baseline_files.h"
#include "cli/command.h"
#include "results/results.h"
#include "suite/counters.h"

static bool as_json;
static bool with_figures;

#define LINT_SCHEMA "kernelgate-lint/1"

/* Prints a line, unless the output is JSON. */
static void print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void print_line(const char *format, ...)
{
    va_list arguments;

    if (as_json)
        return;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
}

static void print_ok(const char *path, const kg__baseline *baseline)
{
    const char *cases = baseline->case_count == 1 ? "" : "s";

    if (kg__is_model(&baseline->target))
        print_line("%s: ok: %zu case%s, counters of the CPU model\n", path, baseline->case_count,
                   cases);
    else
        print_line("%s: ok: %zu case%s, %zu sentinel%s\n", path, baseline->case_count, cases,
                   baseline->sentinel_count, baseline->sentinel_count == 1 ? "" : "s");
}

/* The file being checked, and the errors found in it. */
typedef struct lint_context {
    const char *path;
    json_t *errors;
} lint_context;

static void add_error(json_t *errors, const char *line)
{
    print_line("%s\n", line);
    json_array_append_new(errors, json_string(line));
}

static void add_finding(void *context, const char *id, const char *metric, const char *what)
{
    lint_context *context_of_file = context;
    kg__error error;

    kg__fail(&error, "%s: %s: %s%s%s", context_of_file->path, id, metric != NULL ? metric : "",
             metric != NULL ? ": " : "", what);
    add_error(context_of_file->errors, error.text);
}

/* What the judge makes of each metric of cases or sentinels, by id and name. */
static void add_figures(json_t *figures, const kg__baseline_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *metrics = json_object();

        for (size_t j = 0; j < cases[i].metric_count; j++) {
            const kg__baseline_metric *metric = &cases[i].metrics[j];
            kg__judgement judgement = kg__baseline_judgement(metric);
            json_t *entry = json_object();

            kg__json_set_finite(entry, "limit", judgement.limit);
            kg__json_set_finite(entry, "smallest", judgement.smallest);
            if (metric->session_count > 0) {
                kg__json_set_finite(entry, "noise",
                                    kg__noise(metric->sessions, metric->session_count));
                kg__json_set_finite(entry, "noise_bound",
                                    kg__noise_bound(metric->sessions, metric->session_count));
            }
            json_object_set_new(metrics, metric->name, entry);
        }
        json_object_set_new(figures, cases[i].id, metrics);
    }
}

/* Adds to a file's entry what the Python commands cannot read in the file itself. */
static void describe_baseline(json_t *entry, const kg__baseline *baseline)
{
    const char *model = kg__provenance_text(&baseline->provenance, "model");
    json_t *figures = json_object();
    json_t *outdated = json_array();

    add_figures(figures, baseline->sentinels, baseline->sentinel_count);
    add_figures(figures, baseline->cases, baseline->case_count);
    for (int i = 0; i < KG__COUNTERS; i++) {
        if (!kg__counter_is_of((kg__counter)i, model))
            json_array_append_new(outdated, json_string(kg__counter_name((kg__counter)i)));
    }
    json_object_set_new(entry, "figures", figures);
    json_object_set_new(entry, "outdated", outdated);
}

/* Whether a file is valid; its load error, or the findings in it, are added to `errors`. Of a file
 * that can be read `entry` (may be NULL) gets the figures where they are wanted. */
static bool lint_file(const char *path, json_t *errors, size_t *cases, json_t *entry)
{
    lint_context context = { path, errors };
    kg__error error = { "" };
    kg__baseline baseline;
    kg__load_status status = kg__baseline_load(path, &baseline, &error);
    size_t findings = 0;

    if (status == KG__ABSENT)
        kg__fail(&error, "%s: there is no such file: name another", path);
    if (status != KG__LOADED)
        add_error(errors, error.text);
    else
        findings = kg__baseline_lint(&baseline, add_finding, &context);
    if (status == KG__LOADED && findings == 0)
        print_ok(path, &baseline);
    if (status == KG__LOADED && entry != NULL && with_figures)
        describe_baseline(entry, &baseline);
    *cases = baseline.case_count;
    kg__baseline_free(&baseline);
    return status == KG__LOADED && findings == 0;
}

/* The same, as a member of the document. */
static bool lint_document(const char *path, json_t *files)
{
    json_t *errors = json_array();
    json_t *entry =
        json_pack("{s:s, s:b, s:i, s:O}", "file", path, "ok", 0, "cases", 0, "findings", errors);
    size_t cases;
    bool good = lint_file(path, errors, &cases, entry);

    json_object_set_new(entry, "ok", json_boolean(good));
    json_object_set_new(entry, "cases", json_integer((json_int_t)cases));
    json_array_append_new(files, entry);
    json_decref(errors);
    return good;
}

/* Adds the files of a folder; false with a complaint if it cannot be read. */
static bool add_folder(const char *folder, kg__names *paths)
{
    kg__names names = { 0 };
    bool listed = kg__list_baselines(folder, &names);

    for (size_t i = 0; i < names.count; i++) {
        char path[2 * KG__PATH_SIZE];

        kg__format_path(path, sizeof path, "%s/%s", folder, names.items[i]);
        kg__names_add(paths, path);
    }
    kg__names_free(&names);
    return listed;
}

/* Whether an error of the results says this already, as the test that read the file does. */
static bool is_reported(const kg__results *results, const char *line)
{
    for (size_t i = 0; i < results->errors.count; i++) {
        if (strcmp(results->errors.items[i].why, line) == 0)
            return true;
    }
    return false;
}

void kg__lint_into_results(kg__results *results)
{
    char folder[KG__PATH_SIZE];
    json_t *errors = json_array();
    kg__names paths = { 0 };
    const json_t *line;
    size_t cases;
    size_t i;

    kg__default_baselines(folder, sizeof folder);
    as_json = true; /* the lines are the results' */
    if (access(folder, F_OK) == 0 && !add_folder(folder, &paths))
        kg__results_add_error(results, NULL, "the baselines cannot be listed: see above");
    for (i = 0; i < paths.count; i++)
        (void)lint_file(paths.items[i], errors, &cases, NULL);
    json_array_foreach (errors, i, line) {
        if (!is_reported(results, json_string_value(line)))
            kg__results_add_error(results, NULL, json_string_value(line));
    }
    kg__names_free(&paths);
    json_decref(errors);
}

static int lint(size_t count, char **operands)
{
    char folder[KG__PATH_SIZE];
    kg__names paths = { 0 };
    json_t *files = json_array();
    bool bad = false;
    int code;

    for (size_t i = 0; i < count; i++)
        kg__names_add(&paths, operands[i]);
    kg__default_baselines(folder, sizeof folder);
    if (count == 0)
        bad = !add_folder(folder, &paths);
    if (!bad && paths.count == 0) {
        kg__complain("%s: holds no baseline: name a file, or set KG_BASELINES", folder);
        bad = true;
    }
    for (size_t i = 0; i < paths.count; i++)
        bad |= !lint_document(paths.items[i], files);
    code = bad ? KG__EXIT_ERROR : KG__EXIT_PASS;
    if (as_json ? !kg__json_print(json_pack("{s:s, s:O, s:i}", "schema", LINT_SCHEMA, "files",
                                            files, "exit_code", code),
                                  JSON_INDENT(1), "baseline lint")
                : !kg__flush_output("baseline lint"))
        code = KG__EXIT_ERROR;
    kg__names_free(&paths);
    json_decref(files);
    return code;
}

static const kg__option lint_options[] = {
    KG__JSON_OPTION(as_json),
    { "--figures", NULL,
      "with --json: add the limit, the smallest slowdown and the noise of each metric", NULL,
      &with_figures },
    { 0 },
};

const kg__command kg__baseline_lint_command = {
    .name = "baseline lint",
    .operands = "[FILE...]",
    .summary = "Check baseline files: one line per file",
    .details =
        "Without a FILE all baselines are checked (KG_BASELINES, else baselines), as a run that\n"
        "knows its programs does (kernelgate results --programs). Also checked: values are the\n"
        "medians of their sessions, of which there are five at least; bands not set by hand are\n"
        "as wide as the noise and no wider; floors hide little; unless set by hand, a time is\n"
        "gated exactly if its noise is known to be 5 % or less; both sentinels are there; sizes\n"
        "and launches are valid; every case names its commit.\n"
        "exit: 0 all are valid; 2 a file is invalid\n",
    .options = lint_options,
    .takes_operands = true,
    .run = lint,
};
