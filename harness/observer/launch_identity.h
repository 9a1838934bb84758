/* SPDX-License-Identifier: MIT */
/* A launch's identity: a hash of everything that it requests of the device, equal in every
 * process that requests the same. Addresses differ between processes, so an address within an
 * argument counts as the argument and the offset. Pure: the caller says which memory the device
 * has. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* The place of one argument: addresses from `begin` to before `end` belong to it, and its
 * elements begin at `data`. */
typedef struct kg__argument_place {
    uintptr_t begin;
    uintptr_t data;
    uintptr_t end;
} kg__argument_place;

/* An identity under construction. */
typedef struct kg__launch_identity {
    const kg__argument_place *places;
    int count;
    /* Returns whether an address outside of the arguments is memory that the device knows. Its
     * content is unknown, so that the launch has no identity. */
    bool (*is_memory)(uintptr_t address);
    uint64_t hash;
    bool unknown; /* something could not be described: there is no identity */
} kg__launch_identity;

/* Begins an identity among the `count` arguments at `places`, which are kept by reference. */
void kg__identity_begin(kg__launch_identity *identity, const kg__argument_place *places, int count,
                        bool (*is_memory)(uintptr_t address));

/* Adds a number, such as an extent of the grid. */
void kg__identity_number(kg__launch_identity *identity, uint64_t number);

/* Adds a text, such as a kernel's name. */
void kg__identity_text(kg__launch_identity *identity, const char *text);

/* Adds a value that is certainly an address. If it is not NULL and in no argument, the launch
 * has no identity. */
void kg__identity_address(kg__launch_identity *identity, uintptr_t address);

/* Adds an address that is only copied from, copied to, or filled. In no argument, it counts by
 * its kind of memory, since neither content nor address changes the time of the copy. */
void kg__identity_place(kg__launch_identity *identity, uintptr_t address, int kind);

/* Adds the value of a kernel's parameter. Each of its aligned 8-byte words may be an address;
 * other bytes count as they are. If such a word is an address in the device's memory and in no
 * argument, the launch has no identity. */
void kg__identity_parameter(kg__launch_identity *identity, const void *value, size_t bytes);

/* Notes that the launch has a part that cannot be described. */
void kg__identity_give_up(kg__launch_identity *identity);

/* Writes the identity as hexadecimal digits; false, with an empty text, if there is none. */
bool kg__identity_show(const kg__launch_identity *identity, char text[KG__HASH_TEXT_SIZE]);
