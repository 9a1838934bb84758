#include "results/results_tally.h"

bool kg__verdict_fails(kg__verdict verdict, bool strict)
{
    return verdict >= KG__SLOWER || (strict && verdict > KG__FASTER);
}

bool kg__verdicts_are_silent(const kg__verdicts *verdicts)
{
    return verdicts->complete && verdicts->skipped == NULL && verdicts->case_count == 0 &&
           verdicts->claim_count == 0 && verdicts->refused_count == 0 &&
           verdicts->vanished.count == 0 && verdicts->errors.count == 0;
}

void kg__verdicts_tally_rest(const kg__verdicts *verdicts, kg__tally *tally)
{
    bool had_no_case =
        verdicts->skipped_by == KG__SKIP_FILTER || verdicts->skipped_by == KG__SKIP_EMPTY;

    tally->broken += !verdicts->complete;
    tally->broken += verdicts->errors.count;
    for (size_t i = 0; i < verdicts->claim_count; i++)
        tally->failed_claims += !verdicts->claims[i].holds;
    if (verdicts->skipped != NULL && had_no_case)
        tally->filtered_out++;
    else if (verdicts->skipped != NULL)
        tally->unavailable++;
    else if (kg__verdicts_are_silent(verdicts))
        tally->broken++;
}

void kg__verdicts_tally(const kg__verdicts *verdicts, kg__tally *tally)
{
    for (size_t i = 0; i < verdicts->case_count; i++)
        tally->verdicts[verdicts->cases[i]->verdict]++;
    tally->vanished += verdicts->vanished.count;
    kg__verdicts_tally_rest(verdicts, tally);
}

int kg__verdicts_exit_code(const kg__verdicts *verdicts, bool strict)
{
    kg__tally tally = { 0 };

    kg__verdicts_tally(verdicts, &tally);
    if (verdicts->claim_count > 0)
        tally.verdicts[KG__PASS]++;
    return kg__exit_code(&tally, strict);
}
