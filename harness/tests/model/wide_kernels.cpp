/* Kernels on more bytes than 32 bits can count, and on wide inputs. */
#include "tests/model/wide_kernels.h"

#include <cuda_runtime.h>
#include <kernelgate/kernelgate.h>

static __global__ void copy(const unsigned char *in, unsigned char *out, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

static __global__ void copy_by_int(const unsigned char *in, unsigned char *out, long long n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        out[i] = in[i];
}

static __global__ void copy_unguarded(const unsigned char *in, unsigned char *out)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i];
}

#define THREAD_EACH(call) kg_grid(KG_EXTENT(call, 0), 256), 256
#define BYTES(call, i) (unsigned char *)(call)->argument[i]

KG_LAUNCHER(wide_copy)
{
    return kg_start(call, copy, THREAD_EACH(call), BYTES(call, 0), BYTES(call, 1),
                    KG_EXTENT(call, 0));
}

KG_LAUNCHER(wide_copy_by_int)
{
    return kg_start(call, copy_by_int, THREAD_EACH(call), BYTES(call, 0), BYTES(call, 1),
                    KG_EXTENT(call, 0));
}

KG_LAUNCHER(wide_copy_unguarded)
{
    return kg_start(call, copy_unguarded, THREAD_EACH(call), BYTES(call, 0), BYTES(call, 1));
}

static __global__ void gather(const int *rows, const unsigned char *table, unsigned char *out)
{
    int at = rows[blockIdx.x] * WIDE_WIDTH + (int)threadIdx.x;

    out[blockIdx.x * blockDim.x + threadIdx.x] = table[at];
}

KG_LAUNCHER(wide_gather)
{
    return kg_start(call, gather, WIDE_ROWS, 32, KG_ARG(call, const int, 0),
                    KG_ARG(call, const unsigned char, 1), KG_ARG(call, unsigned char, 2));
}

static __global__ void truncate(const float *in, float *out, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = (int)in[i] == 77 && in[i] < 0.0f ? 0.0f : in[i];
}

KG_LAUNCHER(wide_truncate)
{
    long long n = KG_EXTENT(call, 0);

    return kg_start(call, truncate, kg_grid(n, 256), 256, KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), n);
}

// SPDX-License-Identifier: MIT
