/* A kernel that is compiled without debug information. */
#include <cuda_runtime.h>

#include "tests/model/defect_kernels.h"

static __global__ void double_each(int n, const float *in, float *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        out[i] = 2.0f * in[i];
}

extern "C" cudaError_t launch_without_lines(const defect_call *call)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3(static_cast<unsigned int>((call->n + call->block - 1) / call->block));
    config.blockDim = dim3(static_cast<unsigned int>(call->block));
    return cudaLaunchKernelEx(&config, double_each, call->n, call->in, call->out);
}
