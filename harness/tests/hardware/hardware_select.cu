// out[i] = a[i] where flags[i] is odd, 2 b[i] where it is even.
#include <kernelgate/kernelgate.h>

// Only what is needed is loaded, by one part of a warp after the other.
static __global__ void branch(const int *flags, const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float value;

        if (flags[i] & 1)
            value = a[i];
        else
            value = 2.0f * b[i];
        out[i] = value;
    }
}

// Both are loaded, by the whole warp.
static __global__ void both(const int *flags, const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float first = a[i];
        float second = b[i];

        out[i] = flags[i] & 1 ? first : 2.0f * second;
    }
}

// Lanes with odd flags take a loop that the others skip.
static __global__ void loop(const int *flags, const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        out[i] = 2.0f * b[i];
        for (int j = flags[i] & 1; j > 0; j--)
            out[i] = a[i];
    }
}

static cudaError_t start(const kg_call *call,
                         void (*kernel)(const int *, const float *, const float *, float *, int))
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, kernel, kg_grid(n, block), block, KG_ARG(call, const int, 0),
                    KG_ARG(call, const float, 1), KG_ARG(call, const float, 2),
                    KG_ARG(call, float, 3), n);
}

#define LAUNCHER(name, ...)                                                                        \
    KG_LAUNCHER(hardware_select_##name)                                                            \
    {                                                                                              \
        return start(call, __VA_ARGS__);                                                           \
    }
LAUNCHER(branch, branch)
LAUNCHER(both, both)
LAUNCHER(loop, loop)

// SPDX-License-Identifier: MIT
