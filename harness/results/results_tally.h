/* Counting what the tests of a run left: cases by verdict, claims, errors, reasons to skip. */
#ifndef KG__RESULTS_RESULTS_TALLY_H
#define KG__RESULTS_RESULTS_TALLY_H

#include <jansson.h>
#include <stdbool.h>

#include "judge/judge.h"

/* Whether a test finished and left nothing to judge, and no reason. */
bool kg__verdicts_are_silent(const json_t *verdicts);

/* Tallies all but cases and vanished ones, which a merged document counts once for all parts. */
void kg__verdicts_tally_rest(const json_t *verdicts, kg__tally *tally);

/* The tally as results have it; the caller's. */
json_t *kg__tally_json(const kg__tally *tally);

/* The exit code of one test by its verdicts. That of a claim judges no case, and its claim was
 * judged; of a run claims alone are no judgement. */
int kg__verdicts_exit_code(const json_t *verdicts, bool strict);

#endif
