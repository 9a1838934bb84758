/* kernelgate settle: looks at the pairs that were had, the verdicts that follow, and when to end.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/color.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/settle.h"
#include "records/records.h"
#include "results/results.h"
#include "results/time_result.h"

#define PROGRESS_EVERY 2.0

static void add_note(kg__settle_group *of, const kg__suspect *one, const char *text)
{
    char note[KG__MESSAGE_SIZE + KG__MESSAGE_SIZE / 2];
    json_t *notes = json_object_get(of->document, "notes");

    if (notes == NULL) {
        notes = json_array();
        json_object_set_new(of->document, "notes", notes);
    }
    kg__format(note, sizeof note, "%s: %s", one->id, text);
    json_array_append_new(notes, json_string(note));
}

/* Whether a suspect that passes by its pairs had tripped: who reads the results should know. */
static bool is_cleared(const kg__suspect *one)
{
    const char *name;
    json_t *metric;

    if (strcmp(kg__json_text(one->entry, "verdict"), kg__verdict_name(KG__PASS)) != 0)
        return false;
    json_object_foreach (json_object_get(one->entry, "metrics"), name, metric) {
        if (json_is_true(json_object_get(metric, "tripped")))
            return true;
    }
    return false;
}

static void report_settled(kg__settle_group *of, const kg__suspect *one)
{
    char line[2 * KG__MESSAGE_SIZE];

    kg__time_result_line(one->entry, NULL, line, sizeof line);
    kg__print_verdict_line(kg__narration(), line);
    if (one->note[0] != '\0')
        add_note(of, one, one->note);
    if (one->note[0] != '\0')
        kg__print_verdict(kg__narration(), "note", "%-11s  %-32s  %s\n", of->target.key, one->id,
                          one->note);
    if (is_cleared(one))
        add_note(of, one, kg__json_text(one->entry, "why"));
    (void)fflush(kg__narration());
}

/* Settles a suspect as far as it can be; returns whether it is now. */
static bool settle_one(kg__suspect *one, size_t wanted_pairs)
{
    bool disturbed = !one->by_baseline && kg__suspect_is_disturbed(one, wanted_pairs);

    if ((one->by_baseline || disturbed) && kg__suspect_settle_by_finding(one))
        return true;
    if (one->by_baseline && kg__suspect_has_heads(one))
        kg__suspect_settle_by_baseline(one);
    else if (disturbed)
        kg__suspect_settle_disturbed(one);
    else if (!one->by_baseline)
        (void)kg__suspect_settle_by_pairs(one);
    return one->settled;
}

/* Settles what can be, prints it, and writes the verdicts that changed: whenever this command ends,
 * its verdicts are whole, and who is not settled is a suspect still. */
static void settle_group(kg__settlement *all, kg__settle_group *of)
{
    size_t look = all->look < KG__LOOKS ? all->look : KG__LOOKS - 1;
    bool changed = false;
    kg__error error = { "" };

    for (size_t i = 0; i < of->count; i++) {
        kg__suspect *one = &of->suspects[i];

        if (of->reported[i] || (!one->settled && !settle_one(one, kg__look_pairs(look))))
            continue;
        report_settled(of, one);
        of->reported[i] = changed = true;
    }
    if (changed && !kg__results_write_json(of->path, of->document, 1, &error)) {
        kg__complain("%s", error.text);
        all->failed = true;
    }
}

static void settle_groups(kg__settlement *all)
{
    for (size_t g = 0; g < all->count; g++)
        settle_group(all, &all->groups[g]);
}

/* What of the suspects still wants something. */
typedef struct open_work {
    size_t suspects;
    size_t pairs; /* that the one with the fewest needs for the next look */
    bool heads;   /* one wants an observation of this build alone */
} open_work;

static open_work work_left(const kg__settlement *all)
{
    open_work left = { 0 };

    for (size_t g = 0; g < all->count; g++) {
        const kg__settle_group *of = &all->groups[g];

        for (size_t i = 0; i < of->count; i++) {
            const kg__suspect *one = &of->suspects[i];

            left.suspects += !one->settled && !of->broken;
            if (kg__settle_wants(all, of, one) && !one->by_baseline) {
                size_t missing = kg__look_pairs(all->look) - one->pairs;

                left.pairs = missing > left.pairs ? missing : left.pairs;
            }
            left.heads = left.heads || (kg__settle_wants(all, of, one) && one->by_baseline);
        }
    }
    return left;
}

/* The first look that can find a suspect of this family slower, if no other follows. */
size_t kg__settle_first_look(const kg__settlement *all)
{
    size_t look = 0;

    while (look + 1 < KG__LOOKS && !kg__look_can_find(look, all->family_size, true))
        look++;
    return look;
}

/* Looks at the family once every suspect has its pairs. */
static void look_if_due(kg__settlement *all)
{
    settle_groups(all);
    while (all->look < KG__LOOKS && work_left(all).pairs == 0 && work_left(all).suspects > 0) {
        kg__take_look(all->family, all->family_size, all->look, all->look + 1 == KG__LOOKS);
        all->look++;
        settle_groups(all);
    }
}

static void leave_for_lack_of_time(kg__settlement *all)
{
    char why[256];

    kg__format(why, sizeof why,
               "%zu pairs cannot be had within %.0f s (a pair takes %.1f s; --seconds allows more)",
               kg__look_pairs(kg__settle_first_look(all)), all->limit, all->round_seconds);
    fprintf(kg__narration(), "settle: %s: judged by the stored baseline\n", why);
    for (size_t g = 0; g < all->count; g++)
        kg__settle_leave(&all->groups[g], why);
}

/* Without time for a further pair: looks that were made are repeated as the last ones, and where
 * none could have found anything the baseline judges. */
static void end_pairs(kg__settlement *all)
{
    if (all->look > kg__settle_first_look(all)) {
        kg__take_look(all->family, all->family_size, all->look - 1, true);
        settle_groups(all);
    }
    if (work_left(all).pairs > 0) {
        leave_for_lack_of_time(all);
        settle_groups(all);
    }
}

/* Whether the pairs that the next useful look needs can be had in the time that is left. */
static bool has_time_for_pairs(const kg__settlement *all, const open_work *work)
{
    size_t useful = kg__settle_first_look(all);
    size_t pairs = work->pairs;

    if (all->look < useful)
        pairs += kg__look_pairs(useful) - kg__look_pairs(all->look);
    return kg__settle_elapsed(all) + (double)pairs * all->round_seconds <= all->limit;
}

static void settle_without_time(kg__settlement *all)
{
    for (size_t g = 0; g < all->count; g++) {
        for (size_t i = 0; i < all->groups[g].count; i++) {
            kg__suspect *one = &all->groups[g].suspects[i];

            if (one->settled || all->groups[g].broken)
                continue;
            kg__format(one->note + strlen(one->note), sizeof one->note - strlen(one->note),
                       "; no time for two more observations: its first one stands");
            kg__suspect_settle_by_baseline(one);
        }
    }
    settle_groups(all);
}

static void tell_progress(kg__settlement *all, size_t round)
{
    open_work work = work_left(all);

    if (work.suspects == 0 || kg__now() - all->told < PROGRESS_EVERY)
        return;
    all->told = kg__now();
    fprintf(kg__narration(), "settle: %zu pair%s in %.0f s, %zu of %zu suspects open%s", round + 1,
            round == 0 ? "" : "s", kg__settle_elapsed(all), work.suspects, all->suspects,
            work.pairs > 0 ? "" : "\n");
    if (work.pairs > 0)
        fprintf(kg__narration(), ", the next look in about %.0f s\n",
                (double)work.pairs * all->round_seconds);
    (void)fflush(kg__narration());
}

void kg__settle_all(kg__settlement *all)
{
    look_if_due(all);
    for (size_t round = 0;; round++) {
        open_work work = work_left(all);

        if (work.pairs > 0 && round > 0 && !has_time_for_pairs(all, &work)) {
            end_pairs(all);
            work = work_left(all);
        }
        if (work.pairs == 0 && !work.heads)
            break;
        if (work.pairs == 0 && round > 0 &&
            kg__settle_elapsed(all) + all->round_seconds / 2 > all->limit) {
            settle_without_time(all);
            break;
        }
        (void)kg__settle_run_round(all, round);
        look_if_due(all);
        tell_progress(all, round);
    }
}
