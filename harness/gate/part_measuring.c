/* SPDX-License-Identifier: MIT */
/* The parts `time` and `count`: observations, confirmations of what tripped, and suspects. */

#include "gate/instrumented_program.h"
#include "gate/part.h"
#include "records/observation.h"
#include "results/time_result.h"

static bool awaits_confirmation(const kg__part_run *run, const kg__part_case *part_case)
{
    (void)run;
    return part_case->result == NULL && part_case->tripped && !part_case->suspect;
}

/* One process with instrumented kernels: counts repeat exactly, so that there is nothing to
 * confirm.
 */
void kg__part_count(kg__part_run *run)
{
    kg__error why = { "" };

    if (!kg__instrumented_program(NULL, run->instrumented, sizeof run->instrumented, &why)) {
        kg__part_add_error(run, why.text);
        return;
    }
    run->watching = true;
    (void)kg__part_observe(run, NULL, KG__COUNTED);
    run->watching = false;
}

/* Suspects keep the verdict of their one observation, which counts unless they are settled: with
 * them is left what settling needs of that observation. */
static void keep_suspects(kg__part_run *run)
{
    const kg__observation *sentinels = kg__sentinels_observation(&run->pool, &run->sentinels[0]);

    for (size_t i = 0; i < run->count; i++) {
        kg__part_case *part_case = &run->part_cases[i];
        kg__case_result *result;

        if (!part_case->suspect || part_case->result != NULL)
            continue;
        result = kg__part_judge(run, part_case);
        result->suspect = true;
        result->first = part_case->measured[0];
        result->first_sentinels = sentinels;
        kg__part_keep(part_case, result);
    }
}

/* Whether a case is timed for its own sake: with KG_CHANGED=1 only what changed, and the sample. */
static bool awaits_timing(const kg__part_run *run, const kg__part_case *part_case)
{
    (void)run;
    return part_case->result == NULL && !part_case->refused && !kg__part_is_left_alone(part_case);
}

/* Settles the cases that were not timed because their code is unchanged. */
static void settle_unchanged(kg__part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        kg__part_case *part_case = &run->part_cases[i];

        if (part_case->result == NULL && kg__part_is_left_alone(part_case) && !part_case->refused)
            kg__part_settle(run, part_case, kg__part_unchanged(run, part_case));
    }
}

/* Whether the machine may be the cause of what a case's times say, unless its code changed. */
static bool is_doubtful(const kg__part_case *part_case)
{
    const kg__case_result *result = part_case->result;

    if (result == NULL)
        return part_case->tripped;
    return result->same_code == NULL &&
           (result->verdict == KG__NOISY || result->verdict == KG__ENVIRONMENT);
}

/* Looks whether the code of what is in doubt is unchanged, where that is not known yet. Another
 * process would not make unchanged code slower or faster. */
static void resolve_doubts(kg__part_run *run)
{
    bool any = false;

    for (size_t i = 0; i < run->count; i++)
        any = any || is_doubtful(&run->part_cases[i]);
    if (any && !kg__is_changed_only())
        kg__part_identify(run);
    for (size_t i = 0; i < run->count && any; i++) {
        kg__part_case *part_case = &run->part_cases[i];

        if (!is_doubtful(part_case) || part_case->same_code == NULL)
            continue;
        if (part_case->result != NULL)
            part_case->result->same_code = part_case->same_code;
        else if (!part_case->suspect || !kg__is_paired())
            kg__part_settle(run, part_case, kg__part_judge(run, part_case));
    }
}

/* All variants in one process; then, for what tripped, two more; the median of the three decides.
 * With a base at hand only what tripped downward is confirmed, the rest are suspects.
 */
void kg__part_measure(kg__part_run *run)
{
    char label[32] = "first";
    bool observed;

    if (kg__is_changed_only())
        kg__part_identify(run);
    observed = kg__part_observe(run, awaits_timing, label);
    settle_unchanged(run);
    resolve_doubts(run);
    keep_suspects(run);
    if (!observed)
        return;
    kg__part_write(run, false);
    for (run->round = 1; run->round <= KG__CONFIRMATIONS; run->round++) {
        kg__format(label, sizeof label, "confirm%zu", run->round);
        if (!kg__part_observe(run, awaits_confirmation, label))
            return;
    }
    for (size_t i = 0; i < run->count; i++) {
        if (awaits_confirmation(run, &run->part_cases[i]))
            kg__part_settle(run, &run->part_cases[i], kg__part_judge(run, &run->part_cases[i]));
    }
}
