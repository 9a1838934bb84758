/* kernelgate baseline record: measures comparisons in new processes and stores the results. */
#include "baseline/make_baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/text.h"
#include "baseline/cubin.h"
#include "cli/baseline_files.h"
#include "cli/command.h"
#include "cli/recorder.h"
#include "cli/sessions.h"
#include "records/gpu_state.h"
#include "results/time_result.h"
#include "suite/case_id.h"

static const char *sessions_text = "5";
static const char *baselines;
static const char *commit_text;
static bool merge;
static bool as_json;

/* The state of a recording. */
typedef struct recording {
    kg__sessions sessions;
    /* Sums of the sentinels' values in this session. */
    double sum[KG__SENTINELS];
    int sums;
    const char *program; /* being observed */
    kg__kernels kernels; /* of the programs */
    kg__recorder recorder;
} recording;

/* Keeps a case's code, with the fingerprint of its machine code if that is known. All
 * sessions run the same code. */
static void take_code(recording *run, kg__recorded *recorded, const kg__observation *measured)
{
    if (recorded->code != NULL)
        return;
    (void)kg__kernels_fingerprint(&run->kernels, run->program,
                                  run->recorder.target.compute_capability, measured->kernel);
    recorded->code = kg__kernel_code_keep(measured->kernel);
}

static void take_measured(recording *run, const kg__observation *measured)
{
    kg__recorded *recorded = kg__sessions_case(&run->sessions, measured->id);
    const kg__gpu_state *state = measured->gpu_state;
    int64_t foreign = state != NULL ? state->foreign_processes : 0;
    double now;
    double then;
    char why[KG__MESSAGE_SIZE];

    if (measured->throttled) {
        kg__recorder_refuse(
            &run->recorder, recorded->id,
            "the GPU was throttled while it was timed: let it cool down, check its power limit");
        return;
    }
    if (foreign > 0) {
        kg__format(why, sizeof why,
                   "%lld other process%s computed on the GPU while it was timed: end %s, or wait",
                   (long long)foreign, foreign == 1 ? "" : "es", foreign == 1 ? "it" : "them");
        kg__recorder_refuse(&run->recorder, recorded->id, why);
        return;
    }
    if (kg__launch_cost_moved(state, &run->recorder.provenance, &now, &then)) {
        kg__format(why, sizeof why,
                   "the launch overhead was %.0f ns while it was timed and %.0f ns before: start "
                   "nothing on the host's other GPUs, and record again",
                   now, then);
        kg__recorder_refuse(&run->recorder, recorded->id, why);
        return;
    }
    for (size_t i = 0; i < KG__TIMES; i++) {
        const kg__figures *figures = kg__figures_of(measured, kg__time_names[i]);

        if (figures != NULL)
            kg__sessions_take(&run->sessions, recorded, i, figures->clock, figures->value);
    }
    take_code(run, recorded, measured);
}

static void take_observation(void *context, const kg__observation *observation)
{
    recording *run = context;

    if (observation->event == KG__EVENT_MEASURED) {
        take_measured(run, observation);
    } else if (observation->event == KG__EVENT_SENTINELS) {
        for (size_t i = 0; i < KG__SENTINELS; i++)
            run->sum[i] += fmax(kg__value_of(observation, kg__session_sentinels[i]), 0);
        run->sums++;
        kg__provenance_set(&run->recorder.provenance, "launch_ns", KG__FACT_NUMBER,
                           round(fmax(kg__value_of(observation, "empty"), 0)));
    }
}

/* Runs one session: a new process per program. The sentinels of all programs are averaged. */
static bool observe_session(recording *run, size_t count, char **programs)
{
    memset(run->sum, 0, sizeof run->sum);
    run->sums = 0;
    for (size_t i = 0; i < count; i++) {
        run->program = programs[i];
        if (!kg__recorder_observe(&run->recorder, programs[i], programs[i], "time"))
            return false;
    }
    for (size_t i = 0; i < KG__SENTINELS && run->sums > 0; i++)
        kg__sessions_add(&run->sessions, &run->sessions.sentinels[i], 0, run->sum[i] / run->sums);
    return true;
}

static bool sessions_are_complete(const kg__sessions *sessions)
{
    bool complete = true;

    for (size_t i = 0; i < sessions->count; i++) {
        for (size_t m = 0; m < KG__TIMES; m++) {
            const kg__recorded *recorded = &sessions->cases[i];

            if ((recorded->counts[m] == 0 && m > 0) || recorded->counts[m] == sessions->limit)
                continue;
            kg__change_log_refuse(
                sessions->log,
                (kg__entry_subject){ .id = recorded->id, .metric = kg__time_names[m] },
                "%zu values of %zu sessions: nothing is recorded; record again",
                recorded->counts[m], sessions->limit);
            complete = false;
        }
    }
    return kg__sessions_are_of_one_state(sessions) && complete;
}

/* Adds the change of the machine code to `changes`. */
static void note_machine_code(const kg__kernel_code *before, const kg__kernel_code *now,
                              json_t *changes)
{
    bool had_code = before->fingerprint[0] != '\0';
    bool has_code = now->fingerprint[0] != '\0';

    if (kg__is_other_code(before, now))
        json_array_append_new(changes, json_string("other machine code, or another launch"));
    else if (has_code && !kg__is_same_code(before, now))
        json_array_append_new(changes, json_string("its machine code is known now"));
    else if (had_code && !has_code)
        json_array_append_new(changes, json_string("its machine code is no longer known"));
}

static void print_code_row(kg__change_log *log, const char *id, const kg__kernel_code *before,
                           const kg__kernel_code *now)
{
    kg__code_change figures[KG__CODE_CHANGES];
    size_t count = kg__kernel_code_changes(before, now, figures);
    json_t *changes = json_array();
    const json_t *text;
    size_t i;

    if (before == NULL)
        json_array_append_new(changes, json_string("recorded"));
    for (i = 0; i < count; i++)
        json_array_append_new(changes, json_string(figures[i].text));
    if (before != NULL)
        note_machine_code(before, now, changes);
    if (json_array_size(changes) == 0)
        json_array_append_new(changes, json_string("recorded again"));
    fprintf(kg__narration(), KG__CASE_COLUMN " code: ", id);
    json_array_foreach (changes, i, text)
        kg__print(kg__narration(), "%s%s", i > 0 ? ", " : "", json_string_value(text));
    fputc('\n', kg__narration());
    kg__change_log_note(log, id, "code", changes);
    json_decref(changes);
}

/* Stores a case's code; returns whether that changes its line. `moved`: its values changed. If not,
 * the stored fingerprint stays when there is no new one and the rest of the code is equal. */
static bool store_code(kg__change_log *log, kg__baseline_case *entry, const kg__recorded *recorded,
                       bool moved)
{
    kg__kernel_code code;

    if (recorded->code == NULL)
        return false;
    code = *recorded->code;
    if (!moved && entry->code != NULL && code.fingerprint[0] == '\0') {
        memcpy(code.fingerprint, entry->code->fingerprint, sizeof code.fingerprint);
        if (!kg__kernel_code_equal(entry->code, &code))
            code.fingerprint[0] = '\0';
    }
    if (kg__kernel_code_equal(entry->code, &code))
        return false;
    print_code_row(log, recorded->id, entry->code, &code);
    kg__baseline_set_code(entry, &code);
    return true;
}

/* Stores one case; returns whether its line changes. */
static bool store(const kg__sessions *sessions, kg__baseline_case *entry,
                  const kg__recorded *recorded, const char *commit)
{
    bool changed = false;

    for (size_t m = 0; m < KG__TIMES; m++) {
        if (recorded->counts[m] == 0 && kg__baseline_remove_metric(entry, kg__time_names[m])) {
            fprintf(kg__narration(),
                    KG__CASE_COLUMN " %-13s retired: it can no longer be measured\n", recorded->id,
                    kg__time_names[m]);
            kg__change_log_retire(sessions->log, recorded->id, kg__time_names[m]);
            changed = true;
        }
    }
    changed = kg__sessions_store(sessions, entry, recorded, merge) || changed;
    if (changed && commit != NULL)
        kg__recorder_stamp(entry, commit);
    return store_code(sessions->log, entry, recorded, changed) || changed;
}

/* Removes cases that no table has any more; returns how many. */
static size_t retire(const recording *run, kg__baseline *baseline)
{
    const kg__sessions *sessions = &run->sessions;
    const char **ids = kg__allocate(sessions->count, sizeof *ids);
    size_t retired;

    for (size_t i = 0; i < sessions->count; i++)
        ids[i] = sessions->cases[i].id;
    retired = kg__recorder_retire(&run->recorder, baseline, ids, sessions->count);
    free(ids);
    return retired;
}

static int save(recording *run)
{
    const kg__sessions *sessions = &run->sessions;
    char path[2 * KG__PATH_SIZE];
    char commit[64];
    kg__target target;
    kg__baseline baseline;
    size_t changed = 0;
    bool saved = true;

    if (!kg__recorder_load(&run->recorder, &target, path, sizeof path, &baseline)) {
        kg__baseline_free(&baseline);
        return KG__EXIT_ERROR;
    }
    kg__recorder_commit(&run->recorder, commit, sizeof commit);
    kg__sessions_print_head();
    for (size_t i = 0; i < sessions->count; i++)
        changed += store(sessions, kg__baseline_add(&baseline, sessions->cases[i].id),
                         &sessions->cases[i], commit);
    for (size_t i = 0; i < KG__SENTINELS; i++)
        changed += store(sessions, kg__baseline_add_sentinel(&baseline, sessions->sentinels[i].id),
                         &sessions->sentinels[i], NULL);
    changed += retire(run, &baseline);
    if (changed > 0)
        saved = kg__recorder_save(&run->recorder, path, &target, &baseline);
    kg__change_log_set_counts(sessions->log, sessions->limit, sessions->count + KG__SENTINELS,
                              changed);
    if (saved)
        kg__print(kg__narration(), "%s: %zu of %zu cases and sentinels changed, %zu sessions\n",
                  path, changed, sessions->count + KG__SENTINELS, sessions->limit);
    kg__baseline_free(&baseline);
    return saved ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

static bool measure(recording *run, size_t count, char **programs)
{
    bool good = true;

    for (size_t i = 0; i < count && good; i++) {
        kg__print(kg__narration(), "checking %s\n", programs[i]);
        (void)fflush(kg__narration());
        good = kg__recorder_observe(&run->recorder, programs[i], programs[i], "check");
    }
    good = good && (run->recorder.target.key[0] == '\0' || kg__recorder_may_load(&run->recorder));
    for (size_t i = 0; i < count && good; i++)
        kg__kernels_add(&run->kernels, programs[i], programs[i]);
    for (size_t session = 0; session < run->sessions.limit && good; session++) {
        fprintf(kg__narration(), "session %zu of %zu\n", session + 1, run->sessions.limit);
        (void)fflush(kg__narration());
        good = observe_session(run, count, programs);
    }
    if (good && run->sessions.count == 0) {
        kg__recorder_refuse_filter(&run->recorder, "time", count, programs);
        good = false;
    }
    return good && sessions_are_complete(&run->sessions);
}

static int record_times(kg__recorder *recorder, size_t sessions, size_t count, char **programs)
{
    recording run = { .recorder = *recorder };
    int code = KG__EXIT_ERROR;

    kg__sessions_begin(&run.sessions, recorder->log, sessions);
    run.recorder.on_observation = take_observation;
    run.recorder.context = &run;
    if (measure(&run, count, programs))
        code = save(&run);
    kg__kernels_free(&run.kernels);
    kg__sessions_free(&run.sessions);
    *recorder = run.recorder;
    return code;
}

/* How many of the programs are for the CPU model, by name: matmul_f32.model. */
static size_t count_models(size_t count, char **programs)
{
    size_t models = 0;

    for (size_t i = 0; i < count; i++)
        models += kg__ends_with(programs[i], ".model");
    return models;
}

static bool parse_sessions(size_t *sessions)
{
    char *end;
    unsigned long number = strtoul(sessions_text, &end, 10);

    *sessions = number;
    if (*end == '\0' && number >= KG__SESSIONS_MINIMUM && number <= KG__SESSIONS_MAXIMUM)
        return true;
    kg__complain(
        "--sessions %s: not a number from %d to %d: fewer are not enough to estimate the noise",
        sessions_text, KG__SESSIONS_MINIMUM, KG__SESSIONS_MAXIMUM);
    return false;
}

/* Whether the programs and the options fit together. */
static bool arguments_fit(size_t count, size_t models)
{
    if (count == 0 || baselines == NULL)
        kg__complain("baseline record: needs --baselines DIR and a comparison's program");
    else if (models > 0 && models < count)
        kg__complain("baseline record: programs for a GPU and for the CPU model: each target is "
                     "recorded on its own");
    else if (models > 0 && merge)
        kg__complain("--merge: is for several boards of one GPU model: the CPU model's counts are "
                     "the same everywhere");
    else
        return true;
    return false;
}

static int record_programs(kg__change_log *log, size_t sessions, size_t models, size_t count,
                           char **programs)
{
    char folder[KG__PATH_SIZE];
    kg__error why = { "" };
    kg__recorder recorder = {
        .log = log, .baselines = baselines, .commit = commit_text, .comparisons = json_object()
    };
    int code;

    if (!kg__file_make_temporary_folder("record", folder, sizeof folder, &why)) {
        kg__change_log_refuse(log, (kg__entry_subject){ .file = NULL }, "%s", why.text);
        json_decref(recorder.comparisons);
        return KG__EXIT_ERROR;
    }
    kg__format_path(recorder.scratch, sizeof recorder.scratch, "%s/record", folder);
    code = models > 0 ? kg__record_model(&recorder, count, programs)
                      : record_times(&recorder, sessions, count, programs);
    kg__provenance_free(&recorder.provenance);
    json_decref(recorder.comparisons);
    kg__file_remove_folder(folder);
    return code;
}

static int record(size_t count, char **programs)
{
    size_t models = count_models(count, programs);
    kg__change_log log;
    size_t sessions;
    int lock;
    int code;

    if (!parse_sessions(&sessions) || !arguments_fit(count, models) ||
        !kg__prepare_baselines(baselines))
        return KG__EXIT_ERROR;
    lock = kg__lock_baselines(baselines);
    if (lock < 0)
        return KG__EXIT_ERROR;
    if (as_json)
        kg__narrate_to_stderr();
    kg__change_log_begin(&log, kg__baseline_record_command.name, merge);
    code = record_programs(&log, sessions, models, count, programs);
    kg__lock_release(lock);
    code = kg__change_log_end(&log, as_json, code);
    kg__change_log_free(&log);
    return code;
}

static const kg__option record_options[] = {
    { "--sessions", "N",
      "processes that time each comparison (default: 5, the minimum; counts take two)",
      &sessions_text, NULL },
    { "--baselines", "DIR", "the folder of the baseline files", &baselines, NULL },
    { "--commit", "NAME", "the commit that the programs were built from (default: from git)",
      &commit_text, NULL },
    { "--merge", NULL, "add the sessions to those of the baseline: for more boards of a model",
      NULL, &merge },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__baseline_record_command = {
    .name = "baseline record",
    .operands = "PROGRAM...",
    .summary = "Measure comparisons and store what moved beyond its band",
    .details =
        "A program NAME.gpu is timed on this machine's GPU, a program NAME.model is counted on\n"
        "the CPU model; one call takes programs of one target. Refuses on a failed check, a\n"
        "throttled GPU, other processes on it, an unstable launch overhead, sessions that\n"
        "disagree, counts that do not repeat, and while another process changes baselines in DIR.\n"
        "Bands that were edited by hand (\"band_by\": \"hand\") stay. A time whose noise may\n"
        "exceed 5 % is recorded, and not gated. KG_FILTER narrows what is recorded.\n"
        "exit: 0 recorded (or nothing moved); 2 refused, and no file is touched, unless the\n"
        "message says that it was written and only the output lost\n",
    .options = record_options,
    .takes_operands = true,
    .run = record,
};
