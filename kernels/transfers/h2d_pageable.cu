// Host to device, from memory as malloc() gives it: the driver goes through page-locked memory of
// its own.
#include <kernelgate/kernelgate.h>

KG_LAUNCHER(transfers_h2d_pageable)
{
    size_t count = KG_EXTENT(call, 0) * KG_EXTENT(call, 1);

    return cudaMemcpyAsync(KG_ARG(call, int, 1), KG_ARG(call, const int, 0), count * sizeof(int),
                           cudaMemcpyHostToDevice, call->stream);
}

// SPDX-License-Identifier: MIT
