// out[i] = the sum over k < 16 of weights[k] in[i + k], as far as there is an in[i + k].
#include <kernelgate/kernelgate.h>

#define TAPS 16

// A 16th, two 16ths, and so on.
static __constant__ float weights[TAPS] = { 0.0625f, 0.125f, 0.1875f, 0.25f,  0.3125f, 0.375f,
                                            0.4375f, 0.5f,   0.5625f, 0.625f, 0.6875f, 0.75f,
                                            0.8125f, 0.875f, 0.9375f, 1.0f };

// All lanes of a warp read the same weight, or each lane begins with another one.
template <bool DIVERGENT>
static __global__ void filter(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float sum = 0.0f;

        for (int step = 0; step < TAPS; step++) {
            int k = DIVERGENT ? (i + step) % TAPS : step;

            if (i + k < n)
                sum += weights[k] * in[i + k];
        }
        out[i] = sum;
    }
}

static cudaError_t start(const kg_call *call, void (*kernel)(const float *, float *, int))
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, kernel, kg_grid(n, block), block, KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), n);
}

#define LAUNCHER(name, ...)                                                                        \
    KG_LAUNCHER(hardware_filter_##name)                                                            \
    {                                                                                              \
        return start(call, __VA_ARGS__);                                                           \
    }
LAUNCHER(uniform, filter<false>)
LAUNCHER(divergent, filter<true>)

// SPDX-License-Identifier: MIT
