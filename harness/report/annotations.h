/* Annotations: what failed, as GitHub Actions shows it beside the lines of a change. They are
 * workflow commands, lines of a job's log such as
 *
 *     ::error file=kernels/a/b.cu,line=14,title=slower%3A a/b/64/b32 on t::slower by 6.3 %25
 *
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands has the form.
 */
#ifndef KG__REPORT_ANNOTATIONS_H
#define KG__REPORT_ANNOTATIONS_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* GitHub shows ten errors and ten warnings of a step, and drops what comes behind them. */
#define KG__ANNOTATIONS_SHOWN 10

/* Where the sources are. */
typedef struct kg__annotated_tree {
    const char *folder; /* in which kernels/, suites/ and baselines/ stand */
    const char *prefix; /* of that folder in the repository, "" or "its/path/" */
} kg__annotated_tree;

/* Prints the annotations of a results document, the worst first: errors for what makes the run
 * fail, warnings for what is in doubt, KG__ANNOTATIONS_SHOWN of them at most, of which the last
 * tells how many more there are. Cases of a variant with the same verdict on the same target are
 * one annotation, which lists them; of those that are wrong or errors the ones that failed alike.
 * Returns how many were printed.
 *
 * Each points at the line that its reason names or, where that names none, at the kernel of the
 * variant; at a claim's test; at a vanished case's line of its baseline. Where no such file is in
 * the tree the annotation points nowhere. Texts of any origin are escaped, so that none can be
 * taken for a command of its own. */
size_t kg__annotations_print(FILE *stream, const json_t *results, const kg__annotated_tree *tree);

/* Writes a text as the message of a workflow command: %, carriage return and newline escaped. */
void kg__annotation_write_message(FILE *stream, const char *text);

/* Writes a text as a property of a workflow command: colons and commas are escaped too. */
void kg__annotation_write_property(FILE *stream, const char *text);

/* The path of `folder` below `repository` with a slash behind it, "" where it is the repository
 * itself, or elsewhere, or either cannot be resolved. */
void kg__annotation_prefix(const char *repository, const char *folder, char *prefix, size_t size);

#endif
