/* SPDX-License-Identifier: MIT */
/* Places: the source line of a code address, and the variable at a data address, from the debug
 * information and symbol table of the program or library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/finding.h"

/* A line of source. */
typedef struct kg__model_source {
    const char *file;  /* as given to the compiler, kept for the life of the process; "": unknown */
    unsigned int line; /* 0: unknown */
} kg__model_source;

/* Returns the source of the call that returns to `code`. Code inlined from the model's own
 * headers (harness/model/include) or the C++ library's counts as the line that it was inlined
 * into, so that an atomicAdd() is at the kernel's line. */
kg__model_source kg__model_source_of(const void *code);

/* Finds the calls of inlined functions around the call that returns to `code`: writes up to
 * `most`, innermost first, and the innermost function's name (NULL when it was not inlined),
 * which belongs to the debug information. Returns the number of calls. The model's own headers
 * and the C++ library's are left out. */
size_t kg__model_calls_of(const void *code, const char **function, kg__finding_call *calls,
                          size_t most);

/* Returns whether a file is one of the model's headers, by any path to its folder, or of the C++
 * library's or Thrust's, which the model's headers use. */
bool kg__model_is_header(const char *file);

/* Returns the source of the innermost of `count` calls (return addresses `codes`, innermost
 * first) that is in the file of `function` or in a file it includes, the model's own headers
 * excepted; line 0 when none is, or without debug information. */
kg__model_source kg__model_source_within(const void *function, const uintptr_t *codes,
                                         size_t count);

/* Returns the source of the innermost of `count` calls of the host's code (return addresses,
 * innermost first) that is neither the model's nor in one of its headers; line 0 when none is. */
kg__model_source kg__model_host_source(void *const *codes, int count);

/* The kind of device memory that a variable is in. */
typedef enum kg__model_space {
    KG__MODEL_GLOBAL,
    KG__MODEL_SHARED,
    KG__MODEL_CONSTANT
} kg__model_space;

/* A variable of a program: __device__ (global), __shared__ or __constant__; or one of its host. */
typedef struct kg__model_variable {
    const char *name; /* demangled, without its function: "tile_a" */
    unsigned char *base;
    size_t size; /* bytes */
    kg__model_space space;
    bool of_host;   /* kernels must not access it */
    bool of_device; /* the host must not access it; not known of all */
    bool of_both;   /* __managed__ */
} kg__model_variable;

/* Bounds of the variables of device code, as far as they have been looked for or accessed. */
extern __attribute__((visibility("hidden"))) uintptr_t kg__model_lowest_variable,
    kg__model_end_of_variables;

/* Returns whether `size` bytes at `address` may be of one. */
static inline bool kg__model_may_be_variable(uintptr_t address, size_t size)
{
    return address + size > kg__model_lowest_variable && address < kg__model_end_of_variables;
}

/* Widens them to hold a variable. */
void kg__model_widen_bounds(const kg__model_variable *variable);
/* Has a variable be the host's from now on, whose kind was not known. */
void kg__model_give_to_host(const kg__model_variable *variable);
/* Returns the variable that `address` is in, or in the gap behind; NULL when the address
 * is in no program or library, in code or in constants of the program itself, or before every
 * variable. Kept for the life of the process. */
const kg__model_variable *kg__model_variable_near(const void *address);

/* Returns whether `address` is anywhere in a program's or library's image. */
bool kg__model_in_image(const void *address);
/* Returns whether `address` is in a class's table of virtual functions. */
bool kg__model_is_table(const void *address);
/* Returns kg__model_in_image() of a section that is not read-only. */
bool kg__model_is_writable(const void *address);
