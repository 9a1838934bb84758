/* Compiled without debug information. */
#include "tests/model/host_call_kernels.h"

#include <cuda_runtime.h>

static __global__ void unknown(float *to)
{
    to[0] = 1.0f;
}

cudaError_t call_untyped_lineless(const cudaLaunchConfig_t *c, watch_data d)
{
    void *arguments[] = { &d.b };

    return cudaLaunchKernel(reinterpret_cast<const void *>(unknown), c->gridDim, c->blockDim,
                            arguments);
}

// SPDX-License-Identifier: MIT
