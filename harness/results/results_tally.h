/* Counting what the tests of a run left: cases by verdict, claims, errors, reasons to skip. */
#ifndef KG__RESULTS_RESULTS_TALLY_H
#define KG__RESULTS_RESULTS_TALLY_H

#include <stdbool.h>

#include "judge/judge.h"
#include "results/verdicts.h"

/* Whether a verdict makes a run fail, by strictness. */
bool kg__verdict_fails(kg__verdict verdict, bool strict);

/* Whether a test finished and left nothing to judge, and no reason. */
bool kg__verdicts_are_silent(const kg__verdicts *verdicts);

/* Adds verdicts to a tally: their cases by verdict, claims, vanished cases, errors and reasons to
 * skip. Those that are not complete count as broken. */
void kg__verdicts_tally(const kg__verdicts *verdicts, kg__tally *tally);

/* Tallies all but cases and vanished ones, which merged results count once for all parts. */
void kg__verdicts_tally_rest(const kg__verdicts *verdicts, kg__tally *tally);

/* The exit code of one test by its verdicts. That of a claim judges no case, and its claim was
 * judged; of a run claims alone are no judgement. */
int kg__verdicts_exit_code(const kg__verdicts *verdicts, bool strict);

#endif
