#include "tests/model/host_call_kernels.h"

#include "tests/model/watch_start.h"

#include <cub/device/device_reduce.cuh>
#include <cublas_v2.h>
#include <cuda_fp16.h>

struct half_and_half {
    int i;
    float f;
    double d;
};
struct three {
    float x, y, z;
};
struct many {
    short values[20];
};
struct add {
    __device__ float operator()(float a, float b) const
    {
        return a + b;
    }
};
union either {
    float f;
    int i;
};
enum class kind : unsigned char { none, some };

/* As a tensor map is. */
struct alignas(64) aligned {
    float value;
};

/* What has its own constructor is passed by an address. */
struct copied {
    copied() = default;
    copied(const copied &other) : value(other.value)
    {
    }
    double value = 0.5;
};

/* Parameters of every class of the ABI, in registers as long as there are some. */
#define PARAMETERS                                                                                 \
    float *to, copied early, unsigned char byte, bool is, float f, half_and_half mixed, double d,  \
        three vector, many big, add operation, __half half, either one, kind what, float4 wide,    \
        long l0, long l1, short s, aligned far, double e0, double e1, double e2, double e3,        \
        float g, float4 last, std::nullptr_t none, copied late
#define SUM                                                                                        \
    operation(byte + (is ? 0.25f : 0.0f) + f + (float)mixed.i + mixed.f + (float)mixed.d,          \
              (float)d + vector.x * vector.y - vector.z + big.values[19] + __half2float(half)) +   \
        (float)one.i + (float)what + wide.w + (float)(l0 - l1 + s) + (float)(e0 * e1 - e2 * e3) +  \
        (reinterpret_cast<uintptr_t>(&far) % 64 == 0 ? far.value : 0.0f) + g + last.x - last.w +   \
        (none == nullptr ? (float)(early.value + late.value) : 0.0f)

/* NOLINTNEXTLINE(performance-unnecessary-value-param): as kernels take them */
static __global__ void take(PARAMETERS)
{
    to[index_in_grid()] = SUM;
}

template <typename First, int Times>
static __global__ void take_two(float *to, First first, int second)
{
    to[index_in_grid()] = static_cast<float>(first) * Times - static_cast<float>(second);
}

float call_expected;

/* NOLINTNEXTLINE(performance-unnecessary-value-param) */
static void expect_sum(PARAMETERS)
{
    (void)to;
    call_expected = SUM;
}

static const half_and_half mixed = { 3, 0.5f, 7.0 };
static const many big = {
    { 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 100 }
};

template <typename Launch>
static cudaError_t with_arguments(watch_data d, Launch launch)
{
    float *to = d.b;
    unsigned char byte = 200;
    bool is = true;
    float f = 1.5f, g = -3.25f;
    half_and_half both = mixed;
    double number = 1000.0, e[4] = { 2.0, 3.0, 5.0, 7.0 };
    three vector = { 2.0f, 3.0f, 4.0f };
    many values = big;
    add operation;
    __half half = __float2half(0.125f);
    either one;
    kind what = kind::some;
    float4 wide = make_float4(1, 2, 3, 4), last = make_float4(50, 60, 70, 80);
    long l0 = 1L << 20, l1 = 1L << 18;
    short s = -300;
    aligned far = { 8.0f };
    std::nullptr_t none = nullptr;
    copied early, late;
    void *arguments[] = { &to,        &early, &byte, &is,   &f,    &both, &number, &vector, &values,
                          &operation, &half,  &one,  &what, &wide, &l0,   &l1,     &s,      &far,
                          &e[0],      &e[1],  &e[2], &e[3], &g,    &last, &none,   &late };

    one.i = 12;
    late.value = 16;
    expect_sum(to, early, byte, is, f, both, number, vector, values, operation, half, one, what,
               wide, l0, l1, s, far, e[0], e[1], e[2], e[3], g, last, none, late);
    return launch(arguments);
}

#define CALL(name, ...)                                                                            \
    cudaError_t call_##name(const cudaLaunchConfig_t *c, watch_data d)                             \
    {                                                                                              \
        return with_arguments(d, [=](void **arguments) { return __VA_ARGS__; });                   \
    }
CALL(untyped,
     cudaLaunchKernel((const void *)take, c->gridDim, c->blockDim, arguments, 0, c->stream))
CALL(untyped_ex, cudaLaunchKernelExC(c, reinterpret_cast<const void *>(take), arguments))
CALL(untyped_cooperative,
     cudaLaunchCooperativeKernel((void *)take, c->gridDim, c->blockDim, arguments, 0, c->stream))
CALL(typed, cudaLaunchKernel(take, c->gridDim, c->blockDim, arguments))
CALL(typed_ex, cudaLaunchKernelExC(c, take, arguments))
CALL(typed_cooperative, cudaLaunchCooperativeKernel(take, c->gridDim, c->blockDim, arguments))

cudaError_t call_untyped_template(const cudaLaunchConfig_t *c, watch_data d)
{
    double first = 2.5;
    int second = 4;
    void *arguments[] = { &d.b, &first, &second };

    call_expected = 3.5f;
    return cudaLaunchKernel((void *)take_two<double, 3>, c->gridDim, c->blockDim, arguments);
}

/* One that is not there. */
cudaError_t call_untyped_more(const cudaLaunchConfig_t *c, watch_data d)
{
    void *arguments[] = { &d.b, nullptr, nullptr };
    cudaError_t code =
        cudaLaunchKernel((void *)take_two<float, 3>, c->gridDim, c->blockDim, arguments);

    call_expected = 0;
    return code == cudaErrorInvalidValue && cudaGetLastError() == code ? cudaSuccess
                                                                       : cudaErrorUnknown;
}

static __global__ void wait_for_others(float *to)
{
    cudaGridDependencySynchronize();
    to[index_in_grid()] = 5;
    cudaTriggerProgrammaticLaunchCompletion();
}

cudaError_t call_dependent(const cudaLaunchConfig_t *c, watch_data d)
{
    cudaLaunchConfig_t config = *c;
    cudaLaunchAttribute attributes[2] = {};

    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeAccessPolicyWindow;
    attributes[1].val.accessPolicyWindow = { d.b, 64, 0.5f, cudaAccessPropertyPersisting,
                                             cudaAccessPropertyStreaming };
    config.attrs = attributes;
    config.numAttrs = 2;
    call_expected = 5;
    return cudaLaunchKernelEx(&config, wait_for_others, d.b);
}

static __device__ float totals[4];
static __constant__ float factor;

static __global__ void read_symbols(float *to)
{
    to[index_in_grid()] = totals[1] * factor;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const cudaError_t tried = (call);                                                          \
                                                                                                   \
        if (tried != cudaSuccess)                                                                  \
            return tried;                                                                          \
    } while (0)
#define EXPECT(condition) TRY((condition) ? cudaSuccess : cudaErrorUnknown)

cudaError_t call_symbols(const cudaLaunchConfig_t *c, watch_data d)
{
    const float three = 3.0f, four[2] = { 0.0f, 4.0f };
    float got[4];
    void *at = nullptr;
    float *where = nullptr;
    size_t size = 0;

    TRY(cudaGetSymbolSize(&size, totals));
    EXPECT(size == sizeof totals && cudaGetSymbolSize(nullptr, totals) == cudaErrorInvalidValue);
    TRY(cudaGetSymbolAddress(reinterpret_cast<void **>(&where), totals));
    TRY(cudaMemcpy(where, four, sizeof four, cudaMemcpyHostToDevice));
    EXPECT(cudaMemset(where + 2, 0, 12) == cudaErrorInvalidValue);
    TRY(cudaMemset(where + 2, 0, 8));
    TRY(cudaMemcpy(got, where, sizeof got, cudaMemcpyDefault));
    EXPECT(got[1] == 4.0f && got[3] == 0.0f);
    TRY(cudaGetSymbolAddress(&at, factor));
    TRY(cudaMemcpy(at, &three, sizeof three, cudaMemcpyHostToDevice));
    EXPECT(cudaMemcpy(got, at, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    call_expected = 12.0f;
    return cudaLaunchKernelEx(c, read_symbols, d.b);
}

static __global__ void fill(float *to, float value)
{
    to[index_in_grid()] = value;
}

cudaError_t call_pools(const cudaLaunchConfig_t *c, watch_data d)
{
    cudaMemPool_t pool = nullptr, own = nullptr;
    cudaMemPoolProps properties = {};
    unsigned long long most = ~0ULL;
    float *scratch = nullptr;

    TRY(cudaDeviceGetDefaultMemPool(&pool, 0));
    TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most));
    EXPECT(cudaMallocAsync(&scratch, 4, (cudaStream_t)&most) == cudaErrorInvalidResourceHandle);
    TRY(cudaMallocAsync(&scratch, 32 * sizeof *scratch, c->stream));
    TRY(cudaLaunchKernelEx(c, fill, scratch, 6.0f));
    TRY(cudaMemcpyAsync(d.b, scratch, 32 * sizeof(float), cudaMemcpyDeviceToDevice, c->stream));
    /* As wide a guard zone as cudaMalloc() gives. */
    EXPECT(cudaMemsetAsync(scratch, 0, 33 * sizeof *scratch, c->stream) == cudaErrorInvalidValue);
    TRY(cudaFreeAsync(scratch, c->stream));
    EXPECT(cudaFreeAsync(scratch, c->stream) == cudaErrorInvalidValue);
    EXPECT(cudaMemPoolCreate(&own, &properties) == cudaErrorInvalidValue);
    EXPECT(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)99, &most) == cudaErrorInvalidValue);
    EXPECT(cudaDeviceGetDefaultMemPool(&own, 9) == cudaErrorInvalidDevice);
    properties.allocType = cudaMemAllocationTypePinned;
    TRY(cudaMemPoolCreate(&own, &properties));
    TRY(cudaMallocAsync(&scratch, 64, own, c->stream));
    TRY(cudaFreeAsync(scratch, c->stream));
    TRY(cudaMemPoolTrimTo(own, 0));
    call_expected = 6.0f;
    return cudaMemPoolDestroy(own);
}

static __global__ void __launch_bounds__(256) of_256(float *to)
{
    to[index_in_grid()] = 1.0f;
}

cudaError_t call_potential_block(const cudaLaunchConfig_t *c, watch_data d)
{
    int grid = 0, block = 0;
    size_t dynamic = 0;

    TRY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0));
    EXPECT(grid == 2 * 132 && block == 1024);
    TRY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, of_256));
    EXPECT(grid == 8 * 132 && block == 256);
    TRY(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, fill, 0, 700, 0));
    EXPECT(grid == 4 * 132 && block == 512);
    /* 1 KiB a thread: 233472 bytes hold 223 of them, in blocks with 1 KiB more. */
    TRY(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, fill,
                                                       [](int threads) { return threads * 1024; }));
    EXPECT(grid == 132 && block == 224);
    TRY(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, fill, 2, 128));
    EXPECT(dynamic == 48 << 10);
    TRY(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, fill, 6, 128));
    EXPECT(dynamic == 233472 / 6 - 1024);
    EXPECT(cudaOccupancyMaxPotentialBlockSize(nullptr, &block, fill) == cudaErrorInvalidValue);
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&block, fill, 128, 0, 0));
    EXPECT(block == 16);
    call_expected = 1.0f;
    return cudaLaunchKernelEx(c, of_256, d.b);
}

cudaError_t call_hints(const cudaLaunchConfig_t *c, watch_data d)
{
    cudaStreamAttrValue value = {};
    cudaFuncAttributes attributes;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    float *pinned = nullptr, *seen = nullptr, got[3];
    char bus[16];
    int least = 1, greatest = 1;
    size_t limit = 0;

    TRY(cudaFuncSetCacheConfig(of_256, cudaFuncCachePreferShared));
    EXPECT(cudaFuncSetCacheConfig(of_256, (cudaFuncCache)7) == cudaErrorInvalidValue);
    TRY(cudaFuncSetAttribute(of_256, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared));
    TRY(cudaFuncGetAttributes(&attributes, of_256));
    EXPECT(attributes.preferredShmemCarveout == 100 && attributes.maxThreadsPerBlock == 256);
    EXPECT(attributes.ptxVersion == 90 && attributes.binaryVersion == 90);
    TRY(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    TRY(cudaStreamSetAttribute(c->stream, cudaStreamAttributeAccessPolicyWindow, &value));
    TRY(cudaCtxResetPersistingL2Cache());
    TRY(cudaStreamIsCapturing(c->stream, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(least == 0 && greatest < 0);
    TRY(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    TRY(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    EXPECT(limit == 1 << 20);
    TRY(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    TRY(cudaDeviceCanAccessPeer(&least, 0, 0));
    TRY(cudaHostAlloc(&pinned, 4, cudaHostAllocMapped));
    TRY(cudaHostGetDevicePointer(&seen, pinned, 0));
    EXPECT(seen == pinned && cudaHostGetDevicePointer(&seen, &limit, 0) == cudaErrorInvalidValue);
    TRY(cudaFreeHost(pinned));
    TRY(cudaMemset2DAsync(d.a, 8, 0, 4, 2, c->stream));
    TRY(cudaMemcpyPeerAsync(d.a, 0, d.a + 4, 0, 4, c->stream));
    TRY(cudaMemcpy(got, d.a, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[0] == 5.0f && got[1] == 2.0f && got[2] == 0.0f);
    EXPECT(cudaMemcpyPeer(d.a, 0, d.a, 1, 4) == cudaErrorInvalidDevice);
    TRY(cudaLaunchHostFunc(
        c->stream, [](void *to) { *static_cast<int *>(to) = 77; }, &least));
    EXPECT(least == 77);
    call_expected = 1.0f;
    return cudaLaunchKernelEx(c, of_256, d.b);
}

/* A handle can be set up, and what computes says that it does not. */
cudaError_t call_libraries(const cudaLaunchConfig_t *c, watch_data d)
{
    cublasHandle_t handle;
    size_t size = 0;
    const float one = 1.0f;

    EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    EXPECT(cublasSetStream(handle, c->stream) == CUBLAS_STATUS_SUCCESS);
    EXPECT(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS);
    const cublasStatus_t status =
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, d.a, 1, d.a, 1, &one, d.b, 1);
    EXPECT(status == CUBLAS_STATUS_NOT_SUPPORTED && cudaGetLastError() == cudaErrorNotSupported);
    EXPECT(cub::DeviceReduce::Sum(nullptr, size, d.a, d.b, 1) == cudaErrorNotSupported);
    EXPECT(cublasGetStatusName(status) != nullptr && cublasGetStatusString(status) != nullptr);
    return cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS ? cudaErrorNotSupported
                                                          : cudaErrorUnknown;
}

// SPDX-License-Identifier: MIT
