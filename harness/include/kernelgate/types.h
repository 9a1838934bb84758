/* SPDX-License-Identifier: MIT */
/* The types of a table's members: elements, kinds of memory, clocks. Part of kernelgate.h, which
 * includes it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kg_type {
    KG_FLOAT32,
    KG_INT32,
    KG_UINT8,
    KG_FLOAT64,
    KG_FLOAT16,
    KG_BFLOAT16,
    KG_FLOAT8_E4M3,
    KG_FLOAT8_E5M2,
    KG_INT8,
    KG_INT16,
    KG_INT64,
    KG_UINT16,
    KG_UINT32,
    KG_UINT64
} kg_type;

/* Returns the bytes of one element. */
size_t kg_type_size(kg_type type);

/* Returns the unit roundoff, half the distance from 1 to the next value: 2^-24 for KG_FLOAT32; 0
 * for integers. */
double kg_roundoff(kg_type type);

/* Returns element `index` of `data`, as a double; for integers beyond 2^53 the nearest double. */
double kg_element(kg_type type, const void *data, size_t index);

/* Stores `value`, rounded to the nearest. Values that are too large become infinite, or the
 * greatest number for integers and 8-bit floats; NaN becomes 0 in integers. */
void kg_set_element(kg_type type, void *data, size_t index, double value);

/* Returns the error bound of a sum of `terms` products (or numbers) that is accumulated in one
 * type, in any order, and stored in another; the magnitudes of the terms add up to `magnitude`.
 * Valid if terms * u < 1, where u is the roundoff of `accumulated`, and `magnitude` is finite;
 * else there is no bound, and the result is NaN, which only equal values pass. */
double kg_sum_tolerance(kg_type accumulated, kg_type stored, int64_t terms, double magnitude);

/* The memory of an argument. */
typedef enum kg_memory {
    KG_DEVICE,
    KG_MANAGED,  /* managed memory, on the device when a launch begins, unless the clock is
                    KG_FIRST_TOUCH_CLOCK */
    KG_PAGEABLE, /* host memory from malloc() */
    KG_PINNED    /* page-locked host memory */
} kg_memory;

/* The clock that times a variant. Records name it. */
typedef enum kg_clock {
    KG_GRAPH_CLOCK,      /* an event pair around a CUDA graph of many launches */
    KG_HOST_CLOCK,       /* the host's clock around calls and their end, for what fits in no graph,
                            such as copies from pageable memory */
    KG_FIRST_TOUCH_CLOCK /* an event pair around one launch that finds managed arguments on the
                            host */
} kg_clock;

/* Returns zeroed host memory for `count` items of `size` bytes, freed with free(); ends the
 * process with a message when memory is exhausted. */
void *kg_allocate(size_t count, size_t size);

/* The first difference of a computed output from the reference. */
typedef struct kg_mismatch {
    size_t index; /* of the first bad element, or row for a projection */
    double expected;
    double got;
    double tolerance;
    size_t count; /* total number of bad elements (or rows) */
    bool is_row;  /* the index is of a row: a projection cannot determine the column */
} kg_mismatch;

struct kg_problem;

/* Computes the expected elements of output argument `output`, in double, and their tolerances: 0
 * for exact; INFINITY: finite values are not compared. Both arrays have rows x columns elements
 * of that argument; all are 0 at first. Exact patterns ignore nonzero tolerances. For KG_INT64
 * and KG_UINT64 `expected` is an array of int64_t or uint64_t: cast it. */
typedef void kg_reference(const struct kg_problem *problem, int output, double *expected,
                          double *tolerance);

/* Judges a computed output without a full reference, if that would cost more than
 * KG_PROJECT_ABOVE operations. Returns true when right, else fills `mismatch`. */
typedef bool kg_projection(const struct kg_problem *problem, int output, const void *computed,
                           kg_mismatch *mismatch);

#define KG_PROJECT_ABOVE (1LL << 29)

/* Magnitudes of the inputs "wide". 0: the type's default. */
typedef struct kg_magnitudes {
    double least; /* with 0 some inputs are zeros */
    double most;
} kg_magnitudes;

/* Fills the host copy of an argument at random: uniform in [-1, 1), or over the whole range of
 * an integer type, from a fixed seed. */
void kg_fill_random(const struct kg_problem *problem, int argument, void *data);

/* A pattern of inputs. Every comparison has "random", which is kg_fill_random(), then "wide",
 * then its own. If its first pattern is called "random", it replaces the default: for indices,
 * which must be in range. "wide" equals "random", except float arguments that kg_fill_random()
 * filled and nothing has changed since: their magnitudes are spread over many powers of two,
 * 2^-40 to 2^40 for KG_FLOAT32, or as many as leave the reference's results finite in the
 * outputs' types. A comparison's own pattern "wide" replaces that. */
typedef struct kg_pattern {
    const char *name;
    /* Fills `data`, the host copy of argument `argument`. */
    void (*fill)(const struct kg_problem *problem, int argument, void *data);
    kg_reference *reference; /* the pattern's closed form; NULL: the comparison's own */
    bool exact;              /* sums and products of this pattern are exact: compare exactly */
} kg_pattern;

/* The work of a case's job: the minimum operations and bytes, whatever the variant does. */
typedef struct kg_work {
    double operations; /* floating-point (or integer) operations */
    double bytes; /* every input read once, every output written once; 0: the arguments' bytes */
} kg_work;

/* Values of a launch's axis: from `first` up to `last`, each larger by `step`, or twice the
 * previous one if `step` is 0. All 0: none. */
typedef struct kg_range {
    int first;
    int last;
    int step;
} kg_range;

#ifdef __cplusplus
}
#endif
