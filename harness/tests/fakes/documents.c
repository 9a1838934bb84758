#include "tests/fakes/documents.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/drive.h"
#include "base/message.h"

char *validate_documents(const char *schema, const json_t *documents)
{
    const char *const arguments[] = { "/usr/bin/env",
                                      "python3",
                                      "-W",
                                      "ignore",
                                      KG__VALIDATOR,
                                      schema,
                                      at("documents"),
                                      json_array_size(documents) == 1 ? "-v" : NULL,
                                      NULL };
    ending seen;
    size_t count = json_array_size(documents);

    cr_assert(json_dump_file(documents, at("documents"), 0) == 0);
    seen = drive(arguments, NULL);
    cr_assert(seen.code == 0, "%s", seen.output);
    cr_assert(count == 1 || strspn(seen.output, "01") == count, "%s", seen.output);
    return seen.output;
}

void expect_valid(const char *schema, json_t *document, const char *called)
{
    json_t *documents = json_pack("[O]", document);
    char *verdict = validate_documents(schema, documents);

    cr_expect(strcmp(verdict, "1\n") == 0, "%s: %s", called, verdict);
    free(verdict);
    json_decref(documents);
}

/* All that a document can be changed in: its own copies with one change each. */
typedef struct changes {
    json_t *root;      /* the document; changed in place and put back */
    json_t *documents; /* its changed copies */
} changes;

static void keep(changes *all)
{
    json_array_append_new(all->documents, json_deep_copy(all->root));
}

/* Values of every type and of every range that a rule may draw a line at. */
static const char *const others[] = { "null", "true", "false", "-1",       "0",
                                      "1",    "2",    "0.5",   "1e300",    "[]",
                                      "{}",   "\"\"", "\"a\"", "\"hand\"", "9007199254740993" };

#define OTHERS (sizeof others / sizeof *others)

static void change(changes *all, json_t *inside);

/* Changes the members of an object: each to other values, each taken out, one too many. */
static void change_members(changes *all, json_t *object)
{
    static const char *const unknown[] = { "unknown", "Unknown key", "time_us" };
    const char **keys = kg__allocate(json_object_size(object) + 1, sizeof *keys);
    size_t count = 0;
    const char *key;
    json_t *value;

    json_object_foreach (object, key, value)
        keys[count++] = key;
    for (size_t i = 0; i < count; i++) {
        char *name = kg__copy_text(keys[i]);

        value = json_incref(json_object_get(object, name));
        change(all, value);
        for (size_t j = 0; j < OTHERS; j++) {
            json_object_set_new(object, name, json_loads(others[j], JSON_DECODE_ANY, NULL));
            keep(all);
        }
        json_object_del(object, name);
        keep(all);
        json_object_set_new(object, name, value);
        keys[i] = json_object_iter_key(json_object_iter_at(object, name));
        free(name);
    }
    free(keys);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        json_object_set_new(object, unknown[i], json_integer(1));
        keep(all);
        json_object_set_new(object, unknown[i], json_object());
        keep(all);
        json_object_del(object, unknown[i]);
    }
}

static void change_items(changes *all, json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *value = json_incref(json_array_get(array, i));

        change(all, value);
        for (size_t j = 0; j < OTHERS; j++) {
            json_array_set_new(array, i, json_loads(others[j], JSON_DECODE_ANY, NULL));
            keep(all);
        }
        json_array_set_new(array, i, value);
    }
}

static void change(changes *all, json_t *inside)
{
    if (json_is_object(inside))
        change_members(all, inside);
    else if (json_is_array(inside))
        change_items(all, inside);
}

json_t *changed_documents(json_t *document)
{
    changes all = { .root = document, .documents = json_array() };

    change(&all, document);
    return all.documents;
}

void expect_strict(const char *schema, json_t *document)
{
    json_t *documents = changed_documents(document);
    size_t count = json_array_size(documents);
    size_t refused = 0;
    char *verdicts;

    expect_valid(schema, document, schema);
    verdicts = validate_documents(schema, documents);
    for (size_t i = 0; i < count; i++)
        refused += verdicts[i] == '0';
    cr_expect(refused > count * 3 / 5, "%zu of %zu refused", refused, count);
    free(verdicts);
    json_decref(documents);
}

json_t *drive_document(const char *const *arguments, const char *const *settings, int code,
                       const char *schema, char **complaints)
{
    const char *whole[24] = { "/bin/sh", "-c", NULL };
    char script[600];
    size_t count = 3;
    json_error_t error;
    json_t *document;
    char *said;
    ending seen;

    kg__format(script, sizeof script, "exec \"$0\" \"$@\" 2>'%s'", at("complaints"));
    whole[2] = script;
    for (size_t i = 0; arguments[i] != NULL; i++) {
        cr_assert(count < sizeof whole / sizeof *whole - 1);
        whole[count++] = arguments[i];
    }
    seen = drive(whole, settings);
    said = read_text(at("complaints"));
    cr_assert(seen.code == code, "exit code %d, expected %d; it says:\n%s%s", seen.code, code,
              seen.output, said);
    document = json_loads(seen.output, JSON_REJECT_DUPLICATES, &error);
    cr_assert(document != NULL, "line %d: %s:\n%s", error.line, error.text, seen.output);
    expect_valid(schema, document, seen.output);
    free(seen.output);
    if (complaints != NULL)
        *complaints = said;
    else
        free(said);
    return document;
}

static bool has_texts(const json_t *entry, const char *const *members)
{
    for (; members[0] != NULL; members += 2) {
        const char *text = json_string_value(json_object_get(entry, members[0]));

        if (text == NULL || strcmp(text, members[1]) != 0)
            return false;
    }
    return true;
}

json_t *entry_with(const json_t *document, const char *list, const char *const *members)
{
    const json_t *entries = json_object_get(document, list);
    json_t *entry;
    size_t i;
    char *text;

    json_array_foreach (entries, i, entry) {
        if (has_texts(entry, members))
            return entry;
    }
    text = json_dumps(entries, JSON_ENCODE_ANY);
    cr_assert(false, "\"%s\" has no entry whose %s is \"%s\": %s", list, members[0], members[1],
              text != NULL ? text : "it is not there");
    return NULL;
}
