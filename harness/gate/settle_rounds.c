/* SPDX-License-Identifier: MIT */
/* Settling: runs rounds of processes, of the base and this build in turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "gate/settle.h"
#include "gate/spawn_observer.h"
#include "records/observation.h"

/* An observer that is silent for longer than the time left hangs, but not below this. */
#define SILENCE_MINIMUM 10.0

static bool wants_pair(const kg__settlement *run, const kg__suspect *suspect)
{
    return !suspect->settled && !suspect->by_baseline && run->look < KG__LOOKS &&
           suspect->pairs < run->family.pairs[run->look];
}

static bool wants_measurement(const kg__suspect *suspect)
{
    return !suspect->settled && suspect->by_baseline && !kg__suspect_is_confirmed(suspect);
}

bool kg__settle_wants(const kg__settlement *run, const kg__suspect *suspect)
{
    return !run->broken && (wants_pair(run, suspect) || wants_measurement(suspect));
}

typedef struct side_context {
    kg__settlement *run;
    size_t side;
} side_context;

static void take_observation(void *context, const kg__observation *observation)
{
    side_context *observed = context;
    kg__side_result *result = NULL;

    if (observation->event == KG__EVENT_SENTINELS)
        kg__sentinels_add(&observed->run->sentinels[observed->side], observation);
    for (size_t i = 0; i < observed->run->count; i++) {
        if (strcmp(observed->run->suspects[i].result->id, observation->id) == 0)
            result = &observed->run->results[observed->side][i];
    }
    if (result == NULL)
        return;
    if (observation->event == KG__EVENT_MEASURED && result->measured == NULL) {
        result->measured = kg__observation_keep(observation);
    } else if (observation->event == KG__EVENT_FAILED || observation->event == KG__EVENT_REFUSED ||
               observation->event == KG__EVENT_CHECKED) {
        result->verdict = observation->event == KG__EVENT_CHECKED ? KG__WRONG : KG__ERROR;
        kg__format(result->why, sizeof result->why, "%s", observation->why);
    }
}

/* What a round runs. */
typedef struct round_plan {
    bool *wanted;     /* one per suspect */
    const char **ids; /* of the cases that this build times */
    size_t count;
    bool pairs; /* the base times them too */
} round_plan;

/* Whether a round times a case: one that needs it, or one that the baseline timed beside a suspect
 * that the baseline judges. Pairs go without neighbors: both builds are timed alike, and a round
 * takes a third of the time. */
static bool is_planned(const kg__settlement *run, const bool *wanted, const kg__case *c)
{
    for (size_t i = 0; i < run->count; i++) {
        if (wanted[i] && (run->cases[i] == c || (run->suspects[i].by_baseline &&
                                                 kg__table_side_by_side(run->cases[i], c))))
            return true;
    }
    return false;
}

/* Plans the suspects that need it. False where none does. */
static bool plan_round(const kg__settlement *run, round_plan *plan)
{
    bool any = false;

    *plan = (round_plan){ .wanted = kg__allocate(run->count, sizeof *plan->wanted),
                          .ids = kg__allocate(run->table.count, sizeof *plan->ids) };
    for (size_t i = 0; i < run->count; i++) {
        plan->wanted[i] = kg__settle_wants(run, &run->suspects[i]);
        any = any || plan->wanted[i];
        plan->pairs = plan->pairs || (plan->wanted[i] && !run->suspects[i].by_baseline);
    }
    for (size_t i = 0; i < run->table.count; i++) {
        if (is_planned(run, plan->wanted, &run->table.list[i]))
            plan->ids[plan->count++] = run->table.list[i].id;
    }
    return any;
}

/* Runs one side's process. */
static kg__observation_status observe(kg__settlement *run, size_t side, const round_plan *plan,
                                      kg__error *why)
{
    const char **ids = kg__allocate(plan->count, sizeof *ids);
    size_t count = 0;
    double left = run->limit - kg__settle_elapsed(run);
    side_context observed = { run, side };
    char stem[KG__PATH_SIZE + 32];
    kg__observation_status status;

    for (size_t i = 0; i < plan->count; i++) {
        if (side == KG__HEAD || kg__listing_has(&run->base_cases, plan->ids[i]))
            ids[count++] = plan->ids[i];
    }
    kg__format_path(stem, sizeof stem, "%.*s.%s",
                    (int)(strlen(run->path) - strlen(KG__VERDICTS_SUFFIX)), run->path,
                    side == KG__BASE ? "base" : "head");
    run->sentinels[side] = (kg__sentinel_log){ 0 };
    status = kg__observe_cases(
        &(kg__observation_job){ .program = side == KG__BASE ? run->base_program : NULL,
                                .part = "time",
                                .cases = ids,
                                .case_count = count,
                                .records = stem,
                                .silence_limit =
                                    fmin(kg__silence_limit(), fmax(left, SILENCE_MINIMUM)),
                                .on_observation = take_observation,
                                .context = &observed },
        why);
    free(ids);
    return status;
}

static void free_results(kg__settlement *run)
{
    for (size_t side = 0; side < KG__SIDES; side++) {
        for (size_t i = 0; i < run->count; i++) {
            kg__observation_release(run->results[side][i].measured);
            run->results[side][i] = (kg__side_result){ 0 };
        }
    }
}

static kg__measurement make_measurement(const kg__settlement *run, size_t side, size_t i)
{
    const kg__observation *measured = run->results[side][i].measured;

    return (kg__measurement){ measured, kg__surroundings_of(&run->sentinels[side],
                                                            run->base.baseline, measured) };
}

/* Takes the results of a round for a suspect. */
static void take_results(kg__settlement *run, size_t i)
{
    kg__suspect *suspect = &run->suspects[i];
    const kg__side_result *base = &run->results[KG__BASE][i];
    const kg__side_result *head = &run->results[KG__HEAD][i];

    if (head->verdict != KG__PASS || head->measured == NULL) {
        kg__suspect_settle_as(suspect, head->verdict == KG__WRONG ? KG__WRONG : KG__ERROR,
                              head->why[0] != '\0' ? head->why : "it left no record");
        return;
    }
    if (!suspect->by_baseline && (base->verdict != KG__PASS || base->measured == NULL)) {
        kg__suspect_leave(suspect, "%s cannot be measured: %s", run->base.ref,
                          base->why[0] != '\0' ? base->why : "it left no record");
    }
    kg__measurement head_measurement = make_measurement(run, KG__HEAD, i);

    if (suspect->by_baseline) {
        kg__suspect_add_measurement(suspect, &head_measurement);
    } else {
        kg__measurement base_measurement = make_measurement(run, KG__BASE, i);

        kg__suspect_add_pair(suspect, &base_measurement, &head_measurement);
    }
}

void kg__settle_leave(kg__settlement *run, const char *why)
{
    for (size_t i = 0; i < run->count; i++) {
        if (!run->suspects[i].settled && !run->suspects[i].by_baseline)
            kg__suspect_leave(&run->suspects[i], "%s", why);
    }
}

/* Runs a side of a round; false where this build's own observer does not run. */
static bool run_side(kg__settlement *run, size_t side, const round_plan *plan)
{
    kg__error why = { "" };

    if (observe(run, side, plan, &why) == KG__OBSERVED)
        return true;
    if (side == KG__BASE) {
        kg__settle_leave(
            run, kg__pool_format(&run->pool, "%s cannot be measured: %s", run->base.ref, why.text));
        return true;
    }
    kg__complain("%s: %s: its suspects stay as they are", run->comparison->name, why.text);
    run->broken = run->failed = true;
    return false;
}

void kg__settle_run_round(kg__settlement *run, size_t round)
{
    double began = kg__now();
    round_plan plan;
    bool running = plan_round(run, &plan);

    /* The first round found the results right. To compute the references again would take most of
     * the time of each of two dozen short processes. */
    if (round > 0)
        (void)setenv("KG__CHECKED", "1", 1);
    for (size_t turn = 0; turn < KG__SIDES && running; turn++) {
        /* Base, head; head, base: a steady drift favors neither. */
        size_t side = round % 2 == 0 ? turn : KG__SIDES - 1 - turn;

        if (side == KG__HEAD || plan.pairs)
            running = run_side(run, side, &plan);
    }
    for (size_t i = 0; i < run->count && running; i++) {
        if (plan.wanted[i])
            take_results(run, i);
    }
    if (running && plan.pairs)
        run->round_seconds = kg__now() - began;
    free_results(run);
    free(plan.wanted);
    free(plan.ids);
}
