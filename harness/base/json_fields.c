/* SPDX-License-Identifier: MIT */
#include "base/json_fields.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"

static json_t *make_count(int64_t count, int64_t least)
{
    return count >= least ? json_integer(count) : NULL;
}

static json_t *make_text(const char *text)
{
    return text != NULL && *text != '\0' ? kg__json_any_string(text) : NULL;
}

static json_t *make_part(const kg__field *fields, const void *from)
{
    json_t *object = from != NULL ? kg__fields_json(fields, from) : NULL;

    if (json_object_size(object) > 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *make_texts(const kg__texts *texts)
{
    json_t *list = texts->items != NULL ? json_array() : NULL;

    for (size_t i = 0; list != NULL && i < texts->count; i++)
        json_array_append_new(list, kg__json_any_string(texts->items[i]));
    return list;
}

static json_t *make_list(const kg__field *field, const void *held, size_t count)
{
    const char *items = *(const char *const *)held;
    json_t *list = items != NULL ? json_array() : NULL;

    for (size_t i = 0; list != NULL && i < count; i++)
        json_array_append_new(list, kg__fields_json(field->part, items + i * field->item_size));
    return list;
}

/* The JSON of a member of `from`; NULL where nothing is known. */
static json_t *make_value(const kg__field *field, const char *from)
{
    const void *held = from + field->offset;
    const double *number = held;
    const int64_t *count = held;
    const unsigned int *small = held;

    switch (field->kind) {
    case KG__FIELD_TEXT:
        return make_text(*(const char *const *)held);
    case KG__FIELD_STRING:
        return *(const char *const *)held != NULL ? kg__json_any_string(*(const char *const *)held)
                                                  : NULL;
    case KG__FIELD_CHARS:
        return make_text(held);
    case KG__FIELD_FLAG:
        return *(const bool *)held ? json_true() : NULL;
    case KG__FIELD_BOOL:
        return json_boolean(*(const bool *)held);
    case KG__FIELD_ANSWER:
        return *small != KG__NOT_KNOWN ? json_boolean(*small == KG__YES) : NULL;
    case KG__FIELD_NUMBER:
        return isfinite(*number) ? json_real(*number) : NULL;
    case KG__FIELD_AMOUNT:
        return isfinite(*number) && *number > 0 ? json_real(*number) : NULL;
    case KG__FIELD_COUNT:
        return make_count(*count, 1);
    case KG__FIELD_FIGURE:
        return make_count(*count, 0);
    case KG__FIELD_SMALL:
        return make_count(*small, 1);
    case KG__FIELD_CHOICE:
        return make_text(field->names[*small]);
    case KG__FIELD_VALUE:
    case KG__FIELD_OBJECT:
        return json_incref(*(json_t *const *)held);
    case KG__FIELD_PART:
        return make_part(field->part, held);
    case KG__FIELD_POINTER:
        return make_part(field->part, *(const void *const *)held);
    case KG__FIELD_TEXTS:
        return make_texts(held);
    case KG__FIELD_LIST:
        return make_list(field, held, *(const size_t *)(from + field->count_offset));
    case KG__FIELD_OTHER:
        return field->make(held);
    }
    return NULL;
}

json_t *kg__fields_json(const kg__field *fields, const void *from)
{
    json_t *object = json_object();

    kg__fields_write(object, fields, from);
    return object;
}

void kg__fields_write(json_t *object, const kg__field *fields, const void *from)
{
    for (; fields->key != NULL; fields++) {
        json_t *value = make_value(fields, from);

        if (value != NULL)
            json_object_set_new(object, fields->key, value);
    }
}

static bool is_count(const json_t *value, json_int_t most)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) <= most;
}

static bool read_choice(const char *const *names, const json_t *value, void *to)
{
    const char *text = json_string_value(value);

    for (unsigned int i = 0; text != NULL && *text != '\0' && names[i] != NULL; i++) {
        if (strcmp(names[i], text) == 0) {
            *(unsigned int *)to = i;
            return true;
        }
    }
    return false;
}

/* What an item of a list is not, with the error of its struct. */
static const char *fail_item(kg__error *error, size_t index, const char *fault)
{
    (void)kg__fail(error, "[%zu]: %s", index, fault);
    return "";
}

static const char *read_texts(const json_t *value, kg__texts *texts, kg__pool *pool)
{
    if (!json_is_array(value))
        return "a list of texts";
    texts->count = json_array_size(value);
    texts->items = kg__pool_array(pool, texts->count, sizeof *texts->items);
    for (size_t i = 0; i < texts->count; i++) {
        texts->items[i] = json_string_value(json_array_get(value, i));
        if (texts->items[i] == NULL)
            return "a list of texts";
    }
    return NULL;
}

static const char *read_struct(const kg__field *field, const json_t *value, void **to,
                               kg__pool *pool, kg__error *error)
{
    if (!json_is_object(value))
        return "an object";
    *to = kg__pool_array(pool, 1, field->item_size);
    if (field->unknown != NULL)
        memcpy(*to, field->unknown, field->item_size);
    return kg__fields_read_lists(value, field->part, *to, pool, error) ? NULL : "";
}

static const char *read_list(const kg__field *field, const json_t *value, char *to, kg__pool *pool,
                             kg__error *error)
{
    size_t count = json_array_size(value);
    char *items;

    if (!json_is_array(value))
        return "a list";
    items = kg__pool_array(pool, count, field->item_size);
    for (size_t i = 0; i < count; i++) {
        kg__error fault = { "" };

        if (!kg__fields_read_lists(json_array_get(value, i), field->part,
                                   items + i * field->item_size, pool, &fault))
            return fail_item(error, i, fault.text);
    }
    *(char **)(to + field->offset) = items;
    *(size_t *)(to + field->count_offset) = count;
    return NULL;
}

/* Reads one member of the struct `into`; what it has to be where it is not, else NULL. A part or a
 * list says so in `error`, and is "". */
static const char *read_value(const kg__field *field, json_t *value, char *into, kg__pool *pool,
                              kg__error *error)
{
    void *to = into + field->offset;

    switch (field->kind) {
    case KG__FIELD_TEXT:
    case KG__FIELD_STRING:
        if (!json_is_string(value))
            return "a text";
        /* As it is written: an empty text is nothing known. */
        if (field->kind == KG__FIELD_STRING || json_string_length(value) > 0)
            *(const char **)to = json_string_value(value);
        break;
    case KG__FIELD_CHARS:
        if (!json_is_string(value) || json_string_length(value) >= field->item_size)
            return "a text, or is too long";
        memcpy(to, json_string_value(value), json_string_length(value) + 1);
        break;
    case KG__FIELD_FLAG:
    case KG__FIELD_BOOL:
        if (!json_is_boolean(value))
            return "true or false";
        *(bool *)to = json_is_true(value);
        break;
    case KG__FIELD_ANSWER:
        if (!json_is_boolean(value))
            return "true or false";
        *(unsigned int *)to = json_is_true(value) ? KG__YES : KG__NO;
        break;
    case KG__FIELD_NUMBER:
    case KG__FIELD_AMOUNT:
        if (!json_is_number(value))
            return "a number";
        *(double *)to = json_number_value(value);
        break;
    case KG__FIELD_COUNT:
    case KG__FIELD_FIGURE:
        if (!is_count(value, INT64_MAX))
            return "a count";
        *(int64_t *)to = json_integer_value(value);
        break;
    case KG__FIELD_SMALL:
        if (!is_count(value, INT_MAX))
            return "a count";
        *(unsigned int *)to = (unsigned int)json_integer_value(value);
        break;
    case KG__FIELD_CHOICE:
        if (!read_choice(field->names, value, to))
            return "known here";
        break;
    case KG__FIELD_VALUE:
    case KG__FIELD_OBJECT:
        if (field->kind == KG__FIELD_OBJECT && !json_is_object(value))
            return "an object";
        *(json_t **)to = value;
        break;
    case KG__FIELD_PART:
        if (!kg__fields_read_lists(value, field->part, to, pool, error))
            return "";
        break;
    case KG__FIELD_TEXTS:
        return read_texts(value, to, pool);
    case KG__FIELD_LIST:
        return read_list(field, value, into, pool, error);
    case KG__FIELD_POINTER:
        return read_struct(field, value, to, pool, error);
    case KG__FIELD_OTHER:
        return field->read != NULL ? field->read(value, to, pool, error) : NULL;
    }
    return NULL;
}

bool kg__fields_read(const json_t *object, const kg__field *fields, void *to, kg__error *error)
{
    return kg__fields_read_lists(object, fields, to, NULL, error);
}

bool kg__fields_read_lists(const json_t *object, const kg__field *fields, void *to, kg__pool *pool,
                           kg__error *error)
{
    if (!json_is_object(object))
        return kg__fail(error, "is not an object");
    for (; fields->key != NULL; fields++) {
        json_t *value = json_object_get(object, fields->key);
        kg__error inner = { "" };
        const char *expected = NULL;

        if (value != NULL && !json_is_null(value))
            expected = read_value(fields, value, to, pool, &inner);
        if (expected != NULL && *expected == '\0')
            return kg__fail(error, "%s%s%s", fields->key, inner.text[0] == '[' ? "" : ": ",
                            inner.text);
        if (expected != NULL)
            return kg__fail(error, "%s is not %s", fields->key, expected);
    }
    return true;
}
