/* kernelgate settle: looks at the pairs, sets verdicts, and decides when to end. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/color.h"
#include "cli/command.h"
#include "cli/settle.h"
#include "report/case_line.h"
#include "results/time_result.h"

#define PROGRESS_EVERY 2.0

static void add_note(kg__settle_group *group, const kg__suspect *suspect, const char *text)
{
    kg__pool_add_text(&group->pool, &group->verdicts->notes,
                      kg__pool_format(&group->pool, "%s: %s", suspect->result->id, text));
}

static void report_settled(kg__settle_group *group, const kg__suspect *suspect)
{
    const kg__case_result *result = suspect->result;
    char line[2 * KG__MESSAGE_SIZE];

    kg__case_line(result, NULL, line, sizeof line);
    kg__print_verdict_line(kg__progress_stream(), line);
    if (suspect->note[0] != '\0') {
        add_note(group, suspect, suspect->note);
        kg__print_verdict(kg__progress_stream(), "note", "%-11s  %-32s  %s\n", group->target.key,
                          result->id, suspect->note);
    }
    /* The results note a suspect that had tripped and passes. */
    if (result->verdict == KG__PASS && kg__case_result_tripped(result))
        add_note(group, suspect, result->why);
    (void)fflush(kg__progress_stream());
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

/* Settles suspects, prints them, and writes the verdicts that changed: if this command is killed,
 * the verdicts are complete and the rest are still suspects. */
static void settle_group(kg__settlement *run, kg__settle_group *group)
{
    size_t look = run->look < KG__LOOKS ? run->look : KG__LOOKS - 1;
    bool changed = false;
    kg__error error = { "" };

    for (size_t i = 0; i < group->count; i++) {
        kg__suspect *suspect = &group->suspects[i];

        if (group->reported[i] ||
            (!suspect->settled && !settle_suspect(suspect, kg__look_pairs(look))))
            continue;
        report_settled(group, suspect);
        group->reported[i] = changed = true;
    }
    if (changed && !kg__verdicts_save(group->verdicts, group->path, &error)) {
        kg__complain("%s", error.text);
        run->failed = true;
    }
}

static void settle_groups(kg__settlement *run)
{
    for (size_t g = 0; g < run->count; g++)
        settle_group(run, &run->groups[g]);
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

    for (size_t g = 0; g < run->count; g++) {
        const kg__settle_group *group = &run->groups[g];

        for (size_t i = 0; i < group->count; i++) {
            const kg__suspect *suspect = &group->suspects[i];

            left.suspects += !suspect->settled && !group->broken;
            if (kg__settle_wants(run, group, suspect) && !suspect->by_baseline) {
                size_t missing = kg__look_pairs(run->look) - suspect->pairs;

                left.pairs = missing > left.pairs ? missing : left.pairs;
            }
            left.alone =
                left.alone || (kg__settle_wants(run, group, suspect) && suspect->by_baseline);
        }
    }
    return left;
}

/* The first look that can find a suspect of this family slower, if it is the last one. */
size_t kg__settle_first_look(const kg__settlement *run)
{
    size_t look = 0;

    while (look + 1 < KG__LOOKS && !kg__look_has_power(look, run->family_size, true))
        look++;
    return look;
}

/* Takes a look at the family once every suspect has its pairs. */
static void look_if_due(kg__settlement *run)
{
    settle_groups(run);
    while (run->look < KG__LOOKS && count_open_work(run).pairs == 0 &&
           count_open_work(run).suspects > 0) {
        kg__take_look(run->family, run->family_size, run->look, run->look + 1 == KG__LOOKS);
        run->look++;
        settle_groups(run);
    }
}

static void stop_pairs(kg__settlement *run)
{
    char why[256];

    kg__format(
        why, sizeof why,
        "there is no time for %zu pairs within %.0f s (a pair takes %.1f s; --seconds allows more)",
        kg__look_pairs(kg__settle_first_look(run)), run->limit, run->round_seconds);
    fprintf(kg__progress_stream(), "settle: %s: judged by the stored baseline\n", why);
    for (size_t g = 0; g < run->count; g++)
        kg__settle_leave(&run->groups[g], why);
}

/* Ends when there is no time for another pair: repeats the last look as the final one, or leaves
 * the suspects to the baseline if no look could find anything. */
static void end_pairs(kg__settlement *run)
{
    if (run->look > kg__settle_first_look(run)) {
        kg__take_look(run->family, run->family_size, run->look - 1, true);
        settle_groups(run);
    }
    if (count_open_work(run).pairs > 0) {
        stop_pairs(run);
        settle_groups(run);
    }
}

/* Whether there is time for the pairs that the next useful look needs. */
static bool has_time_for_pairs(const kg__settlement *run, const open_work *work)
{
    size_t useful = kg__settle_first_look(run);
    size_t pairs = work->pairs;

    if (run->look < useful)
        pairs += kg__look_pairs(useful) - kg__look_pairs(run->look);
    return kg__settle_elapsed(run) + (double)pairs * run->round_seconds <= run->limit;
}

static void settle_by_first_look(kg__settlement *run)
{
    for (size_t g = 0; g < run->count; g++) {
        for (size_t i = 0; i < run->groups[g].count; i++) {
            kg__suspect *suspect = &run->groups[g].suspects[i];

            if (suspect->settled || run->groups[g].broken)
                continue;
            kg__format(suspect->note + strlen(suspect->note),
                       sizeof suspect->note - strlen(suspect->note),
                       "; no time for two more observations: its first one counts");
            kg__suspect_settle_by_baseline(suspect);
        }
    }
    settle_groups(run);
}

static void print_progress(kg__settlement *run, size_t round)
{
    open_work work = count_open_work(run);

    if (work.suspects == 0 || kg__now() - run->last_report < PROGRESS_EVERY)
        return;
    run->last_report = kg__now();
    fprintf(kg__progress_stream(), "settle: %zu pair%s in %.0f s, %zu of %zu suspects open%s",
            round + 1, round == 0 ? "" : "s", kg__settle_elapsed(run), work.suspects, run->suspects,
            work.pairs > 0 ? "" : "\n");
    if (work.pairs > 0)
        fprintf(kg__progress_stream(), ", the next look in about %.0f s\n",
                (double)work.pairs * run->round_seconds);
    (void)fflush(kg__progress_stream());
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
        (void)kg__settle_run_round(run, round);
        look_if_due(run);
        print_progress(run, round);
    }
}
