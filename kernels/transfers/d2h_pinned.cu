// Device to host, into page-locked memory, which the GPU writes by itself.
#include <kernelgate/kernelgate.h>

KG_LAUNCHER(transfers_d2h_pinned)
{
    size_t count = KG_EXTENT(call, 0) * KG_EXTENT(call, 1);

    return cudaMemcpyAsync(KG_ARG(call, int, 1), KG_ARG(call, const int, 0), count * sizeof(int),
                           cudaMemcpyDeviceToHost, call->stream);
}

// SPDX-License-Identifier: MIT
