#include "observer/problem.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"

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

void *kg_allocate(size_t count, size_t size)
{
    return kg__allocate(count, size);
}

/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators,
 * 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t bits = (*state += 0x9e3779b97f4a7c15u);

    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

static void fill_random(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    size_t count = shape->rows * shape->columns;
    uint64_t state = 0x6b65726e656c0000u + (uint64_t)argument;

    for (size_t i = 0; i < count; i++) {
        uint64_t bits = next_random(&state);

        switch (shape->type) {
        case KG_FLOAT32:
            /* 24 random bits, so that every value is exact in single precision. */
            ((float *)data)[i] = (float)((double)(bits >> 40) / (double)(1 << 23) - 1.0);
            break;
        case KG_INT32:
            ((uint32_t *)data)[i] = (uint32_t)(bits >> 32);
            break;
        case KG_UINT8:
            ((uint8_t *)data)[i] = (uint8_t)(bits >> 56);
            break;
        }
    }
}

int kg__pattern_count(const kg_comparison *comparison)
{
    int count = 1;

    if (comparison->patterns != NULL) {
        while (comparison->patterns[count - 1].name != NULL)
            count++;
    }
    return count;
}

unsigned char kg__poison(int pattern)
{
    /* Floats of 1.5e16, -3.1e16 and 3.2e35: beyond what kernels compute, and not the NaN that
     * unwritten shared memory and guard zones give, so that an element never written is told from
     * one computed from such. */
    static const unsigned char poisons[] = { 0x5a, 0xda, 0x7a };

    return poisons[pattern % 3];
}

static bool is_projected(const kg_comparison *comparison, const kg__problem *known)
{
    return comparison->projection != NULL && known->pattern.reference == NULL &&
           comparison->work(known->problem.size).operations > (double)KG_PROJECT_ABOVE;
}

static void compute_reference(const kg_comparison *comparison, kg__problem *known, int output)
{
    const kg_argument *shape = &known->problem.arguments.list[output];
    kg_reference *reference =
        known->pattern.reference != NULL ? known->pattern.reference : comparison->reference;
    size_t count = shape->rows * shape->columns;

    known->expected[output] = kg__allocate(count, sizeof(double));
    known->tolerance[output] = kg__allocate(count, sizeof(double));
    reference(&known->problem, output, known->expected[output], known->tolerance[output]);
    if (known->problem.exact)
        memset(known->tolerance[output], 0, count * sizeof(double));
}

bool kg__problem_serves(const kg_comparison *comparison, const kg__problem *known,
                        const kg__case *one)
{
    return known->problem.size == one->size &&
           (!comparison->by_variant || known->problem.variant == one->variant);
}

/* Brings the inputs to the device, where every launch's buffers are filled from. */
static bool upload(kg__problem *known, kg__error *error)
{
    for (int i = 0; i < known->problem.arguments.count; i++) {
        const kg_argument *shape = &known->problem.arguments.list[i];
        size_t bytes = kg__argument_bytes(shape);
        cudaError_t code;

        if (known->problem.data[i] == NULL)
            continue;
        code = cudaMalloc(&known->device[i], bytes > 0 ? bytes : 1);
        if (code == cudaSuccess)
            code =
                cudaMemcpy(known->device[i], known->problem.data[i], bytes, cudaMemcpyHostToDevice);
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

/* Whether an argument's elements can be counted in bytes, with guard zones beside them. */
static bool fits_memory(const kg_argument *argument)
{
    const size_t most = (size_t)PTRDIFF_MAX - 2 * KG__GUARD_BYTES;

    return argument->rows <= most && argument->columns <= most &&
           (argument->rows == 0 ||
            argument->columns <= most / kg_type_size(argument->type) / argument->rows);
}

/* Refuses an argument that was not declared as kg_add_argument() wants it: what is no type would
 * hold zeros, and no kernel is judged by those. */
static bool argument_is_good(const kg_comparison *comparison, const kg_argument *argument,
                             int number, kg__error *error)
{
    const char *problem = NULL;

    if (argument->name == NULL || argument->name[0] == '\0')
        return kg__fail(error, "%s: argument %d has no name: give it one, for messages",
                        comparison->name, number);
    if ((int)argument->role < KG_INPUT || (int)argument->role > KG_INPUT_OUTPUT)
        problem = "its role is none of kg_role";
    else if ((int)argument->type < KG_FLOAT32 || (int)argument->type > KG_UINT8)
        problem = "its type is none of kg_type";
    else if (!fits_memory(argument))
        problem = "no memory holds its rows times columns, of which one is negative, or both are "
                  "too many";
    return problem == NULL || kg__fail(error, "%s: argument %s: %s: mend .arguments or the size",
                                       comparison->name, argument->name, problem);
}

static bool arguments_are_good(const kg_comparison *comparison, const kg_arguments *arguments,
                               kg__error *error)
{
    if (arguments->count > KG_MAX_ARGUMENTS)
        return kg__fail(error, "%s: %d arguments, of which %d fit: declare fewer", comparison->name,
                        arguments->count, KG_MAX_ARGUMENTS);
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

bool kg__arguments_of(const kg_comparison *comparison, const kg_size *size, kg_arguments *arguments,
                      kg__error *error)
{
    *arguments = (kg_arguments){ .count = 0 };
    comparison->arguments(size, arguments);
    if (arguments_are_good(comparison, arguments, error))
        return true;
    arguments->count = 0;
    return false;
}

bool kg__problem_fill(const kg_comparison *comparison, const kg__case *one, int pattern,
                      kg__problem *known, kg__error *error)
{
    *known = (kg__problem){ .pattern = { .name = "random", .fill = fill_random } };
    if (pattern > 0)
        known->pattern = comparison->patterns[pattern - 1];
    known->problem.size = one->size;
    known->problem.variant = comparison->by_variant ? one->variant : NULL;
    known->problem.exact = known->pattern.exact;
    if (!kg__arguments_of(comparison, one->size, &known->problem.arguments, error))
        return false;
    for (int i = 0; i < known->problem.arguments.count; i++) {
        const kg_argument *shape = &known->problem.arguments.list[i];

        if (shape->role == KG_OUTPUT)
            continue;
        known->problem.data[i] = kg__allocate(kg__argument_bytes(shape), 1);
        (known->pattern.fill != NULL ? known->pattern.fill : fill_random)(&known->problem, i,
                                                                          known->problem.data[i]);
    }
    return upload(known, error);
}

bool kg__problem_make(const kg_comparison *comparison, const kg__case *one, int pattern,
                      kg__problem *known, kg__error *error)
{
    if (!kg__problem_fill(comparison, one, pattern, known, error))
        return false;
    for (int i = 0; i < known->problem.arguments.count; i++) {
        if (known->problem.arguments.list[i].role != KG_INPUT && !is_projected(comparison, known))
            compute_reference(comparison, known, i);
    }
    return true;
}

void kg__problem_keep(kg__problem *known, const kg__buffers *buffers)
{
    for (int i = 0; i < known->problem.arguments.count && kg__device_compares(); i++) {
        bool on_device = buffers->memory[i] == KG_DEVICE || buffers->memory[i] == KG_MANAGED;
        size_t bytes = buffers->bytes[i];

        if (known->problem.arguments.list[i].role == KG_INPUT || !on_device || bytes == 0 ||
            known->right[i] != NULL)
            continue;
        if (cudaMalloc(&known->right[i], bytes) != cudaSuccess) {
            known->right[i] = NULL;
        } else if (cudaMemcpy(known->right[i], buffers->data[i], bytes, cudaMemcpyDeviceToDevice) !=
                   cudaSuccess) {
            (void)cudaFree(known->right[i]);
            known->right[i] = NULL;
        }
    }
    (void)cudaGetLastError();
}

void kg__problem_free(kg__problem *known)
{
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++) {
        if (known->device[i] != NULL)
            (void)cudaFree(known->device[i]);
        if (known->right[i] != NULL)
            (void)cudaFree(known->right[i]);
        free(known->problem.data[i]);
        free(known->expected[i]);
        free(known->tolerance[i]);
    }
    *known = (kg__problem){ 0 };
}
