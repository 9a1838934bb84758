// Kernels of known duration: what they take is told by an argument.
#include <cstdlib>

#include <kernelgate/kernelgate.h>

#include "tests/study/selftest.h"

#define SPIN_THREADS 32
#define COPY_THREADS 256

// Waits for `cycles` of the multiprocessor's clock, then passes one element on. The element is on
// its way while the thread waits, so that where it comes from does not show: volatile, lest the
// compiler load it behind the loop.
static __global__ void spin(const volatile float *in, float *out, long long cycles)
{
    long long begun = clock64();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];

    while (clock64() - begun < cycles) {
    }
    out[i] = value;
}

// Copies `quads` float4, one float4 per thread, beginning again at the end of the arrays. No
// grid-stride loop: blocks follow each other as there is room, so that the time grows with every
// block, where the threads of a loop all wait for those that go round once more.
static __global__ void copy(const float4 *in, float4 *out, unsigned quads)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < quads)
        out[i % SELFTEST_ARRAY_QUADS] = in[i % SELFTEST_ARRAY_QUADS];
}

// The clock that the GPU reaches when it is not held down, which these kernels do not make it do.
static cudaError_t read_cycles_per_us(double *cycles)
{
    int device;
    int khz = 0;
    cudaError_t code = cudaGetDevice(&device);

    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device);
    *cycles = khz / 1000.0;
    return code;
}

// The microseconds of work that a launch does in its body, with the fraction of the whole that
// `kernelgate selftest` adds by KG_STUDY_EXTRA.
static double body_us(const kg_call *call)
{
    const char *extra = getenv("KG_STUDY_EXTRA");
    double us = (double)kg_extent(call->size, 0);

    return us * (1 + (extra != NULL ? atof(extra) : 0)) - SELFTEST_LAUNCH_US;
}

KG_LAUNCHER(selftest_spin)
{
    double us = body_us(call);
    double cycles_per_us;
    cudaError_t code = read_cycles_per_us(&cycles_per_us);

    if (code != cudaSuccess)
        return code;
    return kg_start(call, spin, SELFTEST_SPIN_ELEMENTS / SPIN_THREADS, SPIN_THREADS,
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1),
                    (long long)(us * cycles_per_us));
}

KG_LAUNCHER(selftest_copy)
{
    double us = body_us(call);
    unsigned quads = (unsigned)(us * SELFTEST_QUADS_PER_US);

    return kg_start(call, copy, kg_grid(quads, COPY_THREADS), COPY_THREADS,
                    KG_ARG(call, const float4, 0), KG_ARG(call, float4, 1), quads);
}

// SPDX-License-Identifier: MIT
