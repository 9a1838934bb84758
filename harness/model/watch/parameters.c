/* SPDX-License-Identifier: MIT */
#include "model/watch/parameters.h"

#include "model/watch/image.h"

#include <dwarf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool mark_type(Dwarf_Die *type, size_t offset, kg__model_parameter *parameter);

static size_t number_of(Dwarf_Die *die, unsigned int attribute, size_t otherwise)
{
    Dwarf_Attribute found;
    Dwarf_Word number;

    if (dwarf_attr_integrate(die, attribute, &found) == NULL ||
        dwarf_formudata(&found, &number) != 0)
        return otherwise;
    return (size_t)number;
}

/* Resolves the type of a variable or element through typedefs and qualifiers. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die named;

    return dwarf_attr_integrate(die, DW_AT_type, &attribute) != NULL &&
           dwarf_formref_die(&attribute, &named) != NULL && dwarf_peel_type(&named, type) == 0;
}

static size_t size_of(Dwarf_Die *type)
{
    Dwarf_Word size;
    int tag = dwarf_tag(type);

    if (dwarf_aggregate_size(type, &size) == 0)
        return (size_t)size;
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
                   tag == DW_TAG_unspecified_type
               ? sizeof(void *)
               : 0;
}

/* Marks a scalar, which aligns the types that contain it. */
static bool mark_scalar(size_t size, bool is_float, size_t offset, kg__model_parameter *parameter)
{
    size_t word = offset / sizeof(uint64_t);

    if (size == 0)
        return false;
    if (size > parameter->alignment)
        parameter->alignment = size;
    if (offset % size != 0 || (is_float && size > sizeof(double)))
        parameter->on_stack = true;
    for (size_t end = (offset + size - 1) / sizeof(uint64_t); word <= end && word < 2; word++) {
        if (!is_float)
            parameter->words[word] = KG__WORD_INTEGERS;
        else if (parameter->words[word] == KG__WORD_EMPTY)
            parameter->words[word] = KG__WORD_FLOATS;
    }
    return true;
}

/* Returns whether a member function is the class's copy constructor, move constructor or
 * destructor, with a body of its own. */
static bool copies_or_destroys(Dwarf_Die *function, Dwarf_Die *type)
{
    const char *name = dwarf_diename(function);
    const char *own = dwarf_diename(type);
    size_t length = own != NULL ? strcspn(own, "<") : 0;
    size_t count = 0;
    bool is_of_type = false;
    Dwarf_Die child;
    Dwarf_Die reference;
    Dwarf_Die copied;

    if (name == NULL || own == NULL || dwarf_hasattr(function, DW_AT_artificial) ||
        dwarf_hasattr(function, DW_AT_deleted) ||
        number_of(function, DW_AT_defaulted, 0) == DW_DEFAULTED_in_class)
        return false;
    if (name[0] == '~')
        return true;
    if (strncmp(name, own, length) != 0 || name[length] != '\0' ||
        dwarf_child(function, &child) != 0)
        return false;
    do {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter || dwarf_hasattr(&child, DW_AT_artificial))
            continue;
        is_of_type = count++ == 0 && type_of(&child, &reference) &&
                     (dwarf_tag(&reference) == DW_TAG_reference_type ||
                      dwarf_tag(&reference) == DW_TAG_rvalue_reference_type) &&
                     type_of(&reference, &copied) &&
                     dwarf_dieoffset(&copied) == dwarf_dieoffset(type);
    } while (dwarf_siblingof(&child, &child) == 0);
    return is_of_type;
}

static bool mark_members(Dwarf_Die *type, size_t offset, kg__model_parameter *parameter)
{
    Dwarf_Die member;
    Dwarf_Die of_member;
    size_t alignment = number_of(type, DW_AT_alignment, 1);

    if (alignment > parameter->alignment)
        parameter->alignment = alignment;
    if (dwarf_child(type, &member) != 0)
        return true;
    do {
        int tag = dwarf_tag(&member);
        size_t bit = number_of(&member, DW_AT_data_bit_offset, 0);
        const char *name = dwarf_diename(&member);

        /* So does a class with virtual functions. g++ does not say how it passes a class. */
        if (tag == DW_TAG_subprogram ? copies_or_destroys(&member, type)
                                     : name != NULL && strncmp(name, "_vptr.", 6) == 0)
            parameter->by_address = true;
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
            dwarf_hasattr(&member, DW_AT_external))
            continue;
        if (!type_of(&member, &of_member))
            return false;
        if (dwarf_hasattr(&member, DW_AT_bit_size))
            (void)mark_scalar(1, false, offset + bit / 8, parameter);
        else if (!mark_type(&of_member, offset + number_of(&member, DW_AT_data_member_location, 0),
                            parameter))
            return false;
    } while (dwarf_siblingof(&member, &member) == 0);
    return true;
}

static bool mark_elements(Dwarf_Die *type, size_t offset, kg__model_parameter *parameter)
{
    Dwarf_Die element;
    size_t each;
    size_t all = size_of(type);

    if (!type_of(type, &element) || (each = size_of(&element)) == 0)
        return false;
    for (size_t at = 0; at < all && at < 2 * sizeof(uint64_t); at += each) {
        if (!mark_type(&element, offset + at, parameter))
            return false;
    }
    return true;
}

static bool mark_type(Dwarf_Die *type, size_t offset, kg__model_parameter *parameter)
{
    switch (dwarf_tag(type)) {
    case DW_TAG_base_type:
        return mark_scalar(size_of(type), number_of(type, DW_AT_encoding, 0) == DW_ATE_float,
                           offset, parameter);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_enumeration_type:
        return mark_scalar(size_of(type), false, offset, parameter);
    case DW_TAG_unspecified_type: /* nullptr's */
    case DW_TAG_ptr_to_member_type:
        return mark_scalar(sizeof(void *), false, offset, parameter);
    case DW_TAG_array_type:
        return mark_elements(type, offset, parameter);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        return mark_members(type, offset, parameter);
    default:
        return false;
    }
}

static size_t list_parameters(Dwarf_Die *function, kg__model_parameter *parameters, size_t room)
{
    Dwarf_Attribute origin;
    Dwarf_Die declared = *function;
    Dwarf_Die child;
    Dwarf_Die type;
    size_t count = 0;

    if (dwarf_attr(function, DW_AT_abstract_origin, &origin) != NULL &&
        dwarf_formref_die(&origin, &declared) == NULL)
        return SIZE_MAX;
    if (dwarf_child(&declared, &child) != 0)
        return 0;
    do {
        kg__model_parameter made = { .alignment = 1 };

        if (dwarf_tag(&child) != DW_TAG_formal_parameter)
            continue;
        if (!type_of(&child, &type) || !mark_type(&type, 0, &made))
            return SIZE_MAX;
        made.size = size_of(&type);
        made.on_stack = made.on_stack || made.size > 2 * sizeof(uint64_t);
        if (count < room)
            parameters[count] = made;
        count++;
    } while (dwarf_siblingof(&child, &child) == 0);
    return count;
}

size_t kg__model_parameters(const void *function, kg__model_parameter *parameters, size_t room)
{
    kg__model_unit unit;
    Dwarf_Addr entry;
    Dwarf_Die *around = NULL;
    size_t count = SIZE_MAX;
    int found;

    if (!kg__model_find_unit(function, &unit))
        return SIZE_MAX;
    found = dwarf_getscopes(&unit.scopes, unit.address, &around);
    for (int i = 0; i < found && count == SIZE_MAX; i++) {
        if (dwarf_tag(&around[i]) == DW_TAG_subprogram && dwarf_entrypc(&around[i], &entry) == 0 &&
            entry == unit.address)
            count = list_parameters(&around[i], parameters, room);
    }
    free(around);
    return count;
}
