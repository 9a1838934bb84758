/* SPDX-License-Identifier: MIT */
#include "tests/fakes/documents.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "tests/fakes/drive.h"

/* Has a document held to its schema, and its changed copies left in `changed` where that is not
 * NULL. */
static void hold(json_t *document, const char *called, const char *changed)
{
    const char *const arguments[] = { "/usr/bin/env", "python3",     "-W",
                                      "ignore",       KG__VALIDATOR, KG__SCHEMAS,
                                      at("document"), changed,       NULL };
    ending seen;

    cr_assert(json_dump_file(document, at("document"), 0) == 0);
    seen = drive(arguments, NULL);
    cr_assert(seen.code == 0, "%s: %s", called, seen.output);
    free(seen.output);
}

json_t *changed_documents(json_t *document)
{
    hold(document, "the document", at("changed"));
    return read_json(at("changed"));
}

void expect_strict(json_t *document)
{
    json_t *changed = changed_documents(document);
    const json_t *copy;
    size_t refused = 0;
    size_t i;

    json_array_foreach (changed, i, copy)
        refused += json_is_false(json_array_get(copy, 0));
    cr_expect(refused > i * 3 / 5, "%zu of %zu refused", refused, i);
    json_decref(changed);
}

json_t *drive_document(const char *const *arguments, const char *const *settings, int code,
                       char **complaints)
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
    hold(document, seen.output, NULL);
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
