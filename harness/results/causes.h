/* Causes: what changed beside a slow verdict, from what all targets of a run say of a case. Pure:
 * entries in, short texts out. */
#ifndef KG__RESULTS_CAUSES_H
#define KG__RESULTS_CAUSES_H

#include <jansson.h>

/* Completes the list KG__CHANGED of every GPU's entry whose times are slower or put down to the
 * environment, which so far holds how its kernel differs from the baseline's. Added are the card's
 * clocks and temperature, and what the CPU model says of the same case: which counters moved, with
 * their lines of source, that none did, or how to find out. Where the model did not count the size,
 * the variant's other sizes are heard. Beside any other verdict, as of a suspect that was cleared,
 * there is no such list.
 *
 * `cases` are entries by target, then by id; `provenance` is by target. */
void kg__causes_add(json_t *cases, const json_t *provenance);

#endif
