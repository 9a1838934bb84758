/* SPDX-License-Identifier: MIT */
/* Computed elements against expected ones. */
#pragma once

#include <kernelgate/types.h>

/* Compares `count` computed elements with the expected ones: |got - expected| <= tolerance, so
 * NaN fails unless NaN was expected. Returns true when all are right; else fills `mismatch` with
 * the first bad one, and `unwritten` with how many of the bad ones still hold `poison` in every
 * byte. */
bool kg__compare(kg_type type, const void *computed, const double *expected,
                 const double *tolerance, size_t count, unsigned char poison, kg_mismatch *mismatch,
                 size_t *unwritten);
