/* What the harness needs to know of an element type: one row per kg_type. */
#ifndef KG__SUITE_ELEMENT_TYPE_H
#define KG__SUITE_ELEMENT_TYPE_H

#include <kernelgate/types.h>
#include <stdbool.h>

typedef struct kg__element_type {
    const char *name; /* in JSON */
    size_t size;
    double least; /* the smallest positive number */
    double (*get)(const void *data, size_t index);
    void (*set)(void *data, size_t index, double value);
    /* Fills `count` elements, from number `from` on, from 64 random bits each: an integer's whole
     * range, or [-1, 1) in steps that every one of these numbers has exactly. A seed and an
     * element's number always give the same. */
    void (*randomize)(void *data, size_t from, size_t count, uint64_t seed);
    /* The index of the first element from `from` on that is wrong; `count` where none is. */
    size_t (*next_wrong)(const void *computed, const double *expected, const double *tolerance,
                         size_t from, size_t count);
    /* Writes one element for a message, with all of its digits. */
    void (*show)(char *text, size_t size, const void *data, size_t index);
    int significand; /* bits, the implicit one too; 0 of integers */
    /* Wide inputs are of 2^-spread to 2^spread: far enough for exp() to overflow, and not so far
     * that a product of three floats does, or one of two float16 numbers; 0 of integers. */
    int spread;
    /* The references' own type: integers of 64 bits are expected as such, all others as double. */
    bool is_expected_as_itself;
} kg__element_type;

/* Fills `count` elements of a float type with numbers of both signs whose exponents are uniform
 * between those of `least` and `most`, both above 0: also such that lie halfway between two values
 * of a narrower type or two integers, equal ones, and with `zeros` some zeros. */
void kg__element_fill_wide(const kg__element_type *type, void *data, size_t count, uint64_t seed,
                           kg_magnitudes magnitudes, bool zeros);

/* Whether a type has a value, once rounded: neither infinite nor cut to its greatest number. */
bool kg__element_holds(const kg__element_type *type, double value);

/* The row of a type; NULL where it is not a kg_type. */
const kg__element_type *kg__element_type_of(kg_type type);

/* Writes the expected value of an element, from its array as kg_reference() fills it. */
void kg__element_show_expected(const kg__element_type *type, char *text, size_t size,
                               const double *expected, size_t index);

/* Writes a double for a message, with `digits` digits. */
void kg__element_show_double(char *text, size_t size, double value, int digits);

#endif
