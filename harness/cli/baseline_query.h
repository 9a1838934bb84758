/* kernelgate --baseline FILE...: baselines as the strict reader takes them, for the commands that
 * are Python programs. */
#ifndef KG__CLI_BASELINE_QUERY_H
#define KG__CLI_BASELINE_QUERY_H

#include <stddef.h>

/* Prints a list with an object for each of `count` files: {"error", "cases"}, the reader's and how
 * many cases it took, where a file is not right; {} where there is none; else {"document",
 * "limits", "outdated"}: what is in the file, {"smallest"}, the smallest slowdown that is found, of
 * each metric by case or sentinel, and the counters that its version of the model counted
 * otherwise. Returns the exit code: KG__EXIT_ERROR, with a complaint, only if the standard output
 * cannot be written. */
int kg__answer_baselines(size_t count, char *const *paths);

#endif
