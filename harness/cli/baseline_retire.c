/* kernelgate baseline retire: removes cases from a baseline by name. */
#include <stdio.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/lock.h"
#include "cli/baseline_files.h"
#include "cli/command.h"
#include "records/records.h"
#include "suite/settings.h"

#define RETIRED_SCHEMA "kernelgate-retired/1"

static bool dry_run;
static bool as_json;

/* Whether every glob matches a case; complains about each that does not. */
static bool globs_match(const char *path, const kg__baseline *baseline, size_t count,
                        char *const *globs)
{
    bool matched = true;

    for (size_t i = 0; i < count; i++) {
        const char *nearest;
        bool found = false;

        for (size_t j = 0; j < baseline->case_count && !found; j++)
            found = kg__globs_take(globs[i], baseline->cases[j].id);
        for (size_t j = 0; j < baseline->checked_count && !found; j++)
            found = kg__globs_take(globs[i], baseline->checked[j]);
        if (found)
            continue;
        nearest = kg__nearest_case(baseline, globs[i]);
        if (nearest != NULL)
            kg__complain("%s has no case \"%s\"; did you mean \"%s\"? Nothing is taken out", path,
                         globs[i], nearest);
        else
            kg__complain("%s has no case \"%s\": nothing is taken out (kernelgate baseline show %s "
                         "lists them)",
                         path, globs[i], path);
        matched = false;
    }
    return matched;
}

static bool is_named(const char *id, size_t count, char *const *globs)
{
    for (size_t i = 0; i < count; i++) {
        if (kg__globs_take(globs[i], id))
            return true;
    }
    return false;
}

/* Removes the cases, and adds their ids to `retired`. */
static void remove_cases(kg__baseline *baseline, size_t count, char *const *globs, json_t *retired)
{
    for (size_t i = 0; i < baseline->case_count;) {
        const char *id = baseline->cases[i].id;

        if (!is_named(id, count, globs)) {
            i++;
            continue;
        }
        json_array_append_new(retired, json_string(id));
        (void)kg__baseline_remove(baseline, id);
    }
    for (size_t i = 0; i < baseline->checked_count;) {
        const char *id = baseline->checked[i];

        if (!is_named(id, count, globs)) {
            i++;
            continue;
        }
        json_array_append_new(retired, json_string(id));
        (void)kg__baseline_unlist(baseline, id);
    }
}

static void print_retired(const char *path, const json_t *retired, size_t before)
{
    const char *what = dry_run ? "would be retired" : "retired";
    const json_t *id;
    size_t i;

    json_array_foreach (retired, i, id)
        printf("%s: %s\n", json_string_value(id), what);
    kg__print(stdout, "%s: %zu of %zu cases %s%s\n", path, json_array_size(retired), before, what,
              dry_run ? "; nothing is written" : "");
}

static int retire_from(const char *name_or_key, size_t count, char *const *globs)
{
    char path[KG__PATH_SIZE];
    char output[2 * KG__PATH_SIZE];
    kg__baseline baseline;
    kg__error error = { "" };
    size_t before;
    json_t *retired;
    bool saved = true;

    if (!kg__open_baseline(name_or_key, path, sizeof path, &baseline))
        return KG__EXIT_ERROR;
    before = baseline.case_count + baseline.checked_count;
    if (!globs_match(path, &baseline, count, globs)) {
        kg__baseline_free(&baseline);
        return KG__EXIT_ERROR;
    }
    retired = json_array();
    remove_cases(&baseline, count, globs, retired);
    if (!dry_run)
        saved = kg__baseline_save(path, &baseline, &error);
    kg__baseline_free(&baseline);
    kg__name_output("baseline retire", dry_run ? NULL : path, output, sizeof output);
    if (!saved) {
        kg__complain("%s", error.text);
    } else if (as_json) {
        saved = kg__json_print(json_pack("{s:s, s:s, s:b, s:O, s:I}", "schema", RETIRED_SCHEMA,
                                         "file", path, "dry_run", (int)dry_run, "retired", retired,
                                         "cases_before", (json_int_t)before),
                               JSON_INDENT(1), output);
    } else {
        print_retired(path, retired, before);
        saved = kg__flush_output(output);
    }
    json_decref(retired);
    return saved ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

static int retire(size_t count, char **operands)
{
    char path[KG__PATH_SIZE];
    char folder[KG__PATH_SIZE];
    const char *name;
    int lock;
    int code;

    if (count < 2) {
        kg__complain("baseline retire: takes a file or key and the cases to take out: kernelgate "
                     "baseline retire cpu-model 'matmul_f32/old/*'");
        return KG__EXIT_ERROR;
    }
    kg__baseline_path(operands[0], path, sizeof path);
    kg__split_path(path, folder, sizeof folder, &name);
    lock = kg__lock_baselines(folder);
    if (lock < 0)
        return KG__EXIT_ERROR;
    code = retire_from(operands[0], count - 1, operands + 1);
    kg__lock_release(lock);
    return code;
}

static const kg__option retire_options[] = {
    { "--dry-run", NULL, "say what would be taken out, and write nothing", NULL, &dry_run },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__baseline_retire_command = {
    .name = "baseline retire",
    .operands = "FILE|KEY GLOB...",
    .summary = "Take cases out of a baseline by name",
    .details =
        "In a glob, * also matches slashes. Quote it for the shell. If a glob matches no case,\n"
        "nothing is removed.\n"
        "exit: 0 taken out; 2 no such file or case, or it cannot be written: the file is as it\n"
        "was, unless the message says that it was written and only the output lost\n",
    .options = retire_options,
    .takes_operands = true,
    .run = retire,
};
