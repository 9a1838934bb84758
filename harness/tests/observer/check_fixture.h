/* SPDX-License-Identifier: MIT */
/* What the tests of checking share: a comparison whose kernels are C functions, and checks of it.
 * In the CPU model device memory is the host's. */
#pragma once

#include "observer/check.h"

/* The arguments. */
enum { FROM, SUM, TO, BYTES };

/* What launch() does, and how often it was called. */
extern cudaError_t (*behavior)(const kg_call *call);
extern int launches;

/* What the steps of a variant did, one letter for each step. */
extern char steps[64];

/* Why the last check did not pass. */
extern kg__error why;

extern const kg_size small;
extern const kg_size large;
extern const kg_variant variant;

/* The comparison without patterns; and with one that is exact, all ones, and one that is unfilled.
 */
extern const kg_comparison plain;
extern const kg_comparison patterned;

/* The launcher of the variants. */
cudaError_t launch(const kg_call *call);

/* How many elements an argument of this size has. */
int64_t elements(const kg_size *size);

/* What a right kernel does: to = 2 from, sum += 1, bytes = the index. */
cudaError_t compute(const kg_call *call);
cudaError_t do_nothing(const kg_call *call);

/* The callbacks of the comparison. */
void arguments(const kg_size *size, kg_arguments *list);
void reference(const kg_problem *problem, int output, double *expected, double *tolerance);
void fill_ones(const kg_problem *problem, int argument, void *data);
kg_work work(const kg_size *size);

/* Checks a variant whose launcher does this. */
kg__outcome check_variant(const kg_comparison *comparison, const kg_variant *what,
                          const kg_size *size, cudaError_t (*does)(const kg_call *));

/* The same with the variant that has a launcher alone. */
kg__outcome check_as(const kg_comparison *comparison, const kg_size *size,
                     cudaError_t (*does)(const kg_call *));
