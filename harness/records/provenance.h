/* SPDX-License-Identifier: MIT */
/* Provenance: the conditions of a target's measurement, as named texts, numbers and booleans.
 * Names differ by target: a GPU's driver and power limit, the CPU model's compiler and version. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum kg__fact_kind {
    KG__FACT_TEXT,
    KG__FACT_NUMBER,
    KG__FACT_COUNT, /* a number written without a fraction */
    KG__FACT_FLAG
} kg__fact_kind;

typedef struct kg__fact {
    char *name;
    kg__fact_kind kind;
    char *text;    /* of a text; else NULL */
    double number; /* of a number or a count; of a flag 0 or 1 */
} kg__fact;

/* Facts with distinct names, in the order in which they were set. Initialize with zeros. */
typedef struct kg__provenance {
    kg__fact *facts;
    size_t count;
    size_t capacity;
} kg__provenance;

/* Returns the fact of a name, owned by the provenance; NULL if it is missing, or `provenance` is
 * NULL. */
const kg__fact *kg__provenance_find(const kg__provenance *provenance, const char *name);

/* Returns a text, owned by the provenance; "" if it is missing. */
const char *kg__provenance_text(const kg__provenance *provenance, const char *name);

/* Returns a number; NAN if it is missing. */
double kg__provenance_number(const kg__provenance *provenance, const char *name);

/* Sets a text; keeps a copy. */
void kg__provenance_set_text(kg__provenance *provenance, const char *name, const char *text);

/* Sets a number, a count or a flag; ignores a figure that is not finite. */
void kg__provenance_set(kg__provenance *provenance, const char *name, kg__fact_kind kind,
                        double number);

/* Returns whether two facts are equal; 700 equals 700.0. */
bool kg__fact_equal(const kg__fact *one, const kg__fact *other);

/* Writes a fact as in JSON: "\"1.2.3\"", "700.0", "700", "true". */
void kg__fact_show(const kg__fact *fact, char *text, size_t size);

/* Returns the facts as a JSON object, owned by the caller. */
json_t *kg__provenance_json(const kg__provenance *provenance);

/* Replaces `provenance` by the members of a JSON object that are facts. Returns the first member
 * that is not one, which is left out, or NULL. Reads nothing from anything but an object. */
const char *kg__provenance_read(kg__provenance *provenance, const json_t *object);

/* Frees the facts, and empties the provenance. */
void kg__provenance_free(kg__provenance *provenance);
