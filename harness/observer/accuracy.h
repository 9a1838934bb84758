/* Accuracy: how far float results are from what the reference expects. Pure. */
#ifndef KG__OBSERVER_ACCURACY_H
#define KG__OBSERVER_ACCURACY_H

#include <kernelgate/kernelgate.h>

#include "records/observation.h"

/* The errors of `count` right elements of `type` in roundoffs of that type at the scale of their
 * tolerances, by the formula of docs/judging.md, rounded to four digits. False where there are
 * none: of integers, and where every element with a finite tolerance above 0 is expected to be 0.
 */
bool kg__accuracy_of(kg_type type, const void *computed, const double *expected,
                     const double *tolerance, size_t count, kg__accuracy *accuracy);

#endif
