/* SPDX-License-Identifier: MIT */
/* The harness's facts about element types: one row per kg_type. */
#pragma once

#include <kernelgate/types.h>
#include <stdbool.h>

typedef struct kg__element_type {
    const char *name; /* in JSON */
    size_t size;
    double least; /* the smallest positive number */
    double (*get)(const void *data, size_t index);
    void (*set)(void *data, size_t index, double value);
    /* Fills `count` elements, from number `from` on, each from 64 random bits: an integer's
     * whole range, or [-1, 1) in steps that the type represents exactly. The same seed and
     * element number always give the same element. */
    void (*randomize)(void *data, size_t from, size_t count, uint64_t seed);
    /* Returns the index of the first wrong element from `from` on; `count` if there is none. */
    size_t (*next_wrong)(const void *computed, const double *expected, const double *tolerance,
                         size_t from, size_t count);
    /* Writes one element for a message, with all of its digits. */
    void (*show)(char *text, size_t size, const void *data, size_t index);
    int significand; /* bits, including the implicit one; 0 for integers */
    /* Wide inputs range from 2^-spread to 2^spread: large enough for exp() to overflow, small
     * enough that a product of three floats, or of two float16 numbers, does not; 0 for
     * integers. */
    int spread;
    /* The references' own type: 64-bit integers are expected as such, all other types as double. */
    bool is_expected_as_itself;
} kg__element_type;

/* Fills `count` elements of a float type with numbers of both signs whose exponents are uniform
 * between those of `least` and `most`, both above 0. Some are halfway between two values of a
 * narrower type or between two integers, some are equal, and with `zeros` some are zeros. */
void kg__element_fill_wide(const kg__element_type *type, void *data, size_t count, uint64_t seed,
                           kg_magnitudes magnitudes, bool zeros);

/* Returns whether a type represents a value after rounding: neither infinite nor cut to its
 * greatest number. */
bool kg__element_holds(const kg__element_type *type, double value);

/* Returns the row of a type; NULL if it is not a kg_type. */
const kg__element_type *kg__element_type_of(kg_type type);

/* Writes the expected value of an element, from an array filled by a kg_reference(). */
void kg__element_show_expected(const kg__element_type *type, char *text, size_t size,
                               const double *expected, size_t index);

/* Writes a double for a message, with `digits` digits. */
void kg__element_show_double(char *text, size_t size, double value, int digits);
