/* Documents in files: JSON with a schema and a form. */
#ifndef KG__RESULTS_RESULTS_FILES_H
#define KG__RESULTS_RESULTS_FILES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/message.h"

/* Writes a JSON document to `path` atomically (temporary file, flush, rename). `indent` spaces.
 * False with `error`. */
bool kg__results_write_json(const char *path, const json_t *document, int indent, kg__error *error);

/* Reads the JSON of a regular file; NULL with `error`, which ends in `remedy`, what to do. */
json_t *kg__document_load(const char *path, const char *remedy, kg__error *error);

/* The same of an object of a schema, which has to have its form. */
json_t *kg__document_load_as(const char *path, const char *remedy, const char *schema,
                             bool (*has_form)(const json_t *, kg__error *), kg__error *error);

/* Reads a test's verdicts file and checks its form; NULL with `error` when it is unusable. */
json_t *kg__verdicts_load_json(const char *path, kg__error *error);

#endif
