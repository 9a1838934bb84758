/* What the CPU model found, field by field, to be compared and for the message of a test that
 * fails. */
#ifndef KG__FINDING_TEXTS_H
#define KG__FINDING_TEXTS_H

#include "model/watch/watch.h"

/* Whether a finding is of a kind; a race is of any kind of race. */
bool is_of_kind(const kg__finding *finding, kg__finding_kind kind);

/* The fields of a finding: "out_of_bounds: a.cu:14: read 4 bytes at a + 128 of 128, block ...";
 * good until the next call. */
const char *fields_of(const kg__finding *finding);

/* All findings of a report, a line each, "none" where there is none; good until the next call. */
const char *findings_of(const kg__model_report *report);

#endif
