/* kernelgate settle: settles the suspects of a run against a base build, by pairs of new processes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/process.h"
#include "base/run_lock.h"
#include "cli/command.h"
#include "cli/settle.h"
#include "suite/settings.h"

#define SETTLED_SCHEMA "kernelgate-settled/1"

/* How long each case is sampled: twelve short processes are more precise than three long ones. */
#define CASE_SECONDS "0.1"
/* A rough estimate of the seconds of a process and of each of its cases. */
#define PROCESS_ESTIMATE 1.2
#define CASE_ESTIMATE 0.3
/* The default and the maximum time of settling. */
#define SUSPECTS_SECONDS 300.0
#define PAIRED_SECONDS 3600.0
#define SECONDS_MAXIMUM 1e6

static const char *out;
static const char *folders[KG__SIDES];
static const char *ref;
static const char *seconds_text;
static bool paired;
static bool as_json;

/* A rough estimate of the seconds of a pair, before one was run. */
static double estimate(kg__settlement *run)
{
    double seconds = 0;

    for (size_t g = 0; g < run->count; g++) {
        kg__listing cases = { 0 };

        if (run->groups[g].count > 0 && kg__settle_list_cases(run, &run->groups[g], &cases))
            seconds += KG__SIDES * (PROCESS_ESTIMATE + CASE_ESTIMATE * (double)cases.count);
        kg__listing_free(&cases);
    }
    return seconds;
}

/* Prints how long settling will take. */
static void announce(kg__settlement *run)
{
    size_t first = kg__look_pairs(kg__settle_first_look(run));
    double pair = run->family_size > 0 ? estimate(run) : 0;

    fprintf(kg__progress_stream(),
            "settling %zu suspect%s in %zu comparison%s against %s%s%s%s: ", run->suspects,
            run->suspects == 1 ? "" : "s", run->count, run->count == 1 ? "" : "s", run->ref,
            *run->commit != '\0' ? " (" : "", run->commit, *run->commit != '\0' ? ")" : "");
    if (run->family_size > 0)
        fprintf(kg__progress_stream(), "%zu to %d pairs, about %.0f to %.0f s, at most %.0f s\n",
                first, KG__PAIRS_MAXIMUM, (double)first * pair, KG__PAIRS_MAXIMUM * pair,
                run->limit);
    else
        fprintf(kg__progress_stream(), "no pairs, two more observations of each, at most %.0f s\n",
                run->limit);
    (void)fflush(kg__progress_stream());
}

static bool parse_limit(kg__settlement *run)
{
    char *end;

    run->limit = run->paired ? PAIRED_SECONDS : SUSPECTS_SECONDS;
    if (seconds_text == NULL)
        return true;
    run->limit = strtod(seconds_text, &end);
    if (*end == '\0' && run->limit > 0 && run->limit <= SECONDS_MAXIMUM)
        return true;
    kg__complain("settle: --seconds %s: is not a number of seconds above 0: give one",
                 seconds_text);
    return false;
}

static bool take_folder(const char *option, const char *path)
{
    if (path == NULL) {
        kg__complain("settle: %s is missing: name the folder of a build", option);
        return false;
    }
    if (access(path, R_OK | X_OK) == 0)
        return true;
    kg__complain("settle: %s %s: the folder cannot be read: %s: name the folder of a build", option,
                 path, strerror(errno));
    return false;
}

static size_t count_unsettled(const kg__settlement *run)
{
    size_t open = 0;

    for (size_t g = 0; g < run->count; g++) {
        for (size_t i = 0; i < run->groups[g].count; i++)
            open += !run->groups[g].suspects[i].settled;
    }
    return open;
}

/* Locks the folder of the results against other runs, unless the gate that started this command has
 * locked it. */
static bool hold_results(void)
{
    const char *folder = kg__results_folder(out);
    kg__error error = { "" };

    /* If the folder is missing, so are the verdicts, which kg__settle_open() reports. */
    if (access(folder, F_OK) != 0 || kg__run_lock_take(folder, getpid(), &error))
        return true;
    kg__complain("settle: %s", error.text);
    return false;
}

/* A build compared with itself is always as fast. */
static bool folders_differ(void)
{
    struct stat facts[KG__SIDES];

    if (stat(folders[KG__BASE], &facts[KG__BASE]) != 0 ||
        stat(folders[KG__HEAD], &facts[KG__HEAD]) != 0 ||
        facts[KG__BASE].st_dev != facts[KG__HEAD].st_dev ||
        facts[KG__BASE].st_ino != facts[KG__HEAD].st_ino)
        return true;
    kg__complain("settle: --base %s is --head %s: name the folders of two builds",
                 folders[KG__BASE], folders[KG__HEAD]);
    return false;
}

/* What decided a suspect's verdict: its pairs, the stored baseline, or an observation alone, such
 * as a wrong result. */
static const char *name_judge(const kg__suspect *suspect, bool has_pairs)
{
    return suspect->by_baseline ? "baseline" : has_pairs ? "pairs" : "observation";
}

/* The result of a suspect; if it is not settled, only that. */
static json_t *pack_suspect(const kg__settle_group *group, const kg__suspect *suspect)
{
    const kg__case_result *result = suspect->result;
    json_t *pairs = kg__case_result_pairs_json(result);
    json_t *entry =
        json_pack("{s:s, s:s, s:b, s:I, s:I}", "case", result->id, "target", group->target.key,
                  "settled", (int)suspect->settled, "undisturbed_pairs", (json_int_t)suspect->pairs,
                  "disturbed_pairs", (json_int_t)suspect->dropped);

    if (suspect->settled) {
        json_object_set_new(entry, "judged_by", json_string(name_judge(suspect, pairs != NULL)));
        json_object_set_new(entry, "verdict", json_string(kg__verdict_name(result->verdict)));
        json_object_set_new(entry, "why", kg__json_clean_string(result->why));
        if (suspect->note[0] != '\0')
            json_object_set_new(entry, "note", kg__json_clean_string(suspect->note));
        if (!suspect->by_baseline && pairs != NULL)
            json_object_set(entry, "pairs", pairs);
    }
    json_decref(pairs);
    return entry;
}

static bool print_document(const kg__settlement *run, int code)
{
    json_t *suspects = json_array();
    json_t *base = json_pack("{s:o}", "ref", kg__json_clean_string(run->ref));

    if (*run->commit != '\0')
        json_object_set_new(base, "commit", kg__json_clean_string(run->commit));
    for (size_t g = 0; g < run->count; g++) {
        for (size_t i = 0; i < run->groups[g].count; i++)
            json_array_append_new(suspects,
                                  pack_suspect(&run->groups[g], &run->groups[g].suspects[i]));
    }
    return kg__json_print(json_pack("{s:s, s:o, s:b, s:f, s:f, s:I, s:o, s:i}", "schema",
                                    SETTLED_SCHEMA, "base", base, "paired", (int)run->paired,
                                    "seconds", kg__settle_elapsed(run), "limit_seconds", run->limit,
                                    "settled", (json_int_t)(run->suspects - count_unsettled(run)),
                                    "suspects", suspects, "exit_code", code),
                          JSON_INDENT(1), "settle");
}

static int settle_held(kg__settlement *run)
{
    int code;

    if (!kg__settle_open(run))
        return KG__EXIT_ERROR;
    (void)setenv("KG_CASE_SECONDS", CASE_SECONDS, 1);
    if (run->suspects > 0) {
        announce(run);
        kg__settle_all(run);
        fprintf(kg__progress_stream(), "settled %zu of %zu suspects in %.1f s\n",
                run->suspects - count_unsettled(run), run->suspects, kg__settle_elapsed(run));
    } else if (!run->failed) {
        fprintf(kg__progress_stream(), "no suspects: nothing to settle\n");
    }
    code = run->failed ? KG__EXIT_ERROR : KG__EXIT_PASS;
    if (as_json ? !print_document(run, code) : !kg__flush_output("settle"))
        code = KG__EXIT_ERROR;
    return code;
}

static int settle(size_t count, char **operands)
{
    const char *base_name = ref != NULL ? ref : kg__setting("KG_BASE_REF");
    const char *commit = kg__setting("KG_BASE_COMMIT");
    kg__settlement run = {
        .out = out,
        .ref = base_name != NULL ? base_name : "the base",
        .commit = commit != NULL ? commit : "",
        .paired = paired || kg__is_paired(),
        .folders = { folders[KG__BASE], folders[KG__HEAD] },
        .began = kg__now(),
        .last_report = kg__now(),
    };
    int code = KG__EXIT_ERROR;

    (void)count;
    (void)operands;
    if (as_json)
        kg__progress_to_stderr();
    if (hold_results()) {
        if (parse_limit(&run) && take_folder("--base", folders[KG__BASE]) &&
            take_folder("--head", folders[KG__HEAD]) && folders_differ())
            code = settle_held(&run);
        kg__run_lock_release(kg__results_folder(out), getpid());
    }
    kg__settle_release(&run);
    return code;
}

static const kg__option options[] = {
    { "--base", "DIR", "the folder of the base's programs, COMPARISON.gpu", &folders[KG__BASE],
      NULL },
    { "--head", "DIR", "the folder of this build's programs", &folders[KG__HEAD], NULL },
    { "--ref", "NAME", "the name of the base (default: KG_BASE_REF)", &ref, NULL },
    { "--seconds", "N", "the time limit (default: 300, with --paired 3600)", &seconds_text, NULL },
    { "--paired", NULL, "every timed case is a suspect, with all its metrics (as KG_PAIRED=1)",
      NULL, &paired },
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &out, NULL },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__settle_command = {
    .name = "settle",
    .operands = "",
    .summary = "Settle a run's suspects by pairs of processes of a base build and this one",
    .details =
        "A run with KG_BASE set leaves the cases that got slower as suspects. This runs both\n"
        "builds in turn, 12 to 24 pairs of new processes, and rewrites the verdicts of the\n"
        "suspects; `kernelgate results` then sums up again. KG_BASE_COMMIT names the commit of\n"
        "the base.\n"
        "\n"
        "exit: 0 settled, whatever the verdicts; 2 an error: the suspects keep their first\n"
        "verdicts\n",
    .options = options,
    .run = settle,
};
