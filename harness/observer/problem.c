#include "observer/problem.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "suite/element_type.h"

/* What has so many elements is filled by so many threads: first touches of its pages take most of
 * the time, 0.7 s of 512 MiB where four threads take 0.2 s. */
#define SHARED_ELEMENTS ((size_t)1 << 22)
#define FILL_THREADS 4

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

void *kg_allocate(size_t count, size_t size)
{
    return kg__allocate(count, size);
}

/* A part of an argument that a thread fills. */
typedef struct share {
    const kg__element_type *type;
    void *data;
    size_t from;
    size_t count;
    uint64_t seed;
    pthread_t thread;
    bool has_thread; /* else it was filled at once */
} share;

static void *fill_share(void *context)
{
    const share *part = context;

    part->type->randomize(part->data, part->from, part->count, part->seed);
    return NULL;
}

void kg_fill_random(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    size_t count = shape->rows * shape->columns;
    size_t shares = count < SHARED_ELEMENTS ? 1 : FILL_THREADS;
    share list[FILL_THREADS];

    for (size_t i = 0; i < shares; i++) {
        size_t from = count / shares * i;

        list[i] = (share){ .type = kg__element_type_of(shape->type),
                           .data = data,
                           .from = from,
                           .count = i + 1 < shares ? count / shares : count - from,
                           .seed = 0x6b65726e656c0000u + (uint64_t)argument };
        list[i].has_thread =
            i + 1 < shares && pthread_create(&list[i].thread, NULL, fill_share, &list[i]) == 0;
        if (!list[i].has_thread)
            (void)fill_share(&list[i]);
    }
    for (size_t i = 0; i < shares; i++) {
        if (list[i].has_thread)
            (void)pthread_join(list[i].thread, NULL);
    }
}

/* The comparison's patterns from number 1 on: a first one called "random" is number 0. */
static const kg_pattern *patterns_after_random(const kg_comparison *comparison)
{
    static const kg_pattern none[] = { KG_END };
    const kg_pattern *first =
        comparison->advanced.patterns != NULL ? comparison->advanced.patterns : none;

    return first->name != NULL && strcmp(first->name, "random") == 0 ? first + 1 : first;
}

int kg__pattern_count(const kg_comparison *comparison)
{
    const kg_pattern *pattern = patterns_after_random(comparison);
    int count = 1;

    for (; pattern->name != NULL; pattern++)
        count++;
    return count;
}

kg_pattern kg__pattern_at(const kg_comparison *comparison, int index)
{
    const kg_pattern *after = patterns_after_random(comparison);
    bool replaced = comparison->advanced.patterns != NULL && after != comparison->advanced.patterns;

    if (index > 0)
        return after[index - 1];
    return replaced ? comparison->advanced.patterns[0]
                    : (kg_pattern){ .name = "random", .fill = kg_fill_random };
}

unsigned char kg__poison(int pattern)
{
    /* Floats of 1.5e16, -3.1e16 and 3.2e35: beyond what kernels compute, and not the NaN that
     * unwritten shared memory and guard zones give, so that an element never written differs from
     * one computed from those. */
    static const unsigned char poisons[] = { 0x5a, 0xda, 0x7a };

    return poisons[pattern % 3];
}

static bool is_projected(const kg_comparison *comparison, const kg__problem *problem)
{
    return comparison->advanced.projection != NULL && problem->pattern.reference == NULL &&
           comparison->work(problem->base.size).operations > (double)KG_PROJECT_ABOVE;
}

static void compute_reference(const kg_comparison *comparison, kg__problem *problem, int output)
{
    const kg_argument *shape = &problem->base.arguments.list[output];
    kg_reference *reference =
        problem->pattern.reference != NULL ? problem->pattern.reference : comparison->reference;
    size_t count = shape->rows * shape->columns;

    problem->expected[output] = kg__allocate(count, sizeof(double));
    problem->tolerance[output] = kg__allocate(count, sizeof(double));
    reference(&problem->base, output, problem->expected[output], problem->tolerance[output]);
    for (size_t i = 0; i < count && problem->base.exact; i++) {
        if (!isinf(problem->tolerance[output][i]))
            problem->tolerance[output][i] = 0;
    }
}

/* Whether there are expected elements, and each has an infinite tolerance. */
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

bool kg__problem_serves(const kg_comparison *comparison, const kg__problem *problem,
                        const kg__case *c)
{
    return problem->base.size == c->size &&
           (!comparison->advanced.by_variant || problem->base.variant == c->variant);
}

/* Brings the inputs to the device, where every launch's buffers are filled from. */
static bool upload(kg__problem *problem, kg__error *error)
{
    for (int i = 0; i < problem->base.arguments.count; i++) {
        const kg_argument *shape = &problem->base.arguments.list[i];
        size_t bytes = kg__argument_bytes(shape);
        cudaError_t code;

        if (problem->base.data[i] == NULL)
            continue;
        code = cudaMalloc(&problem->device[i], bytes > 0 ? bytes : 1);
        if (code == cudaSuccess)
            code = cudaMemcpy(problem->device[i], problem->base.data[i], bytes,
                              cudaMemcpyHostToDevice);
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

/* Whether an argument's elements can be counted in bytes, with their guard zones. */
static bool fits_memory(const kg_argument *argument)
{
    const size_t most = (size_t)PTRDIFF_MAX - 2 * KG__GUARD_BYTES;

    return argument->rows <= most && argument->columns <= most &&
           (argument->rows == 0 ||
            argument->columns <= most / kg_type_size(argument->type) / argument->rows);
}

/* Refuses an argument that was not declared as kg_add_argument() wants it: what is not a type would
 * hold zeros, and no kernel is judged by those. */
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
        return kg__fail(error, "%s: %d arguments, of which %d fit: declare fewer", comparison->name,
                        arguments->count, KG_MAX_ARGUMENTS);
    if (arguments->scalars > KG_MAX_SCALARS)
        return kg__fail(error, "%s: %d scalar parameters, of which %d fit: declare fewer",
                        comparison->name, arguments->scalars, KG_MAX_SCALARS);
    if (arguments->count == 0)
        return kg__fail(
            error, "%s: no argument: a kernel without any has nothing to be judged by: declare one",
            comparison->name);
    for (int i = 0; i < arguments->count; i++) {
        if (!argument_is_good(comparison, &arguments->list[i], i + 1, error))
            return false;
    }
    return true;
}

/* Whether the arguments are those of the table's first launch, but for scratch: problems are made
 * once for all launches of a size. */
static bool share_inputs(const kg_comparison *comparison, const kg_arguments *arguments,
                         kg__error *error)
{
    const kg_launch *launches = kg__table_launches(comparison, comparison->variants);
    kg_arguments first = { .size = arguments->size };

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
    *arguments = (kg_arguments){ .size = c->size, .launch = c->launch };
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

bool kg__problem_fill(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error)
{
    *problem = (kg__problem){ .pattern = kg__pattern_at(comparison, pattern) };
    problem->base.size = c->size;
    problem->base.variant = comparison->advanced.by_variant ? c->variant : NULL;
    problem->base.exact = problem->pattern.exact;
    problem->base.accumulated = comparison->advanced.accumulated;
    if (!kg__arguments_of(comparison, c, &problem->base.arguments, error))
        return false;
    memcpy(problem->base.scalar, problem->base.arguments.scalar, sizeof problem->base.scalar);
    for (int i = 0; i < problem->base.arguments.count; i++) {
        const kg_argument *shape = &problem->base.arguments.list[i];

        if (!kg__is_filled(shape))
            continue;
        problem->base.data[i] = kg__allocate(kg__argument_bytes(shape), 1);
        (problem->pattern.fill != NULL ? problem->pattern.fill
                                       : kg_fill_random)(&problem->base, i, problem->base.data[i]);
    }
    return upload(problem, error);
}

bool kg__problem_make(const kg_comparison *comparison, const kg__case *c, int pattern,
                      kg__problem *problem, kg__error *error)
{
    if (!kg__problem_fill(comparison, c, pattern, problem, error))
        return false;
    for (int i = 0; i < problem->base.arguments.count; i++) {
        if (kg__is_compared(&problem->base.arguments.list[i]) && !is_projected(comparison, problem))
            compute_reference(comparison, problem, i);
    }
    return !passes_anything(problem) ||
           kg__fail(error,
                    "%s: no element of any output is compared, since each has a tolerance of "
                    "INFINITY: give .reference bounds",
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
