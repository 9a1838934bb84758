#include "buffers.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"

/* Makes a NaN of a float, so that a read beside a buffer spoils what is computed from it, even
 * times 0. */
#define GUARD_BYTE 0xff

size_t kg__argument_bytes(const kg_argument *argument)
{
    return argument->rows * argument->columns * kg_type_size(argument->type);
}

bool kg__buffers_make(kg__buffers *buffers, const kg_arguments *arguments, kg__error *error)
{
    *buffers = (kg__buffers){ .arguments = *arguments };
    buffers->guard = kg__allocate(KG__GUARD_BYTES, 1);
    buffers->seen = kg__allocate(KG__GUARD_BYTES, 1);
    memset(buffers->guard, GUARD_BYTE, KG__GUARD_BYTES);
    for (int i = 0; i < arguments->count; i++) {
        size_t bytes = kg__argument_bytes(&arguments->list[i]);
        cudaError_t code = cudaMalloc(&buffers->allocation[i], bytes + 2 * KG__GUARD_BYTES);

        if (code != cudaSuccess) {
            buffers->allocation[i] = NULL;
            (void)cudaGetLastError();
            return kg__fail(error, "argument %s: no device memory for %zu bytes (%s)",
                            arguments->list[i].name, bytes, cudaGetErrorName(code));
        }
        buffers->bytes[i] = bytes;
        buffers->data[i] = (unsigned char *)buffers->allocation[i] + KG__GUARD_BYTES;
        kg__device_describe(buffers->data[i], bytes, arguments->list[i].name,
                            arguments->list[i].role == KG_INPUT);
    }
    return true;
}

static bool fill_one(kg__buffers *buffers, int i, const void *data, unsigned char poison)
{
    unsigned char *base = buffers->allocation[i];
    size_t bytes = buffers->bytes[i];

    if (cudaMemset(base, GUARD_BYTE, KG__GUARD_BYTES) != cudaSuccess ||
        cudaMemset(base + KG__GUARD_BYTES + bytes, GUARD_BYTE, KG__GUARD_BYTES) != cudaSuccess)
        return false;
    if (data != NULL)
        return cudaMemcpy(buffers->data[i], data, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    if (cudaMemset(buffers->data[i], poison, bytes) != cudaSuccess)
        return false;
    /* Poison is nothing that a kernel may read. */
    kg__device_forget(buffers->data[i], bytes);
    return true;
}

bool kg__buffers_fill(kg__buffers *buffers, const kg_problem *problem, unsigned char poison,
                      kg__error *error)
{
    cudaError_t code;

    for (int i = 0; i < buffers->arguments.count; i++) {
        if (!fill_one(buffers, i, problem->data[i], poison))
            return kg__cuda_fail(error, "filling the arguments", cudaGetLastError());
    }
    /* What was filled must be there for launches on any stream, and a fill is asynchronous. */
    code = cudaDeviceSynchronize();
    return code == cudaSuccess || kg__cuda_fail(error, "filling the arguments", code);
}

bool kg__buffers_read(const kg__buffers *buffers, int index, void *data, kg__error *error)
{
    cudaError_t code =
        cudaMemcpy(data, buffers->data[index], buffers->bytes[index], cudaMemcpyDeviceToHost);

    return code == cudaSuccess || kg__cuda_fail(error, "reading a result back", code);
}

/* One guard zone; `behind` says on which side of argument i. */
static bool guard_holds(kg__buffers *buffers, int i, bool behind, kg__error *finding,
                        kg__error *error)
{
    const unsigned char *zone = buffers->allocation[i];
    const kg_argument *argument = &buffers->arguments.list[i];
    size_t first = 0;
    size_t overwritten = 0;
    cudaError_t code;

    if (behind)
        zone += KG__GUARD_BYTES + buffers->bytes[i];
    code = cudaMemcpy(buffers->seen, zone, KG__GUARD_BYTES, cudaMemcpyDeviceToHost);
    if (code != cudaSuccess)
        return kg__cuda_fail(error, "reading a guard zone back", code);
    if (memcmp(buffers->seen, buffers->guard, KG__GUARD_BYTES) == 0)
        return true;
    for (size_t byte = KG__GUARD_BYTES; byte-- > 0;) {
        if (buffers->seen[byte] != GUARD_BYTE) {
            overwritten++;
            first = byte;
        }
    }
    if (behind)
        return kg__fail(
            finding, "guard zone behind %s: %zu bytes overwritten, from byte %zu past its end on",
            argument->name, overwritten, first);
    return kg__fail(
        finding, "guard zone before %s: %zu bytes overwritten, from byte %zu before its start on",
        argument->name, overwritten, KG__GUARD_BYTES - first);
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
    for (int i = 0; i < buffers->arguments.count; i++) {
        if (buffers->allocation[i] != NULL)
            (void)cudaFree(buffers->allocation[i]);
    }
    free(buffers->guard);
    free(buffers->seen);
    *buffers = (kg__buffers){ 0 };
}
