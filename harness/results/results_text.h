/* The words for what the results of a run say, which its printers share. Every text that comes out
 * is clean UTF-8 on one line, on the heap, and is freed with free(). */
#ifndef KG__RESULTS_RESULTS_TEXT_H
#define KG__RESULTS_RESULTS_TEXT_H

#include "results/results.h"

/* "1 slower of 54 cases on nvidia-h200, 60 on cpu-model"; "54 cases on nvidia-h200". */
char *kg__results_headline(const kg__results *results);

/* "PASS (exit 0)", "NOTHING JUDGED (exit 77)", with what a reader must not overlook. */
char *kg__results_outcome(const kg__results *results);

/* The outcome's word, two spaces and the headline: "PASS  54 cases on nvidia-h200". */
char *kg__results_verdict_line(const kg__results *results);

/* The shell line that runs a case's test again with that case alone, with KG_STRICT=1 where the
 * case fails by that alone. NULL where the case names no test. The folder to run it in is that of
 * the results, or else build/gpu or build/cpu. */
char *kg__reproduce_case(const kg__results *results, const kg__case_result *result);

/* The shell line that runs a test (NULL: none) again; NULL where that cannot be done. */
char *kg__reproduce_test(const kg__results *results, const char *test);

/* What is to be done about the cases that the CPU model's baseline does not list, in one sentence;
 * NULL where there are none. */
char *kg__results_unlisted(const kg__results *results);

#endif
