/* The words that results have for their printers in all programs: made once. */
#ifndef KG__RESULTS_RESULTS_DESCRIBE_H
#define KG__RESULTS_RESULTS_DESCRIBE_H

#include "results/results.h"

/* Adds the words to results: the summary (the outcome and the counts in words, what is to be done
 * about unlisted cases, what the baselines let pass), the groups of failures, the reason of each
 * case that did not pass, the commands to run again what failed, and why a case has vanished. */
void kg__results_describe(kg__results *results);

#endif
