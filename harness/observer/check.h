/* SPDX-License-Identifier: MIT */
/* Checks that a launch computes what the host reference computes, and nothing else. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "device/buffers.h"
#include "observer/accuracy.h"
#include "observer/problem.h"
#include "observer/repeat.h"
#include "suite/table.h"

typedef enum kg__outcome {
    KG__RIGHT,
    KG__INCORRECT, /* `why` says where, the expected value and the computed one */
    KG__FAILED,    /* an error of this case; the device still works */
    KG__LOST       /* the device's context is unusable: continue in a new process */
} kg__outcome;

/* Runs a variant's launcher, or its step before or after that (NULL: none), and waits for its end;
 * false with `why`, which begins with `what`. */
bool kg__run_step(kg_launcher *step, const kg_call *call, const char *what, kg__error *why);

/* Runs the step that the case's variant has between filling and launching; false with `why`. */
bool kg__prepare_launch(const kg__case *c, const kg__buffers *buffers, kg__error *why);

/* Poisons the outputs, restores the inputs, launches once, and judges every output, input and
 * guard zone. */
kg__outcome kg__check_launch(const kg_comparison *comparison, const kg__case *c,
                             const kg__problem *problem, kg__buffers *buffers, unsigned char poison,
                             const char *order, kg__error *why);

/* Collects the results of a completed launch, and judges its outputs, inputs and guard zones.
 * Compares nothing for a sampled launch. */
kg__outcome kg__check_results(const kg_comparison *comparison, const kg__case *c,
                              const kg__problem *problem, kg__buffers *buffers,
                              unsigned char poison, const char *order, kg__error *why);

/* Returns whether the last checked launch was refused by its launcher or by the device, rather
 * than failing in the kernel. */
bool kg__launch_was_refused(void);

/* Returns whether the device has findings about the last run; `why` then describes them. */
bool kg__check_found(const kg_comparison *comparison, kg__error *why);

/* Returns how the results checked last were wrong: "wrong_elements", "input_written",
 * "guard_zone", "not_repeatable" or "right_without_launch", with the argument's name in `symbol`
 * (NULL if unknown); NULL if they were right or not examined. */
const char *kg__check_failure(const char **symbol);

/* Data kept from case to case, since cases of one size share inputs, references and buffers.
 * Initialize with zeros. */
typedef struct kg__checker {
    kg__problem *problems; /* one per pattern */
    int patterns;
    kg__buffers buffers;
    const kg_variant *launched; /* the variant launched last on these problems */
    bool in_order;              /* the last case relies on the order in which blocks start */
    kg__accuracy accuracy;      /* of the last case */
    kg__repeats repeats;
} kg__checker;

/* Checks a case with random inputs in every order, with each other pattern in one order, and
 * that a KG_REPEATABLE variant gives the same bits for the random inputs in every order of the
 * device. Of a variant with steps around its launch, the results must be wrong without the
 * launch. The errors of plain kernels with these inputs, in the first order, become the
 * checker's accuracy. */
kg__outcome kg__check_case(kg__checker *checker, const kg_comparison *comparison, const kg__case *c,
                           kg__error *why);

/* Frees the kept data and empties the checker, which may be empty already. */
void kg__checker_free(kg__checker *checker);
