/* JSON documents in files. */
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

#endif
