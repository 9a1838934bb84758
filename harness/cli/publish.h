/* The end of a run, whatever measured. */
#ifndef KG__CLI_PUBLISH_H
#define KG__CLI_PUBLISH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* Says what the results are of, `commit` or (NULL) what git says, and which base they were settled
 * against. */
void kg__name_commits(json_t *results, const char *commit);

/* Writes the files that a run leaves into `folder`, and its results to `console` (NULL: to nobody).
 * False, with a complaint, where a file could not be written or the console takes no more. */
bool kg__publish_results(const char *folder, const json_t *results, kg__detail detail,
                         FILE *console);

#endif
