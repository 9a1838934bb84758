/* SPDX-License-Identifier: MIT */
/* What the CPU model found: compared field by field, and as text for the message of a test that
 * fails. */
#pragma once

#include "model/watch/watch.h"

/* Whether a finding is of a kind; every kind of race is the same here. */
bool is_of_kind(const kg__finding *finding, kg__finding_kind kind);

/* Whether a finding has the kind and the other fields of `expected`. What is 0 or NULL there is not
 * compared; offsets are where the size is. */
bool is_as_expected(const kg__finding *finding, const kg__finding *expected);

/* All findings of a report, one per line, "none" where there is none; good until the next call. */
const char *findings_of(const kg__model_report *report);
