// Host to __constant__ memory, from page-locked memory. No launch reads the array: what is timed is
// the copy alone, and checks have it copied on to where they look.
#include <kernelgate/kernelgate.h>

#define CONSTANT_BYTES 65536 // all that a program has

static __constant__ int constants[CONSTANT_BYTES / sizeof(int)];

static size_t bytes_of(const kg_call *call)
{
    return KG_EXTENT(call, 0) * KG_EXTENT(call, 1) * sizeof(int);
}

KG_LAUNCHER(transfers_h2d_constant)
{
    return cudaMemcpyToSymbolAsync(constants, KG_ARG(call, const int, 0), bytes_of(call), 0,
                                   cudaMemcpyHostToDevice, call->stream);
}

// What an earlier launch left in the array must not pass for what this one copies: it begins with
// the output's content, which is poison where results are checked.
KG_LAUNCHER(transfers_h2d_constant_prepare)
{
    return cudaMemcpyToSymbolAsync(constants, KG_ARG(call, int, 1), bytes_of(call), 0,
                                   cudaMemcpyDeviceToDevice, call->stream);
}

KG_LAUNCHER(transfers_h2d_constant_collect)
{
    return cudaMemcpyFromSymbolAsync(KG_ARG(call, int, 1), constants, bytes_of(call), 0,
                                     cudaMemcpyDeviceToDevice, call->stream);
}

// SPDX-License-Identifier: MIT
