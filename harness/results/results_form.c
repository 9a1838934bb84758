#include "results/results_form.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* The texts of the two schemas, which are compiled in. */
extern const char kg__results_schema[];
extern const char kg__verdicts_schema[];

/* How far the check of a document got. */
typedef struct checking {
    const json_t *definitions;    /* of the results' schema: the verdicts' has none of its own */
    char where[KG__MESSAGE_SIZE]; /* the member that is looked at: "tests[0].seconds" */
    char expected[KG__MESSAGE_SIZE];
} checking;

static bool check(checking *at, const json_t *value, const json_t *schema);

static bool is_whole(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) == rint(json_number_value(value));
}

static bool is_of_type(const json_t *value, const char *type)
{
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
           : strcmp(type, "number") == 0  ? json_is_number(value)
           : strcmp(type, "integer") == 0 ? is_whole(value)
                                          : json_is_null(value);
}

/* Whether a value is of a type, or of one of several. JSON knows no integers: 1.0 is one too. */
static bool fits_type(const json_t *value, const json_t *type)
{
    const json_t *one;
    size_t i;

    if (json_is_string(type))
        return is_of_type(value, json_string_value(type));
    json_array_foreach (type, i, one) {
        if (is_of_type(value, json_string_value(one)))
            return true;
    }
    return type == NULL;
}

static bool is_listed(const json_t *value, const json_t *list)
{
    const json_t *one;
    size_t i;

    json_array_foreach (list, i, one) {
        if (json_equal(value, one) || (json_is_number(value) && json_is_number(one) &&
                                       json_number_value(value) == json_number_value(one)))
            return true;
    }
    return list == NULL;
}

static bool fits_range(double value, const json_t *schema)
{
    double least = kg__json_number(schema, "minimum");
    double most = kg__json_number(schema, "maximum");
    double below = kg__json_number(schema, "exclusiveMinimum");

    return !(value < least) && !(value > most) && !(value <= below);
}

static bool fits_length(size_t length, const json_t *schema, const char *least, const char *most)
{
    return length >= kg__json_count(schema, least) &&
           (json_object_get(schema, most) == NULL || length <= kg__json_count(schema, most));
}

static bool fits_pattern(const char *text, const char *pattern)
{
    regex_t compiled;
    bool fits;

    if (*pattern == '\0' || regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return true;
    fits = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return fits;
}

/* Whether a value itself is what a schema wants, whatever is in it. */
static bool fits(const json_t *value, const json_t *schema)
{
    const json_t *only = json_object_get(schema, "const");

    if (value == NULL || !fits_type(value, json_object_get(schema, "type")) ||
        !is_listed(value, json_object_get(schema, "enum")) ||
        (only != NULL && !json_equal(value, only)))
        return false;
    if (json_is_number(value))
        return fits_range(json_number_value(value), schema);
    if (json_is_array(value))
        return fits_length(json_array_size(value), schema, "minItems", "maxItems");
    return !json_is_string(value) ||
           (fits_length(json_string_length(value), schema, "minLength", "maxLength") &&
            fits_pattern(json_string_value(value), kg__json_text(schema, "pattern")));
}

/* Says what a schema wants of a value itself, in its own keywords: {"type": "number", "minimum":
 * 0}; of a member that it does not know, nothing. */
static void describe(const json_t *schema, char *text, size_t size)
{
    static const char *const keywords[] = {
        "type",      "const",     "enum",     "minimum",
        "maximum",   "pattern",   "minItems", "exclusiveMinimum",
        "minLength", "maxLength", "maxItems"
    };
    json_t *shown = json_object();
    char *words;

    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        json_t *wanted = json_object_get(schema, keywords[i]);

        if (wanted != NULL)
            json_object_set(shown, keywords[i], wanted);
    }
    words = json_dumps(shown, 0);
    kg__format(text, size, "%s", json_object_size(shown) > 0 ? words : "a known member");
    free(words);
    json_decref(shown);
}

/* The definition that a schema refers to; NULL where it refers to none. */
static const json_t *definition_of(const checking *at, const json_t *schema)
{
    const char *name = strrchr(kg__json_text(schema, "$ref"), '/');

    return name != NULL ? json_object_get(at->definitions, name + 1) : NULL;
}

/* Checks a value that is at `step` of the one that has just been checked; NULL: it is missing. */
static bool check_within(checking *at, const char *step, const json_t *value, const json_t *schema)
{
    size_t length = strlen(at->where);

    kg__format(at->where + length, sizeof at->where - length, "%s%s",
               length > 0 && *step != '[' ? "." : "", step);
    if (!check(at, value, schema))
        return false;
    at->where[length] = '\0';
    return true;
}

/* The schema of a member, by its name or as any other; NULL where anything goes. */
static const json_t *member_schema(const json_t *schema, const char *key)
{
    const json_t *known = json_object_get(json_object_get(schema, "properties"), key);

    return known != NULL ? known : json_object_get(schema, "additionalProperties");
}

static bool has_required(checking *at, const json_t *value, const json_t *schema,
                         const json_t *required)
{
    const json_t *key;
    size_t i;

    json_array_foreach (required, i, key) {
        const char *name = json_string_value(key);
        const json_t *wanted = member_schema(schema, name);

        if (wanted == NULL)
            wanted = member_schema(definition_of(at, schema), name);
        if (json_object_get(value, name) == NULL && !check_within(at, name, NULL, wanted))
            return false;
    }
    return true;
}

static bool check_object(checking *at, const json_t *value, const json_t *schema)
{
    const json_t *dependent = json_object_get(schema, "dependentRequired");
    const char *key;
    json_t *inner;

    if (!has_required(at, value, schema, json_object_get(schema, "required")))
        return false;
    json_object_foreach ((json_t *)dependent, key, inner) {
        if (json_object_get(value, key) != NULL && !has_required(at, value, schema, inner))
            return false;
    }
    json_object_foreach ((json_t *)value, key, inner) {
        const json_t *wanted = member_schema(schema, key);

        if (wanted != NULL && !check_within(at, key, inner, wanted))
            return false;
    }
    return true;
}

static bool check_items(checking *at, const json_t *value, const json_t *wanted)
{
    const json_t *item;
    size_t i;

    json_array_foreach (value, i, item) {
        char step[32];

        kg__format(step, sizeof step, "[%zu]", i);
        if (wanted != NULL && !check_within(at, step, item, wanted))
            return false;
    }
    return true;
}

static bool check(checking *at, const json_t *value, const json_t *schema)
{
    const json_t *definition = definition_of(at, schema);

    if (definition != NULL && !check(at, value, definition))
        return false;
    if (json_is_false(schema) || !fits(value, schema)) {
        describe(schema, at->expected, sizeof at->expected);
        return false;
    }
    return check_object(at, value, schema) &&
           check_items(at, value, json_object_get(schema, "items"));
}

static const json_t *parse(const char *text, json_t **parsed)
{
    if (*parsed == NULL)
        *parsed = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    return *parsed;
}

static const json_t *results_schema(void)
{
    static json_t *schema;

    return parse(kg__results_schema, &schema);
}

static bool has_form(const json_t *document, const json_t *schema, kg__error *fault)
{
    checking at = { .definitions = json_object_get(results_schema(), "$defs") };

    if (check(&at, document, schema))
        return true;
    return kg__fail(fault, "%s is not %s", at.where[0] != '\0' ? at.where : "the document",
                    at.expected);
}

bool kg__results_have_form(const json_t *document, kg__error *fault)
{
    return has_form(document, results_schema(), fault);
}

bool kg__verdicts_have_form(const json_t *document, kg__error *fault)
{
    static json_t *schema;

    return has_form(document, parse(kg__verdicts_schema, &schema), fault);
}
