/* Records counts: runs the CPU model's programs twice, and stores what changed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "baseline/make_baseline.h"
#include "cli/command.h"
#include "cli/recorder.h"
#include "gate/spawn_observer.h"
#include "records/records.h"
#include "suite/case_id.h"
#include "suite/counters.h"

/* The second run checks that counts repeat. */
#define RUNS 2

/* The state of counting. */
typedef struct counting {
    kg__recorder *recorder;
    json_t *checked;    /* the checked cases, as keys */
    json_t *runs[RUNS]; /* the "measured" records, by case */
    size_t pass;
} counting;

static void take_record(void *context, const json_t *record)
{
    counting *run = context;
    const char *id = kg__json_text(record, "case");

    if (strcmp(kg__json_text(record, "event"), "checked") == 0)
        json_object_set_new(run->checked, id, json_true());
    if (strcmp(kg__json_text(record, "event"), "measured") != 0)
        return;
    if (json_object_size(json_object_get(record, "metrics")) == 0)
        kg__recorder_refuse(run->recorder, id, "the observer recorded no counter of this case");
    json_object_set(run->runs[run->pass], id, (json_t *)record);
}

/* Checks a program's cases with the plain and with the instrumented kernels. */
static bool check_program(counting *run, const char *program, const char *instrumented)
{
    kg__print(kg__narration(), "checking %s\n", program);
    (void)fflush(kg__narration());
    return kg__recorder_observe(run->recorder, program, program, "check") &&
           kg__recorder_observe(run->recorder, program, instrumented, "check");
}

static bool counts_repeat(const counting *run)
{
    bool repeat = true;
    const char *id;
    json_t *record;

    json_object_foreach (run->runs[0], id, record) {
        const json_t *other = json_object_get(run->runs[1], id);
        kg__error error = { "" };

        if (other == NULL)
            kg__fail(&error,
                     "was counted in one run and not in another: see its observers' complaints");
        if (other != NULL && kg__counts_agree(record, other, &error))
            continue;
        kg__change_log_refuse(run->recorder->log, (kg__entry_subject){ .id = id },
                              "%s; nothing is recorded", error.text);
        repeat = false;
    }
    return repeat;
}

static bool measure(counting *run, size_t count, char *const *programs)
{
    char path[KG__PATH_SIZE];
    kg__error error = { "" };

    for (size_t i = 0; i < count; i++) {
        if (!kg__instrumented_program(programs[i], path, sizeof path, &error)) {
            kg__change_log_refuse(run->recorder->log, (kg__entry_subject){ .file = NULL }, "%s",
                                  error.text);
            return false;
        }
        if (!check_program(run, programs[i], path))
            return false;
    }
    if (run->recorder->target != NULL && !kg__recorder_may_load(run->recorder))
        return false;
    for (run->pass = 0; run->pass < RUNS; run->pass++) {
        fprintf(kg__narration(), "counting, run %zu of %d\n", run->pass + 1, RUNS);
        (void)fflush(kg__narration());
        for (size_t i = 0; i < count; i++) {
            if (!kg__instrumented_program(programs[i], path, sizeof path, &error) ||
                !kg__recorder_observe(run->recorder, programs[i], path, "count"))
                return false;
        }
    }
    if (json_object_size(run->runs[0]) == 0) {
        kg__recorder_refuse_filter(run->recorder, "count", count, programs);
        return false;
    }
    return counts_repeat(run);
}

static void print_row(const char *id, const char *counter, double old_value, double value)
{
    char old_text[KG__FIGURE_SIZE];
    char text[KG__FIGURE_SIZE];
    char change[KG__FIGURE_SIZE] = "new";

    kg__show_figure(old_text, sizeof old_text, old_value, "");
    kg__show_figure(text, sizeof text, value, "");
    if (old_value > 0)
        kg__show_percent(change, sizeof change, value / old_value - 1, true);
    fprintf(kg__narration(), KG__CASE_COLUMN " %-26s %16s %16s %9s\n", id, counter, old_text, text,
            change);
}

/* Stores one case and prints its changes; for a new case, the number of counters. */
static bool store(const counting *run, kg__baseline_case *entry, const json_t *record,
                  const char *commit)
{
    kg__change_log *log = run->recorder->log;
    const json_t *metrics = json_object_get(record, "metrics");
    bool is_new = entry->metric_count == 0;
    bool changed = is_new;

    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *counter = kg__counter_name((kg__counter)i);
        double value =
            json_number_value(json_object_get(json_object_get(metrics, counter), "value"));
        double old_value;

        if (kg__record_count(entry, counter, value, &old_value) == KG__UNCHANGED)
            continue;
        changed = true;
        kg__change_log_change(log, entry->id, counter, old_value > 0 ? old_value : (double)NAN,
                              value, NULL);
        if (!is_new)
            print_row(entry->id, counter, old_value, value);
    }
    /* Every case has a metric, even one without accesses. */
    if (entry->metric_count == 0) {
        (void)kg__baseline_add_metric(entry, kg__counter_name(KG__GLOBAL_LOAD_REQUESTS));
        if (is_new)
            kg__change_log_change(log, entry->id, kg__counter_name(KG__GLOBAL_LOAD_REQUESTS),
                                  (double)NAN, 0, NULL);
    }
    if (is_new)
        fprintf(kg__narration(), KG__CASE_COLUMN " %zu counters, new\n", entry->id,
                entry->metric_count);
    if (kg__record_lines(entry, json_object_get(record, "lines"))) {
        if (!changed) {
            fprintf(kg__narration(), KG__CASE_COLUMN " lines of source moved, and no counter\n",
                    entry->id);
            kg__change_log_note(log, entry->id, "lines", NULL);
        }
        changed = true;
    }
    if (changed)
        kg__recorder_stamp(entry, commit);
    return changed;
}

static size_t retire(const counting *run, kg__baseline *baseline)
{
    const char **ids = kg__allocate(json_object_size(run->runs[0]), sizeof *ids);
    size_t count = 0;
    size_t retired;
    const char *id;
    json_t *record;

    json_object_foreach (run->runs[0], id, record)
        ids[count++] = id;
    retired = kg__recorder_retire(run->recorder, baseline, ids, count);
    free(ids);
    return retired;
}

/* Lists the cases that were only checked; returns how many entries changed. */
static size_t list_checked(const counting *run, kg__baseline *baseline)
{
    kg__change_log *log = run->recorder->log;
    size_t changed = 0;
    const char *id;
    json_t *unused;

    for (size_t i = baseline->checked_count; i-- > 0;) {
        bool counted = json_object_get(run->runs[0], baseline->checked[i]) != NULL;

        id = baseline->checked[i];
        if (!counted && (kg__recorder_is_partial() || !kg__recorder_knows(run->recorder, id) ||
                         json_object_get(run->checked, id) != NULL))
            continue;
        if (!counted) {
            fprintf(kg__narration(), KG__CASE_COLUMN " retired: no longer in the table\n", id);
            kg__change_log_retire(log, id, NULL);
        }
        (void)kg__baseline_unlist(baseline, id);
        changed++;
    }
    json_object_foreach (run->checked, id, unused) {
        if (json_object_get(run->runs[0], id) != NULL || !kg__baseline_list(baseline, id))
            continue;
        fprintf(kg__narration(), KG__CASE_COLUMN " checked, new\n", id);
        kg__change_log_note(log, id, "checked", NULL);
        changed++;
    }
    return changed;
}

static int save(const counting *run)
{
    char path[2 * KG__PATH_SIZE];
    char commit[64];
    char otherwise[KG__MESSAGE_SIZE];
    kg__target target;
    kg__baseline baseline;
    size_t changed = 0;
    size_t listed;
    bool saved = true;
    const char *id;
    json_t *record;

    if (!kg__recorder_load(run->recorder, &target, path, sizeof path, &baseline)) {
        kg__baseline_free(&baseline);
        return KG__EXIT_ERROR;
    }
    kg__recorder_commit(run->recorder, commit, sizeof commit);
    fprintf(kg__narration(), KG__CASE_COLUMN " %-26s %16s %16s %9s\n", "case", "counter", "old",
            "new", "change");
    json_object_foreach (run->runs[0], id, record)
        changed += store(run, kg__baseline_add(&baseline, id), record, commit);
    changed += retire(run, &baseline);
    listed = list_checked(run, &baseline);
    /* Equal counts of another compiler, model or flags are stored with the new provenance. */
    if (changed + listed > 0 ||
        (!kg__recorder_is_partial() &&
         kg__recorded_otherwise(&baseline, &target, run->recorder->provenance, otherwise,
                                sizeof otherwise)))
        saved = kg__recorder_save(run->recorder, path, &target, &baseline);
    kg__change_log_set_counts(run->recorder->log, RUNS, json_object_size(run->runs[0]), changed);
    if (saved)
        kg__print(kg__narration(),
                  "%s: %zu of %zu cases changed, counted twice with equal results; %zu more are "
                  "checked (%zu changed)\n",
                  path, changed, json_object_size(run->runs[0]), baseline.checked_count, listed);
    kg__baseline_free(&baseline);
    return saved ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

int kg__record_model(kg__recorder *recorder, size_t count, char *const *programs)
{
    counting run = { .recorder = recorder, .checked = json_object() };
    int code = KG__EXIT_ERROR;

    recorder->on_record = take_record;
    recorder->context = &run;
    for (size_t i = 0; i < RUNS; i++)
        run.runs[i] = json_object();
    if (measure(&run, count, programs))
        code = save(&run);
    for (size_t i = 0; i < RUNS; i++)
        json_decref(run.runs[i]);
    json_decref(run.checked);
    return code;
}
