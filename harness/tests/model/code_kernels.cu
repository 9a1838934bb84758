// Device code as people write it, compiled twice: what one file names like the other is its own.
// Results grow with PART.
#include "tests/model/code_kernels.h"
#include "tests/model/watch_start.h"

#include <cooperative_groups.h>

__constant__ const float factors[PART + 1] = { PART };
__constant__ const int one = 1;
__device__ float offsets[4 * PART] = { 10 * PART };
__shared__ float at_file_scope[32 * PART];

__device__ float scale(float x)
{
    return PART * x;
}

template <typename T>
__device__ T scale_any(T x)
{
    return PART * x;
}

inline __device__ float scale_staged(float x)
{
    __shared__ float staged[32 * PART];

    staged[threadIdx.x * PART] = x;
    __syncthreads();
    return PART * staged[threadIdx.x * PART];
}

struct shape {
    float side;
    __device__ explicit shape(float s) : side(s)
    {
    }
    __device__ float area() const
    {
        return PART * side;
    }
};

__global__ void of_file(float *to, const float *from)
{
    float (*function)(float) = scale;
    int i = index_in_grid();

    to[i] = function(from[i]) + scale_any(from[i]) + scale_staged(from[i]) + shape(from[i]).area() +
            factors[0] * from[i] + offsets[0];
}

// For the host of both files.
__host__ __device__ int of_both(int x)
#if PART == 1
{
    return x + 1;
}
#else
    ;
#endif

template <int N>
__global__ void of_template(float *to, const float *from)
{
    int i = index_in_grid();

    to[i] = N * PART * from[i];
}

#if PART == 1
static __global__ void __cluster_dims__(2, 1, 1) clustered(float *to)
#else
static __global__ void clustered(float *to)
#endif
{
    to[index_in_grid()] = (float)cooperative_groups::this_cluster().num_blocks();
}

// __shared__ in any position.
static __global__ void by_position(float *to, const float *from)
{
    alignas(16) __shared__ float a[32];
    __shared__ alignas(16) float b[32];
    static __shared__ float c[32];
    __shared__ static float d[32];
    float __shared__ e[32], f[32];
    const unsigned int i = threadIdx.x;

    a[i] = b[i] = c[i] = d[i] = e[i] = f[i] = from[i];
    __syncthreads();
    to[i] = a[31 - i] + b[31 - i] + c[31 - i] + d[31 - i] + e[31 - i] + f[31 - i];
}

static __global__ void in_file_scope(float *to, const float *from, bool has_barrier)
{
    at_file_scope[threadIdx.x] = from[threadIdx.x];
    if (has_barrier)
        __syncthreads();
    to[index_in_grid()] = at_file_scope[31 - threadIdx.x];
}

static __device__ bool is_odd(int n);
static __device__ bool is_even(int n)
{
    return n == 0 || is_odd(n - 1);
}
static __device__ bool is_odd(int n)
{
    return n != 0 && is_even(n - 1);
}
__device__ float power(int e)
{
    return e > 0 ? 2 * power(e - 1) : 1;
}
__device__ int descend(int n, volatile int *above)
{
    volatile int own[8];

    own[n % 8] = n;
    above[0] = n;
    return (n < 0 ? 0 : descend(n + 1, own)) + own[n % 8];
}

static __global__ void recursive(float *to, int n, bool endless)
{
    int last[8];

    to[threadIdx.x] = endless ? (float)descend(n, last) : power(n) + (is_even(n) ? 100 : 0);
}

// Launches: two templates of one name, one that is none, and defaults.
template <typename T>
static __global__ void copy(T *to, const T *__restrict__ from, int n = 32);
template <typename T>
static __global__ void copy(T *to, const T *from, const int *order, int n)
{
    if ((int)threadIdx.x < n)
        to[threadIdx.x] = from[order[threadIdx.x]] + 1;
}
static __global__ void copy(float *to, int value)
{
    to[threadIdx.x] = (float)value;
}
template <typename U>
static __global__ void copy(U *output, const U *__restrict input, int count)
{
    if ((int)threadIdx.x < count)
        output[threadIdx.x] = input[threadIdx.x];
}

template <int N, bool B = N != 1, std::enable_if_t<(N >= 1), int> = 0>
static __global__ void by_operators(float *to, float2 pair = float2{ 1, 2 })
{
    to[threadIdx.x] = B ? N + pair.x + pair.y : 0;
}

extern "C" __global__ void in_c(float *to, int value = 5)
{
    to[threadIdx.x] = (float)value;
}

template <int N>
static void start_dependent(float *to)
{
    constexpr bool is_two = N == 2;

    // As some formatters write it.
    // clang-format off
    by_operators<N, is_two> << <1, 32 >> >(to);
    // clang-format on
}

cudaError_t KG__START(watch_data d, int form, int n)
{
    void (*const kernels[])(float *, int) = { copy, in_c };
    auto copier = [&](auto *copy) { copy<<<1, 32>>>(d.b, n + 1); };

    switch (form) {
    case 0:
        of_file<<<1, 32>>>(d.b, d.a);
        break;
    case 1:
        of_template<3><<<1, 32>>>(d.b, d.a);
        break;
    case 2:
        clustered<<<4, 8>>>(d.b);
        break;
    case 3:
        by_position<<<1, 32>>>(d.b, d.a);
        break;
    case 4:
        in_file_scope<<<2, 32>>>(d.b, d.a, n > 0);
        break;
    case 5:
        recursive<<<1, 32>>>(d.b, n, false);
        break;
    case 6:
        recursive<<<1, 1>>>(d.b, n, true);
        break;
    case 7:
        copy<<<1, 32>>>(d.b, d.a);
        break;
    case 8:
        copy<float><<<1, n >= 0 ? 32 : 64>>>(d.b, d.a, d.numbers, 32);
        break;
    case 9:
        copy<<<1, 32>>>(d.b, n);
        break;
    case 10:
        by_operators<(8 >> 2), sizeof(float) == 4 && 3 <= 4><<<1, 1 << 5>>>(d.b, { 3, 4 });
        break;
    case 11:
        start_dependent<2>(d.b);
        break;
    case 12:
        kernels[n == 1]<<<1, 32>>>(d.b, n);
        break;
    case 13:
        (n > 1 ? kernels[0] : kernels[1])<<<1, 32>>>(d.b, n);
        break;
    case 14:
        copier(kernels[1]);
        break;
    default:
        in_c<<<1, of_both(31)>>>(d.b);
        break;
    }
    return cudaGetLastError();
}

// SPDX-License-Identifier: MIT
