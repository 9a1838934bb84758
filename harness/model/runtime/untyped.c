/* SPDX-License-Identifier: MIT */
/* Launches of kernels by untyped pointers: arguments are passed by the System V ABI of x86-64,
 * with the parameters' types from the program's debug information. */
#include "base/message.h"
#include "model/exec/launch.h"
#include "model/runtime/calls.h"
#include "model/runtime/runtime.h"
#include "model/runtime/transfers.h"
#include "model/watch/parameters.h"

#include <stdlib.h>
#include <string.h>

#define INTEGERS 6
#define FLOATS 8
#define MOST 256      /* parameters */
#define ALIGNMENT 128 /* the most of a parameter: a tensor map has 64 */
#define WORDS (4096 / sizeof(uint64_t))

/* Arguments that a call passes on the stack: a kernel's parameters may take 4 KiB. */
typedef struct stack {
    _Alignas(ALIGNMENT) uint64_t words[WORDS];
} stack;

typedef struct call {
    void (*kernel)(void);
    uint64_t integers[INTEGERS];
    double floats[FLOATS];
    uint64_t stack[WORDS];
    size_t integer_count, float_count, stack_bytes;
    /* Objects that are passed by their addresses, and where these are: the number of an integer, or
     * of a word of the stack after all integers. There they are relative to the objects' start. */
    uint64_t objects[WORDS];
    size_t object_bytes;
    size_t addresses[MOST], address_count;
} call;

#define PASSED_INTEGERS uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define PASSED_FLOATS double, double, double, double, double, double, double, double

/* Like run(), for arguments in memory. Its own function: each thread that waits for the grid keeps
 * its frames, and these are 12 KiB. */
static __attribute__((noinline)) void run_on_stack(const call *made)
{
    const double *f = made->floats;
    uint64_t i[INTEGERS];
    stack on_stack;
    stack objects;

    memcpy(i, made->integers, sizeof i);
    memcpy(on_stack.words, made->stack, sizeof on_stack.words);
    memcpy(objects.words, made->objects, made->object_bytes);
    for (size_t n = 0; n < made->address_count; n++) {
        const size_t at = made->addresses[n];

        *(at < INTEGERS ? &i[at] : &on_stack.words[at - INTEGERS]) += (uintptr_t)objects.words;
    }
    ((void (*)(PASSED_INTEGERS, PASSED_FLOATS, stack))made->kernel)(
        i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7],
        on_stack);
}

static void run(void *context)
{
    const call *made = context;
    const uint64_t *i = made->integers;
    const double *f = made->floats;

    if (made->stack_bytes > 0 || made->object_bytes > 0)
        run_on_stack(made);
    else
        ((void (*)(PASSED_INTEGERS, PASSED_FLOATS))made->kernel)(
            i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
}

static void *keep(void *context, int copies)
{
    call *kept = copies ? kg__allocate(1, sizeof *kept) : NULL;

    if (copies)
        *kept = *(const call *)context;
    else
        free(context);
    return kept;
}

static size_t align(size_t at, size_t alignment)
{
    return (at + alignment - 1) / alignment * alignment;
}

/* Adds an argument; false if the stack has no room for it, or not its alignment. */
static bool pass(call *made, const kg__model_parameter *parameter, const void *argument)
{
    uint64_t words[2] = { 0, 0 };
    size_t integers = 0;
    size_t floats = 0;
    size_t at = made->stack_bytes;

    for (int i = 0; i < 2; i++) {
        integers += parameter->words[i] == KG__WORD_INTEGERS;
        floats += parameter->words[i] == KG__WORD_FLOATS;
    }
    if (integers + floats == 0)
        return true; /* an empty class */
    if (!parameter->on_stack && made->integer_count + integers <= INTEGERS &&
        made->float_count + floats <= FLOATS) {
        memcpy(words, argument, parameter->size);
        for (int i = 0; i < 2; i++) {
            if (parameter->words[i] == KG__WORD_INTEGERS)
                made->integers[made->integer_count++] = words[i];
            else if (parameter->words[i] == KG__WORD_FLOATS)
                memcpy(&made->floats[made->float_count++], &words[i], sizeof words[i]);
        }
        return true;
    }
    if (parameter->alignment > sizeof(uint64_t))
        at = align(at, parameter->alignment);
    if (parameter->alignment > ALIGNMENT || at + parameter->size > sizeof made->stack)
        return false;
    memcpy((char *)made->stack + at, argument, parameter->size);
    made->stack_bytes = align(at + parameter->size, sizeof(uint64_t));
    return true;
}

/* The same for an argument that is passed by an object's address. */
static bool pass_address(call *made, const kg__model_parameter *parameter, const void *argument)
{
    const kg__model_parameter address = { .size = sizeof(void *),
                                          .alignment = sizeof(void *),
                                          .words = { KG__WORD_INTEGERS } };
    const uintptr_t at = align(made->object_bytes, parameter->alignment);

    if (parameter->alignment > ALIGNMENT || at + parameter->size > sizeof made->objects)
        return false;
    memcpy((char *)made->objects + at, argument, parameter->size);
    made->object_bytes = at + parameter->size;
    made->addresses[made->address_count++] = made->integer_count < INTEGERS
                                                 ? made->integer_count
                                                 : INTEGERS + made->stack_bytes / sizeof(uint64_t);
    return pass(made, &address, &at);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments)
{
    kg__model_parameter parameters[MOST] = { 0 };
    call made = { .integer_count = 0 };
    size_t count = SIZE_MAX;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(kernel == NULL, cudaErrorInvalidDeviceFunction);
#ifdef __x86_64__
    count = kg__model_parameters(kernel, parameters, MOST);
#endif
    for (size_t i = 0; i < count && count <= MOST; i++) {
        KG__REFUSE_IF(arguments == NULL || arguments[i] == NULL, cudaErrorInvalidValue);
        kg__look_at_argument(arguments[i], parameters[i].size);
        if (!(parameters[i].by_address ? pass_address : pass)(&made, &parameters[i], arguments[i]))
            count = SIZE_MAX;
    }
    if (count > MOST) {
        kg__model_refuse_untyped(kg__model_kernel_at(kernel)->name);
        return kg__model_leave(cudaErrorNotSupported);
    }
    memcpy(&made.kernel, &kernel, sizeof kernel);
    (void)kg__model_leave(cudaSuccess);
    return kg__model_launch(config, kernel, run, &made, keep);
}

static cudaError_t launch(cudaLaunchAttribute *attribute, const void *kernel, dim3 grid, dim3 block,
                          void **arguments, size_t dynamic_bytes, cudaStream_t stream)
{
    const cudaLaunchConfig_t config = { .gridDim = grid,
                                        .blockDim = block,
                                        .dynamicSmemBytes = dynamic_bytes,
                                        .stream = stream,
                                        .attrs = attribute,
                                        .numAttrs = attribute != NULL };

    return cudaLaunchKernelExC(&config, kernel, arguments);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic_bytes, cudaStream_t stream)
{
    return launch(NULL, kernel, grid, block, arguments, dynamic_bytes, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic_bytes, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = { .id = cudaLaunchAttributeCooperative, .val.cooperative = 1 };

    return launch(&attribute, kernel, grid, block, arguments, dynamic_bytes, stream);
}
