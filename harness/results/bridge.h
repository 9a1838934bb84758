/* For as long as readers of results have JSON: what results of cases can do, by their JSON. */
#ifndef KG__RESULTS_BRIDGE_H
#define KG__RESULTS_BRIDGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "results/verdicts.h"
#include "suite/target.h"

#define KG__CHANGED "changed"
#define KG__IMPORTED "imported"

/* As kg__is_counted(). */
bool kg__is_counted_json(const json_t *entry);

/* As kg__counted_moves(). */
void kg__counted_moves_json(const json_t *entry, char *text, size_t size);

/* As kg__time_result_line(). */
void kg__time_result_line_json(const json_t *entry, char *text, size_t size);

/* As kg__results_reason(). */
char *kg__case_result_reason(const kg__case_result *result);

/* As kg__failure_group_key(). */
char *kg__case_result_group_key(const kg__case_result *result);

/* As kg__case_result_make(), of a timed case. */
json_t *kg__plain_result_json(const char *id, const kg__target *target, const char *part,
                              kg__verdict verdict, const char *why);

/* As kg__verdicts_tally(). */
void kg__verdicts_tally_cases(const kg__verdicts *verdicts, kg__tally *tally);

/* The entry of a case in a verdicts document. */
const json_t *kg__find_entry(const json_t *verdicts, const char *id);

#endif
