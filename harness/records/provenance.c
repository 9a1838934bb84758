/* SPDX-License-Identifier: MIT */
#include "records/provenance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"

const kg__fact *kg__provenance_find(const kg__provenance *provenance, const char *name)
{
    for (size_t i = 0; provenance != NULL && i < provenance->count; i++) {
        if (strcmp(provenance->facts[i].name, name) == 0)
            return &provenance->facts[i];
    }
    return NULL;
}

const char *kg__provenance_text(const kg__provenance *provenance, const char *name)
{
    const kg__fact *fact = kg__provenance_find(provenance, name);

    return fact != NULL && fact->kind == KG__FACT_TEXT ? fact->text : "";
}

double kg__provenance_number(const kg__provenance *provenance, const char *name)
{
    const kg__fact *fact = kg__provenance_find(provenance, name);

    return fact != NULL && (fact->kind == KG__FACT_NUMBER || fact->kind == KG__FACT_COUNT)
               ? fact->number
               : NAN;
}

/* Returns the fact of a name, without its value; added if new. */
static kg__fact *make_fact(kg__provenance *provenance, const char *name)
{
    kg__fact *fact = (kg__fact *)kg__provenance_find(provenance, name);

    if (fact != NULL) {
        free(fact->text);
    } else {
        provenance->facts = kg__grow(provenance->facts, provenance->count, &provenance->capacity,
                                     sizeof *provenance->facts);
        fact = &provenance->facts[provenance->count++];
        fact->name = kg__copy_text(name);
    }
    fact->text = NULL;
    fact->number = 0;
    return fact;
}

void kg__provenance_set_text(kg__provenance *provenance, const char *name, const char *text)
{
    char *copy = kg__copy_text(text);
    kg__fact *fact = make_fact(provenance, name);

    fact->kind = KG__FACT_TEXT;
    fact->text = copy;
}

void kg__provenance_set(kg__provenance *provenance, const char *name, kg__fact_kind kind,
                        double number)
{
    kg__fact *fact;

    if (!isfinite(number))
        return;
    fact = make_fact(provenance, name);
    fact->kind = kind;
    fact->number = number;
}

bool kg__fact_equal(const kg__fact *one, const kg__fact *other)
{
    if ((one->kind == KG__FACT_TEXT || one->kind == KG__FACT_FLAG || other->kind == KG__FACT_TEXT ||
         other->kind == KG__FACT_FLAG) &&
        one->kind != other->kind)
        return false;
    return one->kind == KG__FACT_TEXT ? strcmp(one->text, other->text) == 0
                                      : one->number == other->number;
}

static json_t *make_value(const kg__fact *fact)
{
    switch (fact->kind) {
    case KG__FACT_TEXT:
        return json_string(fact->text);
    case KG__FACT_NUMBER:
        return json_real(fact->number);
    case KG__FACT_COUNT:
        return json_integer((json_int_t)fact->number);
    case KG__FACT_FLAG:
        break;
    }
    return json_boolean(fact->number != 0);
}

void kg__fact_show(const kg__fact *fact, char *text, size_t size)
{
    json_t *value = make_value(fact);
    char *shown = json_dumps(value, JSON_ENCODE_ANY);

    kg__format(text, size, "%s", shown != NULL ? shown : "");
    free(shown);
    json_decref(value);
}

json_t *kg__provenance_json(const kg__provenance *provenance)
{
    json_t *object = json_object();

    for (size_t i = 0; i < provenance->count; i++)
        json_object_set_new(object, provenance->facts[i].name, make_value(&provenance->facts[i]));
    return object;
}

/* A whole number that a double cannot represent becomes the nearest one. */
static kg__fact_kind kind_of_number(const json_t *value)
{
    return json_is_integer(value) && fabs(json_number_value(value)) <= KG__LARGEST_FIGURE
               ? KG__FACT_COUNT
               : KG__FACT_NUMBER;
}

const char *kg__provenance_read(kg__provenance *provenance, const json_t *object)
{
    const char *other = NULL;
    const char *name;
    json_t *value;

    kg__provenance_free(provenance);
    json_object_foreach ((json_t *)object, name, value) {
        if (json_is_string(value))
            kg__provenance_set_text(provenance, name, json_string_value(value));
        else if (json_is_boolean(value))
            kg__provenance_set(provenance, name, KG__FACT_FLAG, json_is_true(value));
        else if (json_is_number(value))
            kg__provenance_set(provenance, name, kind_of_number(value), json_number_value(value));
        else if (other == NULL)
            other = name;
    }
    return other;
}

void kg__provenance_free(kg__provenance *provenance)
{
    for (size_t i = 0; i < provenance->count; i++) {
        free(provenance->facts[i].name);
        free(provenance->facts[i].text);
    }
    free(provenance->facts);
    *provenance = (kg__provenance){ .facts = NULL };
}
