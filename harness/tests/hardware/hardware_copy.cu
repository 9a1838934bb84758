// Copies of n floats, each with another pattern of accesses to global memory.
#include <kernelgate/kernelgate.h>

static __device__ __forceinline__ int own_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static __global__ void coalesced(const float *in, float *out, int n)
{
    int i = own_number();

    if (i < n)
        out[i] = in[i];
}

// A vector per thread, the rest one by one.
template <typename Vector>
static __global__ void vectors(const float *in, float *out, int n)
{
    constexpr int width = sizeof(Vector) / sizeof(float);
    int i = own_number();

    if (width * i + width - 1 < n) {
        reinterpret_cast<Vector *>(out)[i] = reinterpret_cast<const Vector *>(in)[i];
    } else {
        for (int j = width * i; j < n; j++)
            out[j] = in[j];
    }
}

static __global__ void bytes(const unsigned char *in, unsigned char *out, int n)
{
    int i = own_number();

    if (i < 4 * n)
        out[i] = in[i];
}

static __global__ void reversed(const float *in, float *out, int n)
{
    int i = n - 1 - own_number();

    if (i >= 0)
        out[i] = in[i];
}

// Neighboring lanes are a 32nd of the array apart.
static __global__ void strided(const float *in, float *out, int n)
{
    int thread = own_number();
    int distance = (n + 31) / 32;
    int i = thread % 32 * distance + thread / 32;

    if (thread / 32 < distance && i < n)
        out[i] = in[i];
}

// No warp's elements begin at a sector.
static __global__ void misaligned(const float *in, float *out, int n)
{
    int i = own_number() - 3;

    if (i >= 0 && i < n)
        out[i] = in[i];
}

// 20 of 32 lanes work.
static __global__ void partial_warps(const float *in, float *out, int n)
{
    int thread = own_number();
    int i = thread / 32 * 20 + thread % 32;

    if (thread % 32 < 20 && i < n)
        out[i] = in[i];
}

static __global__ void grid_stride(const float *in, float *out, int n)
{
    for (int i = own_number(); i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

// Half of the lanes leave, each of the rest does the work of two.
static __global__ void early_return(const float *in, float *out, int n)
{
    int i = own_number();

    if (i % 2 != 0 || i >= n)
        return;
    out[i] = in[i];
    if (i + 1 < n)
        out[i + 1] = in[i + 1];
}

static __device__ __forceinline__ float read(const float *in, int i, int n)
{
    return i < n ? in[i] : 0.0f;
}

static __device__ __forceinline__ void write(float *out, int i, int n, float value)
{
    if (i < n)
        out[i] = value;
}

static __global__ void inlined(const float *in, float *out, int n)
{
    int i = own_number();

    write(out, i, n, read(in, i, n));
}

// Each block turns its part around in shared memory, and back.
static __global__ void through_shared(const float *in, float *out, int n)
{
    KG_DYNAMIC_SHARED(float, part);
    int base = blockIdx.x * blockDim.x;
    int count = n - base < (int)blockDim.x ? n - base : (int)blockDim.x;
    int i = count - 1 - (int)threadIdx.x;

    if (i >= 0)
        part[threadIdx.x] = in[base + i];
    __syncthreads();
    if (i >= 0)
        out[base + threadIdx.x] = part[i];
}

// Each lane loads another's element, and passes it on.
static __global__ void shuffled(const float *in, float *out, int n)
{
    int i = own_number();
    int source = i ^ 5;
    float value = source < n ? in[source] : 0.0f;

    value = __shfl_xor_sync(0xffffffffu, value, 5);
    if (i < n)
        out[i] = value;
}

static __global__ void exchanged(const float *in, float *out, int n)
{
    int i = own_number();

    if (i < n) {
        out[i] = 0.0f;
        atomicExch(&out[i], in[i]);
    }
}

// Starts `kernel` with at least `threads` threads.
template <typename Element>
static cudaError_t start(const kg_call *call, void (*kernel)(const Element *, Element *, int),
                         int threads)
{
    int block = KG_AXIS(call, 0);

    return kg_start(call, kernel, kg_grid(threads, block), block, kg_shared(block * sizeof(float)),
                    (const Element *)call->argument[0], (Element *)call->argument[1],
                    KG_EXTENT(call, 0));
}

static int elements(const kg_call *call)
{
    return (int)kg_extent(call->size, 0);
}

#define COPY(name, kernel, threads)                                                                \
    KG_LAUNCHER(hardware_copy_##name)                                                              \
    {                                                                                              \
        return start(call, kernel, threads);                                                       \
    }
COPY(coalesced, coalesced, elements(call))
COPY(pairs, vectors<float2>, (elements(call) + 1) / 2)
COPY(quads, vectors<float4>, (elements(call) + 3) / 4)
COPY(doubles, vectors<double>, (elements(call) + 1) / 2)
COPY(bytes, bytes, 4 * elements(call))
COPY(reversed, reversed, elements(call))
COPY(strided, strided, (elements(call) + 31) / 32 * 32)
COPY(misaligned, misaligned, elements(call) + 3)
COPY(partial_warps, partial_warps, (elements(call) + 19) / 20 * 32)
COPY(grid_stride, grid_stride, 5 * KG_AXIS(call, 0))
COPY(early_return, early_return, elements(call))
COPY(inlined, inlined, elements(call))
COPY(through_shared, through_shared, elements(call))
COPY(shuffled, shuffled, elements(call))
COPY(exchanged, exchanged, elements(call))

// SPDX-License-Identifier: MIT
