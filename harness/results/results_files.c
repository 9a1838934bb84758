#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "results/results.h"
#include "results/results_form.h"

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

/* A document to be read, for the error's one line. */
typedef struct place {
    const char *path;
    const char *remedy;
    kg__error *error;
} place;

/* The JSON of a regular file; NULL with the error of `at`. */
static json_t *load_document(const place *at)
{
    json_error_t position;
    json_t *document;
    const char *cause;
    FILE *file = kg__file_stream(at->path, &cause);

    if (file == NULL) {
        kg__fail(at->error, "%s: cannot be read: %s: %s", at->path, cause, at->remedy);
        return NULL;
    }
    document = json_loadf(file, JSON_REJECT_DUPLICATES, &position);
    fclose(file);
    if (document == NULL)
        kg__fail(at->error, "%s:%d: is no JSON: %s: %s", at->path, position.line, position.text,
                 at->remedy);
    return document;
}

static bool check_schema(const place *at, const json_t *document, const char *schema)
{
    if (!json_is_object(document))
        return kg__fail(at->error, "%s: is no JSON object: %s", at->path, at->remedy);
    if (strcmp(kg__json_text(document, "schema"), schema) == 0)
        return true;
    return kg__fail(at->error,
                    "%s: its schema is \"%s\", not \"%s\": it was written by another version; %s",
                    at->path, kg__json_text(document, "schema"), schema, at->remedy);
}

/* Whether a document has a form, or else the error that says where it has not. */
static bool check_form(const place *at, const json_t *document,
                       bool (*has_form)(const json_t *, kg__error *))
{
    kg__error fault = { "" };

    return has_form(document, &fault) ||
           kg__fail(at->error, "%s: %s: %s", at->path, fault.text, at->remedy);
}

json_t *kg__document_load(const char *path, const char *remedy, kg__error *error)
{
    place at = { path, remedy, error };

    return load_document(&at);
}

json_t *kg__verdicts_make_json(const char *test)
{
    return json_pack("{s:s, s:s, s:b, s:f, s:[], s:[], s:[], s:[], s:[], s:[], s:[]}", "schema",
                     KG__VERDICTS_SCHEMA, "test", test, "complete", 1, "seconds", 0.0, "errors",
                     "vanished", "refused", "claims", "speedups", "notes", "cases");
}

json_t *kg__verdicts_load_json(const char *path, kg__error *error)
{
    place at = { path, "run the test again", error };
    json_t *document = load_document(&at);

    if (document != NULL && !(check_schema(&at, document, KG__VERDICTS_SCHEMA) &&
                              check_form(&at, document, kg__verdicts_have_form))) {
        json_decref(document);
        return NULL;
    }
    return document;
}

json_t *kg__results_load(const char *path, kg__error *error)
{
    place at = { path, "run ctest, which writes it, or name another results file", error };
    json_t *document = load_document(&at);

    if (document != NULL && !(check_schema(&at, document, KG__RESULTS_SCHEMA) &&
                              check_form(&at, document, kg__results_have_form))) {
        json_decref(document);
        return NULL;
    }
    return document;
}
