/* Publishes the results of a run. */
#ifndef KG__CLI_PUBLISH_H
#define KG__CLI_PUBLISH_H

#include <stdbool.h>

#include "results/results.h"

/* Adds the commit of the results, `commit` or (NULL) git's, and the base they were settled against.
 */
void kg__name_commits(kg__results *results, const char *commit);

/* Completes the results with kg__results_describe(), writes results.json into `folder`, and has
 * publish.py print it where progress is narrated, in a `detail` ("quiet", "brief" or "verbose";
 * NULL: not at all), and write the other files that a run leaves; if it is `annotated`, print
 * annotations on the standard output in a job of GitHub Actions too. False, with a complaint, where
 * a file, or what is printed, could not be written, or Python cannot be run. */
bool kg__publish_results(const char *folder, kg__results *results, const char *detail,
                         bool annotated);

/* Prints a file of results in a `detail`. False, with a complaint, where it cannot. */
bool kg__print_results(const char *path, const char *detail);

#endif
