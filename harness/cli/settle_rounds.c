/* kernelgate settle: runs rounds of processes, of the base and this build in turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/settle.h"
#include "gate/spawn_observer.h"
#include "records/observation.h"
#include "suite/settings.h"

/* An observer that is silent for longer than the time left hangs, but not below this. */
#define SILENCE_MINIMUM 10.0

/* Whether a suspect needs another pair, or another observation of this build. */
static bool wants_pair(const kg__settlement *run, const kg__suspect *suspect)
{
    return !suspect->settled && !suspect->by_baseline && run->look < KG__LOOKS &&
           suspect->pairs < kg__look_pairs(run->look);
}

static bool wants_measurement(const kg__suspect *suspect)
{
    return !suspect->settled && suspect->by_baseline && !kg__suspect_is_confirmed(suspect);
}

bool kg__settle_wants(const kg__settlement *run, const kg__settle_group *group,
                      const kg__suspect *suspect)
{
    return !group->broken && (wants_pair(run, suspect) || wants_measurement(suspect));
}

typedef struct side_context {
    kg__settle_group *group;
    size_t side;
} side_context;

static void take_observation(void *context, const kg__observation *observation)
{
    side_context *observed = context;
    kg__side_result *result = NULL;

    if (observation->event == KG__EVENT_SENTINELS)
        kg__sentinels_add(&observed->group->sentinels[observed->side], observation);
    for (size_t i = 0; i < observed->group->count; i++) {
        if (strcmp(observed->group->suspects[i].result->id, observation->id) == 0)
            result = &observed->group->results[observed->side][i];
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

/* Lists the cases to time: the suspects that need it, and all that are timed with them, as for the
 * baseline. False with a complaint. */
bool kg__settle_list_cases(const kg__settlement *run, const kg__settle_group *group,
                           kg__listing *ids)
{
    char path[KG__PATH_SIZE + 32];
    const char *arguments[] = { group->programs[KG__HEAD], "--timed-with", path, NULL };
    const char **wanted = kg__allocate(group->count, sizeof *wanted);
    size_t count = 0;
    kg__error why;
    bool written;
    int code;

    *ids = (kg__listing){ 0 };
    kg__format_path(path, sizeof path, "%.*s.suspects.cases",
                    (int)(strlen(group->path) - strlen(KG__VERDICTS_SUFFIX)), group->path);
    for (size_t i = 0; i < group->count; i++) {
        if (kg__settle_wants(run, group, &group->suspects[i]))
            wanted[count++] = group->suspects[i].result->id;
    }
    written = kg__write_cases(path, wanted, count, &why);
    free(wanted);
    if (!written) {
        kg__complain("%s", why.text);
        return false;
    }
    code = kg__child_lines(arguments, KG__LISTING_SECONDS, ids);
    if (code == 0 && ids->count > 0)
        return true;
    kg__complain("%s --timed-with %s: lists no cases (exit code %d): build it again",
                 group->programs[KG__HEAD], path, code);
    return false;
}

static bool is_wanted_id(const kg__settle_group *group, const bool *wanted, const char *id)
{
    for (size_t i = 0; i < group->count; i++) {
        if (wanted[i] && strcmp(group->suspects[i].result->id, id) == 0)
            return true;
    }
    return false;
}

/* Omits cases that only this build has, such as a new variant: timed in the same process they would
 * change the times of the others. */
static void keep_common(const kg__settle_group *group, const bool *wanted, kg__listing *cases)
{
    size_t kept = 0;

    for (size_t i = 0; i < cases->count; i++) {
        if (kg__listing_has(&group->base_cases, cases->lines[i]) ||
            is_wanted_id(group, wanted, cases->lines[i]))
            cases->lines[kept++] = cases->lines[i];
    }
    cases->count = kept;
}

/* Copies the ids that the base has to `ids`; returns how many. */
static size_t keep_known(const kg__listing *listing, const kg__listing *cases, const char **ids)
{
    size_t kept = 0;

    for (size_t i = 0; i < cases->count; i++) {
        if (kg__listing_has(listing, cases->lines[i]))
            ids[kept++] = cases->lines[i];
    }
    return kept;
}

/* Runs one side's process. */
static kg__observation_status observe(const kg__settlement *run, kg__settle_group *group,
                                      size_t side, const kg__listing *cases, kg__error *why)
{
    const char **ids = kg__allocate(cases->count, sizeof *ids);
    double left = run->limit - kg__settle_elapsed(run);
    double silence = kg__silence_limit();
    side_context observed = { group, side };
    char stem[KG__PATH_SIZE + 32];
    kg__observation_status status;
    kg__observation_job job = { .program = group->programs[side],
                                .part = "time",
                                .cases = ids,
                                .case_count = cases->count,
                                .records = stem,
                                .on_observation = take_observation,
                                .context = &observed };

    if (side == KG__BASE)
        job.case_count = keep_known(&group->base_cases, cases, ids);
    else
        memcpy(ids, cases->lines, cases->count * sizeof *ids);
    job.silence_limit = fmin(silence, fmax(left, SILENCE_MINIMUM));
    kg__format_path(stem, sizeof stem, "%.*s.%s",
                    (int)(strlen(group->path) - strlen(KG__VERDICTS_SUFFIX)), group->path,
                    side == KG__BASE ? "base" : "head");
    group->sentinels[side] = (kg__sentinel_log){ 0 };
    status = kg__observe_cases(&job, why);
    free(ids);
    return status;
}

static void free_results(kg__settle_group *group)
{
    for (size_t side = 0; side < KG__SIDES; side++) {
        for (size_t i = 0; i < group->count; i++) {
            kg__observation_release(group->results[side][i].measured);
            group->results[side][i] = (kg__side_result){ 0 };
        }
    }
}

static kg__measurement make_measurement(const kg__settle_group *group, size_t side, size_t i)
{
    const kg__observation *measured = group->results[side][i].measured;

    return (kg__measurement){ measured, kg__surroundings_of(&group->sentinels[side],
                                                            group->base.baseline, measured) };
}

/* Takes the results of a round for a suspect. */
static void take_results(kg__settle_group *group, size_t i)
{
    kg__suspect *suspect = &group->suspects[i];
    const kg__side_result *base = &group->results[KG__BASE][i];
    const kg__side_result *head = &group->results[KG__HEAD][i];
    char why[KG__MESSAGE_SIZE + 128];

    if (head->verdict != KG__PASS || head->measured == NULL) {
        kg__suspect_settle_as(suspect, head->verdict == KG__WRONG ? KG__WRONG : KG__ERROR,
                              head->why[0] != '\0' ? head->why : "it left no record");
        return;
    }
    if (!suspect->by_baseline && (base->verdict != KG__PASS || base->measured == NULL)) {
        kg__format(why, sizeof why, "%s cannot be measured: %s", group->base.ref,
                   base->why[0] != '\0' ? base->why : "it left no record");
        kg__suspect_leave(suspect, why);
    }
    kg__measurement head_measurement = make_measurement(group, KG__HEAD, i);

    if (suspect->by_baseline) {
        kg__suspect_add_measurement(suspect, &head_measurement);
    } else {
        kg__measurement base_measurement = make_measurement(group, KG__BASE, i);

        kg__suspect_add_pair(suspect, &base_measurement, &head_measurement);
    }
}

void kg__settle_leave(kg__settle_group *group, const char *why)
{
    for (size_t i = 0; i < group->count; i++) {
        if (!group->suspects[i].settled && !group->suspects[i].by_baseline)
            kg__suspect_leave(&group->suspects[i], why);
    }
}

/* Runs a side of a round; false where this build's own observer does not run. */
static bool run_side(kg__settlement *run, kg__settle_group *group, size_t side,
                     const kg__listing *cases)
{
    kg__error why = { "" };
    char text[KG__MESSAGE_SIZE + 128];

    if (observe(run, group, side, cases, &why) == KG__OBSERVED)
        return true;
    if (side == KG__BASE) {
        kg__format(text, sizeof text, "%s cannot be measured: %s", group->base.ref, why.text);
        kg__settle_leave(group, text);
        return true;
    }
    kg__complain("%s: %s: its suspects stay as they are", group->programs[KG__HEAD], why.text);
    group->broken = run->failed = true;
    return false;
}

/* Runs one round of a comparison: base and head in the round's order, or only the head if no pair
 * is needed. Returns whether a base ran. */
static bool run_group(kg__settlement *run, kg__settle_group *group, size_t round)
{
    bool *wanted = kg__allocate(group->count, sizeof *wanted);
    const char *board = group->verdicts->board;
    kg__listing cases = { 0 };
    bool running = false;
    bool pairs = false;

    for (size_t i = 0; i < group->count; i++) {
        wanted[i] = kg__settle_wants(run, group, &group->suspects[i]);
        running = running || wanted[i];
        pairs = pairs || (wanted[i] && !group->suspects[i].by_baseline);
    }
    if (board != NULL)
        (void)setenv("CUDA_VISIBLE_DEVICES", board, 1);
    if (running && !kg__settle_list_cases(run, group, &cases)) {
        group->broken = run->failed = true;
        running = false;
    }
    if (pairs)
        keep_common(group, wanted, &cases);
    for (size_t turn = 0; turn < KG__SIDES && running; turn++) {
        /* Base, head; head, base: a steady drift favors neither. */
        size_t side = round % 2 == 0 ? turn : KG__SIDES - 1 - turn;

        if (side == KG__HEAD || pairs)
            running = run_side(run, group, side, &cases);
    }
    for (size_t i = 0; i < group->count && running; i++) {
        if (wanted[i])
            take_results(group, i);
    }
    free_results(group);
    kg__listing_free(&cases);
    free(wanted);
    return running && pairs;
}

bool kg__settle_run_round(kg__settlement *run, size_t round)
{
    double began = kg__now();
    bool pairs = false;

    for (size_t g = 0; g < run->count; g++)
        pairs = run_group(run, &run->groups[g], round) || pairs;
    if (pairs)
        run->round_seconds = kg__now() - began;
    return pairs;
}
