/* SPDX-License-Identifier: MIT */
#include "observer/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/device.h"
#include "observer/inputs.h"
#include "suite/element_type.h"

void kg_add_argument(kg_arguments *arguments, kg_role role, const char *name, kg_type type,
                     int64_t rows, int64_t columns)
{
    if (arguments->count < KG_MAX_ARGUMENTS)
        arguments->list[arguments->count] = (kg_argument){
            .name = name,
            .role = role,
            .type = type,
            /* Negative numbers become ones that no memory holds, and are refused as such. */
            .rows = (size_t)rows,
            .columns = (size_t)columns,
        };
    arguments->count++;
}

void kg_add_scalar(kg_arguments *arguments, double value)
{
    if (arguments->scalars < KG_MAX_SCALARS)
        arguments->scalar[arguments->scalars] = value;
    arguments->scalars++;
}

#define HUGE_PAGE ((size_t)2 << 20)

/* Requests huge pages for a large array that is filled: with pages of 4 KiB, page faults take half
 * the time of computing a reference of 100 million elements. */
void *kg_allocate(size_t count, size_t size)
{
    unsigned char *memory = kg__allocate(count, size);
    size_t bytes = count * size;
    size_t before = (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;

    if (bytes >= before + HUGE_PAGE)
        (void)madvise(memory + before, (bytes - before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return memory;
}

unsigned char kg__poison(int pattern)
{
    /* Floats of 1.5e16, -3.1e16 and 3.2e35: beyond any computed result, and distinct from the
     * NaN of unwritten shared memory and guard zones, so that an unwritten element differs from
     * one computed from those. */
    static const unsigned char poisons[] = { 0x5a, 0xda, 0x7a };

    return poisons[pattern % 3];
}

static bool is_projected(const kg_comparison *comparison, const kg__problem *problem)
{
    return comparison->advanced.projection != NULL && problem->pattern.reference == NULL &&
           comparison->work(problem->base.size).operations > (double)KG_PROJECT_ABOVE;
}

/* Returns the least tolerance of any result: subnormal numbers have fewer bits, and GPUs may
 * flush 32-bit ones to zero, so a bound in proportion to the result would be too small. */
static double least_tolerance(const kg__element_type *type)
{
    double normal = ldexp(type->least, type->significand - 1);

    return normal < 0x1p-100 ? normal : type->least;
}

/* Returns whether an output's type can represent all expected elements. */
static bool holds_expected(const kg__problem *problem, int output)
{
    const kg_argument *shape = &problem->base.arguments.list[output];
    const kg__element_type *type = kg__element_type_of(shape->type);
    size_t i = 0;

    while (!type->is_expected_as_itself && i < shape->rows * shape->columns &&
           kg__element_holds(type, problem->expected[output][i]))
        i++;
    return type->is_expected_as_itself || i == shape->rows * shape->columns;
}

static void compute_reference(const kg_comparison *comparison, kg__problem *problem, int output)
{
    const kg_argument *shape = &problem->base.arguments.list[output];
    kg_reference *reference =
        problem->pattern.reference != NULL ? problem->pattern.reference : comparison->reference;
    double least = least_tolerance(kg__element_type_of(shape->type));
    size_t count = shape->rows * shape->columns;

    problem->expected[output] = kg_allocate(count, sizeof(double));
    problem->tolerance[output] = kg_allocate(count, sizeof(double));
    reference(&problem->base, output, problem->expected[output], problem->tolerance[output]);
    /* Not written where it is 0 already: pages that nobody wrote need no memory. */
    for (size_t i = 0; i < count && problem->base.exact; i++) {
        if (problem->tolerance[output][i] != 0 && !isinf(problem->tolerance[output][i]))
            problem->tolerance[output][i] = 0;
    }
    for (size_t i = 0; i < count && problem->widest > 0; i++) {
        if (problem->tolerance[output][i] > 0 || fabs(problem->expected[output][i]) < least)
            problem->tolerance[output][i] += least;
    }
}

/* Computes the expected outputs; false if inputs can be narrowed and a type cannot represent
 * them. */
static bool compute_references(const kg_comparison *comparison, kg__problem *problem)
{
    bool held = true;

    for (int i = 0; i < problem->base.arguments.count; i++) {
        if (!kg__is_compared(&problem->base.arguments.list[i]) || is_projected(comparison, problem))
            continue;
        compute_reference(comparison, problem, i);
        held = held && (!problem->narrows || holds_expected(problem, i));
    }
    return held;
}

static bool compares_nothing(const kg__problem *problem)
{
    int i = 0;

    while (i < problem->base.arguments.count && !kg__is_compared(&problem->base.arguments.list[i]))
        i++;
    return i == problem->base.arguments.count;
}

/* Returns whether there are expected elements, each with an infinite tolerance. */
static bool passes_anything(const kg__problem *problem)
{
    size_t elements = 0;

    for (int i = 0; i < problem->base.arguments.count; i++) {
        const kg_argument *shape = &problem->base.arguments.list[i];

        if (!kg__is_compared(shape))
            continue;
        if (problem->expected[i] == NULL)
            return false;
        for (size_t j = 0; j < shape->rows * shape->columns; j++, elements++) {
            if (!isinf(problem->tolerance[i][j]))
                return false;
        }
    }
    return elements > 0;
}

/* Returns the case's variant if its inputs or results are its own, else NULL. */
static const kg_variant *own_of(const kg__case *c)
{
    return c->variant->advanced.own_reference ? c->variant : NULL;
}

bool kg__problem_serves(const kg_comparison *comparison, const kg__problem *problem,
                        const kg__case *c)
{
    kg_arguments arguments = { .size = c->size, .launch = c->launch, .variant = c->variant };
    bool serves = problem->base.size == c->size && problem->base.variant == own_of(c);

    if (serves)
        comparison->arguments(c->size, &arguments);
    /* Only scratch may depend on the launch: the number of problems is at most that of variants. */
    for (int i = problem->base.arguments.count; serves && i < arguments.count; i++)
        serves = arguments.list[i].role == KG_SCRATCH;
    for (int i = 0; serves && i < problem->base.arguments.count; i++)
        serves = problem->base.arguments.list[i].role == KG_SCRATCH ||
                 kg__shapes_equal(&problem->base.arguments.list[i], &arguments.list[i]);
    return serves;
}

/* Copies the inputs to the device, from which every launch's buffers are filled. */
static bool upload(kg__problem *problem, kg__error *error)
{
    for (int i = 0; i < problem->base.arguments.count; i++) {
        const kg_argument *shape = &problem->base.arguments.list[i];
        size_t bytes = kg__argument_bytes(shape);
        cudaError_t code;

        if (problem->base.data[i] == NULL)
            continue;
        code = cudaMalloc(&problem->device[i], bytes > 0 ? bytes : 1);
        KG__THEN(code, cudaMemcpy(problem->device[i], problem->base.data[i], bytes,
                                  cudaMemcpyHostToDevice));
        if (code != cudaSuccess) {
            (void)cudaGetLastError();
            return kg__fail(error,
                            "argument %s: no device memory for %zu bytes (%s): choose a smaller "
                            "size, or refuse it",
                            shape->name, bytes, cudaGetErrorName(code));
        }
    }
    return true;
}

/* Returns whether an argument's bytes, with its guard zones, fit a size_t. */
static bool fits_memory(const kg_argument *argument)
{
    const size_t most = (size_t)PTRDIFF_MAX - 2 * KG__GUARD_BYTES;

    return argument->rows <= most && argument->columns <= most &&
           (argument->rows == 0 ||
            argument->columns <= most / kg_type_size(argument->type) / argument->rows);
}

/* Refuses an argument that does not fulfill kg_add_argument()'s contract: an invalid type would
 * be filled with zeros, which judge no kernel. */
static bool argument_is_good(const kg_comparison *comparison, const kg_argument *argument,
                             int number, kg__error *error)
{
    const char *fault = NULL;

    if (argument->name == NULL || argument->name[0] == '\0')
        return kg__fail(error, "%s: argument %d has no name: give it one, for messages",
                        comparison->name, number);
    if ((int)argument->role < KG_INPUT || (int)argument->role > KG_SCRATCH)
        fault = "its role is not a kg_role";
    else if (kg__element_type_of(argument->type) == NULL)
        fault = "its type is not a kg_type";
    else if (!fits_memory(argument))
        fault = "rows times columns is negative, or more than memory holds";
    return fault == NULL || kg__fail(error, "%s: argument %s: %s: fix .arguments or the size",
                                     comparison->name, argument->name, fault);
}

static bool arguments_are_good(const kg_comparison *comparison, const kg_arguments *arguments,
                               kg__error *error)
{
    if (arguments->count > KG_MAX_ARGUMENTS)
        return kg__fail(error, "%s: %d arguments, but at most %d are allowed: declare fewer",
                        comparison->name, arguments->count, KG_MAX_ARGUMENTS);
    if (arguments->scalars > KG_MAX_SCALARS)
        return kg__fail(error,
                        "%s: %d scalar parameters, but at most %d are allowed: declare fewer",
                        comparison->name, arguments->scalars, KG_MAX_SCALARS);
    if (arguments->count == 0)
        return kg__fail(error, "%s: no arguments, so no result can be judged: declare at least one",
                        comparison->name);
    for (int i = 0; i < arguments->count; i++) {
        if (!argument_is_good(comparison, &arguments->list[i], i + 1, error))
            return false;
    }
    return true;
}

/* Returns whether the arguments, except scratch, are those of the table's first launch: problems
 * are made once for all launches of a size. */
static bool share_inputs(const kg_comparison *comparison, const kg_arguments *arguments,
                         kg__error *error)
{
    const kg_launch *launches = kg__table_launches(comparison, comparison->variants);
    kg_arguments first = { .size = arguments->size, .variant = arguments->variant };

    if (launches != NULL)
        first.launch = launches[0];
    comparison->arguments(first.size, &first);
    for (int i = 0; i < arguments->count; i++) {
        const kg_argument *argument = &arguments->list[i];

        if (argument->role != KG_SCRATCH && !kg__shapes_equal(argument, &first.list[i]))
            return kg__fail(error,
                            "%s: argument %s depends on the launch: only KG_SCRATCH may: fix "
                            ".arguments",
                            comparison->name, argument->name);
    }
    return true;
}

bool kg__arguments_of(const kg_comparison *comparison, const kg__case *c, kg_arguments *arguments,
                      kg__error *error)
{
    *arguments = (kg_arguments){ .size = c->size, .launch = c->launch, .variant = c->variant };
    comparison->arguments(c->size, arguments);
    if (arguments_are_good(comparison, arguments, error) &&
        share_inputs(comparison, arguments, error))
        return true;
    arguments->count = 0;
    return false;
}

bool kg__bare_buffers_for(kg__bare_buffers *bare, const kg_comparison *comparison,
                          const kg__case *c, kg__error *why)
{
    kg_arguments arguments;

    if (!kg__arguments_of(comparison, c, &arguments, why))
        return false;
    if (bare->size == c->size && kg__buffers_suit(&bare->buffers, &arguments, c->variant))
        return true;
    kg__buffers_free(&bare->buffers);
    bare->size = NULL;
    if (!kg__buffers_make(&bare->buffers, &arguments, c->variant, why)) {
        kg__buffers_free(&bare->buffers);
        return false;
    }
    bare->size = c->size;
    return true;
}

/* Maximum bytes of an index argument of a KG_BOUNDS size; larger integer arguments are taken for
 * data. */
#define SPARSE_BYTES ((size_t)64 << 20)

/* Sets the case of a problem, before its inputs are filled. */
static void begin(const kg_comparison *comparison, const kg__case *c, int pattern,
                  const kg_arguments *arguments, kg__problem *problem)
{
    *problem = (kg__problem){ .pattern = kg__pattern_at(comparison, pattern) };
    problem->base.size = c->size;
    problem->base.variant = own_of(c);
    problem->base.exact = problem->pattern.exact;
    problem->base.accumulated = comparison->advanced.accumulated;
    problem->base.arguments = *arguments;
    problem->base.arguments.variant = problem->base.variant;
    memcpy(problem->base.scalar, arguments->scalar, sizeof problem->base.scalar);
}

bool kg__problem_fill_sparse(const kg_comparison *comparison, const kg__case *c,
                             const kg__buffers *buffers, kg__error *error)
{
    kg__problem problem;
    cudaError_t code = cudaSuccess;

    begin(comparison, c, 0, &buffers->arguments, &problem);
    for (int i = 0; i < buffers->arguments.count && code == cudaSuccess; i++) {
        const kg_argument *shape = &buffers->arguments.list[i];

        if (!kg__is_filled(shape))
            continue;
        if (kg_roundoff(shape->type) == 0 && buffers->bytes[i] <= SPARSE_BYTES) {
            problem.base.data[i] = kg__allocate(buffers->bytes[i], 1);
            kg__fill_input(comparison, &problem, i, false);
            code = cudaMemcpy(buffers->data[i], problem.base.data[i], buffers->bytes[i],
                              cudaMemcpyDefault);
            free(problem.base.data[i]);
        }
        /* Fills may read other arguments: the model's memory is the host's. */
        problem.base.data[i] = buffers->data[i];
    }
    return kg__succeeded(code, "filling the arguments", error);
}

/* Fills the inputs of a case; those of "wide" from a range after `narrowed` narrowings. */
static bool fill(const kg_comparison *comparison, const kg__case *c, int pattern, int narrowed,
                 kg__problem *problem, kg__error *error)
{
    kg_arguments arguments;

    *problem = (kg__problem){ 0 };
    if (!kg__arguments_of(comparison, c, &arguments, error))
        return false;
    begin(comparison, c, pattern, &arguments, problem);
    problem->narrowed = narrowed;
    for (int i = 0; i < problem->base.arguments.count; i++) {
        const kg_argument *shape = &problem->base.arguments.list[i];

        if (!kg__is_filled(shape))
            continue;
        problem->base.data[i] = kg_allocate(kg__argument_bytes(shape), 1);
        kg__fill_input(comparison, problem, i, kg__is_wide(comparison, pattern));
    }
    return upload(problem, error);
}

bool kg__problem_fill(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error)
{
    return fill(comparison, c, pattern, 0, problem, error);
}

void kg__problem_remark(const kg__problem *problem, char *text, size_t size)
{
    text[0] = '\0';
    if (problem->widest > 0)
        kg__format(text, size,
                   " (magnitudes up to %.3g; random ones are right: if this kernel is not for such "
                   "numbers, .advanced.wide = { 0, 100 } limits them to 100)",
                   problem->widest);
}

bool kg__problem_make(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error)
{
    if (!kg__problem_fill(comparison, c, pattern, problem, error))
        return false;
    if (kg__is_wide(comparison, pattern) &&
        (problem->widest == 0 || is_projected(comparison, problem))) {
        kg__problem_free(problem);
        return true;
    }
    while (!compute_references(comparison, problem)) {
        int narrowed = problem->narrowed + 1;

        kg__problem_free(problem);
        if (!fill(comparison, c, pattern, narrowed, problem, error))
            return false;
    }
    if (compares_nothing(problem))
        return kg__fail(error,
                        "%s: no argument is compared: give its results KG_OUTPUT or "
                        "KG_INPUT_OUTPUT in .arguments",
                        comparison->name);
    return !passes_anything(problem) ||
           kg__fail(error,
                    "%s: every element of every output has tolerance INFINITY, so nothing is "
                    "compared: set finite tolerances in .reference",
                    comparison->name);
}

void kg__problem_keep(kg__problem *problem, const kg__buffers *buffers)
{
    for (int i = 0; i < problem->base.arguments.count && kg__device_compares(); i++) {
        bool on_device = buffers->memory[i] == KG_DEVICE || buffers->memory[i] == KG_MANAGED;
        size_t bytes = buffers->bytes[i];

        if (!kg__is_compared(&problem->base.arguments.list[i]) || !on_device || bytes == 0 ||
            problem->right[i] != NULL)
            continue;
        if (cudaMalloc(&problem->right[i], bytes) != cudaSuccess) {
            problem->right[i] = NULL;
        } else if (cudaMemcpy(problem->right[i], buffers->data[i], bytes,
                              cudaMemcpyDeviceToDevice) != cudaSuccess) {
            (void)cudaFree(problem->right[i]);
            problem->right[i] = NULL;
        }
    }
    (void)cudaGetLastError();
}

void kg__name_element(const kg_argument *shape, const kg_mismatch *mismatch, char *text,
                      size_t size)
{
    if (mismatch->is_row)
        kg__format(text, size, "%s[row %zu]", shape->name, mismatch->index);
    else if (shape->rows > 1)
        kg__format(text, size, "%s[row %zu, column %zu]", shape->name,
                   mismatch->index / shape->columns, mismatch->index % shape->columns);
    else
        kg__format(text, size, "%s[%zu]", shape->name, mismatch->index);
}

void kg__problem_free(kg__problem *problem)
{
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++) {
        if (problem->device[i] != NULL)
            (void)cudaFree(problem->device[i]);
        if (problem->right[i] != NULL)
            (void)cudaFree(problem->right[i]);
        free(problem->base.data[i]);
        free(problem->expected[i]);
        free(problem->tolerance[i]);
    }
    *problem = (kg__problem){ 0 };
}

bool kg__stage_set(kg__stage *stage, const kg_comparison *comparison, const kg__case *c,
                   kg__error *error)
{
    bool is_made = kg__problem_serves(comparison, &stage->problem, c);
    kg_arguments arguments;

    if (!kg__arguments_of(comparison, c, &arguments, error)) {
        kg__stage_clear(stage);
        return false;
    }
    if (is_made && kg__buffers_suit(&stage->buffers, &arguments, c->variant))
        return true;
    kg__buffers_free(&stage->buffers);
    if (!is_made)
        kg__problem_free(&stage->problem);
    if ((is_made || kg__problem_make(comparison, c, 0, &stage->problem, error)) &&
        kg__buffers_make(&stage->buffers, &arguments, c->variant, error))
        return true;
    kg__stage_clear(stage);
    return false;
}

void kg__stage_clear(kg__stage *stage)
{
    kg__problem_free(&stage->problem);
    kg__buffers_free(&stage->buffers);
}
