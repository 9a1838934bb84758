/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

const char *kg__json_text(const json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));

    return text != NULL ? text : "";
}

double kg__json_number(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);

    return json_is_number(number) ? json_number_value(number) : (double)NAN;
}

void kg__json_set_finite(json_t *object, const char *key, double value)
{
    if (isfinite(value))
        json_object_set_new(object, key, json_real(value));
}

void kg__json_set_count(json_t *object, const char *key, const char *metric, double value)
{
    if (*kg__metric_unit(metric) == '\0' && value == rint(value) &&
        fabs(value) <= KG__LARGEST_FIGURE)
        json_object_set_new(object, key, json_integer((json_int_t)value));
}

void kg__json_set_object(json_t *object, const char *key, json_t *member)
{
    if (json_object_size(member) > 0)
        json_object_set(object, key, member);
    json_decref(member);
}

static void release_json(void *document)
{
    json_decref(document);
}

void kg__json_keep(kg__pool *pool, json_t *document)
{
    kg__pool_keep(pool, document, release_json);
}

json_t *kg__json_clean_string(const char *text)
{
    char *clean = kg__clean_text(text, true);
    json_t *string = json_string(clean);

    free(clean);
    return string;
}

json_t *kg__json_any_string(const char *text)
{
    json_t *string = json_string(text);

    return string != NULL ? string : kg__json_clean_string(text);
}

/* Prints JSON and a line break. "##[", which kg__disarm() is about, can only be in a string, which
 * has another way to write it. */
static bool print_json(const char *text)
{
    const char *found;

    for (; (found = strstr(text, "##[")) != NULL; text = found + 2)
        if (printf("%.*s\\u0023", (int)(found + 1 - text), text) < 0)
            return false;
    return puts(text) != EOF;
}

bool kg__json_print(json_t *document, size_t flags, const char *what)
{
    char *text = json_dumps(document, flags);
    bool printed = text != NULL && print_json(text) && fflush(stdout) == 0;

    if (text == NULL)
        kg__complain("%s: cannot be shown as JSON: a name or path in it is not UTF-8: rename it",
                     what);
    else if (!printed)
        kg__complain("%s: cannot be written: %s: send the standard output elsewhere", what,
                     strerror(errno));
    free(text);
    json_decref(document);
    return printed;
}

bool kg__json_save(const char *path, const json_t *document, int indent, kg__error *error)
{
    char *text = json_dumps(document, JSON_INDENT((size_t)indent));
    size_t length;
    bool written;

    if (text == NULL)
        return kg__fail(error,
                        "%s: the document cannot be written as JSON (is a string not UTF-8?); the "
                        "file stays as it was: rename what is none",
                        path);
    length = strlen(text);
    /* The terminating zero gives way to the newline that ends the last line. */
    text[length] = '\n';
    written = kg__file_replace(path, text, length + 1, error);
    free(text);
    return written;
}

json_t *kg__json_load(const char *path, const char *remedy, kg__error *error)
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
        kg__fail(error, "%s:%d: is not JSON: %s: %s", path, position.line, position.text, remedy);
    return document;
}
