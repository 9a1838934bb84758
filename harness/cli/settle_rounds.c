/* kernelgate settle: rounds of processes, of the base and of this build by turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/settle.h"
#include "gate/spawn_observer.h"
#include "records/records.h"
#include "suite/settings.h"

/* Longer silence of an observer than the time that is left hangs, but none below this. */
#define LEAST_SILENCE 10.0

/* Whether a further pair, or a further observation of this build alone, is wanted of a suspect. */
static bool wants_pair(const kg__settlement *all, const kg__suspect *one)
{
    return !one->settled && !one->by_baseline && all->look < KG__LOOKS &&
           one->pairs < kg__look_pairs(all->look);
}

static bool wants_head(const kg__suspect *one)
{
    return !one->settled && one->by_baseline && !kg__suspect_has_heads(one);
}

bool kg__settle_wants(const kg__settlement *all, const kg__settle_group *of, const kg__suspect *one)
{
    return !of->broken && (wants_pair(all, one) || wants_head(one));
}

typedef struct watching {
    kg__settle_group *of;
    size_t side;
} watching;

static void take_record(void *context, const json_t *record)
{
    watching *at = context;
    const char *event = kg__json_text(record, "event");
    const char *id = kg__json_text(record, "case");
    kg__sight *seen = NULL;

    if (strcmp(event, "sentinels") == 0)
        kg__sentinels_add(&at->of->sentinels[at->side], record);
    for (size_t i = 0; i < at->of->count; i++) {
        if (strcmp(at->of->suspects[i].id, id) == 0)
            seen = &at->of->sights[at->side][i];
    }
    if (seen == NULL)
        return;
    if (strcmp(event, "measured") == 0 && seen->measured == NULL) {
        seen->measured = json_incref((json_t *)record);
    } else if (strcmp(event, "failed") == 0 || strcmp(event, "refused") == 0 ||
               strcmp(event, "checked") == 0) {
        seen->verdict = strcmp(event, "checked") == 0 ? KG__WRONG : KG__ERROR;
        kg__json_copy_text(record, "why", seen->why, sizeof seen->why);
    }
}

/* The ids of what is to be timed: the wanted suspects and all that is timed beside them, as for the
 * baseline. False with a complaint. */
bool kg__settle_list_beside(const kg__settlement *all, const kg__settle_group *of, kg__listing *ids)
{
    char path[KG__PATH_SIZE + 32];
    const char *arguments[] = { of->programs[KG__HEAD], "--beside", path, NULL };
    const char **wanted = kg__allocate(of->count, sizeof *wanted);
    size_t count = 0;
    kg__error why;
    bool written;
    int code;

    *ids = (kg__listing){ 0 };
    kg__format_path(path, sizeof path, "%.*s.suspects.cases",
                    (int)(strlen(of->path) - strlen(KG__VERDICTS_SUFFIX)), of->path);
    for (size_t i = 0; i < of->count; i++) {
        if (kg__settle_wants(all, of, &of->suspects[i]))
            wanted[count++] = of->suspects[i].id;
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
    kg__complain("%s --beside %s: lists no cases (exit code %d): build it anew",
                 of->programs[KG__HEAD], path, code);
    return false;
}

static bool is_wanted_id(const kg__settle_group *of, const bool *wanted, const char *id)
{
    for (size_t i = 0; i < of->count; i++) {
        if (wanted[i] && strcmp(of->suspects[i].id, id) == 0)
            return true;
    }
    return false;
}

/* Leaves away what is timed beside the suspects in this build alone, such as a new variant: a case
 * takes another time beside it, and its base has not got it. */
static void keep_common(const kg__settle_group *of, const bool *wanted, kg__listing *beside)
{
    size_t kept = 0;

    for (size_t i = 0; i < beside->count; i++) {
        if (kg__listing_has(&of->base_cases, beside->lines[i]) ||
            is_wanted_id(of, wanted, beside->lines[i]))
            beside->lines[kept++] = beside->lines[i];
    }
    beside->count = kept;
}

/* Copies the ids that the base has to `ids`; returns how many those are. */
static size_t keep_known(const kg__listing *known, const kg__listing *beside, const char **ids)
{
    size_t kept = 0;

    for (size_t i = 0; i < beside->count; i++) {
        if (kg__listing_has(known, beside->lines[i]))
            ids[kept++] = beside->lines[i];
    }
    return kept;
}

/* Runs one side's process. */
static kg__observation_status observe(const kg__settlement *all, kg__settle_group *of, size_t side,
                                      const kg__listing *beside, kg__error *why)
{
    const char **ids = kg__allocate(beside->count, sizeof *ids);
    double left = all->limit - kg__settle_elapsed(all);
    double silence = kg__silence_limit();
    watching at = { of, side };
    char stem[KG__PATH_SIZE + 32];
    kg__observation_status status;
    kg__observation_job job = { .program = of->programs[side],
                                .part = "time",
                                .cases = ids,
                                .case_count = beside->count,
                                .records = stem,
                                .on_record = take_record,
                                .context = &at };

    if (side == KG__BASE)
        job.case_count = keep_known(&of->base_cases, beside, ids);
    else
        memcpy(ids, beside->lines, beside->count * sizeof *ids);
    job.silence_limit = fmin(silence, fmax(left, LEAST_SILENCE));
    kg__format_path(stem, sizeof stem, "%.*s.%s",
                    (int)(strlen(of->path) - strlen(KG__VERDICTS_SUFFIX)), of->path,
                    side == KG__BASE ? "base" : "head");
    of->sentinels[side] = (kg__sentinel_log){ 0 };
    status = kg__observe_cases(&job, why);
    free(ids);
    return status;
}

static void forget_sights(kg__settle_group *of)
{
    for (size_t side = 0; side < KG__SIDES; side++) {
        for (size_t i = 0; i < of->count; i++) {
            json_decref(of->sights[side][i].measured);
            of->sights[side][i] = (kg__sight){ 0 };
        }
    }
}

static kg__observation observation_of(const kg__settle_group *of, size_t side, size_t i)
{
    const json_t *measured = of->sights[side][i].measured;

    return (kg__observation){ measured, kg__surroundings_of(&of->sentinels[side],
                                                            of->rivals.baseline, measured) };
}

/* Takes what a round showed of a suspect that it wanted. */
static void take_sights(kg__settle_group *of, size_t i)
{
    kg__suspect *one = &of->suspects[i];
    const kg__sight *base = &of->sights[KG__BASE][i];
    const kg__sight *head = &of->sights[KG__HEAD][i];
    char why[KG__MESSAGE_SIZE + 128];

    if (head->verdict != KG__PASS || head->measured == NULL) {
        kg__suspect_settle_as(one, head->verdict == KG__WRONG ? KG__WRONG : KG__ERROR,
                              head->why[0] != '\0' ? head->why : "it left no record");
        return;
    }
    if (!one->by_baseline && (base->verdict != KG__PASS || base->measured == NULL)) {
        kg__format(why, sizeof why, "%s is no measure: %s", of->rivals.ref,
                   base->why[0] != '\0' ? base->why : "it left no record");
        kg__suspect_leave(one, why);
    }
    kg__observation of_head = observation_of(of, KG__HEAD, i);

    if (one->by_baseline) {
        kg__suspect_add_head(one, &of_head);
    } else {
        kg__observation of_base = observation_of(of, KG__BASE, i);

        kg__suspect_add_pair(one, &of_base, &of_head);
    }
}

void kg__settle_leave(kg__settle_group *of, const char *why)
{
    for (size_t i = 0; i < of->count; i++) {
        if (!of->suspects[i].settled && !of->suspects[i].by_baseline)
            kg__suspect_leave(&of->suspects[i], why);
    }
}

/* Runs a side of a round; false where this build's own observer does not run. */
static bool run_side(kg__settlement *all, kg__settle_group *of, size_t side,
                     const kg__listing *beside)
{
    kg__error why = { "" };
    char text[KG__MESSAGE_SIZE + 128];

    if (observe(all, of, side, beside, &why) == KG__OBSERVED)
        return true;
    if (side == KG__BASE) {
        kg__format(text, sizeof text, "%s is no measure: %s", of->rivals.ref, why.text);
        kg__settle_leave(of, text);
        return true;
    }
    kg__complain("%s: %s: its suspects stay as they are", of->programs[KG__HEAD], why.text);
    of->broken = all->failed = true;
    return false;
}

/* One round of a comparison: its base and its head, in the round's order, or the head alone where
 * no pair is wanted. Returns whether a base ran. */
static bool run_group(kg__settlement *all, kg__settle_group *of, size_t round)
{
    bool *wanted = kg__allocate(of->count, sizeof *wanted);
    const char *board = kg__json_text(of->document, "board");
    kg__listing beside = { 0 };
    bool any = false;
    bool pairs = false;

    for (size_t i = 0; i < of->count; i++) {
        wanted[i] = kg__settle_wants(all, of, &of->suspects[i]);
        any = any || wanted[i];
        pairs = pairs || (wanted[i] && !of->suspects[i].by_baseline);
    }
    if (board[0] != '\0')
        (void)setenv("CUDA_VISIBLE_DEVICES", board, 1);
    if (any && !kg__settle_list_beside(all, of, &beside)) {
        of->broken = all->failed = true;
        any = false;
    }
    if (pairs)
        keep_common(of, wanted, &beside);
    for (size_t turn = 0; turn < KG__SIDES && any; turn++) {
        /* Base, head; head, base: what drifts steadily favours neither. */
        size_t side = round % 2 == 0 ? turn : KG__SIDES - 1 - turn;

        if (side == KG__HEAD || pairs)
            any = run_side(all, of, side, &beside);
    }
    for (size_t i = 0; i < of->count && any; i++) {
        if (wanted[i])
            take_sights(of, i);
    }
    forget_sights(of);
    kg__listing_free(&beside);
    free(wanted);
    return any && pairs;
}

bool kg__settle_run_round(kg__settlement *all, size_t round)
{
    double began = kg__now();
    bool pairs = false;

    for (size_t g = 0; g < all->count; g++)
        pairs = run_group(all, &all->groups[g], round) || pairs;
    if (pairs)
        all->round_seconds = kg__now() - began;
    return pairs;
}
