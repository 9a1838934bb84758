/* SPDX-License-Identifier: MIT */
/* Mutations of JSON as JSON: most mutations of bytes leave something that the parser refuses, so
 * that what reads the document never sees them. Records are lines of JSON, of which one at a time
 * is changed. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* libFuzzer's own: it declares neither in a header. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);

/* Values at the edges of what readers expect. */
static const char edges[] =
    "[null, true, false, 0, -1, 1, 5, 0.02, -0.0, 1e308, 1e-320, 4294967296, 9007199254740993,"
    " 9223372036854775807, \"\", \"pass\", \"slower\", \"wrong\", \"error\", \"filter\","
    " \"a/b/1/b32\", \"a/b\", \"\\u0001\\n\\ud83d\\ude00\", [], {}, [[], {}, 0],"
    " {\"value\": 1, \"band\": 0.02}]";

static unsigned int state;

/* Numbers that follow from the seed, as libFuzzer wants it. */
static size_t below(size_t bound)
{
    state = state * 1664525U + 1013904223U;
    return bound > 0 ? (state >> 8) % bound : 0;
}

/* NULL if the value is not an object, or has no keys. */
static const char *any_key(json_t *object)
{
    size_t number = below(json_object_size(object));
    const char *key;
    json_t *child;

    json_object_foreach (object, key, child) {
        if (number-- == 0)
            return key;
    }
    return NULL;
}

/* Counts the nodes of a document, and chooses one of them. */
static void visit(json_t *node, json_t **chosen, size_t *seen)
{
    const char *key;
    size_t i;
    json_t *child;

    if (below(++*seen) == 0)
        *chosen = node;
    json_object_foreach (node, key, child)
        visit(child, chosen, seen);
    json_array_foreach (node, i, child)
        visit(child, chosen, seen);
}

static json_t *any_node(json_t *document)
{
    json_t *chosen = document;
    size_t seen = 0;

    visit(document, &chosen, &seen);
    return chosen;
}

static json_t *changed_value(const json_t *old, json_t *document)
{
    static json_t *values;

    if (below(3) == 0)
        return json_deep_copy(any_node(document));
    if (below(2) == 0 && json_is_number(old))
        return json_real(json_number_value(old) * (0.5 + (double)below(4)));
    if (values == NULL)
        values = json_loads(edges, 0, NULL);
    return json_deep_copy(json_array_get(values, below(json_array_size(values))));
}

static void mutate_object(json_t *object, json_t *document)
{
    const char *key = any_key(object);
    json_t *child = json_object_get(object, key != NULL ? key : "");
    char longer[256];

    switch (key != NULL ? below(4) : 3) {
    case 0:
        json_object_del(object, key);
        break;
    case 1:
        kg__format(longer, sizeof longer, "%s%c", key, "0/.x"[below(4)]);
        json_object_set_new(object, longer, json_deep_copy(child));
        break;
    default:
        json_object_set_new(object, key != NULL ? key : "value", changed_value(child, document));
        break;
    }
}

static void mutate_array(json_t *array, json_t *document)
{
    size_t count = json_array_size(array);
    size_t place = below(count);

    if (count == 0 || below(3) == 0)
        json_array_append_new(array, changed_value(array, document));
    else if (below(3) == 0)
        json_array_remove(array, place);
    else
        json_array_set_new(array, place, changed_value(json_array_get(array, place), document));
}

/* Where the JSON begins that is to be changed, and where it ends: the whole input, or one line. */
static void choose_span(const uint8_t *data, size_t size, size_t *from, size_t *to)
{
    json_t *whole = json_loadb((const char *)data, size, 0, NULL);
    size_t start = below(size);

    *from = 0;
    *to = size;
    json_decref(whole);
    if (whole != NULL || size == 0)
        return;
    while (start > 0 && data[start - 1] != '\n')
        start--;
    *from = start;
    while (start < size && data[start] != '\n')
        start++;
    *to = start;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
    size_t from;
    size_t to;
    size_t length;
    json_t *document;
    char *text;

    state = seed;
    choose_span(data, size, &from, &to);
    document = json_loadb((const char *)data + from, to - from, 0, NULL);
    for (size_t times = 1 + below(16); document != NULL && times > 0; times--) {
        json_t *node = any_node(document);

        if (json_is_object(node))
            mutate_object(node, document);
        else if (json_is_array(node))
            mutate_array(node, document);
    }
    text = document != NULL ? json_dumps(document, JSON_COMPACT) : NULL;
    json_decref(document);
    length = text != NULL ? strlen(text) : 0;
    if (text == NULL || from + length + (size - to) > room || below(4) == 0) {
        free(text);
        return LLVMFuzzerMutate(data, size, room);
    }
    memmove(data + from + length, data + to, size - to);
    memcpy(data + from, text, length);
    free(text);
    return from + length + (size - to);
}
