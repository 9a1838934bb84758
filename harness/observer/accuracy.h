/* Accuracy: how far float results are from what the reference expects. */
#ifndef KG__OBSERVER_ACCURACY_H
#define KG__OBSERVER_ACCURACY_H

#include <kernelgate/kernelgate.h>

#include "device/buffers.h"
#include "observer/problem.h"
#include "records/observation.h"

/* Of results that have no error to speak of. */
#define KG__NO_ACCURACY ((kg__accuracy){ -1, -1 })

/* The errors of `count` right elements of `type` in roundoffs of that type at the scale of their
 * tolerances, by the formula of docs/judging.md, rounded to four digits. False where there are
 * none: of integers, and where every element with a finite tolerance above 0 is expected to be 0.
 */
bool kg__accuracy_of(kg_type type, const void *computed, const double *expected,
                     const double *tolerance, size_t count, kg__accuracy *accuracy);

/* Measures the results in `buffers`, which are right, by the problem's reference: of several
 * outputs the largest errors, KG__NO_ACCURACY where none has any. What holds the bits of the
 * problem's kept results has their errors, and the errors of what is yet to be kept become the
 * problem's. */
void kg__measure_accuracy(kg__problem *problem, kg__buffers *buffers, kg__accuracy *accuracy);

#endif
