/* The line that a test prints of a case; tools/kernelgate/console.py prints it of a whole run. */
#ifndef KG__REPORT_CASE_LINE_H
#define KG__REPORT_CASE_LINE_H

#include <stddef.h>

#include "results/case_result.h"

/* Verdict, target, case, figures, reason. `word` replaces a verdict that is not final yet, and is
 * NULL otherwise. */
void kg__case_line(const kg__case_result *result, const char *word, char *text, size_t size);

#endif
