// alpha times the sum of each row plus beta, in two passes over scratch memory: blocks add parts of
// rows up, and a second kernel their sums. A fill, two kernels and a copy are one launch.
#include <kernelgate/kernelgate.h>

static __global__ void add_parts(const float *x, float *partial, int columns, int parts)
{
    int length = (columns + parts - 1) / parts;
    int begin = blockIdx.x * length;
    int end = begin + length < columns ? begin + length : columns;
    float sum = 0.0f;

    for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
        sum += x[blockIdx.y * columns + i];
    atomicAdd(&partial[blockIdx.y * parts + blockIdx.x], sum);
}

static __global__ void add_up(const float *partial, float *sums, int rows, int parts, float alpha,
                              float beta)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (row >= rows)
        return;
    for (int i = 0; i < parts; i++)
        sum += partial[row * parts + i];
    sums[row] = alpha * sum + beta;
}

static cudaError_t fill(const kg_call *call)
{
    return cudaMemsetAsync(KG_ARG(call, float, 1), 0,
                           KG_EXTENT(call, 0) * KG_AXIS(call, 1) * sizeof(float), call->stream);
}

// Both passes and the copy, with `blocks` blocks per row.
static cudaError_t add(const kg_call *call, int blocks, double alpha)
{
    int rows = KG_EXTENT(call, 0), threads = KG_AXIS(call, 0), parts = KG_AXIS(call, 1);
    cudaError_t code =
        kg_start(call, add_parts, dim3(blocks, rows), threads, KG_ARG(call, const float, 0),
                 KG_ARG(call, float, 1), KG_EXTENT(call, 1), parts);

    if (code == cudaSuccess)
        code = kg_start(call, add_up, kg_grid(rows, threads), threads, KG_ARG(call, float, 1),
                        KG_ARG(call, float, 2), rows, parts, alpha, KG_SCALAR(call, float, 1));
    if (code != cudaSuccess)
        return code;
    return cudaMemcpyAsync(KG_ARG(call, float, 3), KG_ARG(call, float, 2), rows * sizeof(float),
                           cudaMemcpyDeviceToDevice, call->stream);
}

KG_LAUNCHER(hardware_two_pass_parts)
{
    cudaError_t code = fill(call);

    return code == cudaSuccess ? add(call, KG_AXIS(call, 1), KG_SCALAR(call, double, 0)) : code;
}

KG_LAUNCHER(hardware_two_pass_unfilled)
{
    return add(call, KG_AXIS(call, 1), KG_SCALAR(call, double, 0));
}

KG_LAUNCHER(hardware_two_pass_beyond_scratch)
{
    cudaError_t code = fill(call);

    return code == cudaSuccess ? add(call, KG_AXIS(call, 1) + 1, KG_SCALAR(call, double, 0)) : code;
}

KG_LAUNCHER(hardware_two_pass_unscaled)
{
    cudaError_t code = fill(call);

    return code == cudaSuccess ? add(call, KG_AXIS(call, 1), 1) : code;
}

// SPDX-License-Identifier: MIT
