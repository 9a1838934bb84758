/* SPDX-License-Identifier: MIT */
/* Observers of a part: which cases they run, and what their records tell. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/run_lock.h"
#include "gate/part.h"
#include "gate/spawn_observer.h"
#include "gate/verdict_line.h"
#include "records/observation.h"
#include "results/time_result.h"
#include "suite/settings.h"

/* Whether two models' kernels called the same C library, as far as that is known: its functions
 * round differently from version to version. */
static bool has_same_library(const json_t *then, const json_t *now)
{
    const char *before = kg__json_text(then, "libc");

    return *before == '\0' || strcmp(before, kg__json_text(now, "libc")) == 0;
}

/* Takes the device's description, and with it the baseline. */
static void take_target(kg__part_run *run, const kg__observation *observation)
{
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };
    kg__load_status status;

    if (run->device_seen || observation->target == NULL)
        return;
    run->device_seen = true;
    run->target = run->verdicts->target = *observation->target;
    run->verdicts->provenance =
        observation->provenance != NULL ? json_copy(observation->provenance) : json_object();
    kg__json_keep(&run->pool, run->verdicts->provenance);
    if (kg__part_is(run, "defects"))
        return;
    kg__baselines_folder(run->comparison->home, folder, sizeof folder);
    status = kg__baseline_load_own(folder, &run->target, &run->stored, &error);
    /* Of accuracy the parts that time and count say it. */
    if (status == KG__BAD && !kg__part_is_checking(run))
        kg__part_add_error(run, error.text);
    if (status == KG__LOADED || run->stored.case_count > 0)
        run->baseline = &run->stored;
    if (run->baseline != NULL && kg__part_is_model())
        (void)kg__recording_differences(run->baseline, &run->target, observation->provenance,
                                        run->recording_differences,
                                        sizeof run->recording_differences);
    run->is_exact = kg__part_is_model() && run->recording_differences[0] == '\0' &&
                    has_same_library(run->stored.provenance, observation->provenance);
    run->verdicts->target = run->target;
}

/* Names the board that the first observer ran on. What another board says is no confirmation. */
static void take_board(kg__part_run *run, const json_t *provenance)
{
    const char *uuid = kg__json_text(provenance, "uuid");
    const char *bus_id = kg__json_text(provenance, "bus_id");
    const char *known = run->verdicts->board;

    if (*uuid == '\0' || (known != NULL && strcmp(uuid, known) == 0))
        return;
    if (known != NULL) {
        kg__part_add_error(run, kg__pool_format(&run->pool,
                                                "an observer ran on %s, the one before it on %s: "
                                                "set CUDA_VISIBLE_DEVICES to one of them",
                                                uuid, known));
        return;
    }
    run->verdicts->board = kg__pool_text(&run->pool, uuid);
    if (kg__is_verbose())
        kg__print_verdict("board", run->target.key, run->test,
                          kg__pool_format(&run->pool, "runs on %s%s%s%s", uuid,
                                          *bus_id != '\0' ? " (" : "", bus_id,
                                          *bus_id != '\0' ? ")" : ""));
}

/* Adds the GPU's measured limits to the provenance: what its sentinels move and compute a second.
 * A sentinel that does not say how much it did sets no limit. */
static void set_limits(json_t *provenance, const kg__observation *sentinels)
{
    json_t *known = json_object();

    for (size_t i = 0; i < KG__SENTINELS; i++) {
        const kg__sentinel_kind *kind = &kg__sentinel_kinds[i];
        const kg__figures *figures = kg__figures_of(sentinels, kind->name);

        if (figures != NULL && figures->value > 0 && figures->amount > 0)
            json_object_set_new(known, kind->limit,
                                json_real(figures->amount / figures->value * 1e9));
    }
    kg__json_set_object(provenance, "limits", known);
}

/* Keeps what the sentinels say for judging, and the first process's beside the other provenance. */
static void take_sentinels(kg__part_run *run, const kg__observation *sentinels)
{
    json_t *provenance = run->verdicts->provenance;
    json_t *shown;

    kg__sentinels_add(&run->sentinels[run->round], sentinels);
    if (provenance == NULL || run->round > 0)
        return;
    shown = json_object();
    for (size_t i = 0; i < sentinels->metric_count; i++)
        kg__json_set_finite(shown, sentinels->metrics[i].name, sentinels->metrics[i].value);
    json_object_set_new(provenance, "sentinels_ns", shown);
    set_limits(provenance, sentinels);
}

void kg__part_take_device(kg__part_run *run, const kg__observation *observation)
{
    take_target(run, observation);
    take_board(run, observation->provenance);
}

/* A plain program in the instrumented one's place would find nothing. */
static void require_watching(kg__part_run *run, const kg__observation *observation)
{
    if (!run->watching || observation->watches || run->reported_not_instrumented)
        return;
    run->reported_not_instrumented = true;
    kg__part_add_error(run, kg__pool_format(&run->pool,
                                            "%s: its kernels are not instrumented, so that no "
                                            "access is checked: build it again",
                                            run->instrumented));
}

/* What the variants checked before have come to is on disk, should this process die. */
static void begin_variant(kg__part_run *run, const kg_variant *variant)
{
    if (!kg__part_is_checking(run) || run->variant == variant)
        return;
    if (run->variant != NULL)
        kg__part_write(run, false);
    run->variant = variant;
}

void kg__part_take_refusal(kg__part_run *run, kg__part_case *part_case,
                           const kg__observation *observation)
{
    const kg__refusal refusal = { part_case->c->id, observation->why, observation->gpu_only };

    if (part_case->refused)
        return;
    if (kg__part_is(run, "defects") && !refusal.gpu_only) {
        /* What is never run is never found wrong. */
        if (part_case->result == NULL)
            kg__part_settle(
                run, part_case,
                kg__part_result(
                    run, part_case, KG__ERROR,
                    kg__pool_format(&run->pool,
                                    "refused (%s): no check sees this defect: fix its row",
                                    refusal.why)));
        return;
    }
    part_case->refused = true;
    kg__verdicts_add_refusal(run->verdicts, &refusal);
    if (kg__is_verbose())
        kg__print_verdict(refusal.gpu_only ? "gpu-only" : "refused", run->target.key, refusal.id,
                          refusal.why);
}

static void take_of_case(kg__part_run *run, kg__part_case *part_case,
                         const kg__observation *observation)
{
    if (observation->event == KG__EVENT_START) {
        begin_variant(run, part_case->c->variant);
        part_case->began = kg__now();
        return;
    }
    if (part_case->began > 0)
        part_case->seconds += kg__now() - part_case->began;
    part_case->began = 0;
    if (observation->event == KG__EVENT_MEASURED)
        kg__part_take_measured(run, part_case, observation);
    else if (observation->event == KG__EVENT_CHECKED || observation->event == KG__EVENT_FAILED)
        kg__part_take_outcome(run, part_case, observation);
    else if (observation->event == KG__EVENT_REFUSED)
        kg__part_take_refusal(run, part_case, observation);
}

static void take_observation(void *context, const kg__observation *observation)
{
    kg__part_run *run = context;
    kg__part_case *part_case = kg__part_find_case(run, observation->id);

    if (observation->event == KG__EVENT_TARGET) {
        kg__part_take_device(run, observation);
        require_watching(run, observation);
    } else if (observation->event == KG__EVENT_SENTINELS) {
        take_sentinels(run, observation);
    } else if (observation->event == KG__EVENT_OBJECTION) {
        kg__part_add_error(run, observation->why);
    }
    if (part_case != NULL)
        take_of_case(run, part_case, observation);
}

void kg__part_take_counted(kg__part_run *run,
                           bool (*wanted)(const kg__part_run *, const kg__part_case *))
{
    char out[KG__PATH_SIZE];
    char path[KG__PATH_SIZE];
    kg__record_reader reader;
    kg__observation *observation;
    kg__error absent;

    kg__out_folder(run->comparison->home, out, sizeof out);
    kg__part_name_records(run, "count", KG__COUNTED ".jsonl", path, sizeof path);
    /* Without a run around this program the records may be another program's. */
    if (!kg__part_is(run, "check") || !kg__run_lock_is_own(out) ||
        !kg__record_open(&reader, path, &absent))
        return;
    while ((observation = kg__observation_next(&reader)) != NULL) {
        kg__part_case *part_case = kg__part_find_case(run, observation->id);

        if (observation->event == KG__EVENT_CHECKED && part_case != NULL && wanted(run, part_case))
            kg__part_take_outcome(run, part_case, observation);
        kg__observation_release(observation);
    }
    kg__record_close(&reader);
}

/* Whether a case is observed along with the cases that `wanted` (NULL: all) takes: it is one, or
 * is timed side by side with one, as it was for the baseline. What KG_FILTER leaves out is timed
 * there and not judged. */
static bool is_observed(const kg__part_run *run, const kg__case *part_case,
                        bool (*wanted)(const kg__part_run *, const kg__part_case *))
{
    for (size_t i = 0; i < run->count; i++) {
        const kg__case *other = run->part_cases[i].c;

        if ((other == part_case ||
             (kg__part_is(run, "time") && kg__table_side_by_side(other, part_case))) &&
            (wanted == NULL || wanted(run, &run->part_cases[i])))
            return true;
    }
    return false;
}

/* Observes the cases that `wanted` takes (NULL: all), in processes of their own; returns false
 * when nothing could be run. */
bool kg__part_observe(kg__part_run *run,
                      bool (*wanted)(const kg__part_run *, const kg__part_case *),
                      const char *label)
{
    const char **ids = kg__allocate(run->table.count, sizeof *ids);
    char stem[KG__PATH_SIZE];
    kg__observation_job job = {
        .program = run->watching ? run->instrumented : NULL,
        .part = run->part,
        .cases = ids,
        .records = stem,
        .silence_limit = kg__silence_limit(),
        .on_observation = take_observation,
        .context = run,
    };
    kg__observation_status status = KG__OBSERVED;
    kg__error why = { "" };

    for (size_t i = 0; i < run->table.count; i++) {
        if (is_observed(run, &run->table.list[i], wanted))
            ids[job.case_count++] = run->table.list[i].id;
    }
    kg__part_name_records(run, run->part, label, stem, sizeof stem);
    if (job.case_count > 0)
        status = kg__observe_cases(&job, &why);
    free(ids);
    if (status != KG__OBSERVED)
        run->unobserved = why;
    /* A device that was there before and is no longer is no reason to skip. */
    if (status == KG__UNOBSERVED || (status == KG__UNAVAILABLE && run->device_seen))
        kg__part_add_error(run, why.text);
    else if (status == KG__UNAVAILABLE)
        kg__part_skip(run, KG__SKIP_UNAVAILABLE, why.text);
    return status == KG__OBSERVED;
}
