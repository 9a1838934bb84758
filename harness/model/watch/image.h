/* Images: the program and the libraries that are mapped into the process, and what their files say
 * of them. The one reader of symbol tables. Calls come one at a time, with the model's lock held.
 */
#ifndef KG__MODEL_IMAGE_H
#define KG__MODEL_IMAGE_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function or a variable, where it is in the process. */
typedef struct kg__model_symbol {
    const char *name; /* as the file has it: mangled */
    unsigned char *base;
    size_t size;    /* bytes; 0 if the file has no size */
    size_t section; /* its number in the image's sections */
    size_t order;   /* its number in the symbol table */
    size_t file;    /* the number of the source that it is local to; 0: none */
} kg__model_symbol;

/* A part of a file, where it is in the process; of `size` 0 when it is not loaded. */
typedef struct kg__model_section {
    const char *name;
    uintptr_t base;
    size_t size; /* bytes */
    bool writable;
    bool of_threads; /* what a thread's own variables begin with, and not those variables */
} kg__model_section;

/* Some addresses. */
typedef struct kg__model_range {
    uintptr_t base;
    size_t size; /* bytes */
} kg__model_range;

struct kg__model_variable; /* of places.h */

/* A program or library. What its file would tell is empty when its file cannot be read, is not what
 * is mapped, or is stripped. */
typedef struct kg__model_image {
    kg__model_range whole;  /* from its first byte to its last, with the holes between segments */
    kg__model_range sealed; /* what is read-only once the program has started */
    unsigned char *inside;  /* any address in it */
    uintptr_t bias;         /* an address less the one that the file gives it */

    int file; /* -1 when there is none */
    Elf *elf; /* NULL when the file cannot be read */
    kg__model_section *sections;
    size_t section_count;
    kg__model_symbol *functions; /* both ascending by base, then by order */
    size_t function_count;
    kg__model_symbol *objects;
    size_t object_count;

    /* The data that places.c derives from it. */
    bool has_variables; /* which may be none */
    struct kg__model_variable *variables;
    size_t variable_count;
    bool has_debug; /* which may be NULL */
    Dwarf *debug;

    bool permanent; /* the program itself, which is never unloaded */
    struct kg__model_image *next;
} kg__model_image;

/* The image that `address` lies in, or NULL. It holds until a library is next unloaded. */
kg__model_image *kg__model_image_at(const void *address);

/* True when a variable of the image is a __shared__ array: a function's own and aligned as such. */
bool kg__model_is_shared(const kg__model_image *image, const kg__model_symbol *object);

/* The section that `address` lies in, or NULL. */
const kg__model_section *kg__model_section_at(const kg__model_image *image, const void *address);

/* How often images were freed because a library was unloaded: addresses noted at a smaller count
 * are no longer valid. Needs no lookup of its own: kg__model_image_at() first. */
uint64_t kg__model_images_given_up(void);

/* The debug information of an image; NULL where it has none. */
Dwarf *kg__model_debug_of(kg__model_image *image);

/* Finds the unit that was compiled to the code at `address`, as the file has it. Its lines are in
 * `unit`, its scopes in `scopes`, which is another where the debug information was split off. */
bool kg__model_find_unit(Dwarf *debug, Dwarf_Addr address, Dwarf_Die *unit, Dwarf_Die *scopes);

/* How a person would write a mangled name; a copy on the heap. What is not mangled stays as it is.
 */
char *kg__model_demangled(const char *mangled);

#endif
