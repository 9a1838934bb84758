/* SPDX-License-Identifier: MIT */
/* Identities: the kernels that each case launches, with their arguments, as far as they are
 * known. */
#pragma once

#include <stdbool.h>

#include "base/message.h"
#include "records/kernel_code.h"
#include "suite/table.h"

/* Captures the launch of each case, which never runs, and appends {"event": "identified",
 * "case", "kernel"} to the file `records`; "failed" if it cannot be captured. False with `error`
 * when the device is lost. */
bool kg__identify_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                        int records, kg__error *error);

/* Adds to the code of a measured case the fingerprint of its machine code in this program, if a
 * recording asks for it (kg__wants_fingerprints()); leaves it unknown if it is not found. */
void kg__add_fingerprint(kg__kernel_code *code);
