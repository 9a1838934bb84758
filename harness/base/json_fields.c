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
    return text != NULL && *text != '\0' ? kg__json_clean_string(text) : NULL;
}

static json_t *make_part(const kg__field *fields, const void *from)
{
    json_t *object = json_object();

    kg__fields_write(object, fields, from);
    if (json_object_size(object) > 0)
        return object;
    json_decref(object);
    return NULL;
}

/* The JSON of a member; NULL where nothing is known. */
static json_t *make_value(const kg__field *field, const void *held)
{
    const double *number = held;
    const int64_t *count = held;
    const unsigned int *small = held;

    switch (field->kind) {
    case KG__FIELD_TEXT:
        return make_text(*(const char *const *)held);
    case KG__FIELD_FLAG:
        return *(const bool *)held ? json_true() : NULL;
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
        return json_incref(*(json_t *const *)held);
    case KG__FIELD_PART:
        return make_part(field->part, held);
    }
    return NULL;
}

void kg__fields_write(json_t *object, const kg__field *fields, const void *from)
{
    for (; fields->key != NULL; fields++) {
        json_t *value = make_value(fields, (const char *)from + fields->offset);

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

/* Reads one member; what it has to be where it is not, else NULL. The part of one says so in
 * `error`, and is "". */
static const char *read_value(const kg__field *field, json_t *value, void *to, kg__error *error)
{
    switch (field->kind) {
    case KG__FIELD_TEXT:
        if (!json_is_string(value))
            return "a text";
        *(const char **)to = json_string_value(value);
        break;
    case KG__FIELD_FLAG:
        if (!json_is_boolean(value))
            return "true or false";
        *(bool *)to = json_is_true(value);
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
        *(json_t **)to = value;
        break;
    case KG__FIELD_PART:
        if (!kg__fields_read(value, field->part, to, error))
            return "";
        break;
    }
    return NULL;
}

bool kg__fields_read(const json_t *object, const kg__field *fields, void *to, kg__error *error)
{
    if (!json_is_object(object))
        return kg__fail(error, "is not an object");
    for (; fields->key != NULL; fields++) {
        json_t *value = json_object_get(object, fields->key);
        kg__error inner = { "" };
        const char *expected =
            value != NULL ? read_value(fields, value, (char *)to + fields->offset, &inner) : NULL;

        if (expected != NULL && *expected == '\0')
            return kg__fail(error, "%s: %s", fields->key, inner.text);
        if (expected != NULL)
            return kg__fail(error, "%s is not %s", fields->key, expected);
    }
    return true;
}
