#include "results/results_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

bool kg__results_write_json(const char *path, const json_t *document, int indent, kg__error *error)
{
    char *text = json_dumps(document, JSON_INDENT((size_t)indent));
    size_t length;
    bool written;

    if (text == NULL)
        return kg__fail(
            error,
            "%s: the document cannot be written as JSON (a text that is no UTF-8?); the "
            "file stays as it was: rename what is none",
            path);
    length = strlen(text);
    /* The terminating zero gives way to the newline that ends the last line. */
    text[length] = '\n';
    written = kg__file_replace(path, text, length + 1, error);
    free(text);
    return written;
}

json_t *kg__document_load(const char *path, const char *remedy, kg__error *error)
{
    json_error_t position;
    json_t *document;
    const char *cause;
    FILE *file = kg__file_stream(path, &cause);

    if (file == NULL) {
        kg__fail(error, "%s: cannot be read: %s: %s", path, cause, remedy);
        return NULL;
    }
    document = json_loadf(file, JSON_REJECT_DUPLICATES, &position);
    fclose(file);
    if (document == NULL)
        kg__fail(error, "%s:%d: is no JSON: %s: %s", path, position.line, position.text, remedy);
    return document;
}
