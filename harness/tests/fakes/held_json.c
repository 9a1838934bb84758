/* SPDX-License-Identifier: MIT */
#include "tests/fakes/held_json.h"

#include <criterion/criterion.h>

#include "tests/fakes/drive.h"

#define HELD_MAXIMUM 64

static json_t *documents[HELD_MAXIMUM];
static size_t held_count;

json_t *hold_json(json_t *document)
{
    cr_assert(document != NULL && held_count < HELD_MAXIMUM);
    documents[held_count++] = document;
    return document;
}

json_t *held(const char *text)
{
    return hold_json(json_of(text));
}

void release_json(void)
{
    for (size_t i = 0; i < held_count; i++)
        json_decref(documents[i]);
    held_count = 0;
}
