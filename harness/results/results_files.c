#include "results/results_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "results/results_form.h"
#include "results/verdicts.h"

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

json_t *kg__document_load_as(const char *path, const char *remedy, const char *schema,
                             bool (*has_form)(const json_t *, kg__error *), kg__error *error)
{
    json_t *document = kg__document_load(path, remedy, error);
    kg__error fault = { "" };

    if (document == NULL)
        return NULL;
    if (!json_is_object(document))
        kg__fail(error, "%s: is no JSON object: %s", path, remedy);
    else if (strcmp(kg__json_text(document, "schema"), schema) != 0)
        kg__fail(error,
                 "%s: its schema is \"%s\", not \"%s\": it was written by another version; %s",
                 path, kg__json_text(document, "schema"), schema, remedy);
    else if (!has_form(document, &fault))
        kg__fail(error, "%s: %s: %s", path, fault.text, remedy);
    else
        return document;
    json_decref(document);
    return NULL;
}

json_t *kg__verdicts_load_json(const char *path, kg__error *error)
{
    return kg__document_load_as(path, "run the test again", KG__VERDICTS_SCHEMA,
                                kg__verdicts_have_form, error);
}
