/* Places: where code stands in the source, and what variable an address belongs to, from the debug
 * information and the symbol table of the program (or library) that holds them. */
#ifndef KG__MODEL_PLACES_H
#define KG__MODEL_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/finding.h"

/* A line of source. */
typedef struct kg__model_source {
    const char
        *file; /* as the compiler was given it, kept for the life of the process; "" unknown */
    unsigned int line; /* 0: unknown */
} kg__model_source;

/* The source of the call that returns to `code`. What was inlined from the model's own headers
 * (harness/model/include) or the C++ library's counts as the line that it was inlined into, so that
 * an atomicAdd() is at the kernel's line. */
kg__model_source kg__model_source_of(const void *code);

/* Where the functions were called that the compiler has inlined one into another around the call
 * that returns to `code`: writes up to `most` calls, the innermost first, and the name of the
 * innermost function (NULL where that was not inlined), the debug information's. Returns the number
 * of calls. The model's own headers and the C++ library's are left out. */
size_t kg__model_calls_of(const void *code, const char **function, kg__finding_call *calls,
                          size_t most);

/* Finds the unit of the debug information that the call which returns to `code` was compiled in,
 * and writes it to `unit`, a Dwarf_Die of libdw; false where there is none. */
bool kg__model_unit_of(const void *code, void *unit);

/* True when a file is one of the model's headers, whichever way its folder was reached, or of the
 * C++ library's, which the model's have kernels use. */
bool kg__model_is_header(const char *file);

/* The source of the innermost of `count` calls, each of which returns to a code (the innermost
 * first), that stands in the file of `function` and those that it includes, but for the model's own
 * headers; line 0 where none does, or where there is no debug information. */
kg__model_source kg__model_source_within(const void *function, const uintptr_t *codes,
                                         size_t count);

/* The kind of device memory that a variable is in. */
typedef enum kg__model_space {
    KG__MODEL_GLOBAL,
    KG__MODEL_SHARED,
    KG__MODEL_CONSTANT
} kg__model_space;

/* A variable of a program: __device__ (global), __shared__ or __constant__. */
typedef struct kg__model_variable {
    const char *name; /* demangled, without its function: "tile_a" */
    unsigned char *base;
    size_t size; /* bytes */
    kg__model_space space;
} kg__model_variable;

/* The device variable that `address` lies in, or that it lies behind in the hole that follows it;
 * NULL when the address is in no program or library, in code or in constants of the program itself,
 * or before every variable. Kept for the life of the process. */
const kg__model_variable *kg__model_variable_near(const void *address);

/* True when `address` is anywhere in a program's or library's image. */
bool kg__model_in_image(const void *address);

#endif
