/* SPDX-License-Identifier: MIT */
#include "device/buffers.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"

/* Byte of a guard zone. NaNs, so that a read past a buffer spoils the result even times 0;
 * different for each argument, so that a copy of too many bytes shows after the target. */
static unsigned char guard_byte(int argument, size_t byte)
{
    if (byte % 4 == 3)
        return argument % 2 == 0 ? 0xff : 0x7f;
    return (unsigned char)(0xff - argument);
}

/* Returns the untouched guard zone of an argument. */
static unsigned char *find_guard(const kg__buffers *buffers, int argument)
{
    return buffers->guard + (size_t)argument * KG__GUARD_BYTES;
}

static void make_guards(kg__buffers *buffers)
{
    buffers->guard = kg__allocate((size_t)buffers->arguments.count, KG__GUARD_BYTES);
    buffers->zone_copy = kg__allocate(KG__GUARD_BYTES, 1);
    for (int i = 0; i < buffers->arguments.count; i++) {
        for (size_t byte = 0; byte < KG__GUARD_BYTES; byte++)
            find_guard(buffers, i)[byte] = guard_byte(i, byte);
    }
}

size_t kg__argument_bytes(const kg_argument *argument)
{
    return argument->rows * argument->columns * kg_type_size(argument->type);
}

size_t kg__arguments_bytes(const kg_arguments *arguments)
{
    size_t bytes = 0;

    for (int i = 0; i < arguments->count; i++)
        bytes += kg__argument_bytes(&arguments->list[i]);
    return bytes;
}

cudaError_t kg__memory_allocate(kg_memory memory, size_t bytes, void **allocation)
{
    size_t available;
    size_t total;
    cudaError_t code;

    *allocation = NULL;
    switch (memory) {
    case KG_DEVICE:
        return cudaMalloc(allocation, bytes);
    case KG_PINNED:
        return cudaMallocHost(allocation, bytes);
    case KG_PAGEABLE:
        *allocation = malloc(bytes);
        return *allocation != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    case KG_MANAGED:
        code = cudaMemGetInfo(&available, &total);
        if (code == cudaSuccess && available < bytes)
            code = cudaErrorMemoryAllocation;
        return code == cudaSuccess ? cudaMallocManaged(allocation, bytes, cudaMemAttachGlobal)
                                   : code;
    }
    return cudaErrorInvalidValue;
}

void kg__memory_free(kg_memory memory, void *allocation)
{
    if (allocation == NULL)
        return;
    if (memory == KG_PAGEABLE)
        free(allocation);
    else if (memory == KG_PINNED)
        (void)cudaFreeHost(allocation);
    else
        (void)cudaFree(allocation);
}

/* Returns whether the host can access this memory directly. */
static bool is_host(kg_memory memory)
{
    return memory == KG_PAGEABLE || memory == KG_PINNED;
}

/* Returns whether all managed arguments together fit into the device's memory. Each one alone
 * would be granted, since managed memory takes none before it is touched. */
static bool managed_memory_fits(const kg_arguments *arguments, const kg_memory *memory,
                                kg__error *error)
{
    size_t bytes = 0;
    size_t available;
    size_t total;
    cudaError_t code;

    for (int i = 0; i < arguments->count; i++) {
        if (memory[i] == KG_MANAGED)
            bytes += kg__argument_bytes(&arguments->list[i]) + 2 * KG__GUARD_BYTES;
    }
    if (bytes == 0)
        return true;
    code = cudaMemGetInfo(&available, &total);
    if (!kg__succeeded(code, "querying the device's free memory", error))
        return false;
    return bytes <= available || kg__fail(error,
                                          "the managed arguments take %zu bytes, and the device "
                                          "has %zu free: choose a smaller "
                                          "size, or refuse it",
                                          bytes, available);
}

bool kg__buffers_make(kg__buffers *buffers, const kg_arguments *arguments,
                      const kg_variant *variant, kg__error *error)
{
    *buffers = (kg__buffers){ .arguments = *arguments };
    memcpy(buffers->memory, variant->advanced.memory, sizeof buffers->memory);
    make_guards(buffers);
    if (!managed_memory_fits(arguments, buffers->memory, error))
        return false;
    for (int i = 0; i < arguments->count; i++) {
        static const char *const kinds[] = { "device", "managed", "pageable", "pinned" };
        size_t bytes = kg__argument_bytes(&arguments->list[i]);
        cudaError_t code = kg__memory_allocate(buffers->memory[i], bytes + 2 * KG__GUARD_BYTES,
                                               &buffers->allocation[i]);

        if (code != cudaSuccess) {
            (void)cudaGetLastError();
            return kg__fail(
                error,
                "argument %s: no %s memory for %zu bytes (%s): choose a smaller size, or refuse it",
                arguments->list[i].name, kinds[buffers->memory[i]], bytes, cudaGetErrorName(code));
        }
        buffers->bytes[i] = bytes;
        buffers->data[i] = (unsigned char *)buffers->allocation[i] + KG__GUARD_BYTES;
        if (!is_host(buffers->memory[i]))
            kg__device_describe(buffers->data[i], bytes, arguments->list[i].name,
                                arguments->list[i].role == KG_INPUT);
    }
    return true;
}

bool kg__buffers_suit(const kg__buffers *buffers, const kg_arguments *arguments,
                      const kg_variant *variant)
{
    for (int i = 0; i < arguments->count; i++) {
        if (i >= buffers->arguments.count || buffers->memory[i] != variant->advanced.memory[i] ||
            !kg__shapes_equal(&buffers->arguments.list[i], &arguments->list[i]))
            return false;
    }
    return buffers->arguments.count == arguments->count;
}

static cudaError_t set_bytes(kg_memory memory, void *data, unsigned char value, size_t bytes)
{
    if (!is_host(memory))
        return cudaMemset(data, value, bytes);
    memset(data, value, bytes);
    return cudaSuccess;
}

/* Copies to or from an argument in this memory; `direction` is that of a copy on the device. */
static cudaError_t copy(kg_memory memory, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind direction)
{
    if (!is_host(memory))
        return cudaMemcpy(to, from, bytes, direction);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static cudaError_t fill_argument(kg__buffers *buffers, int i, const void *input,
                                 unsigned char poison)
{
    unsigned char *base = buffers->allocation[i];
    kg_memory memory = buffers->memory[i];
    size_t bytes = buffers->bytes[i];
    cudaError_t code =
        copy(memory, base, find_guard(buffers, i), KG__GUARD_BYTES, cudaMemcpyHostToDevice);

    KG__THEN(code, copy(memory, base + KG__GUARD_BYTES + bytes, find_guard(buffers, i),
                        KG__GUARD_BYTES, cudaMemcpyHostToDevice));
    if (code != cudaSuccess)
        return code;
    if (input != NULL)
        return cudaMemcpy(buffers->data[i], input, bytes,
                          is_host(memory) ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
    code = set_bytes(memory, buffers->data[i], poison, bytes);
    /* Kernels must not read poison. */
    if (code == cudaSuccess && !is_host(memory))
        kg__device_forget(buffers->data[i], bytes);
    return code;
}

bool kg__buffers_fill(kg__buffers *buffers, void *const *inputs, unsigned char poison,
                      kg__error *error)
{
    cudaError_t code = cudaSuccess;

    for (int i = 0; i < buffers->arguments.count && code == cudaSuccess; i++)
        code = fill_argument(buffers, i, inputs[i], poison);
    /* The fill is asynchronous, and the data must be there for launches on any stream. */
    KG__THEN(code, cudaDeviceSynchronize());
    return kg__succeeded(code, "filling the arguments", error);
}

const void *kg__buffers_read(kg__buffers *buffers, int index, kg__error *error)
{
    size_t bytes = buffers->bytes[index];
    cudaError_t code;

    if (buffers->computed_bytes < bytes || buffers->computed == NULL) {
        free(buffers->computed);
        buffers->computed = kg__allocate(bytes, 1);
        buffers->computed_bytes = bytes;
    }
    code = copy(buffers->memory[index], buffers->computed, buffers->data[index], bytes,
                cudaMemcpyDeviceToHost);
    return kg__succeeded(code, "reading a result back", error) ? buffers->computed : NULL;
}

bool kg__buffers_unchanged(kg__buffers *buffers, int index, const void *device_input,
                           const void *host_input, size_t *first, kg__error *error)
{
    size_t bytes = buffers->bytes[index];
    const unsigned char *before = host_input;
    const unsigned char *now;
    cudaError_t code;

    *first = 0;
    if (kg__device_compares() && !is_host(buffers->memory[index])) {
        code = kg__device_compare(buffers->data[index], device_input, bytes, first);
        return kg__succeeded(code, "comparing an input", error) && *first == bytes;
    }
    now = kg__buffers_read(buffers, index, error);
    if (now == NULL)
        return false;
    while (*first < bytes && now[*first] == before[*first])
        (*first)++;
    return *first == bytes;
}

bool kg__buffers_hold(const kg__buffers *buffers, int index, const void *expected)
{
    size_t bytes = buffers->bytes[index];
    size_t first = 0;

    return kg__device_compares() && !is_host(buffers->memory[index]) &&
           kg__device_compare(buffers->data[index], expected, bytes, &first) == cudaSuccess &&
           first == bytes;
}

/* Checks one guard zone of argument i: the one before its data, or after it (`is_after`). */
static bool guard_holds(kg__buffers *buffers, int i, bool is_after, kg__error *finding,
                        kg__error *error)
{
    const unsigned char *guard = find_guard(buffers, i);
    const unsigned char *zone = buffers->allocation[i];
    size_t first = 0;
    size_t overwritten = 0;
    cudaError_t code;

    if (is_after)
        zone += KG__GUARD_BYTES + buffers->bytes[i];
    code =
        copy(buffers->memory[i], buffers->zone_copy, zone, KG__GUARD_BYTES, cudaMemcpyDeviceToHost);
    if (!kg__succeeded(code, "reading a guard zone back", error))
        return false;
    if (memcmp(buffers->zone_copy, guard, KG__GUARD_BYTES) == 0)
        return true;
    for (size_t byte = KG__GUARD_BYTES; byte-- > 0;) {
        if (buffers->zone_copy[byte] != guard[byte]) {
            overwritten++;
            first = byte;
        }
    }
    return kg__fail(finding, "guard zone %s %s: %zu bytes overwritten, from byte %zu %s on",
                    is_after ? "after" : "before", buffers->arguments.list[i].name, overwritten,
                    is_after ? first : KG__GUARD_BYTES - first,
                    is_after ? "past its end" : "before its start");
}

bool kg__buffers_guards_hold(kg__buffers *buffers, kg__error *finding, kg__error *error)
{
    for (int i = 0; i < buffers->arguments.count; i++) {
        if (!guard_holds(buffers, i, true, finding, error) ||
            !guard_holds(buffers, i, false, finding, error))
            return false;
    }
    return true;
}

void kg__buffers_free(kg__buffers *buffers)
{
    for (int i = 0; i < buffers->arguments.count; i++)
        kg__memory_free(buffers->memory[i], buffers->allocation[i]);
    free(buffers->guard);
    free(buffers->zone_copy);
    free(buffers->computed);
    *buffers = (kg__buffers){ 0 };
}
