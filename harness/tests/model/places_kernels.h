/* SPDX-License-Identifier: MIT */
/* Kernels whose accesses and variables are known, for the tests of places. Linked into the test and
 * also built into libraries by it. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLACES_WORDS = 32, PLACES_MOST = 512 };

/* An access, as its hook saw it. */
typedef struct places_access {
    const void *code; /* where the hook returns to */
    const void *data;
} places_access;

typedef enum places_space { PLACES_GLOBAL, PLACES_SHARED, PLACES_CONSTANT } places_space;

typedef struct places_variable {
    const char *name;
    const void *base;
    size_t size; /* bytes */
    places_space space;
} places_variable;

/* What the kernels did. */
typedef struct places_seen {
    size_t access_count;
    places_access accesses[PLACES_MOST];
    size_t variable_count;
    places_variable variables[PLACES_MOST];
    const void *launched;   /* a function of the model's headers that is not inlined */
    const void *kernel;     /* a template's: holder<7> */
    const void *aliased[2]; /* two names of one array of four words */
    const void *literal, *table, *sealed; /* constants of the program itself */
} places_seen;

/* Runs every kernel once. Word i of `words` (PLACES_WORDS of them, zeros) is accessed in the lines
 * of places_kernels.cpp that end in "// word i", and nowhere else. */
void places_run(places_seen *seen, int *words);
typedef void places_run_function(places_seen *seen, int *words);

/* Kept by the hooks. */
extern places_seen *places_now;
void places_note(const char *name, const void *base, size_t size, places_space space);

#ifdef __cplusplus
}

/* A device function in a header of the kernels' own. */
inline __attribute__((always_inline)) int places_add_one(const int *word)
{
    return *word + 1; // word 14
}
#endif
