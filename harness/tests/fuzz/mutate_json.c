/* SPDX-License-Identifier: MIT */
/* Mutations of JSON as JSON: most mutations of bytes leave something that the parser refuses, so
 * that what reads the document never sees them. Records are lines of JSON, of which one at a time
 * is changed. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's own: it declares neither in a header. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);

static unsigned int state;

/* Numbers that follow from the seed, as libFuzzer wants it. */
static size_t below(size_t bound)
{
    state = state * 1664525U + 1013904223U;
    return bound > 0 ? (state >> 8) % bound : 0;
}

/* Values at the edges of what readers expect. */
static json_t *edge_value(void)
{
    static const char *const edges[] = {
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1",
        "1e308",
        "1e-320",
        "-0.0",
        "0.02",
        "5",
        "9223372036854775807",
        "1e400",
        "4294967296",
        "9007199254740993",
        "\"\"",
        "\"pass\"",
        "\"slower\"",
        "\"wrong\"",
        "\"error\"",
        "\"a/b/1/b32\"",
        "\"a/b\"",
        "\"\\u0001\\n\\ud83d\\ude00\"",
        "\"filter\"",
        "[]",
        "{}",
        "[[], {}, 0]",
        "{\"value\": 1, \"band\": 0.02}",
    };

    return json_loads(edges[below(sizeof edges / sizeof *edges)], JSON_DECODE_ANY, NULL);
}

static size_t count_nodes(json_t *node)
{
    size_t count = 1;
    const char *key;
    size_t i;
    json_t *child;

    json_object_foreach (node, key, child)
        count += count_nodes(child);
    json_array_foreach (node, i, child)
        count += count_nodes(child);
    return count;
}

/* The node of a number in the order of a walk. */
static json_t *find_node(json_t *node, size_t *number)
{
    const char *key;
    size_t i;
    json_t *child;

    if ((*number)-- == 0)
        return node;
    json_object_foreach (node, key, child) {
        json_t *found = find_node(child, number);

        if (found != NULL)
            return found;
    }
    json_array_foreach (node, i, child) {
        json_t *found = find_node(child, number);

        if (found != NULL)
            return found;
    }
    return NULL;
}

static json_t *any_node(json_t *document)
{
    size_t number = below(count_nodes(document));

    return find_node(document, &number);
}

static json_t *changed_value(const json_t *old, json_t *document)
{
    switch (below(3)) {
    case 0:
        return json_deep_copy(any_node(document));
    case 1:
        if (json_is_number(old))
            return json_real(json_number_value(old) * (0.5 + (double)below(4)));
        return edge_value();
    default:
        return edge_value();
    }
}

static void mutate_object(json_t *object, json_t *document)
{
    const char *key = NULL;
    json_t *child;
    size_t number = below(json_object_size(object));
    char longer[256];
    size_t length;

    json_object_foreach (object, key, child) {
        if (number-- == 0)
            break;
    }
    if (key == NULL) {
        json_object_set_new(object, "value", edge_value());
        return;
    }
    length = strlen(key);
    if (length > sizeof longer - 2)
        length = sizeof longer - 2;
    memcpy(longer, key, length);
    longer[length] = "0/.x"[below(4)];
    longer[length + 1] = '\0';
    switch (below(4)) {
    case 0:
        json_object_del(object, key);
        break;
    case 1:
        json_object_set_new(object, longer, json_deep_copy(child));
        break;
    default:
        json_object_set_new(object, key, changed_value(child, document));
        break;
    }
}

static void mutate_array(json_t *array, json_t *document)
{
    size_t count = json_array_size(array);

    if (count == 0 || below(3) == 0)
        json_array_append_new(array, changed_value(array, document));
    else if (below(3) == 0)
        json_array_remove(array, below(count));
    else
        json_array_set_new(array, below(count),
                           changed_value(json_array_get(array, below(count)), document));
}

/* Changes one to four places of a document; false where it has none. */
static int mutate_document(json_t *document)
{
    if (json_object_size(document) == 0 && json_array_size(document) == 0)
        return 0;
    for (size_t times = 1 + below(4); times > 0; times--) {
        json_t *node = any_node(document);

        for (int tries = 0; tries < 20 && !json_is_object(node) && !json_is_array(node); tries++)
            node = any_node(document);
        if (json_is_object(node))
            mutate_object(node, document);
        else if (json_is_array(node))
            mutate_array(node, document);
    }
    return 1;
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
    char *text = NULL;

    state = seed;
    if (below(4) == 0)
        return LLVMFuzzerMutate(data, size, room);
    choose_span(data, size, &from, &to);
    document = json_loadb((const char *)data + from, to - from, 0, NULL);
    if (document != NULL && mutate_document(document))
        text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    length = text != NULL ? strlen(text) : 0;
    if (text == NULL || from + length + (size - to) > room) {
        free(text);
        return LLVMFuzzerMutate(data, size, room);
    }
    memmove(data + from + length, data + to, size - to);
    memcpy(data + from, text, length);
    free(text);
    return from + length + (size - to);
}
