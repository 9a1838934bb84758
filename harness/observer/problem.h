/* A problem: its arguments, its inputs by one pattern, and the expected results. */
#ifndef KG__OBSERVER_PROBLEM_H
#define KG__OBSERVER_PROBLEM_H

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "device/buffers.h"
#include "suite/table.h"

/* A size's inputs by one pattern, with the expected outputs. */
typedef struct kg__problem {
    kg_problem base;
    void *device[KG_MAX_ARGUMENTS]; /* the inputs on the device, from which buffers are filled */
    kg_pattern pattern;
    /* Of "wide": how often its range of exponents was narrowed, whether it can be again, and the
     * largest magnitude that an argument may have; 0: none of them is wide. */
    int narrowed;
    bool narrows;
    double widest;
    double *expected[KG_MAX_ARGUMENTS]; /* NULL if not compared, or judged by projection */
    double *tolerance[KG_MAX_ARGUMENTS];
    /* Outputs that were judged right, on the device, by kg__problem_keep(); else NULL. */
    void *right[KG_MAX_ARGUMENTS];
} kg__problem;

/* Declares a case's arguments; none, with `error`, where one is not as kg_add_argument() wants it,
 * or other than scratch depends on the launch. */
bool kg__arguments_of(const kg_comparison *comparison, const kg__case *c, kg_arguments *arguments,
                      kg__error *error);

/* Buffers that hold nothing, for launches that are captured and never run. Zeroed at first; the
 * buffers are freed with kg__buffers_free(). */
typedef struct kg__bare_buffers {
    kg__buffers buffers;
    const kg_size *size; /* that they are of; NULL: of none */
} kg__bare_buffers;

/* Makes them for a case, unless those of the one before do; false with `why`. */
bool kg__bare_buffers_for(kg__bare_buffers *bare, const kg_comparison *comparison,
                          const kg__case *c, kg__error *why);

/* Fills the inputs of a case by pattern number `pattern` (0: random) and computes the reference.
 * The problem stays empty where "wide" has nothing to add to "random": no argument becomes wide, or
 * a projection judges. */
bool kg__problem_make(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error);
/* Fills the inputs alone. */
bool kg__problem_fill(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error);
/* Fills the integers among the inputs of a size that is too large for memory, by pattern 0, so that
 * indices are as large as they can be: an argument above 64 MiB and all floats keep the zeros that
 * `buffers` hold. False with `error`. */
bool kg__problem_fill_sparse(const kg_comparison *comparison, const kg__case *c,
                             const kg__buffers *buffers, kg__error *error);
/* What a message about a failure with these inputs adds to their name: "" of other than "wide". */
void kg__problem_remark(const kg__problem *problem, char *text, size_t size);
/* Keeps the outputs in `buffers`, which have just been judged right, so that what computes the very
 * same is right without being read back. What cannot be kept is judged as before. */
void kg__problem_keep(kg__problem *problem, const kg__buffers *buffers);
/* Whether the problem of one case serves another: they share the size, the types, and the variant
 * where that matters. False for one that is not made yet. */
bool kg__problem_serves(const kg_comparison *comparison, const kg__problem *problem,
                        const kg__case *c);

/* Names element `index` of an argument: "c[17]" or "c[row 1, column 2]". */
void kg__name_element(const kg_argument *shape, const kg_mismatch *mismatch, char *text,
                      size_t size);

/* Frees a problem on the host and the device, and empties it; an empty one is fine too. */
void kg__problem_free(kg__problem *problem);

/* The poison of a pattern: a byte that makes a float far beyond any result, and differs between
 * patterns.
 */
unsigned char kg__poison(int pattern);

#endif
