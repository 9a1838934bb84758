/* SPDX-License-Identifier: MIT */
/* Fingerprints: which launch and machine code a case runs, found without a GPU. */
#pragma once

#include <stdbool.h>

#include "baseline/cubin.h"
#include "records/kernel_code.h"

/* Sets the fingerprint of a case on a device of `compute_capability` ("9.0"): of its launch and of
 * the code that the device runs of every kernel in it, its own architecture's, else that of the
 * nearest lower one of the same major number. False, with the fingerprint as it was, where the
 * launch has no identity, a kernel is missing, or two of its name differ. */
bool kg__kernels_fingerprint(const kg__kernels *kernels, const char *compute_capability,
                             kg__kernel_code *code);
