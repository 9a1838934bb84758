/* Structs as JSON objects: one table says which member of a struct is which member of the object,
 * for reading and for writing. */
#ifndef KG__BASE_JSON_FIELDS_H
#define KG__BASE_JSON_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* What a member is in C, and which value of it is not written, since nothing is known. */
typedef enum kg__field_kind {
    KG__FIELD_TEXT,   /* const char *, which stays the JSON's; NULL or "" */
    KG__FIELD_FLAG,   /* bool; false */
    KG__FIELD_NUMBER, /* double; NAN and infinities */
    KG__FIELD_AMOUNT, /* double; 0 or less */
    KG__FIELD_COUNT,  /* int64_t of at least 0; 0 */
    KG__FIELD_FIGURE, /* int64_t of at least 0; -1 */
    KG__FIELD_SMALL,  /* unsigned int, up to INT_MAX; 0 */
    KG__FIELD_CHOICE, /* an enum, of which `names` has the names; one that is called "" */
    KG__FIELD_VALUE,  /* json_t *, which stays the JSON's; NULL */
    KG__FIELD_PART    /* an object of its own, by the table `part`; one of nothing */
} kg__field_kind;

/* One member. A table ends with an empty one. */
typedef struct kg__field {
    const char *key;
    kg__field_kind kind;
    size_t offset;
    const char *const *names; /* of a choice; ends with NULL */
    const struct kg__field *part;
} kg__field;

#define KG__FIELD(struct_, member, key, kind)                                                      \
    {                                                                                              \
        key, KG__FIELD_##kind, offsetof(struct_, member), NULL, NULL                               \
    }

/* Sets the members of `object` that `from` knows. */
void kg__fields_write(json_t *object, const kg__field *fields, const void *from);

/* Reads the members that `object` has into `to`, and leaves the others as they are. False with
 * `error`, "line is not a count", where one is of another type; of an object that is none, too. */
bool kg__fields_read(const json_t *object, const kg__field *fields, void *to, kg__error *error);

#endif
