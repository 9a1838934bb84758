/* Kernels of the corpus: y = 2 x, each with one defect that the CPU model finds, or with other
 * accesses than its baseline has. expected.json has their lines. */
#include <kernelgate/kernelgate.h>

static __device__ int index_in_grid()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static cudaLaunchConfig_t thread_each(const kg_call *call)
{
    unsigned block = (unsigned)KG_AXIS(call, 0);
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((kg_extent(call->size, 0) + block - 1) / block));
    config.blockDim = dim3(block);
    config.dynamicSmemBytes = block * sizeof(float);
    config.stream = call->stream;
    return config;
}

/* A kernel of x, y and n, and its launcher. */
#define KERNEL(name)                                                                               \
    static __global__ void name(const float *x, float *y, [[maybe_unused]] int n);                 \
    KG_LAUNCHER(findings_##name)                                                                   \
    {                                                                                              \
        cudaLaunchConfig_t config = thread_each(call);                                             \
        return cudaLaunchKernelEx(&config, name, (const float *)call->argument[0],                 \
                                  (float *)call->argument[1], (int)kg_extent(call->size, 0));      \
    }                                                                                              \
    static __global__ void name(const float *x, float *y, [[maybe_unused]] int n)

KERNEL(clean)
{
    int i = index_in_grid();

    if (i < n)
        y[i] = 2 * x[i];
}

KERNEL(wrong_value)
{
    int i = index_in_grid();

    if (i < n)
        y[i] = 2 * x[i] + (i == 17 ? 1.0f : 0.0f);
}

KERNEL(unwritten_output)
{
    int i = index_in_grid();

    if (i < n - 1)
        y[i] = 2 * x[i];
}

KERNEL(read_past_end)
{
    int i = index_in_grid();

    y[i] = 2 * x[i] + 0 * x[i + 1];
}

KERNEL(write_before_start)
{
    int i = index_in_grid();

    y[i] = 2 * x[i];
    if (i == 0)
        y[-1] = 0;
}

KERNEL(atomic_past_end)
{
    int i = index_in_grid();

    y[i] = 2 * x[i];
    if (i == 0)
        atomicAdd(&y[n], 0.0f);
}

KERNEL(shared_array_index)
{
    __shared__ float staged[64];
    int i = index_in_grid();

    staged[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = 2 * staged[threadIdx.x] + 0 * staged[threadIdx.x + 1];
}

KERNEL(dynamic_shared_past_end)
{
    KG_DYNAMIC_SHARED(float, staged);
    int i = index_in_grid();

    staged[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = 2 * staged[threadIdx.x] + 0 * staged[threadIdx.x + 1];
}

KERNEL(local_array_index)
{
    float window[4] = {};
    int i = index_in_grid();

    for (int k = 0; k < n / 24; k++)
        window[k] = x[i];
    y[i] = 2 * window[n % 2];
}

static __constant__ float weights[3] = { 2, 2, 2 };

KERNEL(constant_index)
{
    int i = index_in_grid();

    y[i] = x[i] * (i % 4 == 3 ? 0 * weights[i % 4] + 2 : weights[i % 4]);
}

KERNEL(unwritten_shared)
{
    __shared__ float staged[64];
    int i = index_in_grid();

    if (threadIdx.x != 5)
        staged[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = threadIdx.x == 5 && staged[5] != 1 ? 2 * x[i] : 2 * staged[threadIdx.x];
}

KERNEL(unwritten_global)
{
    int i = index_in_grid();

    y[i] = y[i] == 1 ? 0 : 2 * x[i];
}

KERNEL(race_in_block)
{
    KG_DYNAMIC_SHARED(float, staged);
    int i = index_in_grid();
    unsigned last = blockDim.x - 1;

    staged[threadIdx.x] = x[i];
    y[i] = staged[last - threadIdx.x] == 1 ? 0 : 2 * x[i];
}

KERNEL(race_in_warp)
{
    KG_DYNAMIC_SHARED(float, staged);
    int i = index_in_grid();

    staged[threadIdx.x] = x[i];
    y[i] = staged[threadIdx.x ^ 1] == 1 ? 0 : 2 * x[i];
}

KERNEL(race_between_blocks)
{
    int i = index_in_grid();

    y[i] = 2 * x[i];
    if (threadIdx.x == 0)
        y[0] = 2 * x[0];
}

KERNEL(race_with_an_atomic)
{
    int i = index_in_grid();

    y[i] = 2 * x[i];
    if (threadIdx.x == 0 && blockIdx.x == 1)
        atomicAdd(&y[0], 0.0f);
}

KERNEL(divergent_barrier)
{
    KG_DYNAMIC_SHARED(float, staged);
    int i = index_in_grid();

    staged[threadIdx.x] = x[i];
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    staged[threadIdx.x] *= 2;
    __syncthreads();
    y[i] = staged[threadIdx.x];
}

KERNEL(misaligned)
{
    int i = index_in_grid();
    float2 pair = { x[i], 0 };

    if (i % 2 == 0 && i + 2 < n)
        pair = *reinterpret_cast<const float2 *>(x + i + 1);
    y[i] = pair.x == 1 && pair.y == 1 ? 0 : 2 * x[i];
}

KERNEL(input_written)
{
    int i = index_in_grid();
    volatile float *input = const_cast<float *>(x);

    y[i] = 2 * x[i];
    input[i] = x[i];
}

KERNEL(lanes_missing)
{
    int i = index_in_grid();
    float value = x[i];

    if (threadIdx.x % 2 == 0)
        value = __shfl_sync(0xffffffffu, value, (int)threadIdx.x % 32);
    else
        __syncthreads();
    y[i] = 2 * value;
}

KERNEL(hang)
{
    int i = index_in_grid();

    y[i] = 2 * x[i];
    while (*(volatile const float *)x != 1e30f)
        ;
}

KERNEL(trap)
{
    if (threadIdx.x == 3)
        __trap();
    y[index_in_grid()] = 2 * x[index_in_grid()];
}

KERNEL(divide_by_zero)
{
    int i = index_in_grid();
    int quotient = n / (int)(0 * x[i]);

    y[i] = quotient == 7 ? 0 : 2 * x[i];
}

KERNEL(far_address)
{
    int i = index_in_grid();

    y[i] = 2 * x[i] + 0 * x[(1ll << 36) + i];
}

KERNEL(counted)
{
    int i = index_in_grid();
    float value = x[i];

    y[i] = 2 * value;
}

static __global__ void read_both(const float *x, const float *other, float *y)
{
    int i = index_in_grid();

    y[i] = 2 * x[i] + 0 * other[i];
}

KG_LAUNCHER(findings_after_free)
{
    cudaLaunchConfig_t config = thread_each(call);
    size_t bytes = (size_t)kg_extent(call->size, 0) * sizeof(float);
    float *other = nullptr;
    cudaError_t error = cudaMalloc((void **)&other, bytes);

    if (error != cudaSuccess || (error = cudaMemset(other, 0, bytes)) != cudaSuccess ||
        (error = cudaFree(other)) != cudaSuccess)
        return error;
    return cudaLaunchKernelEx(&config, read_both, (const float *)call->argument[0],
                              (const float *)other, (float *)call->argument[1]);
}

KG_LAUNCHER(findings_memory_of_the_host)
{
    float other[128] = {};
    cudaLaunchConfig_t config = thread_each(call);

    return cudaLaunchKernelEx(&config, read_both, (const float *)call->argument[0],
                              (const float *)other, (float *)call->argument[1]);
}

KG_LAUNCHER(findings_host_in_device_memory)
{
    cudaLaunchConfig_t config = thread_each(call);

    if (((const float *)call->argument[0])[0] == 1e30f)
        return cudaErrorInvalidValue;
    return cudaLaunchKernelEx(&config, clean, (const float *)call->argument[0],
                              (float *)call->argument[1], (int)kg_extent(call->size, 0));
}

// SPDX-License-Identifier: MIT
