// Sums without a barrier between the steps, which are right where the lanes of a warp run in step.
#include <cuda_runtime.h>

__global__ void sum(const float *values, float *sums)
{
    __shared__ float part[64];
    part[threadIdx.x] = values[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    for (unsigned int half = 32; half > 0; half /= 2)
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

int main()
{
    float *values, *sums, result[4];
    cudaMallocManaged(&values, 256 * sizeof *values);
    cudaMalloc(&sums, sizeof result);
    for (int i = 0; i < 256; i++)
        values[i] = 1;
    sum<<<4, 64>>>(values, sums);
    cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(values);
    cudaFree(sums);
    return result[0] == 64 ? 0 : 1;
}
