// c = a b^T in float16 and r = p q^T in bfloat16, both accumulated in float32: a and p are m x k, b
// and q n x k, with an even k.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernelgate/kernelgate.h>

static __device__ __forceinline__ float2 widen(half2 pair)
{
    return __half22float2(pair);
}

static __device__ __forceinline__ float2 widen(nv_bfloat162 pair)
{
    return __bfloat1622float2(pair);
}

// One thread per output, one element at a time.
template <typename Half, typename Pair>
static __global__ void naive(const Half *a, const Half *b, Half *c, int m, int n, int k)
{
    int output = blockIdx.x * blockDim.x + threadIdx.x;

    if (output < m * n) {
        float sum = 0.0f;

        for (int i = 0; i < k; i++)
            sum += static_cast<float>(a[output / n * k + i]) *
                   static_cast<float>(b[output % n * k + i]);
        c[output] = sum;
    }
}

// The same by pairs, each of which is one load of four bytes.
template <typename Half, typename Pair>
static __global__ void pairs(const Half *a, const Half *b, Half *c, int m, int n, int k)
{
    int output = blockIdx.x * blockDim.x + threadIdx.x;

    if (output < m * n) {
        const Pair *row = reinterpret_cast<const Pair *>(a + output / n * k);
        const Pair *column = reinterpret_cast<const Pair *>(b + output % n * k);
        float sum = 0.0f;

        for (int i = 0; i < k / 2; i++) {
            float2 x = widen(row[i]);
            float2 y = widen(column[i]);

            sum += x.x * y.x;
            sum += x.y * y.y;
        }
        c[output] = sum;
    }
}

template <typename Half>
static cudaError_t start(const kg_call *call, int first,
                         void (*kernel)(const Half *, const Half *, Half *, int, int, int))
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int block = KG_AXIS(call, 0);

    return kg_start(call, kernel, kg_grid(m * n, block), block, KG_ARG(call, const Half, first),
                    KG_ARG(call, const Half, first + 1), KG_ARG(call, Half, first + 2), m, n, k);
}

#define LAUNCHER(name)                                                                             \
    KG_LAUNCHER(hardware_half_##name)                                                              \
    {                                                                                              \
        cudaError_t code = start(call, 0, name<half, half2>);                                      \
                                                                                                   \
        return code != cudaSuccess ? code : start(call, 3, name<nv_bfloat16, nv_bfloat162>);       \
    }
LAUNCHER(naive)
LAUNCHER(pairs)

// SPDX-License-Identifier: MIT
