/* Records counts: runs the CPU model's programs twice, and stores what changed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/text.h"
#include "baseline/make_baseline.h"
#include "cli/command.h"
#include "cli/recorder.h"
#include "gate/instrumented_program.h"
#include "gate/spawn_observer.h"
#include "suite/case_id.h"
#include "suite/counters.h"

/* The second run checks that counts repeat. */
#define RUNS 2

/* What was observed of a case. */
typedef struct counted_case {
    const char *id; /* one of its observations' */
    kg__observation *checked;
    kg__observation *runs[RUNS];
} counted_case;

/* The state of counting. */
typedef struct counting {
    kg__recorder *recorder;
    counted_case *cases;
    size_t count;
    size_t capacity;
    size_t counted; /* cases that were counted in the first run */
    size_t pass;
} counting;

/* A case that was observed; NULL where it was not. */
static counted_case *find_case(const counting *run, const char *id)
{
    for (size_t i = 0; i < run->count; i++) {
        if (strcmp(run->cases[i].id, id) == 0)
            return &run->cases[i];
    }
    return NULL;
}

static bool is_counted(const counted_case *c)
{
    return c->runs[0] != NULL;
}

static void keep(kg__observation **kept, const kg__observation *observation)
{
    kg__observation_release(*kept);
    *kept = kg__observation_keep(observation);
}

static void take_observation(void *context, const kg__observation *observation)
{
    counting *run = context;
    counted_case *c = find_case(run, observation->id);
    bool measured = observation->event == KG__EVENT_MEASURED;

    if (!measured && observation->event != KG__EVENT_CHECKED)
        return;
    if (measured && observation->metric_count == 0)
        kg__recorder_refuse(run->recorder, observation->id,
                            "the observer recorded no counter of this case");
    if (c == NULL) {
        run->cases = kg__grow(run->cases, run->count, &run->capacity, sizeof *run->cases);
        c = &run->cases[run->count++];
        *c = (counted_case){ 0 };
    }
    run->counted += measured && run->pass == 0 && !is_counted(c);
    keep(measured ? &c->runs[run->pass] : &c->checked, observation);
    c->id = observation->id;
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

    for (size_t i = 0; i < run->count; i++) {
        const counted_case *c = &run->cases[i];
        kg__error error = { "" };

        if (!is_counted(c))
            continue;
        if (c->runs[1] == NULL)
            kg__fail(&error,
                     "was counted in one run and not in another: see its observers' complaints");
        else if (kg__counts_agree(c->runs[0], c->runs[1], &error))
            continue;
        kg__change_log_refuse(run->recorder->log, (kg__entry_subject){ .id = c->id },
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
    if (run->recorder->target.key[0] != '\0' && !kg__recorder_may_load(run->recorder))
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
    if (run->counted == 0) {
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
static bool store(const counting *run, kg__baseline_case *entry, const kg__observation *counted,
                  const char *commit)
{
    kg__change_log *log = run->recorder->log;
    bool is_new = entry->metric_count == 0;
    bool changed = is_new;

    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *counter = kg__counter_name((kg__counter)i);
        double value = fmax(kg__value_of(counted, counter), 0);
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
    if (kg__record_lines(entry, counted->lines)) {
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
    const char **ids = kg__allocate(run->counted, sizeof *ids);
    size_t count = 0;
    size_t retired;

    for (size_t i = 0; i < run->count; i++) {
        if (is_counted(&run->cases[i]))
            ids[count++] = run->cases[i].id;
    }
    retired = kg__recorder_retire(run->recorder, baseline, ids, count);
    free(ids);
    return retired;
}

/* Lists the cases that were only checked; returns how many entries changed. */
static size_t list_checked(const counting *run, kg__baseline *baseline)
{
    kg__change_log *log = run->recorder->log;
    size_t changed = 0;

    for (size_t i = baseline->checked_count; i-- > 0;) {
        const char *id = baseline->checked[i];
        const counted_case *c = find_case(run, id);
        bool counted = c != NULL && is_counted(c);

        if (!counted &&
            (kg__recorder_is_partial() || !kg__recorder_knows(run->recorder, id) || c != NULL))
            continue;
        if (!counted) {
            fprintf(kg__narration(), KG__CASE_COLUMN " retired: no longer in the table\n", id);
            kg__change_log_retire(log, id, NULL);
        }
        (void)kg__baseline_unlist(baseline, id);
        changed++;
    }
    for (size_t i = 0; i < run->count; i++) {
        const counted_case *c = &run->cases[i];

        if (c->checked == NULL || is_counted(c) || !kg__baseline_list(baseline, c->id))
            continue;
        fprintf(kg__narration(), KG__CASE_COLUMN " checked, new\n", c->id);
        kg__change_log_note(log, c->id, "checked", NULL);
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

    if (!kg__recorder_load(run->recorder, &target, path, sizeof path, &baseline)) {
        kg__baseline_free(&baseline);
        return KG__EXIT_ERROR;
    }
    kg__recorder_commit(run->recorder, commit, sizeof commit);
    fprintf(kg__narration(), KG__CASE_COLUMN " %-26s %16s %16s %9s\n", "case", "counter", "old",
            "new", "change");
    for (size_t i = 0; i < run->count; i++) {
        const counted_case *c = &run->cases[i];

        if (is_counted(c))
            changed += store(run, kg__baseline_add(&baseline, c->id), c->runs[0], commit);
    }
    changed += retire(run, &baseline);
    listed = list_checked(run, &baseline);
    /* Equal counts of another compiler, model or flags are stored with the new provenance. */
    if (changed + listed > 0 ||
        (!kg__recorder_is_partial() &&
         kg__recorded_otherwise(&baseline, &target, &run->recorder->provenance, otherwise,
                                sizeof otherwise)))
        saved = kg__recorder_save(run->recorder, path, &target, &baseline);
    kg__change_log_set_counts(run->recorder->log, RUNS, run->counted, changed);
    if (saved)
        kg__print(kg__narration(),
                  "%s: %zu of %zu cases changed, counted twice with equal results; %zu more are "
                  "checked (%zu changed)\n",
                  path, changed, run->counted, baseline.checked_count, listed);
    kg__baseline_free(&baseline);
    return saved ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

int kg__record_model(kg__recorder *recorder, size_t count, char *const *programs)
{
    counting run = { .recorder = recorder };
    int code = KG__EXIT_ERROR;

    recorder->on_observation = take_observation;
    /* It is taken back below. cppcheck-suppress autoVariables */
    recorder->context = &run;
    if (measure(&run, count, programs))
        code = save(&run);
    for (size_t i = 0; i < run.count; i++) {
        kg__observation_release(run.cases[i].checked);
        for (size_t pass = 0; pass < RUNS; pass++)
            kg__observation_release(run.cases[i].runs[pass]);
    }
    free(run.cases);
    recorder->context = NULL;
    return code;
}
