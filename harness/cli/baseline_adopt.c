/* kernelgate baseline adopt: adds the times of a finished gate to a baseline as one session. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/text.h"
#include "baseline/kernel_code.h"
#include "baseline/make_baseline.h"
#include "cli/baseline_files.h"
#include "cli/command.h"
#include "cli/recorder.h"
#include "cli/sessions.h"
#include "device/nvml.h"
#include "records/gpu_state.h"
#include "results/results.h"
#include "results/results_text.h"
#include "results/time_result.h"
#include "suite/settings.h"

/* This many times equal to sessions of a baseline are not a coincidence. */
#define MATCHES_MINIMUM 4

static const char *baselines;
static const char *commit_text;
static bool any_commit;
static bool accept_unknown_code;
static bool as_json;

/* A run of the command. */
typedef struct adoption {
    size_t count;
    char **paths;
    json_t **results;
    const char *target; /* the key that all results have */
    const char *commit; /* "" where it is not known */
    kg__sessions sessions;
    kg__baseline baseline;
    kg__recorder recorder;
} adoption;

static bool is_timed(const json_t *entry)
{
    const json_t *part;
    size_t i;

    json_array_foreach (json_object_get(entry, "parts"), i, part) {
        if (strcmp(kg__list_text(part), "time") == 0)
            return strcmp(kg__json_text(entry, "target"), KG__MODEL_KEY) != 0;
    }
    return false;
}

static const char *name_tool(const char *measured_by)
{
    return *measured_by != '\0' ? measured_by : "comparisons' programs";
}

/* Whether these results hold times, all of the same target as the results before them. */
static bool is_of_target(adoption *run, const char *path, const json_t *results)
{
    bool timed = false;
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        const char *key = kg__json_text(entry, "target");

        if (!is_timed(entry))
            continue;
        timed = true;
        if (run->target == NULL)
            run->target = key;
        if (strcmp(run->target, key) == 0)
            continue;
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = path },
                              "has times of %s, and %s is being adopted: each target on its own",
                              key, run->target);
        return false;
    }
    if (!timed)
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = path },
                              "has no times of a GPU: leave it out (the CPU model counts the same "
                              "everywhere: ci/rebaseline --target model)");
    return timed;
}

/* Whether these results are of the same commit as those before them: times of another commit may
 * differ. */
static bool is_of_commit(adoption *run, const char *path, const json_t *results)
{
    const char *commit = kg__json_text(results, "commit");

    if (!any_commit && strstr(commit, "-dirty") != NULL) {
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = path },
                              "is of %s, which is not a commit: gate a commit, or --any-commit",
                              commit);
        return false;
    }
    if (!any_commit && *commit != '\0' && *run->commit != '\0' &&
        strcmp(commit, run->commit) != 0) {
        kg__change_log_refuse(
            run->recorder.log, (kg__entry_subject){ .file = path },
            "is of commit %s, others are of %s: adopt those of one commit, or --any-commit", commit,
            run->commit);
        return false;
    }
    if (*commit != '\0')
        run->commit = commit;
    return true;
}

/* Whether these results are not a repetition, which would count as a second session. */
static bool is_unique(const adoption *run, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (!json_equal(run->results[i], run->results[index]))
            continue;
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = run->paths[index] },
                              "holds the same as %s: give one of them", run->paths[i]);
        return false;
    }
    return true;
}

/* Reads all results; complains about each that does not fit. */
static bool read_results(adoption *run)
{
    bool good = true;

    for (size_t i = 0; i < run->count; i++) {
        kg__error error = { "" };

        run->results[i] = kg__results_load(run->paths[i], &error);
        if (run->results[i] == NULL)
            kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = NULL }, "%s",
                                  error.text);
        good = run->results[i] != NULL && is_of_target(run, run->paths[i], run->results[i]) &&
               is_of_commit(run, run->paths[i], run->results[i]) && is_unique(run, i) && good;
    }
    return good;
}

/* The description of the target; NULL if the results have none. A case's key may end in the memory
 * size, which the description's key lacks. */
static json_t *find_target(const adoption *run)
{
    json_t *targets = json_object_get(run->results[0], "targets");
    json_t *found = json_object_get(targets, run->target);
    const char *key;
    json_t *target;

    json_object_foreach (targets, key, target) {
        size_t length = strlen(key);

        if (found == NULL && strncmp(run->target, key, length) == 0 && run->target[length] == '-')
            found = target;
    }
    return json_incref(found);
}

static json_t *find_provenance(const adoption *run, const json_t *results)
{
    return json_object_get(json_object_get(results, "provenance"),
                           kg__json_text(run->recorder.target, "key"));
}

static double read_sentinel(const adoption *run, const json_t *results, const char *name)
{
    return kg__json_number(json_object_get(find_provenance(run, results), "sentinels_ns"), name);
}

/* Whether one session of the baseline has all of these results' sentinel times: then they were
 * adopted before. */
static bool was_adopted(const adoption *run, const json_t *results)
{
    const kg__baseline_metric *stored[KG__SENTINELS];
    double value[KG__SENTINELS];
    size_t shared = SIZE_MAX;

    for (size_t i = 0; i < KG__SENTINELS; i++) {
        const kg__baseline_case *entry =
            kg__baseline_sentinel(&run->baseline, kg__session_sentinels[i]);
        double time = read_sentinel(run, results, kg__session_sentinels[i]);

        stored[i] = entry != NULL ? kg__baseline_metric_of(entry, kg__time_names[0]) : NULL;
        if (stored[i] == NULL || !(time > 0))
            return false;
        value[i] = kg__value_of_sessions(&time, 1);
        if (stored[i]->session_count < shared)
            shared = stored[i]->session_count;
    }
    for (size_t session = 0; session < shared; session++) {
        bool same = true;

        for (size_t i = 0; i < KG__SENTINELS; i++)
            same = same && stored[i]->sessions[session] == value[i];
        if (same)
            return true;
    }
    return false;
}

static bool has_session(const kg__baseline_metric *metric, double value)
{
    double rounded = kg__value_of_sessions(&value, 1);

    for (size_t i = 0; metric != NULL && i < metric->session_count; i++) {
        if (metric->sessions[i] == rounded)
            return true;
    }
    return false;
}

/* Whether a case is known to have run other code than the baseline's: its times are not a session.
 */
static bool is_other_code(const kg__baseline_case *before, const json_t *kernel)
{
    json_t *changes = json_array();
    bool other;

    if (before != NULL && before->code != NULL)
        kg__kernel_code_changes(before->code, kernel, changes);
    other =
        json_array_size(changes) > 0 || (before != NULL && kg__is_other_code(before->code, kernel));
    json_decref(changes);
    return other;
}

/* The metric that a time is added to; `before` is the baseline's entry or NULL. */
static const kg__baseline_metric *find_metric(const kg__baseline_case *before, size_t metric)
{
    return before != NULL ? kg__baseline_metric_of(before, kg__time_names[metric]) : NULL;
}

/* Whether a time is beyond its limit and the kernel is not known to be the recorded one: the change
 * may be real. */
static bool may_be_other_code(const kg__baseline_case *before, const json_t *entry)
{
    for (size_t m = 0; m < KG__TIMES; m++) {
        const kg__baseline_metric *stored = find_metric(before, m);
        double value = kg__json_number(
            json_object_get(json_object_get(entry, "metrics"), kg__time_names[m]), "value");
        kg__interval figure = { value, value, value };
        kg__expectation expectation;

        if (stored == NULL || !isfinite(value))
            continue;
        expectation = kg__baseline_expectation(stored);
        if (kg__judge(&figure, &expectation, NULL, "ns").tripped)
            return !kg__is_same_code(before->code, json_object_get(entry, "kernel"));
    }
    return false;
}

/* The provenance of the baseline: its own if it has one, else that of the results without nested
 * objects. */
static json_t *make_provenance(const adoption *run)
{
    json_t *provenance = find_provenance(run, run->results[0]);
    double launch = read_sentinel(run, run->results[0], "empty");
    json_t *kept = json_object();
    const char *key;
    json_t *value;

    if (run->baseline.provenance != NULL) {
        json_decref(kept);
        return json_incref(run->baseline.provenance);
    }
    json_object_foreach (provenance, key, value) {
        if (!json_is_object(value))
            json_object_set(kept, key, value);
    }
    if (launch > 0)
        json_object_set_new(kept, "launch_ns", json_real(round(launch)));
    return kept;
}

/* Why a case's times are not a session, or NULL. */
static const char *find_fault(const adoption *run, const json_t *entry)
{
    const kg__baseline_case *before =
        kg__baseline_find(&run->baseline, kg__json_text(entry, "case"));
    const json_t *card = json_object_get(entry, "card");
    kg__verdict verdict = kg__results_verdict(entry);
    kg__gpu_state state;
    double now;
    double then;

    (void)kg__gpu_state_read(card, &state, NULL);
    if (verdict == KG__WRONG || verdict == KG__ERROR)
        return kg__verdict_name(verdict);
    if (kg__nvml_text_throttles(kg__json_text(card, "clock_reasons")))
        return "the GPU was throttled while it was timed";
    if (state.foreign_processes > 0)
        return "other processes computed on the GPU while it was timed";
    if (kg__launch_cost_moved(&state, run->recorder.provenance, &now, &then))
        return now < then ? "the launch overhead was lower than when the baseline was recorded"
                          : "the launch overhead was higher than when the baseline was recorded";
    if (is_other_code(before, json_object_get(entry, "kernel")))
        return "its code is not the baseline's";
    if (!accept_unknown_code && may_be_other_code(before, entry))
        return "beyond its limit, and its machine code is not known to be the baseline's (--yes "
               "takes such times)";
    return NULL;
}

/* Whether the results are imported (without sentinels) and every time of theirs is among the
 * baseline's sessions. A few equal times may be a coincidence. */
static bool was_import_adopted(const adoption *run, const json_t *results)
{
    size_t matches = 0;
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        const kg__baseline_case *before =
            kg__baseline_find(&run->baseline, kg__json_text(entry, "case"));

        if (json_object_get(entry, KG__IMPORTED) == NULL)
            return false;
        for (size_t m = 0; m < KG__TIMES; m++) {
            const json_t *figures =
                json_object_get(json_object_get(entry, "metrics"), kg__time_names[m]);
            double value = kg__json_number(figures, "value");

            if (figures == NULL)
                continue;
            if (before == NULL ||
                !has_session(kg__baseline_metric_of(before, kg__time_names[m]), value))
                return false;
            matches++;
        }
    }
    return matches >= MATCHES_MINIMUM;
}

/* Whether results were adopted before. */
static bool were_adopted(const adoption *run, const json_t *results)
{
    return was_adopted(run, results) || was_import_adopted(run, results);
}

/* A valid time of a case or a sentinel in these results; NAN if there is none. */
static double find_time(const adoption *run, const json_t *results, const char *id, size_t metric)
{
    const json_t *entry;
    size_t i;

    /* A case id has slashes. */
    if (strchr(id, '/') == NULL)
        return read_sentinel(run, results, id);
    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        if (is_timed(entry) && strcmp(kg__json_text(entry, "case"), id) == 0 &&
            find_fault(run, entry) == NULL)
            return kg__json_number(
                json_object_get(json_object_get(entry, "metrics"), kg__time_names[metric]),
                "value");
    }
    return NAN;
}

static bool sentinels_are_credible(const adoption *run, const json_t *results);

/* Whether several of the given results have a time, and all agree as sessions must. Cases of
 * results whose sentinels are not credible do not count. */
static bool other_results_agree(const adoption *run, const char *id, size_t metric)
{
    bool is_case = strchr(id, '/') != NULL;
    double *values = kg__allocate(run->count, sizeof *values);
    size_t count = 0;
    bool agree;

    for (size_t i = 0; i < run->count; i++) {
        double value = find_time(run, run->results[i], id, metric);

        if (value > 0 && !were_adopted(run, run->results[i]) &&
            (!is_case || sentinels_are_credible(run, run->results[i])))
            values[count++] = value;
    }
    agree = count > 1 && kg__sessions_agree(values, count, NULL);
    free(values);
    return agree;
}

/* Whether a time may be added to the sessions of `stored` (NULL: there is none). */
static bool is_credible(const adoption *run, const char *id, const kg__baseline_metric *stored,
                        size_t metric, double value)
{
    return value > 0 && (stored == NULL || !kg__is_far_off(stored, value) ||
                         other_results_agree(run, id, metric));
}

/* Whether a gate's sentinel times are credible; imported results have none. */
static bool sentinels_are_credible(const adoption *run, const json_t *results)
{
    for (size_t s = 0; s < KG__SENTINELS; s++) {
        const char *id = kg__session_sentinels[s];
        double value = read_sentinel(run, results, id);

        if (!isnan(value) &&
            !is_credible(run, id, find_metric(kg__baseline_sentinel(&run->baseline, id), 0), 0,
                         value))
            return false;
    }
    return true;
}

/* Whether a time may be added to a case or sentinel, whose entry in the baseline is `before`; logs
 * it if not. */
static bool may_join(const adoption *run, kg__entry_subject subject,
                     const kg__baseline_case *before, size_t metric, double value)
{
    const kg__baseline_metric *stored = find_metric(before, metric);
    char now[KG__FIGURE_SIZE];
    char then[KG__FIGURE_SIZE];

    if (is_credible(run, subject.id, stored, metric, value))
        return true;
    subject.metric = kg__time_names[metric];
    kg__show_figure(now, sizeof now, value, "ns");
    if (!(value > 0)) {
        kg__change_log_omit(run->recorder.log, subject, "%s is not a time: left out", now);
        return false;
    }
    kg__show_figure(then, sizeof then, stored->value, "ns");
    kg__change_log_omit(run->recorder.log, subject,
                        "%s is off the baseline's %s by a factor of %g or more, and no other "
                        "results agree on it: left out (if it takes that now, give the results of "
                        "two gates more together, or ci/rebaseline)",
                        now, then, KG__FAR_OFF);
    return false;
}

/* Takes the times of one case; whether there were any. From results `adopted` before, only metrics
 * that the baseline lacks. */
static bool take_case(adoption *run, const char *path, const json_t *entry, bool adopted)
{
    const char *id = kg__json_text(entry, "case");
    const kg__baseline_case *before = kg__baseline_find(&run->baseline, id);
    bool taken = false;

    if (may_be_other_code(before, entry))
        fprintf(kg__narration(),
                "%s: %s: beyond its limit, and its machine code is not known: taken all the same\n",
                path, id);
    for (size_t m = 0; m < KG__TIMES; m++) {
        const json_t *figures =
            json_object_get(json_object_get(entry, "metrics"), kg__time_names[m]);
        bool in_baseline =
            before != NULL && kg__baseline_metric_of(before, kg__time_names[m]) != NULL;

        if (figures == NULL || (adopted && in_baseline) ||
            !may_join(run, (kg__entry_subject){ .file = path, .id = id }, before, m,
                      kg__json_number(figures, "value")))
            continue;
        kg__sessions_take(&run->sessions, kg__sessions_case(&run->sessions, id), m,
                          kg__json_text(figures, "clock"), kg__json_number(figures, "value"));
        taken = true;
    }
    return taken;
}

/* Whether a gate's sentinel times are credible; logs those that are not. A gate's sentinels are
 * taken together or not at all, since session i of each belongs to the same gate. */
static bool sentinels_may_join(const adoption *run, const char *path, const json_t *results)
{
    bool credible = true;

    for (size_t s = 0; s < KG__SENTINELS; s++) {
        const char *id = kg__session_sentinels[s];
        double value = read_sentinel(run, results, id);

        if (!isnan(value) && !may_join(run, (kg__entry_subject){ .file = path, .id = id },
                                       kg__baseline_sentinel(&run->baseline, id), 0, value))
            credible = false;
    }
    return credible;
}

static void take_results(adoption *run, const char *path, const json_t *results)
{
    bool adopted = were_adopted(run, results);
    bool taken = false;
    const json_t *entry;
    size_t i;

    if (adopted) {
        kg__change_log_omit(run->recorder.log, (kg__entry_subject){ .file = path },
                            "was adopted before: its times do not count again");
    } else if (!sentinels_may_join(run, path, results)) {
        kg__change_log_omit(run->recorder.log, (kg__entry_subject){ .file = path },
                            "its sentinel is not credible: all its times are left out");
        return;
    }
    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        const char *id = kg__json_text(entry, "case");
        const char *fault = find_fault(run, entry);

        if (!is_timed(entry) || !kg__filter_takes(id))
            continue;
        if (fault != NULL)
            kg__change_log_omit(run->recorder.log, (kg__entry_subject){ .file = path, .id = id },
                                "%s: left out", fault);
        else
            taken = take_case(run, path, entry, adopted) || taken;
    }
    /* If a gate added no time, storing its sentinels would mark it as adopted. */
    for (size_t s = 0; s < KG__SENTINELS && taken && !adopted; s++)
        kg__sessions_add(&run->sessions, &run->sessions.sentinels[s], 0,
                         read_sentinel(run, results, kg__session_sentinels[s]));
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
static size_t store(adoption *run)
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
static bool is_sound(adoption *run)
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

static bool merge_into(adoption *run, const char *path, const kg__target *target)
{
    size_t stored;

    if (run->baseline.case_count == 0 && run->count < KG__SESSIONS_MINIMUM) {
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = path },
                              "has no case, and a first baseline takes the results of %d gates at "
                              "least: nothing is recorded",
                              KG__SESSIONS_MINIMUM);
        return false;
    }
    run->recorder.provenance = make_provenance(run);
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

/* Whether all results and the baseline were measured by the same tool: times of two tools are not
 * comparable. */
static bool is_of_one_tool(const adoption *run, const char *path)
{
    const char *baseline_tool = kg__measured_by(run->baseline.provenance);

    for (size_t i = 0; i < run->count; i++) {
        const char *tool = kg__measured_by(find_provenance(run, run->results[i]));
        bool first = i == 0 && run->baseline.case_count == 0;

        if (!first && !kg__is_same_tool(tool, baseline_tool)) {
            kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = run->paths[i] },
                                  "was measured by %s, and %s by %s: import to another --target",
                                  name_tool(tool), path, name_tool(baseline_tool));
            return false;
        }
        baseline_tool = tool;
    }
    return true;
}

/* Whether two results are of one gate, written twice: two gates never have equal times of all
 * sentinels. */
static bool are_of_one_gate(const adoption *run, const json_t *left, const json_t *right)
{
    for (size_t i = 0; i < KG__SENTINELS; i++) {
        double time = read_sentinel(run, left, kg__session_sentinels[i]);

        if (!(time > 0) || time != read_sentinel(run, right, kg__session_sentinels[i]))
            return false;
    }
    return true;
}

/* Whether no two results are of one gate, which would count as two sessions. */
static bool gates_are_distinct(const adoption *run)
{
    for (size_t i = 0; i < run->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!are_of_one_gate(run, run->results[i], run->results[j]))
                continue;
            kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = run->paths[i] },
                                  "is of the same gate as %s: give one of them", run->paths[j]);
            return false;
        }
    }
    return true;
}

static bool adopt_results(adoption *run)
{
    char path[2 * KG__PATH_SIZE];
    kg__target target;
    bool good;

    if (!read_results(run))
        return false;
    run->recorder.target = find_target(run);
    if (run->recorder.target == NULL) {
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = run->paths[0] },
                              "does not describe %s in its targets: gate again", run->target);
        return false;
    }
    good = kg__recorder_load(&run->recorder, &target, path, sizeof path, &run->baseline) &&
           gates_are_distinct(run) && is_of_one_tool(run, path) && merge_into(run, path, &target);
    kg__baseline_free(&run->baseline);
    return good;
}

static int adopt(size_t count, char **paths)
{
    kg__change_log log;
    adoption run = { .count = count,
                     .paths = paths,
                     .commit = "",
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
    run.results = kg__allocate(count, sizeof(json_t *));
    if (as_json)
        kg__narrate_to_stderr();
    kg__change_log_begin(&log, kg__baseline_adopt_command.name, true);
    kg__sessions_begin(&run.sessions, &log, count);
    code = adopt_results(&run) ? KG__EXIT_PASS : KG__EXIT_ERROR;
    kg__sessions_free(&run.sessions);
    for (size_t i = 0; i < count; i++)
        json_decref(run.results[i]);
    free(run.results);
    json_decref(run.recorder.target);
    json_decref(run.recorder.provenance);
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
