/* Causes: what changed next to a slow verdict, by what all targets of a run say of a case. */
#ifndef KG__RESULTS_CAUSES_H
#define KG__RESULTS_CAUSES_H

#include "results/results.h"

/* Completes the list `changed` of every GPU's case whose times are slower or put down to the
 * environment, which so far says how its kernel differs from the baseline's. Added are the GPU's
 * clocks and temperature, and what the CPU model says of the same case: which counters moved, with
 * their lines of source, that none did, or how to find out. Where the model did not count the size,
 * the variant's other sizes are asked. Next to any other verdict, as of a suspect that was cleared,
 * there is no such list. */
void kg__causes_add(kg__results *results);

#endif
