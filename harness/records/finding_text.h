/* Findings in words: the one place where they get any. */
#ifndef KG__RECORDS_FINDING_TEXT_H
#define KG__RECORDS_FINDING_TEXT_H

#include <stddef.h>

#include "records/finding.h"

/* Writes what is wrong to `text`, of `size` bytes: "invalid global read of 4 bytes, 132 bytes past
 * the end of c (6400 bytes)", by whom, and how often. */
void kg__finding_text(const kg__finding *finding, char *text, size_t size);

/* The same as a compiler prints it: "kernels/a/b.cu:14: error: " before it, without the line, or
 * either, where it is not known. */
void kg__finding_line(const kg__finding *finding, char *text, size_t size);

/* All findings of a case in one line, separated by "; ". */
void kg__findings_text(const kg__findings *findings, char *text, size_t size);

#endif
