/* kernelgate baseline lint: are the baseline files as they should be? */
#include "../baseline_lint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../holding.h"
#include "../records.h"
#include "../results.h"
#include "../run.h"
#include "baseline_files.h"
#include "command.h"

static const char *comparisons;
static bool record;
static bool as_json;

#define LINT_SCHEMA "kernelgate-lint/1"

/* Says something of a file to a reader; JSON has it as a member. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    va_list arguments;

    if (as_json)
        return;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
}

/* Whether the comparison of a case's id is in the list "a,b,c". */
static bool is_listed(const char *id, const char *list)
{
    size_t length = strcspn(id, "/");

    while (*list != '\0') {
        size_t item = strcspn(list, ",");

        if (item == length && strncmp(list, id, length) == 0)
            return true;
        list += item;
        list += *list == ',';
    }
    return false;
}

/* Leaves what is wrong among the verdicts of the run, so that its results hold it. Where nothing
 * is, there is nothing to leave. */
static bool leave_verdicts(json_t *errors, json_t *vanished)
{
    char folder[KG__PATH_SIZE];
    char path[2 * KG__PATH_SIZE];
    kg__error error = { "" };
    json_t *document;
    bool left;

    if (json_array_size(errors) == 0 && json_array_size(vanished) == 0)
        return true;
    kg__out_folder(".", folder, sizeof folder);
    if (!kg__holding_permits(folder, &error)) {
        kg__complain("%s", error.text);
        return false;
    }
    kg__format(path, sizeof path, "%s/records/gate.baselines.verdicts.json", folder);
    document = kg__verdicts_make("gate.baselines");
    json_object_set(document, "errors", errors);
    json_object_set(document, "vanished", vanished);
    left = kg__results_write_json(path, document, 1, &error);
    if (!left)
        kg__complain("%s", error.text);
    json_decref(document);
    return left;
}

static void list_vanished(const char *path, const kg__baseline *baseline, json_t *names)
{
    /* The comparisons of imported cases are in no table. */
    if (comparisons == NULL || *kg__measured_by(baseline->provenance) != '\0')
        return;
    for (size_t i = 0; i < baseline->case_count; i++) {
        const char *id = baseline->cases[i].id;

        if (is_listed(id, comparisons))
            continue;
        say("%s: %s: vanished: there is no comparison %.*s; put it back, or take its cases out: "
            "kernelgate baseline retire %s '%.*s/*'\n",
            path, id, (int)strcspn(id, "/"), id, path, (int)strcspn(id, "/"), id);
        json_array_append_new(names, json_string(id));
    }
}

static void print_sound(const char *path, const kg__baseline *baseline)
{
    const char *cases = baseline->case_count == 1 ? "" : "s";

    if (kg__is_model(&baseline->target))
        say("%s: ok: %zu case%s, counters of the CPU model\n", path, baseline->case_count, cases);
    else
        say("%s: ok: %zu case%s, %zu sentinel%s\n", path, baseline->case_count, cases,
            baseline->sentinel_count, baseline->sentinel_count == 1 ? "" : "s");
}

/* What is found in a file. */
typedef struct finding {
    const char *path;
    json_t *errors;
} finding;

static void take_error(json_t *errors, const char *line)
{
    say("%s\n", line);
    json_array_append_new(errors, json_string(line));
}

static void take_finding(void *context, const char *id, const char *metric, const char *what)
{
    finding *all = context;
    kg__error error;

    kg__fail(&error, "%s: %s: %s%s%s", all->path, id, metric != NULL ? metric : "",
             metric != NULL ? ": " : "", what);
    take_error(all->errors, error.text);
}

/* A file and what was found in it: what the two lists have gained since. */
static json_t *file_json(const char *path, size_t cases, const json_t *errors, size_t errors_before,
                         const json_t *names, size_t names_before)
{
    json_t *findings = json_array();
    json_t *vanished = json_array();

    for (size_t i = errors_before; i < json_array_size(errors); i++)
        json_array_append(findings, json_array_get(errors, i));
    for (size_t i = names_before; i < json_array_size(names); i++)
        json_array_append(vanished, json_array_get(names, i));
    return json_pack("{s:s, s:b, s:I, s:o, s:o}", "file", path, "ok",
                     (int)(json_array_size(findings) == 0), "cases", (json_int_t)cases, "findings",
                     findings, "vanished", vanished);
}

/* Whether a file is right; says so, or what is wrong, and adds it to `files`. */
static bool lint_file(const char *path, json_t *errors, json_t *names, json_t *files)
{
    size_t errors_before = json_array_size(errors);
    size_t names_before = json_array_size(names);
    finding all = { path, errors };
    kg__error error = { "" };
    kg__baseline baseline;
    kg__load_status status = kg__baseline_load(path, &baseline, &error);
    size_t findings = 0;

    if (status == KG__ABSENT)
        kg__fail(&error, "%s: there is no such file: name another", path);
    if (status != KG__LOADED)
        take_error(errors, error.text);
    else
        findings = kg__baseline_lint(&baseline, take_finding, &all);
    if (status == KG__LOADED && findings == 0)
        print_sound(path, &baseline);
    list_vanished(path, &baseline, names);
    json_array_append_new(
        files, file_json(path, baseline.case_count, errors, errors_before, names, names_before));
    kg__baseline_free(&baseline);
    return status == KG__LOADED && findings == 0;
}

/* Adds the baselines that runs are judged by. A run may have none yet, which is for its verdicts to
 * tell. */
static bool add_all_files(kg__names *paths)
{
    char folder[KG__PATH_SIZE];
    char path[2 * KG__PATH_SIZE];
    kg__names names = { 0 };
    bool listed;

    kg__default_baselines(folder, sizeof folder);
    if (record && access(folder, F_OK) != 0 && errno == ENOENT)
        return true;
    listed = kg__list_baselines(folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        kg__format(path, sizeof path, "%s/%s", folder, names.items[i]);
        kg__names_add(paths, path);
    }
    kg__names_free(&names);
    if (listed && paths->count == 0 && !record) {
        kg__complain("%s: holds no baseline: name a file, or set KG_BASELINES", folder);
        return false;
    }
    return listed;
}

static int lint(size_t count, char **operands)
{
    kg__names paths = { 0 };
    json_t *errors = json_array();
    json_t *names = json_array();
    json_t *files = json_array();
    size_t vanished;
    bool bad;
    int code;

    for (size_t i = 0; i < count; i++)
        kg__names_add(&paths, operands[i]);
    bad = count == 0 && !add_all_files(&paths);
    for (size_t i = 0; i < paths.count; i++)
        bad |= !lint_file(paths.items[i], errors, names, files);
    bad |= record && !leave_verdicts(errors, names);
    vanished = json_array_size(names);
    code = bad ? KG__EXIT_ERROR : vanished > 0 && kg__is_strict() ? KG__EXIT_FAIL : KG__EXIT_PASS;
    if (as_json ? !kg__json_print(json_pack("{s:s, s:O, s:i}", "schema", LINT_SCHEMA, "files",
                                            files, "exit_code", code),
                                  JSON_INDENT(1), "baseline lint")
                : !kg__flush_output("baseline lint"))
        code = KG__EXIT_ERROR;
    kg__names_free(&paths);
    json_decref(errors);
    json_decref(names);
    json_decref(files);
    return code;
}

static const kg__option lint_options[] = {
    { "--comparisons", "A,B,C", "the comparisons that there are: cases of any other have vanished",
      &comparisons, NULL },
    { "--record", NULL, "leave what is wrong in the results of the run (KG_OUT, else out)", NULL,
      &record },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__baseline_lint_command = {
    .name = "baseline lint",
    .operands = "[FILE...]",
    .summary = "Check baseline files: one line a file",
    .details =
        "Without a FILE all baselines are checked (KG_BASELINES, else baselines), of which "
        "--record\n"
        "lets there be none. Beyond what can be read at all: values are the medians of their "
        "sessions, of which there\n"
        "are five at least; bands that no hand set are as wide as the noise, and no wider; floors\n"
        "hide little; unless a hand says otherwise a time is gated where its noise is known to be\n"
        "5 % or less, and there alone; both sentinels are there; sizes and launches are such as\n"
        "tables give; every case names its commit.\n"
        "exit: 0 all are right; 1 a case has vanished, with KG_STRICT=1; 2 a file is not right\n",
    .options = lint_options,
    .takes_operands = true,
    .run = lint,
};
