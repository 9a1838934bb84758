/* SPDX-License-Identifier: MIT */
/* A problem: its arguments, its inputs by one pattern, and the expected results. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "device/buffers.h"
#include "suite/table.h"

/* A size's inputs by one pattern, with the expected outputs. */
typedef struct kg__problem {
    kg_problem base;
    void *device[KG_MAX_ARGUMENTS]; /* the inputs on the device, from which buffers are filled */
    kg_pattern pattern;
    /* Of "wide": how often its range of exponents was narrowed, whether it can be narrowed
     * again, and the largest magnitude of an argument; 0: no argument is wide. */
    int narrowed;
    bool narrows;
    double widest;
    double *expected[KG_MAX_ARGUMENTS]; /* NULL if not compared, or judged by projection */
    double *tolerance[KG_MAX_ARGUMENTS];
    /* Outputs on the device that were judged right, kept by kg__problem_keep(); else NULL. */
    void *right[KG_MAX_ARGUMENTS];
} kg__problem;

/* Declares a case's arguments; none, with `error`, if one violates kg_add_argument()'s contract,
 * or if any but scratch depends on the launch. */
bool kg__arguments_of(const kg_comparison *comparison, const kg__case *c, kg_arguments *arguments,
                      kg__error *error);

/* Buffers without content, for launches that are captured and never run. Initialize with zeros;
 * free the buffers with kg__buffers_free(). */
typedef struct kg__bare_buffers {
    kg__buffers buffers;
    const kg_size *size; /* the size they are for; NULL: none */
} kg__bare_buffers;

/* Makes the buffers for a case, unless the previous case's fit; false with `why`. */
bool kg__bare_buffers_for(kg__bare_buffers *bare, const kg_comparison *comparison,
                          const kg__case *c, kg__error *why);

/* Fills the inputs of a case by pattern number `pattern` (0: random) and computes the reference.
 * The problem stays empty if "wide" adds nothing to "random": no argument becomes wide, or a
 * projection judges. */
bool kg__problem_make(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error);
/* Fills only the inputs. */
bool kg__problem_fill(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error);
/* Fills the integers among the inputs of a size that is too large for memory, by pattern 0, so
 * that indices take their largest values. Arguments above 64 MiB and all floats keep the zeros
 * in `buffers`. False with `error`. */
bool kg__problem_fill_sparse(const kg_comparison *comparison, const kg__case *c,
                             const kg__buffers *buffers, kg__error *error);
/* Writes the suffix that failure messages add to the inputs' name: "" unless they are "wide". */
void kg__problem_remark(const kg__problem *problem, char *text, size_t size);
/* Keeps the outputs in `buffers`, which have just been judged right, so that equal results need
 * not be read back. If they cannot be kept, results are judged in full. */
void kg__problem_keep(kg__problem *problem, const kg__buffers *buffers);
/* Returns whether one case's problem fits another: they share the size, the types, and the
 * variant if that matters. False for a problem that is not made yet. */
bool kg__problem_serves(const kg_comparison *comparison, const kg__problem *problem,
                        const kg__case *c);

/* Writes the name of element `index` of an argument: "c[17]" or "c[row 1, column 2]". */
void kg__name_element(const kg_argument *shape, const kg_mismatch *mismatch, char *text,
                      size_t size);

/* Frees a problem on the host and the device, and empties it, which may be empty already. */
void kg__problem_free(kg__problem *problem);

/* Returns the poison of a pattern: a byte that makes floats far beyond any result, and differs
 * between patterns. */
unsigned char kg__poison(int pattern);

/* The random inputs and the buffers of one size, kept from case to case. Initialize with zeros. */
typedef struct kg__stage {
    kg__problem problem;
    kg__buffers buffers;
} kg__stage;

/* Prepares a stage for a case's size and its variant's memory, if it is not. False with `error`,
 * and the stage empty. */
bool kg__stage_set(kg__stage *stage, const kg_comparison *comparison, const kg__case *c,
                   kg__error *error);

/* Frees the stage's contents; it can be set again. */
void kg__stage_clear(kg__stage *stage);
