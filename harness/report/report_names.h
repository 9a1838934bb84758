/* What a results document has to report of: its comparisons, and their targets. Pure. */
#ifndef KG__REPORT_REPORT_NAMES_H
#define KG__REPORT_REPORT_NAMES_H

#include <jansson.h>
#include <stddef.h>

/* A list of names, each once, in order of first appearance. */
typedef struct kg__report_names {
    char **names;
    size_t count;
    size_t room;
} kg__report_names;

/* The comparisons that the results have cases of. */
kg__report_names kg__report_comparisons(const json_t *results);

/* The targets that have cases of a comparison, GPUs first. */
kg__report_names kg__report_targets(const json_t *results, const char *comparison);

/* Splits the results by comparison, in order of first appearance: an object with a document for
 * each that has its cases and what was refused of it, and all else as it is. The caller's; the
 * entries are shared. */
json_t *kg__report_split(const json_t *results);

/* Frees the list and its names, and empties it. */
void kg__report_names_free(kg__report_names *list);

#endif
