/* What the CPU model found, in words for the message of a test that fails. */
#ifndef KG__FINDING_TEXTS_H
#define KG__FINDING_TEXTS_H

#include "model/watch/watch.h"

/* A kind of finding: "out of bounds". */
const char *kind_name(kg__model_finding_kind kind);

/* All findings of a report, a line each, "none" where there is none; good until the next call. */
const char *findings_of(const kg__model_report *report);

#endif
