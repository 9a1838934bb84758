#include "reduce.h"

constexpr int threads = 256;

// One block adds all values, a stride apart, and then its threads' sums by halves.
__global__ void sum_block(const float *values, int count, float *sum)
{
    __shared__ float part[threads];
    float own = 0;

    for (int i = threadIdx.x; i < count; i += threads)
        own += values[i];
    part[threadIdx.x] = own;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *sum = part[0];
}

cudaError_t reduce_sum(const float *values, int count, float *sum)
{
    sum_block<<<1, threads>>>(values, count, sum);
    return cudaGetLastError();
}
