// Kernels that copy, with an input of a type that is right or wrong.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <kernelgate/kernelgate.h>

static __global__ void copy(const char *from, char *to, long long bytes)
{
    for (long long i = threadIdx.x; i < bytes; i += blockDim.x)
        to[i] = from[i];
}

#define TAKES(name, type, index)                                                                   \
    KG_LAUNCHER(takes_##name)                                                                      \
    {                                                                                              \
        return kg_start(call, copy, 1, 32, (const char *)KG_ARG(call, type, index),                \
                        KG_ARG(call, char, 1), KG_EXTENT(call, 0));                                \
    }
TAKES(half, const __half, 0)
TAKES(half2, const __half2, 0)
TAKES(bfloat16, const __nv_bfloat16, 0)
TAKES(float, const float, 0)
TAKES(float4, const float4, 0)
TAKES(int, const int, 0)
TAKES(unsigned, const unsigned, 0)
TAKES(e4m3, const __nv_fp8_e4m3, 0)
TAKES(char, const char, 0)
TAKES(void, const void, 0)
TAKES(writable, char, 0)
TAKES(third, const char, 2)

KG_LAUNCHER(takes_float_alone)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = config.blockDim = dim3(1);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, copy, (const char *)KG_ARG(call, const float, 0),
                              KG_ARG(call, char, 1), (long long)KG_EXTENT(call, 0));
}

// SPDX-License-Identifier: MIT
