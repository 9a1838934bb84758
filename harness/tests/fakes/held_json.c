/* SPDX-License-Identifier: MIT */
#include "tests/fakes/held_json.h"

#include <criterion/criterion.h>

#define HELD_MAXIMUM 64

static json_t *held[HELD_MAXIMUM];
static size_t held_count;

json_t *hold_json(json_t *document)
{
    cr_assert(document != NULL && held_count < HELD_MAXIMUM);
    held[held_count++] = document;
    return document;
}

void release_json(void)
{
    for (size_t i = 0; i < held_count; i++)
        json_decref(held[i]);
    held_count = 0;
}
