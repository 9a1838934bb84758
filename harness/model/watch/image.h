/* SPDX-License-Identifier: MIT */
/* Images: the program and libraries mapped into the process, and the contents of their files.
 * The only reader of symbol tables. Callers hold the model's lock. */
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function or a variable, with its address in the process. */
typedef struct kg__model_symbol {
    const char *name; /* as in the file: mangled */
    unsigned char *base;
    size_t size;    /* bytes; 0 if the file has no size */
    size_t section; /* its number in the image's sections */
    size_t order;   /* its index in the symbol table */
    size_t file;    /* index of the source file it is local to; 0: none */
    bool of_host;   /* known to all files, as device code's are not: cuda_runtime.h gives it an own
                     * visibility */
    bool of_device; /* has that visibility, which static ones lack */
} kg__model_symbol;

/* A section of a file, with its address in the process; `size` is 0 when it is not loaded. */
typedef struct kg__model_section {
    const char *name;
    uintptr_t base;
    size_t size; /* bytes */
    bool writable;
    bool of_threads; /* initial values of thread-local variables */
} kg__model_section;

/* A range of addresses. */
typedef struct kg__model_range {
    uintptr_t base;
    size_t size; /* bytes */
} kg__model_range;

struct kg__model_variable; /* places.h */

/* A program or library. Data from its file is empty when the file cannot be read, differs from
 * what is mapped, or is stripped. */
typedef struct kg__model_image {
    kg__model_range whole;  /* first byte to last byte, gaps between segments included */
    kg__model_range sealed; /* read-only once the program has started */
    unsigned char *inside;  /* any address in it */
    uintptr_t bias;         /* address in the process minus address in the file */

    int file; /* -1 when there is none */
    Elf *elf; /* NULL when the file cannot be read */
    kg__model_section *sections;
    size_t section_count;
    kg__model_symbol *functions; /* both sorted by base, then by order */
    size_t function_count;
    kg__model_symbol *objects;
    size_t object_count;
    kg__model_symbol *thread_objects; /* thread-local: `base` is the place in a thread's */
    size_t thread_object_count;

    /* Data that places.c derives from it. */
    bool has_variables; /* looked up, perhaps with none found */
    struct kg__model_variable *variables;
    size_t variable_count;
    bool has_debug; /* looked up, perhaps NULL */
    Dwarf *debug;

    bool permanent; /* the program itself, which is never unloaded */
    struct kg__model_image *next;
} kg__model_image;

/* Returns the image that contains `address`, or NULL. Valid until a library is unloaded. */
kg__model_image *kg__model_image_at(const void *address);

/* Returns whether a variable of the image is a __shared__ array: local to a function, and
 * aligned as such. */
bool kg__model_is_shared(const kg__model_image *image, const kg__model_symbol *object);

/* Returns the section that contains `address`, or NULL. */
const kg__model_section *kg__model_section_at(const kg__model_image *image, const void *address);

/* How often images were freed because a library was unloaded, up to the last kg__model_image_at().
 * Addresses noted at a smaller count are no longer valid. */
extern __attribute__((visibility("hidden"))) uint64_t kg__model_images_given_up;

/* A unit of debug information, and code in it. */
typedef struct kg__model_unit {
    Dwarf_Addr address; /* of the code, in the file */
    Dwarf_Die lines;    /* has the unit's lines */
    Dwarf_Die scopes;   /* a different one when the debug information was split off */
} kg__model_unit;

/* Finds the compilation unit that contains the code at an address; false if no unit does. */
bool kg__model_find_unit(const void *code, kg__model_unit *unit);

/* Returns the demangled form of a name, or the name itself if it is not mangled. The caller
 * frees it. */
char *kg__model_demangled(const char *mangled);
