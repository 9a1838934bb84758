/* Publishes the results of a run. */
#ifndef KG__CLI_PUBLISH_H
#define KG__CLI_PUBLISH_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* Adds the commit of the results, `commit` or (NULL) git's, and the base they were settled against.
 */
void kg__name_commits(kg__results *results, const char *commit);

/* Completes the results with kg__results_describe(), writes the files that a run leaves into
 * `folder`, and its results to `console` (NULL: to nobody); if it is `annotated`, prints
 * annotations on the standard output in a job of GitHub Actions. False, with a complaint, where a
 * file could not be written, or the console cannot be written. */
bool kg__publish_results(const char *folder, kg__results *results, kg__detail detail, FILE *console,
                         bool annotated);

#endif
