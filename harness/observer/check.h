/* Checking: does a launch compute what the host reference computes, and nothing else? */
#ifndef KG__OBSERVER_CHECK_H
#define KG__OBSERVER_CHECK_H

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "device/buffers.h"
#include "observer/accuracy.h"
#include "observer/problem.h"
#include "observer/repeat.h"
#include "suite/table.h"

typedef enum kg__outcome {
    KG__RIGHT,
    KG__INCORRECT, /* `why` says where, what was expected and what came */
    KG__FAILED,    /* an error of this case; the device can go on */
    KG__LOST       /* an error that made the device's context unusable: a new process must go on */
} kg__outcome;

/* Compares `count` computed elements with what was expected: |got - expected| <= tolerance, so that
 * NaN fails, but where NaN was expected. Returns true when all are right, else fills `mismatch`
 * with the first bad one, and `unwritten` with how many of the bad ones still hold `poison` in
 * every byte. */
bool kg__compare(kg_type type, const void *computed, const double *expected,
                 const double *tolerance, size_t count, unsigned char poison, kg_mismatch *mismatch,
                 size_t *unwritten);

/* Does what the variant of a case does between filling and launching; false with `why`. */
bool kg__prepare_launch(const kg__case *c, const kg__buffers *buffers, kg__error *why);

/* Poisons the outputs, restores the inputs, launches once, and judges every output, input and guard
 * zone. */
kg__outcome kg__check_launch(const kg_comparison *comparison, const kg__case *c,
                             const kg__problem *problem, kg__buffers *buffers, unsigned char poison,
                             const char *order, kg__error *why);

/* Collects what a launch that has ended computed, and judges every output, input and guard zone of
 * it. Of a sampled launch, nothing is compared. */
kg__outcome kg__check_results(const kg_comparison *comparison, const kg__case *c,
                              const kg__problem *problem, kg__buffers *buffers,
                              unsigned char poison, const char *order, kg__error *why);

/* Whether the last checked launch was refused by its launcher or by the device, and did not fail in
 * the kernel. */
bool kg__launch_was_refused(void);

/* Whether the device has found anything in what was run last; then `why` says what. */
bool kg__check_found(const kg_comparison *comparison, kg__error *why);

/* What the results of the launch that was checked last had wrong: "wrong_elements",
 * "input_written", "guard_zone" or "not_repeatable", and the argument's name in `symbol` (NULL
 * where it is not told); NULL where they were right, or were not looked at. */
const char *kg__check_failure(const char **symbol);

/* The random inputs and the buffers of one size, kept from case to case. Zeroed at first. */
typedef struct kg__stage {
    kg__problem problem;
    kg__buffers buffers;
} kg__stage;

/* Makes a stage ready for a case's size and its variant's memory, if it is not; with the reference
 * when results are to be judged by it. False with `error`, and the stage empty. */
bool kg__stage_set(kg__stage *stage, const kg_comparison *comparison, const kg__case *c,
                   bool with_reference, kg__error *error);

/* Frees what the stage holds; it can be set again. */
void kg__stage_clear(kg__stage *stage);

/* What is kept from case to case, since cases of one size share inputs, references and buffers.
 * Zeroed at first. */
typedef struct kg__checker {
    kg__problem *problems; /* one per pattern */
    int patterns;
    kg__buffers buffers;
    bool in_order;         /* the last case relies on the order in which blocks start */
    kg__accuracy accuracy; /* of the last case */
    kg__repeats repeats;
} kg__checker;

/* Checks a case with random inputs in every order, with each other pattern in one, and whether a
 * KG_REPEATABLE variant gives the same bits of the random inputs in every order that the device
 * has. Plain kernels' errors in those inputs, in the first order, become the checker's accuracy. */
kg__outcome kg__check_case(kg__checker *checker, const kg_comparison *comparison, const kg__case *c,
                           kg__error *why);

/* Frees what was kept from case to case, and empties the checker; a zeroed one is fine too. */
void kg__checker_free(kg__checker *checker);

#endif
