/* SPDX-License-Identifier: MIT */
/* Settling: looks at the pairs, sets verdicts, and decides when to end. */
#include <stdio.h>

#include "base/clock.h"
#include "gate/settle.h"

#define PROGRESS_EVERY 2.0

/* The verdicts keep what is worth a note of a suspect. */
static void add_note(kg__settlement *run, const kg__suspect *suspect, const char *text)
{
    kg__pool_add_text(&run->pool, &run->verdicts->notes,
                      kg__pool_format(&run->pool, "%s: %s", suspect->result->id, text));
}

/* Settles a suspect if possible; returns whether it is settled. */
static bool settle_suspect(kg__suspect *suspect, size_t wanted_pairs)
{
    bool disturbed = !suspect->by_baseline && kg__suspect_is_disturbed(suspect, wanted_pairs);

    if ((suspect->by_baseline || disturbed) && kg__suspect_settle_by_finding(suspect))
        return true;
    if (suspect->by_baseline && kg__suspect_is_confirmed(suspect))
        kg__suspect_settle_by_baseline(suspect);
    else if (disturbed)
        kg__suspect_settle_disturbed(suspect);
    else if (!suspect->by_baseline)
        (void)kg__suspect_settle_by_pairs(suspect);
    return suspect->settled;
}

/* Settles suspects and writes the verdicts that changed: if this process is killed, the verdicts
 * are complete and the rest are still suspects. */
static void settle_suspects(kg__settlement *run)
{
    size_t look = run->look < KG__LOOKS ? run->look : KG__LOOKS - 1;
    bool changed = false;
    kg__error error = { "" };

    for (size_t i = 0; i < run->count; i++) {
        kg__suspect *suspect = &run->suspects[i];
        const kg__case_result *result = suspect->result;

        if (run->reported[i] ||
            (!suspect->settled && !settle_suspect(suspect, run->family.pairs[look])))
            continue;
        if (suspect->note[0] != '\0')
            add_note(run, suspect, suspect->note);
        /* The results note a suspect that had tripped and passes. */
        if (result->verdict == KG__PASS && kg__case_result_tripped(result))
            add_note(run, suspect, result->why);
        run->reported[i] = changed = true;
    }
    if (changed && !kg__verdicts_save(run->verdicts, run->path, &error)) {
        kg__complain("%s", error.text);
        run->failed = true;
    }
}

/* What the open suspects still need. */
typedef struct open_work {
    size_t suspects;
    size_t pairs; /* that the suspect with the fewest needs for the next look */
    bool alone;   /* one needs an observation of this build alone */
} open_work;

static open_work count_open_work(const kg__settlement *run)
{
    open_work left = { 0 };

    for (size_t i = 0; i < run->count && !run->broken; i++) {
        const kg__suspect *suspect = &run->suspects[i];

        left.suspects += !suspect->settled;
        if (!kg__settle_wants(run, suspect))
            continue;
        if (suspect->by_baseline) {
            left.alone = true;
        } else {
            size_t missing = run->family.pairs[run->look] - suspect->pairs;

            left.pairs = missing > left.pairs ? missing : left.pairs;
        }
    }
    return left;
}

/* Takes a look at the family once every suspect has its pairs. */
static void look_if_due(kg__settlement *run)
{
    settle_suspects(run);
    while (run->look < KG__LOOKS && count_open_work(run).pairs == 0 &&
           count_open_work(run).suspects > 0) {
        kg__take_look(&run->family, run->look, run->look + 1 == KG__LOOKS);
        run->look++;
        settle_suspects(run);
    }
}

static void stop_pairs(kg__settlement *run)
{
    kg__settle_leave(run, kg__pool_format(&run->pool,
                                          "there is no time for %zu pairs within %.0f s (a pair "
                                          "takes %.1f s; --seconds allows more)",
                                          run->family.pairs[kg__first_useful_look(&run->family)],
                                          run->limit, run->round_seconds));
}

/* Ends when there is no time for another pair: repeats the last look as the final one, or leaves
 * the suspects to the baseline if no look could find anything. */
static void end_pairs(kg__settlement *run)
{
    if (run->look > kg__first_useful_look(&run->family)) {
        kg__take_look(&run->family, run->look - 1, true);
        settle_suspects(run);
    }
    if (count_open_work(run).pairs > 0) {
        stop_pairs(run);
        settle_suspects(run);
    }
}

/* Whether there is time for the pairs that the next useful look needs. */
static bool has_time_for_pairs(const kg__settlement *run, const open_work *work)
{
    size_t useful = kg__first_useful_look(&run->family);
    size_t pairs = work->pairs;

    if (run->look < useful)
        pairs += run->family.pairs[useful] - run->family.pairs[run->look];
    return kg__settle_elapsed(run) + (double)pairs * run->round_seconds <= run->limit;
}

static void settle_by_first_look(kg__settlement *run)
{
    for (size_t i = 0; i < run->count && !run->broken; i++) {
        kg__suspect *suspect = &run->suspects[i];

        if (suspect->settled)
            continue;
        kg__append(suspect->note, sizeof suspect->note,
                   "; no time for two more observations: its first one counts");
        kg__suspect_settle_by_baseline(suspect);
    }
    settle_suspects(run);
}

static void print_progress(kg__settlement *run, size_t round)
{
    open_work work = count_open_work(run);

    if (work.suspects == 0 || kg__now() - run->last_report < PROGRESS_EVERY)
        return;
    run->last_report = kg__now();
    kg__print(stderr, "%s: %zu pair%s in %.0f s, %zu of %zu suspects open", run->comparison->name,
              round + 1, round == 0 ? "" : "s", kg__settle_elapsed(run), work.suspects, run->count);
    if (work.pairs > 0)
        kg__print(stderr, ", the next look in about %.0f s",
                  (double)work.pairs * run->round_seconds);
    fputc('\n', stderr);
}

void kg__settle_all(kg__settlement *run)
{
    look_if_due(run);
    for (size_t round = 0;; round++) {
        open_work work = count_open_work(run);

        if (work.pairs > 0 && round > 0 && !has_time_for_pairs(run, &work)) {
            end_pairs(run);
            work = count_open_work(run);
        }
        if (work.pairs == 0 && !work.alone)
            break;
        if (work.pairs == 0 && round > 0 &&
            kg__settle_elapsed(run) + run->round_seconds / 2 > run->limit) {
            settle_by_first_look(run);
            break;
        }
        kg__settle_run_round(run, round);
        look_if_due(run);
        print_progress(run, round);
    }
}
