/* kernelgate baseline adopt: adds the times of a finished gate to a baseline as one session. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/text.h"
#include "baseline/make_baseline.h"
#include "cli/adoption.h"
#include "cli/baseline_files.h"
#include "cli/command.h"
#include "results/time_result.h"
#include "suite/settings.h"

static const char *baselines;
static const char *commit_text;
static bool any_commit;
static bool accept_unknown_code;
static bool as_json;

/* The provenance of the baseline: its own if it has one, else that of the results without nested
 * objects. */
static void make_provenance(kg__adoption *run)
{
    kg__provenance *provenance = &run->recorder.provenance;
    double launch = kg__adoption_sentinel(run, run->results[0], "empty");

    if (run->baseline.provenance.count > 0) {
        kg__provenance_copy(provenance, &run->baseline.provenance);
        return;
    }
    (void)kg__provenance_read(provenance, kg__adoption_provenance(run, run->results[0]));
    if (launch > 0)
        kg__provenance_set(provenance, "launch_ns", KG__FACT_NUMBER, round(launch));
}

/* Takes the times of one case; whether there were any. From results `adopted` before, only metrics
 * that the baseline lacks. */
static bool take_case(kg__adoption *run, const char *path, const kg__case_result *result,
                      bool adopted)
{
    const char *id = result->id;
    const kg__baseline_case *before = kg__baseline_find(&run->baseline, id);
    bool taken = false;

    if (kg__adoption_may_be_other_code(before, result))
        fprintf(kg__narration(),
                "%s: %s: beyond its limit, and its machine code is not known: taken all the same\n",
                path, id);
    for (size_t m = 0; m < KG__TIMES; m++) {
        const kg__metric_result *timed = kg__case_result_metric(result, kg__time_names[m]);
        bool in_baseline =
            before != NULL && kg__baseline_metric_of(before, kg__time_names[m]) != NULL;

        if (timed == NULL || (adopted && in_baseline) ||
            !kg__adoption_may_join(run, (kg__entry_subject){ .file = path, .id = id }, before, m,
                                   timed->figures.value))
            continue;
        kg__sessions_take(&run->sessions, kg__sessions_case(&run->sessions, id), m,
                          timed->figures.clock, timed->figures.value);
        taken = true;
    }
    return taken;
}

static void take_results(kg__adoption *run, const char *path, const kg__results *results)
{
    bool adopted = kg__adoption_was_made(run, results);
    bool taken = false;
    if (adopted) {
        kg__change_log_omit(run->recorder.log, (kg__entry_subject){ .file = path },
                            "was adopted before: its times do not count again");
    } else if (!kg__adoption_sentinels_may_join(run, path, results)) {
        kg__change_log_omit(run->recorder.log, (kg__entry_subject){ .file = path },
                            "its sentinel is not credible: all its times are left out");
        return;
    }
    for (size_t i = 0; i < results->case_count; i++) {
        const kg__case_result *result = results->cases[i];
        const char *id = result->id;
        const char *fault = kg__adoption_fault(run, result);

        if (!kg__adoption_is_timed(result) || !kg__filter_takes(id))
            continue;
        if (fault != NULL)
            kg__change_log_omit(run->recorder.log, (kg__entry_subject){ .file = path, .id = id },
                                "%s: left out", fault);
        else
            taken = take_case(run, path, result, adopted) || taken;
    }
    /* If a gate added no time, storing its sentinels would mark it as adopted. */
    for (size_t s = 0; s < KG__SENTINELS && taken && !adopted; s++)
        kg__sessions_add(&run->sessions, &run->sessions.sentinels[s], 0,
                         kg__adoption_sentinel(run, results, kg__session_sentinels[s]));
}

/* Leaves out metrics that would have too few sessions. */
static void omit_thin(kg__change_log *log, kg__recorded *recorded, const kg__baseline_case *before)
{
    for (size_t m = 0; m < KG__TIMES; m++) {
        const kg__baseline_metric *metric =
            before != NULL ? kg__baseline_metric_of(before, kg__time_names[m]) : NULL;
        size_t kept = metric != NULL ? metric->session_count : 0;

        if (recorded->counts[m] > 0 && kept + recorded->counts[m] < KG__SESSIONS_MINIMUM) {
            kg__change_log_omit(
                log, (kg__entry_subject){ .id = recorded->id, .metric = kg__time_names[m] },
                "the baseline has %zu sessions of it and the results %zu, of %d that it takes: "
                "left out",
                kept, recorded->counts[m], KG__SESSIONS_MINIMUM);
            recorded->counts[m] = 0;
        }
    }
}

/* Stores the sessions; returns how many cases and sentinels changed. */
static size_t store(kg__adoption *run)
{
    const char *commit = commit_text != NULL ? commit_text : run->commit;
    size_t stored = 0;

    if (*commit != '\0')
        kg__change_log_set(run->recorder.log, "commit", kg__json_clean_string(commit));
    for (size_t i = 0; i < run->sessions.count; i++) {
        const kg__recorded *recorded = &run->sessions.cases[i];
        kg__baseline_case *entry = kg__baseline_find(&run->baseline, recorded->id);

        if (recorded->counts[0] + recorded->counts[1] == 0)
            continue;
        if (entry == NULL)
            entry = kg__baseline_add(&run->baseline, recorded->id);
        (void)kg__sessions_store(&run->sessions, entry, recorded, true);
        if (*commit != '\0' || entry->commit == NULL)
            kg__recorder_stamp(entry, *commit != '\0' ? commit : "unknown");
        stored++;
    }
    for (size_t i = 0; i < KG__SENTINELS; i++) {
        const kg__recorded *recorded = &run->sessions.sentinels[i];

        if (recorded->counts[0] == 0)
            continue;
        (void)kg__sessions_store(&run->sessions,
                                 kg__baseline_add_sentinel(&run->baseline, recorded->id), recorded,
                                 true);
        stored++;
    }
    return stored;
}

/* Leaves out what has too few sessions; false, with a complaint, if nothing may be stored. */
static bool is_sound(kg__adoption *run)
{
    for (size_t i = 0; i < run->sessions.count; i++) {
        kg__recorded *recorded = &run->sessions.cases[i];

        omit_thin(run->recorder.log, recorded, kg__baseline_find(&run->baseline, recorded->id));
    }
    for (size_t i = 0; i < KG__SENTINELS; i++) {
        kg__recorded *recorded = &run->sessions.sentinels[i];

        omit_thin(run->recorder.log, recorded, kg__baseline_sentinel(&run->baseline, recorded->id));
    }
    return kg__sessions_are_of_one_state(&run->sessions);
}

static bool merge_into(kg__adoption *run, const char *path, const kg__target *target)
{
    size_t stored;

    if (run->baseline.case_count == 0 && run->count < KG__SESSIONS_MINIMUM) {
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = path },
                              "has no case, and a first baseline takes the results of %d gates at "
                              "least: nothing is recorded",
                              KG__SESSIONS_MINIMUM);
        return false;
    }
    make_provenance(run);
    for (size_t i = 0; i < run->count; i++)
        take_results(run, run->paths[i], run->results[i]);
    if (!is_sound(run))
        return false;
    kg__sessions_print_head();
    stored = store(run);
    if (stored > 0 && !kg__recorder_save(&run->recorder, path, target, &run->baseline))
        return false;
    kg__change_log_set_counts(run->recorder.log, run->count, run->sessions.count + KG__SENTINELS,
                              stored);
    kg__print(kg__narration(),
              "%s: %zu of %zu cases and sentinels changed, by the results of %zu gate%s\n", path,
              stored, run->sessions.count + KG__SENTINELS, run->count, run->count == 1 ? "" : "s");
    return true;
}

static bool adopt_results(kg__adoption *run)
{
    char path[2 * KG__PATH_SIZE];
    kg__target target;
    bool good;

    if (!kg__adoption_read(run))
        return false;
    if (!kg__adoption_target(run, &run->recorder.target)) {
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = run->paths[0] },
                              "does not describe %s in its targets: gate again", run->target);
        return false;
    }
    good = kg__recorder_load(&run->recorder, &target, path, sizeof path, &run->baseline) &&
           kg__adoption_gates_are_distinct(run) && kg__adoption_is_of_one_tool(run, path) &&
           merge_into(run, path, &target);
    kg__baseline_free(&run->baseline);
    return good;
}

static int adopt(size_t count, char **paths)
{
    kg__change_log log;
    kg__adoption run = { .count = count,
                         .paths = paths,
                         .commit = "",
                         .any_commit = any_commit,
                         .accept_unknown_code = accept_unknown_code,
                         .recorder = { .log = &log, .baselines = baselines } };
    int lock;
    int code;

    if (count == 0 || baselines == NULL) {
        kg__complain("baseline adopt: needs --baselines DIR and the results.json of a gate");
        return KG__EXIT_ERROR;
    }
    if (!kg__prepare_baselines(baselines))
        return KG__EXIT_ERROR;
    lock = kg__lock_baselines(baselines);
    if (lock < 0)
        return KG__EXIT_ERROR;
    run.results = kg__allocate(count, sizeof(kg__results *));
    if (as_json)
        kg__narrate_to_stderr();
    kg__change_log_begin(&log, kg__baseline_adopt_command.name, true);
    kg__sessions_begin(&run.sessions, &log, count);
    code = adopt_results(&run) ? KG__EXIT_PASS : KG__EXIT_ERROR;
    kg__sessions_free(&run.sessions);
    kg__pool_free(&run.pool);
    free(run.results);
    kg__provenance_free(&run.recorder.provenance);
    kg__lock_release(lock);
    code = kg__change_log_end(&log, as_json, code);
    kg__change_log_free(&log);
    return code;
}

static const kg__option adopt_options[] = {
    { "--baselines", "DIR", "the folder of the baseline files", &baselines, NULL },
    { "--commit", "NAME",
      "the commit that the cases are stamped with (default: that of the results, the last of "
      "several)",
      &commit_text, NULL },
    { "--any-commit", NULL, "take results of several commits, and of uncommitted changes", NULL,
      &any_commit },
    { "--yes", NULL,
      "take times beyond their limit too where it is not known whether the kernel is the one that "
      "was recorded",
      NULL, &accept_unknown_code },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__baseline_adopt_command = {
    .name = "baseline adopt",
    .operands = "RESULTS...",
    .summary = "Add the times of gates to the sessions of a baseline",
    .details =
        "RESULTS is the results.json of a gate on a GPU; each is one session of the baseline of\n"
        "its target, added to those that it has, as `baseline record --merge` adds them. Left\n"
        "out, and named: cases that were wrong or failed, that ran other code than the\n"
        "baseline's, or that were timed on a throttled GPU, on one that others computed on, or\n"
        "while the launch overhead differed from the baseline's; cases with a time beyond its\n"
        "limit whose machine code is not known to be the baseline's, unless --yes takes them;\n"
        "times that would rest on fewer than five sessions, that are not a time (0, or below), or\n"
        "that are off the baseline's of a gated metric by a factor of two or more, unless several\n"
        "results agree on them as sessions have to; results whose sentinel is; results that were\n"
        "adopted before. Refuses results of several targets or commits, sessions that disagree,\n"
        "and while another process changes baselines in DIR. Bands that were edited by hand\n"
        "(\"band_by\": \"hand\") stay, and so does what is known of the code. KG_FILTER narrows\n"
        "what is adopted; what it leaves out of a gate stays out, since the gate then counts as\n"
        "adopted.\n"
        "exit: 0 adopted (or nothing was left to adopt); 2 refused, and no file is touched,\n"
        "unless the message says that it was written and only the output lost\n",
    .options = adopt_options,
    .takes_operands = true,
    .run = adopt,
};
