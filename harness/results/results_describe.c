#include "results/results_describe.h"

#include <stdlib.h>

#include "baseline/baseline_changes.h"
#include "results/failure_groups.h"
#include "results/result_text.h"
#include "results/results_text.h"

/* Gives a text on the heap (or NULL) to the results. */
static const char *keep(const kg__results *results, char *text)
{
    if (text != NULL)
        kg__pool_keep(results->pool, text, free);
    return text;
}

static void describe_cases(const kg__results *results)
{
    for (size_t i = 0; i < results->case_count; i++) {
        kg__case_result *result = results->cases[i];

        if (result->verdict != KG__PASS)
            result->reason = keep(results, kg__case_result_reason(result));
        if (result->verdict > KG__FASTER)
            result->reproduce = keep(results, kg__reproduce_case(results, result));
    }
}

static void describe_remarks(const kg__results *results)
{
    for (size_t i = 0; i < results->errors.count; i++)
        results->errors.items[i].reproduce =
            keep(results, kg__reproduce_test(results, results->errors.items[i].test));
    for (size_t i = 0; i < results->claims.count; i++) {
        kg__remark *claim = &results->claims.items[i];

        if (!claim->holds)
            claim->reproduce = keep(results, kg__reproduce_test(results, claim->test));
    }
    for (size_t i = 0; i < results->vanished.count; i++)
        results->vanished.items[i].why = kg__pool_format(
            results->pool,
            "the baseline has it, and it is in no table or refused: put it back, or retire it with "
            "ci/rebaseline or kernelgate baseline retire (baselines/%s.json)",
            results->vanished.items[i].target);
}

void kg__results_describe(kg__results *results)
{
    results->summary = (kg__summary){
        .outcome = keep(results, kg__results_outcome(results)),
        .headline = keep(results, kg__results_headline(results)),
        .verdict = keep(results, kg__results_verdict_line(results)),
        .unlisted = keep(results, kg__results_unlisted(results)),
        .baselines = keep(results, kg__baseline_changes_sentence(&results->baselines)),
        .loosened = kg__baseline_changes_lines(&results->baselines, results->pool),
    };
    results->groups = kg__failure_groups_make(results->pool, results->cases, results->case_count);
    describe_cases(results);
    describe_remarks(results);
}
