// Host to device, from memory as malloc() gives it: the driver goes through page-locked memory of
// its own.
#include <kernelgate/kernelgate.h>

KG_LAUNCHER(transfers_h2d_pageable)
{
    size_t count = (size_t)(kg_extent(call->size, 0) * kg_extent(call->size, 1));

    return cudaMemcpyAsync(call->argument[1], call->argument[0], count * sizeof(int),
                           cudaMemcpyHostToDevice, call->stream);
}
