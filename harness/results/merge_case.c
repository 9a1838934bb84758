#include "results/merge_case.h"

#include <math.h>
#include <string.h>

/* Adds the metrics of one part to those of a case; of two of a name the one with the worse verdict
 * is kept. */
static void merge_metrics(kg__pool *pool, kg__case_result *merged, const kg__case_result *part)
{
    for (size_t i = 0; i < part->metric_count; i++) {
        const kg__metric_result *metric = &part->metrics[i];
        kg__metric_result *known = kg__case_result_metric(merged, metric->figures.name);

        if (known == NULL)
            *kg__case_result_add_metric(pool, merged, metric->figures.name) = *metric;
        else if (metric->verdict != KG__VERDICTS &&
                 (known->verdict == KG__VERDICTS || metric->verdict > known->verdict))
            *known = *metric;
    }
}

/* Gives a merged case the verdict of one of its parts, its reason and the test to run again. */
static void take_verdict(kg__case_result *merged, const kg__case_result *part, const char *test)
{
    merged->verdict = part->verdict;
    merged->why = part->why != NULL ? part->why : "";
    merged->findings = part->findings;
    merged->also = part->also;
    merged->failure = part->failure;
    merged->failure_symbol = part->failure_symbol;
    merged->at_file = part->at_file;
    merged->at_line = part->at_line;
    merged->test = test;
}

/* What else a part recorded is kept; the first part that has it is heard. */
static void take_missing(kg__case_result *merged, const kg__case_result *part)
{
    if (merged->observers == 0)
        merged->observers = part->observers;
    if (isnan(merged->smallest))
        merged->smallest = part->smallest;
    if (merged->absent_count == 0) {
        merged->absent = part->absent;
        merged->absent_count = part->absent_count;
    }
    if (merged->lines == NULL)
        merged->lines = part->lines;
    if (merged->sampled_of == 0) {
        merged->sampled_blocks = part->sampled_blocks;
        merged->sampled_of = part->sampled_of;
    }
    if (merged->work == NULL)
        merged->work = part->work;
    if (merged->kernel == NULL)
        merged->kernel = part->kernel;
    if (merged->gpu_state == NULL)
        merged->gpu_state = part->gpu_state;
    if (merged->changed.count == 0)
        merged->changed = part->changed;
    if (merged->base_ref == NULL) {
        merged->base_ref = part->base_ref;
        merged->base_commit = part->base_commit;
    }
    if (merged->note == NULL)
        merged->note = part->note;
    if (merged->imported.from == NULL)
        merged->imported = part->imported;
    merged->suspect = merged->suspect || part->suspect;
}

static void add_part(kg__pool *pool, kg__case_result *merged, const kg__case_result *part)
{
    if (part->part != NULL)
        kg__pool_add_text(pool, &merged->parts, part->part);
    merged->seconds += isfinite(part->seconds) ? part->seconds : 0;
    merge_metrics(pool, merged, part);
    take_missing(merged, part);
}

kg__case_result *kg__first_part(kg__pool *pool, const kg__case_result *part, const char *test)
{
    kg__case_result *merged = kg__pool_array(pool, 1, sizeof *merged);

    *merged = (kg__case_result){ .id = part->id, .target = part->target, .smallest = NAN };
    merged->parts.items = kg__pool_array(pool, 0, sizeof *merged->parts.items);
    add_part(pool, merged, part);
    take_verdict(merged, part, test);
    return merged;
}

void kg__merge_part(kg__pool *pool, kg__case_result *merged, const kg__case_result *part,
                    const char *test)
{
    add_part(pool, merged, part);
    /* The worst part gives the verdict; of equals the one that gives a reason. */
    if (part->verdict > merged->verdict ||
        (part->verdict == merged->verdict && *merged->why == '\0'))
        take_verdict(merged, part, test);
}
