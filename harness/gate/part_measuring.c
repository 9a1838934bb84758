/* The parts `time` and `count`: observations, confirmations of what tripped, and suspects. */
#include <stdio.h>
#include <string.h>

#include "baseline/fingerprint.h"
#include "gate/instrumented_program.h"
#include "gate/part.h"
#include "records/observation.h"
#include "results/time_result.h"

static bool awaits_confirmation(const kg__part_run *run, const kg__subject *subject)
{
    (void)run;
    return subject->result == NULL && subject->tripped && !subject->suspect;
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
    (void)kg__part_observe(run, NULL, "first");
    run->watching = false;
}

/* Whether a case tripped and is open, to be confirmed or to be left as a suspect. */
static bool awaits_verdict(const kg__subject *subject)
{
    return subject->result == NULL && subject->tripped;
}

/* Whether any case that tripped has a baseline that knows its machine code under this toolkit: no
 * other can be compared. */
static bool can_compare_code(const kg__part_run *run)
{
    const char *then = kg__provenance_text(&run->baseline.provenance, "cuda");
    const char *now = kg__provenance_text(run->provenance, "cuda");

    if (!run->has_baseline || *then == '\0' || strcmp(then, now) != 0)
        return false;
    for (size_t i = 0; i < run->count; i++) {
        const kg__subject *subject = &run->subjects[i];
        const kg__baseline_case *recorded = kg__baseline_find(&run->baseline, subject->c->id);

        if (awaits_verdict(subject) && recorded != NULL && recorded->code != NULL &&
            recorded->code->fingerprint[0] != '\0')
            return true;
    }
    return false;
}

/* Notes which machine code the cases ran that tripped, where that can be known. This program is
 * read while nothing is timed. */
static void identify_code(kg__part_run *run)
{
    kg__kernels kernels = { 0 };

    if (can_compare_code(run))
        kg__kernels_add(&kernels, NULL, "");
    for (size_t i = 0; i < run->count && kernels.count > 0; i++) {
        const kg__subject *subject = &run->subjects[i];

        for (size_t j = 0; j < subject->observers && awaits_verdict(subject); j++)
            (void)kg__kernels_fingerprint(&kernels, "", run->target.compute_capability,
                                          subject->measured[j]->kernel);
    }
    kg__kernels_free(&kernels);
}

/* Suspects keep the verdict of their one observation, which counts unless they are settled: with
 * them is left what settling needs of that observation. */
static void keep_suspects(kg__part_run *run)
{
    const kg__observation *sentinels = kg__sentinels_observation(&run->pool, &run->sentinels[0]);
    bool identified = false;

    for (size_t i = 0; i < run->count; i++) {
        kg__subject *subject = &run->subjects[i];
        kg__case_result *result;

        if (!subject->suspect || subject->result != NULL)
            continue;
        if (!identified)
            identify_code(run);
        identified = true;
        result = kg__part_judge(run, subject);
        result->suspect = true;
        result->first = subject->measured[0];
        result->first_sentinels = sentinels;
        kg__part_keep(subject, result);
    }
}

/* All variants in one process; then, for what tripped, two more; the median of the three decides.
 * With a base at hand only what tripped downwards is confirmed, the rest are suspects.
 */
void kg__part_measure(kg__part_run *run)
{
    char label[32] = "first";
    bool observed = kg__part_observe(run, NULL, label);

    keep_suspects(run);
    if (!observed)
        return;
    kg__part_write(run, false);
    for (run->round = 1; run->round <= KG__CONFIRMATIONS; run->round++) {
        kg__format(label, sizeof label, "confirm%zu", run->round);
        if (!kg__part_observe(run, awaits_confirmation, label))
            return;
    }
    identify_code(run);
    for (size_t i = 0; i < run->count; i++) {
        if (awaits_confirmation(run, &run->subjects[i]))
            kg__part_settle(run, &run->subjects[i], kg__part_judge(run, &run->subjects[i]));
    }
}
