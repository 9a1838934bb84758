// Kernels with dynamic shared memory as people declare it. A .cu, for g++ alone does not understand
// it.
#include <cuda_runtime.h>

#include "tests/model/shared_kernels.h"
#include "tests/model/watch_start.h"

extern __shared__ double of_the_file[];

KERNEL(reverse_of_the_file)
{
    const unsigned int i = threadIdx.x;

    of_the_file[i] = d.a[i];
    __syncthreads();
    d.b[i] = static_cast<float>(of_the_file[blockDim.x - 1 - i]);
}

KERNEL(reverse_in_a_kernel)
{
    extern __shared__ float staged[];
    const unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    __syncthreads();
    d.b[i] = staged[blockDim.x - 1 - i];
}

KERNEL(reverse_without_barrier)
{
    extern __shared__ float staged[];
    const unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    d.b[i] = staged[blockDim.x - 1 - i];
}

KERNEL(reverse_beyond)
{
    extern __shared__ float staged[];
    const unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    __syncthreads();
    d.b[i] = staged[blockDim.x - i];
}

// Of another type under a name of its own; aligned, volatile, with rows, and split by pointers.
KERNEL(reverse_aligned)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    float *const staged = reinterpret_cast<float *>(bytes);
    const unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    __syncthreads();
    d.b[i] = staged[blockDim.x - 1 - i];
}

KERNEL(reverse_volatile)
{
    extern volatile __shared__ float kept[];
    const unsigned int i = threadIdx.x;

    kept[i] = d.a[i];
    __syncthreads();
    d.b[i] = kept[blockDim.x - 1 - i];
}

KERNEL(reverse_rows)
{
    extern __shared__ alignas(128) float rows[][4];
    const unsigned int i = threadIdx.x;
    const unsigned int j = blockDim.x - 1 - i;

    rows[i / 4][i % 4] = d.a[i];
    __syncthreads();
    d.b[i] = rows[j / 4][j % 4];
}

// A helper of each type, as CUDA's samples have it.
template <typename Value>
struct dynamic_array {
    __device__ operator Value *()
    {
        extern __shared__ int words[];

        return reinterpret_cast<Value *>(words);
    }
};

template <typename Value>
static __device__ void reverse(const float *in, float *out)
{
    Value *staged = dynamic_array<Value>();
    const unsigned int i = threadIdx.x;

    staged[i] = static_cast<Value>(in[i]);
    __syncthreads();
    out[i] = static_cast<float>(staged[blockDim.x - 1 - i]);
}

KERNEL(reverse_by_template)
{
    reverse<float>(d.a, d.b);
    __syncthreads();
    reverse<double>(d.a, d.b);
}

// Two views of the same bytes.
KERNEL(reverse_two_views)
{
    extern __shared__ float single_words[];
    extern __shared__ unsigned int same_words[];
    const unsigned int i = threadIdx.x;

    single_words[i] = d.a[i];
    same_words[i] ^= 0x80000000u;
    single_words[i] = -single_words[i];
    __syncthreads();
    d.b[i] = single_words[blockDim.x - 1 - i];
}

cudaError_t allow_reverse(int bytes)
{
    return cudaFuncSetAttribute(reverse_in_a_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                bytes);
}
