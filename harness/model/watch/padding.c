/* SPDX-License-Identifier: MIT */
#include "model/watch/padding.h"

#include "base/message.h"
#include "model/exec/fibers.h"
#include "model/watch/image.h"
#include "model/watch/places.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 4096 /* bytes of the largest structure that is examined */

/* A structure with padding. */
typedef struct shape {
    size_t size;
    struct shape *next;
    bool held[]; /* for each byte: a member holds it */
} shape;

/* The structures of a unit. */
typedef struct unit_shapes {
    const void *unit;
    shape *first;
    struct unit_shapes *next;
} unit_shapes;

static unit_shapes *known;

static bool is_structure(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Marks the bytes of a type, from `at` on, that hold a value. */
static void hold(Dwarf_Die *die, Dwarf_Word at, bool *held, size_t size)
{
    Dwarf_Die type;
    Dwarf_Die child;
    Dwarf_Attribute attribute;
    Dwarf_Word bytes = 0;
    Dwarf_Word each = 0;

    if (dwarf_peel_type(die, &type) != 0 || dwarf_aggregate_size(&type, &bytes) != 0)
        return;
    if (dwarf_tag(&type) == DW_TAG_array_type) {
        Dwarf_Die element;

        if (dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type, &attribute), &element) ==
                NULL ||
            dwarf_aggregate_size(&element, &each) != 0 || each == 0)
            return;
        for (Dwarf_Word i = 0; i < bytes / each && at + i * each < size; i++)
            hold(&element, at + i * each, held, size);
        return;
    }
    if (!is_structure(&type)) {
        for (Dwarf_Word i = at; i < at + bytes && i < size; i++)
            held[i] = true;
        return;
    }
    for (int more = dwarf_child(&type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        Dwarf_Word offset = 0;
        Dwarf_Die member;

        if ((dwarf_tag(&child) != DW_TAG_member && dwarf_tag(&child) != DW_TAG_inheritance) ||
            dwarf_formref_die(dwarf_attr(&child, DW_AT_type, &attribute), &member) == NULL)
            continue;
        /* A static member has no offset; a bit field has one in bits. */
        if (dwarf_attr(&child, DW_AT_data_bit_offset, &attribute) != NULL) {
            (void)dwarf_formudata(&attribute, &offset);
            offset /= 8;
        } else if (dwarf_formudata(dwarf_attr(&child, DW_AT_data_member_location, &attribute),
                                   &offset) != 0 &&
                   dwarf_tag(&type) != DW_TAG_union_type) {
            continue;
        }
        hold(&member, at + offset, held, size);
    }
}

static bool is_of_system(Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);

    return file == NULL || strncmp(file, "/usr/", 5) == 0 || kg__model_is_header(file);
}

static void add_shape(unit_shapes *shapes, Dwarf_Die *die)
{
    Dwarf_Word size = 0;
    shape *added;

    if (dwarf_aggregate_size(die, &size) != 0 || size == 0 || size > LARGEST || is_of_system(die))
        return;
    added = kg__allocate(1, sizeof *added + size * sizeof *added->held);
    added->size = size;
    hold(die, 0, added->held, size);
    /* Skip structures that are empty or have no padding. */
    if (memchr(added->held, 1, size) == NULL || memchr(added->held, 0, size) == NULL) {
        free(added);
        return;
    }
    added->next = shapes->first;
    shapes->first = added;
}

static void collect(unit_shapes *shapes, Dwarf_Die *parent)
{
    Dwarf_Die child;

    for (int more = dwarf_child(parent, &child); more == 0;
         more = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);

        if (is_structure(&child))
            add_shape(shapes, &child);
        if (is_structure(&child) || tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
            tag == DW_TAG_lexical_block)
            collect(shapes, &child);
    }
}

static const unit_shapes *shapes_of(uintptr_t code)
{
    static const unit_shapes *last;
    static uintptr_t last_code;
    static uint64_t since; /* the count of unloaded images they are valid for */
    unit_shapes *shapes;
    kg__model_unit unit;

    if (since != kg__model_images_given_up) {
        since = kg__model_images_given_up;
        last = known = NULL;
    }
    if (last != NULL && code == last_code)
        return last;
    shapes = known;
    if (!kg__model_find_unit((const void *)(code - 1), &unit))
        return NULL;
    while (shapes != NULL && shapes->unit != unit.scopes.addr)
        shapes = shapes->next;
    if (shapes == NULL) {
        shapes = kg__allocate(1, sizeof *shapes);
        shapes->unit = unit.scopes.addr;
        collect(shapes, &unit.scopes);
        shapes->next = known;
        known = shapes;
    }
    last = shapes;
    last_code = code;
    return shapes;
}

bool kg__model_may_be_padding(uintptr_t code, uint64_t offset, unsigned int bytes)
{
    const unit_shapes *shapes;
    bool may_be = false;

    kg__model_hold_sigterm();
    shapes = shapes_of(code);
    for (const shape *one = shapes != NULL ? shapes->first : NULL; one != NULL && !may_be;
         one = one->next) {
        may_be = true;
        for (unsigned int i = 0; i < bytes; i++)
            may_be = may_be && !one->held[(offset + i) % one->size];
    }
    kg__model_release_sigterm();
    return may_be;
}
