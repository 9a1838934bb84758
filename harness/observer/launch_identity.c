/* SPDX-License-Identifier: MIT */
#include "observer/launch_identity.h"

#include <string.h>

/* The kind of a hashed word, so that an offset in an argument is never taken for a number. */
enum { PLAIN = 1, IN_ARGUMENT = 2, OUTSIDE = 3 };

/* An address outside of the arguments counts by its offset in a unit of this size: the device
 * reads such a unit at once. */
#define ALIGNMENT 256

void kg__identity_begin(kg__launch_identity *identity, const kg__argument_place *places, int count,
                        bool (*is_memory)(uintptr_t address))
{
    *identity = (kg__launch_identity){
        .places = places, .count = count, .is_memory = is_memory, .hash = KG__HASH_BEGIN
    };
}

void kg__identity_give_up(kg__launch_identity *identity)
{
    identity->unknown = true;
}

void kg__identity_number(kg__launch_identity *identity, uint64_t number)
{
    identity->hash = kg__hash_number(identity->hash, number);
}

void kg__identity_text(kg__launch_identity *identity, const char *text)
{
    identity->hash = kg__hash_text(identity->hash, text);
}

/* Adds an address as its argument and the offset there; false if it is in none. */
static bool add_in_argument(kg__launch_identity *identity, uintptr_t address)
{
    for (int i = 0; i < identity->count; i++) {
        const kg__argument_place *place = &identity->places[i];

        if (address < place->begin || address >= place->end)
            continue;
        kg__identity_number(identity, IN_ARGUMENT);
        kg__identity_number(identity, (uint64_t)i);
        /* Before the elements the offset is negative, and wraps alike everywhere. */
        kg__identity_number(identity, (uint64_t)address - (uint64_t)place->data);
        return true;
    }
    return false;
}

static void add_plain(kg__launch_identity *identity, uint64_t number)
{
    kg__identity_number(identity, PLAIN);
    kg__identity_number(identity, number);
}

void kg__identity_address(kg__launch_identity *identity, uintptr_t address)
{
    if (add_in_argument(identity, address))
        return;
    if (address != 0)
        kg__identity_give_up(identity);
    add_plain(identity, address);
}

void kg__identity_place(kg__launch_identity *identity, uintptr_t address, int kind)
{
    if (add_in_argument(identity, address))
        return;
    kg__identity_number(identity, OUTSIDE);
    kg__identity_number(identity, (uint64_t)kind);
    kg__identity_number(identity, address % ALIGNMENT);
}

void kg__identity_parameter(kg__launch_identity *identity, const void *value, size_t bytes)
{
    const unsigned char *at = value;
    size_t rest = bytes;

    kg__identity_number(identity, bytes);
    for (; rest >= sizeof(uint64_t); at += sizeof(uint64_t), rest -= sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, at, sizeof word);
        if (add_in_argument(identity, (uintptr_t)word))
            continue;
        if (word != 0 && identity->is_memory((uintptr_t)word))
            kg__identity_give_up(identity);
        add_plain(identity, word);
    }
    identity->hash = kg__hash_bytes(identity->hash, at, rest);
}

bool kg__identity_show(const kg__launch_identity *identity, char text[KG__HASH_TEXT_SIZE])
{
    text[0] = '\0';
    if (identity->unknown)
        return false;
    kg__hash_show(text, identity->hash);
    return true;
}
