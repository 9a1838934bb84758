/* SPDX-License-Identifier: MIT */
/* The texts of findings, for every output. */
#pragma once

#include <stddef.h>

#include "records/finding.h"

/* Writes a finding to `text`, of `size` bytes: "invalid global read of 4 bytes, 132 bytes past
 * the end of c (6400 bytes)", with its thread and count. */
void kg__finding_text(const kg__finding *finding, char *text, size_t size);

/* Writes a finding as a compiler would: preceded by "kernels/a/b.cu:14: error: ", without the
 * line, or the whole place, if unknown. */
void kg__finding_line(const kg__finding *finding, char *text, size_t size);

/* Writes all findings of a case in one line, separated by "; ". */
void kg__findings_text(const kg__findings *findings, char *text, size_t size);
