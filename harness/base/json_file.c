/* SPDX-License-Identifier: MIT */
#include "base/json_file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static const char *skip_space(const char *c)
{
    while (is_one_of(*c, " \t\r\n"))
        c++;
    return c;
}

static const char *skip_string(const char *quote)
{
    const char *c = quote + 1;

    while (*c != '"')
        c += *c == '\\' ? 2 : 1;
    return c + 1;
}

static const char *skip_value(const char *c)
{
    size_t depth = 0;

    do {
        if (*c == '"') {
            c = skip_string(c);
            continue;
        }
        if (is_one_of(*c, "{["))
            depth++;
        else if (is_one_of(*c, "}]"))
            depth--;
        c++;
    } while (depth > 0 || !is_one_of(*c, ",]} \t\r\n"));
    return c;
}

/* The key of a place in a text that is known to be valid JSON, since the parser that found it so
 * keeps no positions. A key that the file spells with escapes is not found; the object that it is
 * in has to do then. */
static const char *find_position(const char *text, const kg__json_place *where)
{
    if (where == NULL)
        return skip_space(text);

    const char *parent = find_position(text, where->inside);
    const char *object = parent;
    size_t length = strlen(where->key);

    if (*object == '"')
        object = skip_space(skip_space(skip_string(object)) + 1);
    if (*object != '{')
        return parent;

    const char *c = skip_space(object + 1);

    while (*c == '"') {
        const char *key = c;
        const char *end = skip_string(key);

        if ((size_t)(end - key) == length + 2 && memcmp(key + 1, where->key, length) == 0)
            return key;
        c = skip_space(skip_value(skip_space(skip_space(end) + 1)));
        if (*c == ',')
            c = skip_space(c + 1);
    }
    return parent;
}

/* The line that a place is at, from 1. The text must be valid JSON. */
static size_t find_line(const kg__reading *file, const kg__json_place *where)
{
    const char *position = find_position(file->text, where);
    size_t line = 1;

    for (const char *c = file->text; c < position; c++)
        line += *c == '\n';
    return line;
}

/* Writes the keys that lead to a place, "cases: matmul_f32/naive/530/b16: time_ns: ". */
static void print_place(FILE *stream, const kg__json_place *where)
{
    if (where == NULL)
        return;
    print_place(stream, where->inside);
    fprintf(stream, "%s: ", where->key);
}

void kg__complain_at(kg__reading *file, const kg__json_place *where, const char *format, ...)
{
    char *message = NULL;
    size_t length = 0;
    va_list arguments;

    if (file->bad)
        return;
    file->bad = true;

    FILE *stream = open_memstream(&message, &length);

    if (stream == NULL) {
        kg__fail(file->error, "%s: cannot be read: %s: free some memory", file->path,
                 strerror(errno));
        return;
    }
    fprintf(stream, "%s:%zu: ", file->path, find_line(file, where));
    print_place(stream, where);
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    fclose(stream);
    kg__fail(file->error, "%s", message);
    free(message);
}

char *kg__read_document(const kg__document_kind *kind, const char *path, size_t *length,
                        bool *absent, kg__error *error)
{
    const char *cause;
    int file = kg__file_open(path, &cause);
    struct stat status;

    *absent = file < 0 && errno == ENOENT;
    if (file < 0) {
        kg__fail(error, "%s: cannot be opened: %s: %s", path, cause,
                 errno == EACCES ? "check its permissions" : kind->renew);
        return NULL;
    }
    if (fstat(file, &status) != 0 || status.st_size < 0 || (size_t)status.st_size > kind->largest) {
        kg__fail(error, "%s: has more than %zu MiB, which no %s has: %s", path, kind->largest >> 20,
                 kind->name, kind->remedy);
        close(file);
        return NULL;
    }

    size_t size = (size_t)status.st_size;
    char *text = kg__allocate(size + 1, 1);
    ssize_t got = 0;

    *length = 0;
    while (*length < size && (got = read(file, text + *length, size - *length)) != 0) {
        if (got > 0) {
            *length += (size_t)got;
        } else if (errno != EINTR) {
            kg__fail(error, "%s: cannot be read: %s: check the disk", path, strerror(errno));
            free(text);
            close(file);
            return NULL;
        }
    }
    close(file);
    return text;
}

json_t *kg__parse_document(kg__reading *file, size_t length, const char *remedy)
{
    json_error_t syntax;
    json_t *document = json_loadb(file->text, length, JSON_REJECT_DUPLICATES, &syntax);

    if (document != NULL)
        return document;
    file->bad = true;
    kg__fail(file->error, "%s:%d: %s: %s", file->path, syntax.line > 0 ? syntax.line : 1,
             *skip_space(file->text) == '\0' && strlen(file->text) == length ? "the file is empty"
                                                                             : syntax.text,
             remedy);
    return NULL;
}

bool kg__read_figure(kg__reading *file, const kg__json_place *where, const json_t *value,
                     double *figure, const char *remedy)
{
    if (!json_is_number(value)) {
        kg__complain_at(file, where, "is not a number: %s", remedy);
        return false;
    }
    *figure = json_number_value(value);
    /* A whole number beyond it may be rounded into range. */
    if (!(fabs(*figure) <= KG__LARGEST_FIGURE) ||
        (json_is_integer(value) &&
         llabs(json_integer_value(value)) > (json_int_t)KG__LARGEST_FIGURE)) {
        kg__complain_at(file, where, "is out of range, being beyond 2^53: %s", remedy);
        return false;
    }
    return true;
}

bool kg__has_member(kg__reading *file, const kg__json_place *where, const json_t *object,
                    const char *key, const char *remedy)
{
    if (json_object_get(object, key) != NULL)
        return true;
    kg__complain_at(file, where, "has no \"%s\": %s", key, remedy);
    return false;
}

bool kg__read_name(kg__reading *file, const kg__json_place *where, const json_t *value, char *text,
                   size_t size, const char *remedy)
{
    if (!json_is_string(value) || json_string_length(value) == 0) {
        kg__complain_at(file, where, "is not a string, or is empty: %s", remedy);
        return false;
    }
    if (json_string_length(value) >= size) {
        kg__complain_at(file, where, "has more than %zu bytes: %s", size - 1, remedy);
        return false;
    }
    memcpy(text, json_string_value(value), json_string_length(value) + 1);
    return true;
}

bool kg__read_schema(kg__reading *file, const json_t *document, const char *schema,
                     const char *update, const char *remedy)
{
    const kg__json_place where = { NULL, "schema" };
    const json_t *found = json_object_get(document, "schema");

    if (!json_is_object(document)) {
        kg__complain_at(file, NULL, "is not a JSON object: %s", remedy);
        return false;
    }
    if (!kg__has_member(file, NULL, document, "schema", remedy))
        return false;
    if (!json_is_string(found)) {
        kg__complain_at(file, &where, "is not a string: %s", remedy);
        return false;
    }
    if (strcmp(json_string_value(found), schema) == 0)
        return true;
    file->bad = true;
    return kg__fail(file->error, "%s:%zu: schema %s is not the one this program reads (%s): %s",
                    file->path, find_line(file, &where), json_string_value(found), schema, update);
}
