/* SPDX-License-Identifier: MIT */
#include "observer/check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "observer/compare.h"
#include "observer/inputs.h"
#include "observer/tolerances.h"
#include "records/finding_text.h"
#include "suite/element_type.h"

/* How the last checked results were wrong, and the argument at fault. */
static struct {
    const char *kind;   /* NULL: nothing was wrong */
    const char *symbol; /* NULL: unknown */
} failure;

const char *kg__check_failure(const char **symbol)
{
    *symbol = failure.symbol;
    return failure.kind;
}

static void note_failure(const char *kind, const char *symbol)
{
    failure.kind = kind;
    failure.symbol = symbol;
}

/* Writes the expected and the computed value: elements with all their digits, others (of a
 * projection) as doubles. */
static void show_values(const kg_argument *shape, const kg_mismatch *mismatch, const void *computed,
                        const double *expected, char *of_expected, char *of_got, size_t size)
{
    const kg__element_type *type = kg__element_type_of(shape->type);

    if (expected != NULL) {
        kg__element_show_expected(type, of_expected, size, expected, mismatch->index);
        type->show(of_got, size, computed, mismatch->index);
    } else {
        kg__element_show_double(of_expected, size, mismatch->expected, 10);
        kg__element_show_double(of_got, size, mismatch->got, 10);
    }
    /* The reference is a double: it may differ from a result by less than the result's digits. */
    if (strcmp(of_expected, of_got) == 0) {
        kg__element_show_double(of_expected, size, mismatch->expected, DBL_DECIMAL_DIG);
        kg__element_show_double(of_got, size, mismatch->got, DBL_DECIMAL_DIG);
    }
}

static void describe_mismatch(const kg_argument *shape, const kg_mismatch *mismatch,
                              const void *computed, const double *expected_elements,
                              size_t unwritten, kg__error *why)
{
    char name[128];
    char expected[32];
    char got[32];
    char remark[64] = "";

    kg__name_element(shape, mismatch, name, sizeof name);
    show_values(shape, mismatch, computed, expected_elements, expected, got, sizeof expected);
    if (unwritten > 0)
        kg__format(remark, sizeof remark, ", %zu of them never written", unwritten);
    kg__fail(why, "%s%s: expected %s, got %s, tolerance %.3g; %zu of %zu %s wrong%s", name,
             mismatch->is_row ? " times the projection's weights" : "", expected, got,
             mismatch->tolerance, mismatch->count,
             mismatch->is_row ? shape->rows : shape->rows * shape->columns,
             mismatch->is_row ? "rows" : "elements", remark);
}

static kg__outcome failure_outcome(void)
{
    return kg__device_is_lost() ? KG__LOST : KG__FAILED;
}

static kg__outcome judge_input(const kg__problem *problem, int i, kg__buffers *buffers,
                               kg__error *why)
{
    const kg_argument *shape = &problem->base.arguments.list[i];
    kg_mismatch mismatch = { 0 };
    kg__error failure = { "" };
    char name[128];
    size_t first;

    if (kg__buffers_unchanged(buffers, i, problem->device[i], problem->base.data[i], &first,
                              &failure))
        return KG__RIGHT;
    if (failure.text[0] != '\0') {
        *why = failure;
        return failure_outcome();
    }
    mismatch.index = first / kg_type_size(shape->type);
    kg__name_element(shape, &mismatch, name, sizeof name);
    note_failure("input_written", shape->name);
    kg__fail(why, "%s: an input was written to", name);
    return KG__INCORRECT;
}

static kg__outcome judge_output(const kg_comparison *comparison, const kg__problem *problem, int i,
                                kg__buffers *buffers, unsigned char poison, kg__error *why)
{
    const kg_argument *shape = &problem->base.arguments.list[i];
    const void *computed;
    kg_mismatch mismatch = { 0 };
    size_t unwritten = 0;
    bool right;

    if (problem->right[i] != NULL && kg__buffers_hold(buffers, i, problem->right[i]))
        return KG__RIGHT;
    computed = kg__buffers_read(buffers, i, why);
    if (computed == NULL)
        return failure_outcome();
    if (problem->expected[i] == NULL)
        right = comparison->advanced.projection(&problem->base, i, computed, &mismatch);
    else
        right = kg__compare(shape->type, computed, problem->expected[i], problem->tolerance[i],
                            shape->rows * shape->columns, poison, &mismatch, &unwritten);
    /* Inputs can contain poison only by chance. */
    if (shape->role != KG_OUTPUT)
        unwritten = 0;
    if (!right) {
        note_failure("wrong_elements", shape->name);
        describe_mismatch(shape, &mismatch, computed, problem->expected[i], unwritten, why);
    }
    return right ? KG__RIGHT : KG__INCORRECT;
}

static kg__outcome judge_arguments(const kg_comparison *comparison, const kg__problem *problem,
                                   kg__buffers *buffers, unsigned char poison, kg__error *why)
{
    kg__error guard = { "" };
    kg__error failure = { "" };
    bool right = true;

    note_failure(NULL, NULL);
    for (int i = problem->base.arguments.count - 1; i >= 0 && right; i--) {
        const kg_argument *argument = &problem->base.arguments.list[i];
        kg__outcome outcome = KG__RIGHT;

        if (argument->role == KG_INPUT)
            outcome = judge_input(problem, i, buffers, why);
        else if (kg__is_compared(argument))
            outcome = judge_output(comparison, problem, i, buffers, poison, why);
        if (outcome != KG__RIGHT && outcome != KG__INCORRECT)
            return outcome;
        right = outcome == KG__RIGHT;
    }
    if (!kg__buffers_guards_hold(buffers, &guard, &failure)) {
        if (guard.text[0] == '\0') {
            *why = failure;
            return failure_outcome();
        }
        if (right) {
            note_failure("guard_zone", NULL);
            *why = guard;
        } else {
            kg__error first = *why;

            kg__fail(why, "%s; %s", first.text, guard.text);
        }
        right = false;
    }
    return right ? KG__RIGHT : KG__INCORRECT;
}

bool kg__check_found(const kg_comparison *comparison, kg__error *why)
{
    kg__findings findings;

    if (!kg__device_has_findings(comparison->home, &findings))
        return false;
    note_failure(NULL, NULL);
    kg__findings_text(&findings, why->text, sizeof why->text);
    return true;
}

/* Explains a failed launch by its findings, if its accesses were watched: then the kernel is
 * wrong. */
static kg__outcome explain_failure(const kg_comparison *comparison, kg__error *why)
{
    return kg__check_found(comparison, why) ? KG__INCORRECT : failure_outcome();
}

bool kg__run_step(kg_launcher *step, const kg_call *call, const char *what, kg__error *why)
{
    cudaError_t code;

    /* CUB fails if an earlier call has left an error. Clear it even without a step: a launch is
     * next. */
    (void)cudaGetLastError();
    if (step == NULL)
        return true;
    code = step(call);
    KG__THEN(code, cudaDeviceSynchronize());
    return kg__succeeded(code, what, why);
}

bool kg__prepare_launch(const kg__case *c, const kg__buffers *buffers, kg__error *why)
{
    kg_call call = kg__buffers_call(buffers, c, NULL);

    return kg__run_step(c->variant->advanced.prepare, &call, "preparing the arguments", why);
}

/* The error of the launch that was checked last. */
static cudaError_t launch_error;

bool kg__launch_was_refused(void)
{
    return launch_error == cudaErrorInvalidValue || launch_error == cudaErrorInvalidConfiguration ||
           launch_error == cudaErrorLaunchOutOfResources;
}

kg__outcome kg__check_results(const kg_comparison *comparison, const kg__case *c,
                              const kg__problem *problem, kg__buffers *buffers,
                              unsigned char poison, const char *order, kg__error *why)
{
    const kg_call call = kg__buffers_call(buffers, c, NULL);
    kg__outcome outcome = KG__RIGHT;
    bool whole;

    if (!kg__run_step(c->variant->advanced.collect, &call, "collecting the results", why))
        return explain_failure(comparison, why);
    (void)kg__device_skipped_checks(why, &whole);
    if (whole)
        outcome = judge_arguments(comparison, problem, buffers, poison, why);
    kg__device_judged(outcome == KG__INCORRECT);
    /* The check with the plain kernels will say what that did to the outputs. */
    if (kg__check_found(comparison, why))
        return KG__INCORRECT;
    if (outcome == KG__INCORRECT) {
        kg__error reason = *why;
        char remark[192];

        kg__problem_remark(problem, remark, sizeof remark);
        kg__fail(why, "%s; inputs %s%s%s", reason.text, problem->pattern.name, order, remark);
    }
    return outcome;
}

kg__outcome kg__check_launch(const kg_comparison *comparison, const kg__case *c,
                             const kg__problem *problem, kg__buffers *buffers, unsigned char poison,
                             const char *order, kg__error *why)
{
    kg_call call = kg__buffers_call(buffers, c, NULL);
    kg__outcome outcome;
    cudaError_t code;

    launch_error = cudaSuccess;
    note_failure(NULL, NULL);
    kg__device_judged(false);
    kg__device_watch();
    if (!kg__buffers_fill(buffers, problem->device, poison, why))
        return failure_outcome();
    if (!kg__prepare_launch(c, buffers, why))
        return explain_failure(comparison, why);
    call.stream = kg__device_begin_call();
    code = c->variant->launch(&call);
    launch_error = code;
    /* A launcher that does not use kg_start() has already started its kernels. */
    if (code == cudaSuccess && kg__argument_is_wrong())
        code = cudaErrorInvalidValue;
    if (!kg__succeeded(code, "launching", why))
        return explain_failure(comparison, why);
    code = cudaPeekAtLastError();
    if (kg__device_strayed(c->variant->advanced.clock, why))
        return failure_outcome();
    if (!kg__succeeded(cudaDeviceSynchronize(), "running the kernel", why))
        return explain_failure(comparison, why);
    if (kg__device_gave_up(comparison->home, why))
        return KG__RIGHT;
    outcome = kg__check_results(comparison, c, problem, buffers, poison, order, why);
    if (outcome == KG__INCORRECT && code != cudaSuccess) {
        kg__error reason = *why;

        kg__fail(why, "%s; the launcher ignores %s", reason.text, cudaGetErrorName(code));
    }
    return outcome;
}

/* Makes the checker's problems for a case. */
static bool make_problems(kg__checker *checker, const kg_comparison *comparison, const kg__case *c,
                          const kg_arguments *arguments, kg__error *why)
{
    int patterns = kg__patterns_checked(comparison, arguments);

    kg__checker_free(checker);
    checker->problems = kg__allocate((size_t)patterns, sizeof *checker->problems);
    for (int i = 0; i < patterns; i++) {
        kg__problem *problem = &checker->problems[checker->patterns];

        if (!kg__problem_make(comparison, c, i, problem, why)) {
            kg__problem_free(problem);
            return false;
        }
        checker->patterns += problem->base.size != NULL;
    }
    return kg__tolerances_reject(comparison, c, checker->problems, checker->patterns, why);
}

/* Prepares the checker for a case, keeping problems of the same size, and buffers of the same
 * arguments and memory. */
static bool prepare_checker(kg__checker *checker, const kg_comparison *comparison,
                            const kg__case *c, kg__error *why)
{
    kg_arguments arguments;

    if (!kg__arguments_of(comparison, c, &arguments, why))
        return false;
    if (checker->patterns == 0 || !kg__problem_serves(comparison, &checker->problems[0], c)) {
        if (!make_problems(checker, comparison, c, &arguments, why))
            return false;
    }
    if (kg__buffers_suit(&checker->buffers, &arguments, c->variant))
        return true;
    kg__buffers_free(&checker->buffers);
    return kg__buffers_make(&checker->buffers, &arguments, c->variant, why);
}

/* Makes the arguments of a size that is too large to fill: every readable argument holds zeros,
 * except indices. */
static bool make_sparse(kg__buffers *buffers, const kg_comparison *comparison, const kg__case *c,
                        kg__error *why)
{
    kg_arguments arguments;
    cudaError_t code = cudaSuccess;

    if (!kg__arguments_of(comparison, c, &arguments, why) ||
        !kg__buffers_make(buffers, &arguments, c->variant, why))
        return false;
    for (int i = 0; i < arguments.count && code == cudaSuccess; i++) {
        if (kg__is_filled(&arguments.list[i]) && buffers->memory[i] != KG_PAGEABLE)
            code = cudaMemset(buffers->data[i], 0, buffers->bytes[i]);
    }
    return kg__succeeded(code, "filling the arguments", why) &&
           kg__problem_fill_sparse(comparison, c, buffers, why);
}

/* Launches a case on such arguments; false with `why`. */
static bool run_sparse(const kg__case *c, const kg__buffers *buffers, kg__error *why)
{
    kg_call call = kg__buffers_call(buffers, c, NULL);

    return kg__prepare_launch(c, buffers, why) &&
           kg__run_step(c->variant->launch, &call, "running the kernel", why);
}

/* Checks the accesses of some blocks against the arguments' bounds, and compares nothing. */
static kg__outcome check_bounds(const kg_comparison *comparison, const kg__case *c, kg__error *why)
{
    kg__buffers buffers = { 0 };
    kg__outcome outcome = KG__RIGHT;
    kg__error skipped = { "" };
    bool whole;

    kg__device_be_sparse(true);
    kg__device_watch();
    if (!make_sparse(&buffers, comparison, c, why)) {
        outcome = failure_outcome();
    } else if (!run_sparse(c, &buffers, why)) {
        outcome = explain_failure(comparison, why);
    } else if (kg__check_found(comparison, why)) {
        outcome = KG__INCORRECT;
    } else {
        (void)kg__device_skipped_checks(&skipped, &whole);
        kg__fail(why, "bounds alone%s%s", skipped.text[0] != '\0' ? ": " : "", skipped.text);
    }
    kg__buffers_free(&buffers);
    kg__device_be_sparse(false);
    return outcome;
}

/* Compares the results of an order with those of the first one. */
static kg__outcome check_repetition(kg__checker *checker, int order, kg__error *why)
{
    const char *symbol = NULL;

    if (kg__repeats_take(&checker->repeats, &checker->buffers, order, &symbol, why))
        return KG__RIGHT;
    if (symbol == NULL)
        return failure_outcome();
    note_failure("not_repeatable", symbol);
    return KG__INCORRECT;
}

/* Checks one pattern: random inputs in every order, any other pattern in one order, taken in
 * turn. If blocks wait for earlier ones, only in ascending order. */
static kg__outcome check_pattern(kg__checker *checker, const kg_comparison *comparison,
                                 const kg__case *c, int pattern, kg__error *why)
{
    kg__problem *problem = &checker->problems[pattern];
    const bool repeats = c->variant->repeatable && pattern == 0;
    const int orders = kg__device_orders(repeats);
    const int first = pattern == 0 || checker->in_order ? 0 : pattern % orders;

    for (int order = first; order < (pattern == 0 ? orders : first + 1); order++) {
        kg__outcome outcome =
            kg__check_launch(comparison, c, problem, &checker->buffers, kg__poison(pattern),
                             kg__device_begin_order(order), why);

        if (outcome == KG__RIGHT && kg__device_gave_up(comparison->home, why)) {
            checker->in_order = true;
            return pattern == 0 ? KG__RIGHT : check_pattern(checker, comparison, c, pattern, why);
        }
        if (outcome == KG__RIGHT && pattern == 0 && order == 0 && !kg__device_watches())
            checker->accuracy = kg__measure_accuracy(problem, &checker->buffers);
        if (outcome == KG__RIGHT && repeats)
            outcome = check_repetition(checker, order, why);
        if (outcome != KG__RIGHT)
            return outcome;
    }
    kg__problem_keep(problem, &checker->buffers);
    return KG__RIGHT;
}

/* Returns whether no other size at which the variant is checked has larger arguments. */
static bool is_at_largest_size(const kg_comparison *comparison, const kg__case *c,
                               const kg_arguments *arguments)
{
    kg__case other = *c;
    kg_arguments others;
    const unsigned checked = kg__part_purposes("check") & ~(unsigned)KG_PURPOSE_BOUNDS;
    bool larger = false;
    kg__error ignored;

    for (other.size = comparison->sizes; other.size->extents != 0 && !larger; other.size++)
        larger = (other.size->purpose & checked) != 0 &&
                 kg__case_refusal(comparison, &other) == NULL &&
                 kg__arguments_of(comparison, &other, &others, &ignored) &&
                 kg__arguments_bytes(&others) > kg__arguments_bytes(arguments);
    return !larger;
}

/* Runs the steps around a launch without it: the results must be wrong then, or its time is that of
 * nothing. Copies alone may be right for a small size, such as one element to sort, so only the
 * largest one tells. Zeros in place of poison are indices in range. */
static kg__outcome check_without_launch(const kg_comparison *comparison, const kg__case *c,
                                        const kg__problem *problem, kg__buffers *buffers,
                                        kg__error *why)
{
    const kg_call call = kg__buffers_call(buffers, c, NULL);
    kg__error error = { "" };

    if (!is_at_largest_size(comparison, c, &buffers->arguments) ||
        !kg__buffers_fill(buffers, problem->device, 0, &error) ||
        judge_arguments(comparison, problem, buffers, 0, &error) != KG__INCORRECT)
        return KG__RIGHT;
    if (!kg__prepare_launch(c, buffers, &error) ||
        !kg__run_step(c->variant->advanced.collect, &call, "collecting the results", &error)) {
        if (!kg__device_is_lost())
            return KG__RIGHT;
        *why = error;
        return KG__LOST;
    }
    if (judge_arguments(comparison, problem, buffers, 0, &error) != KG__RIGHT)
        return KG__RIGHT;
    note_failure("right_without_launch", NULL);
    kg__fail(why, "right without the launch: compute in the launcher, not in prepare or collect");
    return KG__INCORRECT;
}

kg__outcome kg__check_case(kg__checker *checker, const kg_comparison *comparison, const kg__case *c,
                           kg__error *why)
{
    kg__outcome outcome = KG__RIGHT;

    if ((c->size->purpose & KG_PURPOSE_BOUNDS) != 0) {
        kg__checker_free(checker);
        /* Plain kernels would add nothing to the findings of the instrumented ones. */
        return kg__device_watches() ? check_bounds(comparison, c, why) : KG__RIGHT;
    }
    if (!prepare_checker(checker, comparison, c, why)) {
        kg__checker_free(checker);
        return failure_outcome();
    }
    checker->accuracy = KG__NO_ACCURACY;
    checker->in_order = false;
    /* After a launch on the same inputs, collecting may find its results. */
    if (checker->launched != c->variant && !kg__device_watches() &&
        (c->variant->advanced.prepare != NULL || c->variant->advanced.collect != NULL))
        outcome = check_without_launch(comparison, c, checker->problems, &checker->buffers, why);
    checker->launched = c->variant;
    for (int pattern = 0; pattern < checker->patterns && outcome == KG__RIGHT; pattern++)
        outcome = check_pattern(checker, comparison, c, pattern, why);
    return outcome;
}

void kg__checker_free(kg__checker *checker)
{
    for (int i = 0; i < checker->patterns; i++)
        kg__problem_free(&checker->problems[i]);
    free(checker->problems);
    kg__buffers_free(&checker->buffers);
    kg__repeats_free(&checker->repeats);
    *checker = (kg__checker){ .accuracy = KG__NO_ACCURACY };
}
