/* The words that a results document has for its printers in other programs: made once, from the
 * same sources as the console's. */
#ifndef KG__RESULTS_RESULTS_DESCRIBE_H
#define KG__RESULTS_RESULTS_DESCRIBE_H

#include <jansson.h>

/* Adds to a merged document, in place of what is there: "summary" (the outcome and the counts in
 * words, what is to be done about unlisted cases, what the baselines let pass), "failure_groups",
 * to each case that did not pass its "reason", to each case, error and claim that did not pass the
 * line "reproduce", and to each vanished case "why". */
void kg__results_describe(json_t *results);

#endif
