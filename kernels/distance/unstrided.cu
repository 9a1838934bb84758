// Distances of pairs of points in the plane, one thread a pair; each point is loaded whole.
#include <kernelgate/kernelgate.h>

static __global__ void unstrided(const float2 *p, const float2 *q, float *d, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float2 a = p[i];
        float2 b = q[i];
        float dx = a.x - b.x;
        float dy = a.y - b.y;

        d[i] = sqrtf(dx * dx + dy * dy);
    }
}

KG_LAUNCHER(distance_unstrided)
{
    int64_t n = kg_extent(call->size, 0);
    unsigned block = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((n + block - 1) / block));
    config.blockDim = dim3(block);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, unstrided, (const float2 *)call->argument[0],
                              (const float2 *)call->argument[1], (float *)call->argument[2], n);
}
