/* A problem: its arguments, its inputs by one pattern, and the expected results. */
#ifndef KG__OBSERVER_PROBLEM_H
#define KG__OBSERVER_PROBLEM_H

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "device/buffers.h"
#include "suite/table.h"

/* A size's inputs by one pattern, with what they must give. */
typedef struct kg__problem {
    kg_problem base;
    void *device[KG_MAX_ARGUMENTS]; /* the inputs on the device, from which buffers are filled */
    kg_pattern pattern;
    double *expected[KG_MAX_ARGUMENTS]; /* NULL for what is not compared, or judged by projection */
    double *tolerance[KG_MAX_ARGUMENTS];
    /* Outputs that were judged right, on the device, by kg__problem_keep(); else NULL. */
    void *right[KG_MAX_ARGUMENTS];
} kg__problem;

/* How many patterns a comparison has: "random" and its own. */
int kg__pattern_count(const kg_comparison *comparison);
/* Pattern number `index`. Number 0 is "random": the comparison's own first pattern, where it has
 * that name, else kg_fill_random(). */
kg_pattern kg__pattern_at(const kg_comparison *comparison, int index);

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

/* Fills the inputs of a case by pattern number `pattern` (0: random) and computes the reference. */
bool kg__problem_make(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error);
/* Fills the inputs alone. */
bool kg__problem_fill(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error);
/* Keeps the outputs in `buffers`, which have just been judged right, so that what computes the very
 * same is right without being read back. What cannot be kept is judged as before. */
void kg__problem_keep(kg__problem *problem, const kg__buffers *buffers);
/* Whether the problem of one case serves another: they share the size, and the variant where that
 * matters. False for one that is not made yet. */
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
