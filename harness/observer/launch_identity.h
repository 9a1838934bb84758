/* A launch's identity: a hash of all that it asks the device for, which is the same in every
 * process that asks for the same. Addresses differ from process to process, so that one within an
 * argument counts as the argument and the offset. Pure: the caller says what is on the device. */
#ifndef KG__OBSERVER_LAUNCH_IDENTITY_H
#define KG__OBSERVER_LAUNCH_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* Where one argument is: addresses from `begin` to before `end` are its own, and its elements begin
 * at `data`. */
typedef struct kg__argument_place {
    uintptr_t begin;
    uintptr_t data;
    uintptr_t end;
} kg__argument_place;

/* An identity while it is put together. */
typedef struct kg__launch_identity {
    const kg__argument_place *places;
    int count;
    /* Whether an address outside of the arguments is memory that the device knows. Its content is
     * unknown, so that it ends the identity. */
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

/* Adds an address that is one for sure. One that is in no argument, unless it is NULL, ends the
 * identity. */
void kg__identity_address(kg__launch_identity *identity, uintptr_t address);

/* Adds an address that is only copied to or from, or filled: one in no argument by the kind of
 * memory that it is in, since neither what is there nor where it is makes the copy slower. */
void kg__identity_place(kg__launch_identity *identity, uintptr_t address, int kind);

/* Adds the value of a kernel's parameter, of which every aligned word of 8 bytes may be an address
 * and all other bytes are taken as they are. Such a word that is memory of the device's and in no
 * argument ends the identity. */
void kg__identity_parameter(kg__launch_identity *identity, const void *value, size_t bytes);

/* Notes that the launch has a part that cannot be described. */
void kg__identity_give_up(kg__launch_identity *identity);

/* Writes the identity as hexadecimal digits; false, with an empty text, if there is none. */
bool kg__identity_show(const kg__launch_identity *identity, char text[KG__HASH_TEXT_SIZE]);

#endif
