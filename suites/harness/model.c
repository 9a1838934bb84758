/* The CPU model: its runtime interface, its scheduler, and what it says of kernels that go wrong.
 */
#include "model/model.h"
#include "model/watch.h"

#include "model_kernels.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define FAULTS_ARE_CAUGHT 0 /* AddressSanitizer reports them instead */
#else
#define FAULTS_ARE_CAUGHT 1
#endif

static cudaLaunchConfig_t shape(dim3 grid, dim3 block)
{
    return (cudaLaunchConfig_t){ .gridDim = grid, .blockDim = block };
}

static cudaLaunchConfig_t line(unsigned int blocks, unsigned int threads)
{
    return shape((dim3){ blocks, 1, 1 }, (dim3){ threads, 1, 1 });
}

/* Device memory of `size` bytes, all `fill`. */
static void *device(size_t size, int fill)
{
    void *memory = NULL;

    cr_assert(cudaMalloc(&memory, size) == cudaSuccess);
    cr_assert(cudaMemset(memory, fill, size) == cudaSuccess);
    return memory;
}

/* What was written to the standard error, which the test has redirected. */
static const char *complaints(void)
{
    static char text[4096];
    FILE *stream = cr_get_redirected_stderr();
    size_t length;

    fflush(stderr);
    length = fread(text, 1, sizeof text - 1, stream);
    text[length] = '\0';
    return text;
}

Test(model, error_names_and_texts)
{
    cr_assert_str_eq(cudaGetErrorName(cudaSuccess), "cudaSuccess");
    cr_assert_str_eq(cudaGetErrorString(cudaSuccess), "no error");
    cr_assert_str_eq(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    cr_assert_str_eq(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered");
    cr_assert_str_eq(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    cr_assert_str_eq(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
    cr_assert(cudaErrorInvalidValue == 1 && cudaErrorMemoryAllocation == 2 &&
              cudaErrorInvalidConfiguration == 9 && cudaErrorInsufficientDriver == 35 &&
              cudaErrorNoDevice == 100 && cudaErrorInvalidDevice == 101 &&
              cudaErrorIllegalAddress == 700 && cudaErrorLaunchFailure == 719 &&
              cudaErrorNotSupported == 801 && cudaErrorUnknown == 999);
}

Test(model, last_error_is_kept_until_it_is_fetched)
{
    void *memory = NULL;

    cr_assert(cudaPeekAtLastError() == cudaSuccess);
    cr_assert(cudaMalloc(NULL, 4) == cudaErrorInvalidValue);
    cr_assert(cudaMalloc(&memory, 4) == cudaSuccess);
    cr_assert(cudaPeekAtLastError() == cudaErrorInvalidValue, "a success does not clear it");
    cr_assert(cudaPeekAtLastError() == cudaErrorInvalidValue);
    cr_assert(cudaGetLastError() == cudaErrorInvalidValue);
    cr_assert(cudaGetLastError() == cudaSuccess);
}

Test(model, one_device_with_its_limits)
{
    struct cudaDeviceProp is;
    int value = -1;
    const struct {
        enum cudaDeviceAttr attribute;
        int value;
    } known[] = {
        { cudaDevAttrMaxThreadsPerBlock, 1024 },
        { cudaDevAttrMaxBlockDimX, 1024 },
        { cudaDevAttrMaxBlockDimY, 1024 },
        { cudaDevAttrMaxBlockDimZ, 64 },
        { cudaDevAttrMaxGridDimX, 2147483647 },
        { cudaDevAttrMaxGridDimY, 65535 },
        { cudaDevAttrMaxGridDimZ, 65535 },
        { cudaDevAttrMaxSharedMemoryPerBlock, 49152 },
        { cudaDevAttrTotalConstantMemory, 65536 },
        { cudaDevAttrWarpSize, 32 },
        { cudaDevAttrMaxRegistersPerBlock, 65536 },
        { cudaDevAttrMultiProcessorCount, 132 },
        { cudaDevAttrKernelExecTimeout, 0 },
        { cudaDevAttrIntegrated, 0 },
        { cudaDevAttrCanMapHostMemory, 1 },
        { cudaDevAttrConcurrentKernels, 0 },
        { cudaDevAttrEccEnabled, 0 },
        { cudaDevAttrL2CacheSize, 62914560 },
        { cudaDevAttrMaxThreadsPerMultiProcessor, 2048 },
        { cudaDevAttrUnifiedAddressing, 1 },
        { cudaDevAttrComputeCapabilityMajor, 9 },
        { cudaDevAttrComputeCapabilityMinor, 0 },
        { cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472 },
        { cudaDevAttrMaxRegistersPerMultiprocessor, 65536 },
        { cudaDevAttrManagedMemory, 1 },
        { cudaDevAttrConcurrentManagedAccess, 1 },
        { cudaDevAttrCooperativeLaunch, 0 },
        { cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448 },
        { cudaDevAttrMaxBlocksPerMultiprocessor, 32 },
        { cudaDevAttrReservedSharedMemoryPerBlock, 1024 },
        { cudaDevAttrClusterLaunch, 0 },
    };

    cr_assert(cudaGetDeviceCount(&value) == cudaSuccess && value == 1);
    cr_assert(cudaGetDevice(&value) == cudaSuccess && value == 0);
    cr_assert(cudaSetDevice(0) == cudaSuccess);
    cr_assert(cudaSetDevice(1) == cudaErrorInvalidDevice);
    cr_assert(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    cr_assert(cudaDriverGetVersion(&value) == cudaSuccess && value == 13000);
    cr_assert(cudaRuntimeGetVersion(&value) == cudaSuccess && value == 13000);
    cr_assert(cudaGetDeviceCount(NULL) == cudaErrorInvalidValue);
    cr_assert(cudaGetDeviceProperties(&is, 0) == cudaSuccess);
    cr_assert_str_eq(is.name, "CPU model");
    cr_assert(is.maxThreadsDim[2] == 64 && is.totalGlobalMem > (64u << 20));
    cr_assert(cudaGetDeviceProperties(&is, 1) == cudaErrorInvalidDevice);
    cr_assert(cudaGetDeviceProperties(NULL, 0) == cudaErrorInvalidValue);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        cr_assert(cudaDeviceGetAttribute(&value, known[i].attribute, 0) == cudaSuccess);
        cr_assert(value == known[i].value, "attribute %d is %d, not %d", (int)known[i].attribute,
                  value, known[i].value);
    }
    cr_assert(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0) ==
              cudaErrorInvalidValue);
    cr_assert(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0) == cudaErrorInvalidValue);
    cr_assert(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 2) == cudaErrorInvalidDevice);
}

Test(model, allocations_and_their_errors)
{
    void *memory = &memory;
    void *pinned = NULL;
    void *managed = NULL;
    size_t left = 0;
    size_t left_before = 0;
    size_t total = 0;
    int on_host = 0;

    cr_assert(cudaMemGetInfo(&left_before, &total) == cudaSuccess && left_before == total);
    cr_assert(cudaMalloc(&memory, 0) == cudaSuccess && memory == NULL);
    cr_assert(cudaMalloc(&memory, 1000) == cudaSuccess && memory != NULL);
    cr_assert((uintptr_t)memory % 256 == 0);
    for (int i = 0; i < 1000; i++)
        cr_assert(((unsigned char *)memory)[i] == KG__MODEL_POISON);
    cr_assert(cudaMemGetInfo(&left, &total) == cudaSuccess && left == left_before - 1000);
    cr_assert(cudaMemGetInfo(NULL, &total) == cudaErrorInvalidValue);
    cr_assert(cudaMalloc(&managed, total) == cudaErrorMemoryAllocation && managed == NULL,
              "1000 bytes are taken");
    cr_assert(cudaMalloc(&managed, SIZE_MAX) == cudaErrorMemoryAllocation);
    cr_assert(cudaMallocHost(&pinned, SIZE_MAX) == cudaErrorMemoryAllocation);
    cr_assert(cudaMallocManaged(&managed, 0, cudaMemAttachGlobal) == cudaErrorInvalidValue);
    cr_assert(cudaMallocManaged(&managed, 16, 7) == cudaErrorInvalidValue);
    cr_assert(cudaMallocManaged(NULL, 16, cudaMemAttachGlobal) == cudaErrorInvalidValue);
    cr_assert(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal) == cudaSuccess);
    cr_assert(cudaHostAlloc(&pinned, 16, 0x80) == cudaErrorInvalidValue);
    cr_assert(cudaMallocHost(&pinned, 0) == cudaSuccess && pinned == NULL);
    cr_assert(cudaHostAlloc(&pinned, 16, cudaHostAllocMapped) == cudaSuccess);
    cr_assert(kg__model_allocation_count() == 3);
    for (size_t i = 1; i < 3; i++)
        cr_assert(kg__model_allocation_at(i - 1)->base < kg__model_allocation_at(i)->base);
    cr_assert(kg__model_allocation_at(3) == NULL);
    cr_assert(kg__model_find((char *)memory + 999)->base == memory);
    cr_assert(kg__model_find((char *)memory + 1000) == NULL);
    cr_assert(kg__model_find((char *)memory - 1) == NULL);
    cr_assert(kg__model_find(managed)->kind == KG__MODEL_MANAGED);

    cr_assert(cudaFree(NULL) == cudaSuccess && cudaFreeHost(NULL) == cudaSuccess);
    cr_assert(cudaFree(&on_host) == cudaErrorInvalidValue);
    cr_assert(cudaFree((char *)memory + 4) == cudaErrorInvalidValue, "not its beginning");
    cr_assert(cudaFree(pinned) == cudaErrorInvalidValue);
    cr_assert(cudaFreeHost(memory) == cudaErrorInvalidValue);
    cr_assert(cudaFreeHost(managed) == cudaErrorInvalidValue);
    cr_assert(cudaFree(memory) == cudaSuccess);
    cr_assert(cudaFree(memory) == cudaErrorInvalidValue, "freed twice");
    cr_assert(cudaFree(managed) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);
    cr_assert(kg__model_allocation_count() == 0);
    cr_assert(cudaMemGetInfo(&left, &total) == cudaSuccess && left == left_before);
    cr_assert(allocate_typed() == cudaSuccess);
}

Test(model, many_allocations_stay_sorted)
{
    enum { COUNT = 300 };
    void *memory[COUNT];

    for (size_t i = 0; i < COUNT; i++)
        memory[i] = device(i * 7 % 97 + 1, 0);
    cr_assert(kg__model_allocation_count() == COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert(kg__model_find(memory[i])->base == memory[i]);
        cr_assert(kg__model_find(memory[i])->number == i + 1);
        cr_assert(i == 0 ||
                  kg__model_allocation_at(i - 1)->base < kg__model_allocation_at(i)->base);
    }
    for (size_t i = 0; i < COUNT; i += 2)
        cr_assert(cudaFree(memory[i]) == cudaSuccess);
    for (size_t i = 0; i < COUNT; i++)
        cr_assert((kg__model_find(memory[i]) != NULL) == (i % 2 == 1));
    cr_assert(cudaDeviceReset() == cudaSuccess);
    cr_assert(kg__model_allocation_count() == 0);
}

Test(model, pointer_attributes)
{
    struct cudaPointerAttributes is;
    void *memory = device(64, 0);
    void *pinned = NULL;
    void *managed = NULL;
    int on_host = 0;

    cr_assert(cudaMallocHost(&pinned, 8) == cudaSuccess);
    cr_assert(cudaMallocManaged(&managed, 8, cudaMemAttachGlobal) == cudaSuccess);
    cr_assert(cudaPointerGetAttributes(&is, (char *)memory + 8) == cudaSuccess);
    cr_assert(is.type == cudaMemoryTypeDevice && is.device == 0 && is.hostPointer == NULL);
    cr_assert(is.devicePointer == (char *)memory + 8);
    cr_assert(cudaPointerGetAttributes(&is, pinned) == cudaSuccess);
    cr_assert(is.type == cudaMemoryTypeHost && is.hostPointer == pinned);
    cr_assert(cudaPointerGetAttributes(&is, managed) == cudaSuccess);
    cr_assert(is.type == cudaMemoryTypeManaged && is.hostPointer == managed);
    cr_assert(cudaPointerGetAttributes(&is, &on_host) == cudaSuccess);
    cr_assert(is.type == cudaMemoryTypeUnregistered && is.devicePointer == NULL);
    cr_assert(cudaPointerGetAttributes(NULL, memory) == cudaErrorInvalidValue);
}

Test(model, copies_of_every_kind)
{
    int host[16];
    int back[16] = { 0 };
    int *first = device(sizeof host, 0);
    int *second = device(sizeof host, 0);
    int *managed = NULL;

    for (int i = 0; i < 16; i++)
        host[i] = i * i;
    cr_assert(cudaMallocManaged((void **)&managed, sizeof host, cudaMemAttachGlobal) ==
              cudaSuccess);
    cr_assert(cudaMemcpy(first, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
    cr_assert(cudaMemcpy(second, first, sizeof host, cudaMemcpyDeviceToDevice) == cudaSuccess);
    cr_assert(cudaMemcpy(managed, second, sizeof host, cudaMemcpyDefault) == cudaSuccess);
    cr_assert(managed[15] == 225, "managed memory is the host's too");
    cr_assert(cudaMemcpy(back, managed, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
    cr_assert(memcmp(host, back, sizeof host) == 0);
    memset(back, 0, sizeof back);
    cr_assert(cudaMemcpy(back, host, sizeof host, cudaMemcpyHostToHost) == cudaSuccess);
    cr_assert(memcmp(host, back, sizeof host) == 0);
    cr_assert(cudaMemcpyAsync(back, second + 4, 4, cudaMemcpyDeviceToHost, NULL) == cudaSuccess);
    cr_assert(back[0] == 16 && back[1] == 1);
    cr_assert(cudaMemcpy(back, first, sizeof host, cudaMemcpyDefault) == cudaSuccess);
    cr_assert(memcmp(host, back, sizeof host) == 0);
    cr_assert(cudaMemsetAsync(first + 1, 1, 4, cudaStreamPerThread) == cudaSuccess);
    cr_assert(cudaMemcpy(back, first, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
    cr_assert(back[0] == 0 && back[1] == 0x01010101 && back[2] == 4);
}

Test(model, bad_copies_change_nothing)
{
    int host[16] = { 1, 2, 3 };
    int *memory = device(sizeof host, 0x22);
    int *pinned = NULL;

    cr_assert(cudaMallocHost((void **)&pinned, sizeof host) == cudaSuccess);
    cr_assert(cudaMemcpy(memory, host, 4, (enum cudaMemcpyKind)5) ==
              cudaErrorInvalidMemcpyDirection);
    cr_assert(cudaMemcpy(memory, host, 4, (enum cudaMemcpyKind) - 1) ==
              cudaErrorInvalidMemcpyDirection);
    cr_assert(cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(memory, NULL, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    cr_assert(cudaMemcpy(memory, host, sizeof host + 1, cudaMemcpyHostToDevice) ==
              cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(memory + 16, host, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(memory + 8, host, SIZE_MAX, cudaMemcpyDefault) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(host, memory, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(memory, host, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(memory, host, 4, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(memory, host, 4, cudaMemcpyHostToHost) == cudaErrorInvalidValue);
    cr_assert(cudaMemcpy(pinned + 1, host, sizeof host, cudaMemcpyHostToHost) ==
              cudaErrorInvalidValue);
    cr_assert(cudaMemset(host, 0, 4) == cudaErrorInvalidValue);
    cr_assert(cudaMemset(NULL, 0, 4) == cudaErrorInvalidValue);
    cr_assert(cudaMemset(memory, 0, sizeof host + 1) == cudaErrorInvalidValue);
    cr_assert(cudaMemset(NULL, 0, 0) == cudaSuccess);
    cr_assert(cudaMemcpyAsync(memory, host, 4, cudaMemcpyHostToDevice, (cudaStream_t)host) ==
              cudaErrorInvalidResourceHandle);
    cr_assert(cudaMemsetAsync(memory, 0, 4, (cudaStream_t)host) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaFree(memory + 16) == cudaErrorInvalidValue);
    for (int i = 0; i < 16; i++)
        cr_assert(memory[i] == 0x22222222);
    cr_assert(host[0] == 1 && host[1] == 2);
    cr_assert(cudaFree(memory) == cudaSuccess);
    cr_assert(cudaMemcpy(host, memory, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
              "memory that was freed");
}

Test(model, streams_and_events)
{
    cudaStream_t stream = NULL;
    cudaStream_t second = NULL;
    cudaEvent_t event = NULL;
    cudaEvent_t later = NULL;
    float milliseconds = 0.0f;
    int stray = 0;

    cr_assert(cudaStreamCreate(NULL) == cudaErrorInvalidValue);
    cr_assert(cudaStreamCreateWithFlags(&stream, 8) == cudaErrorInvalidValue);
    cr_assert(cudaStreamCreate(&stream) == cudaSuccess);
    cr_assert(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
    cr_assert(cudaStreamSynchronize(stream) == cudaSuccess);
    cr_assert(cudaStreamQuery(second) == cudaSuccess && cudaStreamQuery(NULL) == cudaSuccess);
    cr_assert(cudaStreamSynchronize((cudaStream_t)&stray) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventCreate(&event) == cudaSuccess);
    cr_assert(cudaEventCreateWithFlags(&later, cudaEventDisableTiming) == cudaSuccess);
    cr_assert(cudaEventCreateWithFlags(&later, 64) == cudaErrorInvalidValue);
    cr_assert(cudaEventCreate(NULL) == cudaErrorInvalidValue);
    cr_assert(cudaEventRecord(event, stream) == cudaSuccess);
    cr_assert(cudaEventRecord(later, NULL) == cudaSuccess);
    cr_assert(cudaEventRecord((cudaEvent_t)&stray, NULL) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventRecord(event, (cudaStream_t)&stray) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventSynchronize(event) == cudaSuccess && cudaEventQuery(later) == cudaSuccess);
    cr_assert(cudaEventQuery((cudaEvent_t)&stray) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventElapsedTime(&milliseconds, event, later) == cudaErrorNotSupported);
    cr_assert(cudaEventElapsedTime(NULL, event, later) == cudaErrorInvalidValue);
    cr_assert(cudaEventElapsedTime(&milliseconds, event, NULL) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventDestroy(event) == cudaSuccess);
    cr_assert(cudaEventDestroy(event) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaStreamDestroy(stream) == cudaSuccess);
    cr_assert(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaStreamDestroy(NULL) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaDeviceReset() == cudaSuccess);
    cr_assert(cudaStreamQuery(second) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventQuery(later) == cudaErrorInvalidResourceHandle);
}

Test(model, launch_limits)
{
    unsigned long long *count = device(sizeof *count, 0);
    const struct {
        dim3 grid, block;
        cudaError_t error;
    } launches[] = {
        { { 1, 1, 1 }, { 1, 1, 1 }, cudaSuccess },
        { { 0, 1, 1 }, { 1, 1, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 0, 1 }, { 1, 1, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 0 }, { 1, 1, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 0, 1, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1, 0, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1, 1, 0 }, cudaErrorInvalidConfiguration },
        { { 2147483648u, 1, 1 }, { 1, 1, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 65535, 1 }, { 1, 1, 1 }, cudaSuccess },
        { { 1, 65536, 1 }, { 1, 1, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 65535 }, { 1, 1, 1 }, cudaSuccess },
        { { 1, 1, 65536 }, { 1, 1, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1024, 1, 1 }, cudaSuccess },
        { { 1, 1, 1 }, { 1025, 1, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1, 1024, 1 }, cudaSuccess },
        { { 1, 1, 1 }, { 1, 1025, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1, 1, 64 }, cudaSuccess },
        { { 1, 1, 1 }, { 1, 1, 65 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 32, 32, 1 }, cudaSuccess },
        { { 1, 1, 1 }, { 32, 33, 1 }, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 4, 4, 64 }, cudaSuccess },
        { { 1, 1, 1 }, { 5, 4, 64 }, cudaErrorInvalidConfiguration },
        { { 70000, 3, 1 }, { 2, 1, 1 }, cudaSuccess },
    };
    unsigned long long expected = 0;

    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        const dim3 grid = launches[i].grid;
        const dim3 block = launches[i].block;
        cudaLaunchConfig_t config = shape(grid, block);
        cudaError_t error = launch_count(&config, count);

        cr_assert(error == launches[i].error, "launch %zu returned %s", i, cudaGetErrorName(error));
        cr_assert(cudaGetLastError() == error);
        cr_assert((error == cudaSuccess) == (kg__model_failure()[0] == '\0'), "launch %zu: %s", i,
                  kg__model_failure());
        if (error == cudaSuccess)
            expected += (unsigned long long)grid.x * grid.y * grid.z * block.x * block.y * block.z;
        cr_assert(*count == expected, "launch %zu: %llu threads ran, not %llu", i, *count,
                  expected);
    }
}

Test(model, a_large_grid)
{
    unsigned long long *count = device(sizeof *count, 0);
    cudaLaunchConfig_t config = line(5000000, 1);

    cr_assert(launch_count(&config, count) == cudaSuccess);
    cr_assert(*count == 5000000);
    cr_assert(kg__model_last_launch().blocks == 5000000);
    cr_assert(kg__model_last_launch().threads == 5000000);
    cr_assert(kg__model_last_launch().barriers == 0);
}

Test(model, bad_launches)
{
    unsigned long long *count = device(sizeof *count, 0);
    cudaLaunchConfig_t config = line(1, 1);
    cudaLaunchAttribute attributes[2] = { { .id = cudaLaunchAttributePriority },
                                          { .id = cudaLaunchAttributeCooperative } };
    cudaStream_t stream = NULL;

    cr_assert(launch_count(NULL, count) == cudaErrorInvalidValue);
    cr_assert(launch_null_kernel(&config) == cudaErrorInvalidDeviceFunction);
    config.stream = (cudaStream_t)count;
    cr_assert(launch_count(&config, count) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaStreamCreate(&stream) == cudaSuccess);
    config.stream = stream;
    config.numAttrs = 2;
    cr_assert(launch_count(&config, count) == cudaErrorInvalidValue);
    config.attrs = attributes;
    cr_assert(*count == 0);
    cr_assert(launch_count(&config, count) == cudaSuccess);
    attributes[1].val.cooperative = 1;
    cr_assert(launch_count(&config, count) == cudaErrorNotSupported);
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    cr_assert(launch_count(&config, count) == cudaSuccess);
    attributes[1].val.clusterDim.x = 2;
    cr_assert(launch_count(&config, count) == cudaErrorNotSupported);
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cr_assert(launch_count(&config, count) == cudaErrorNotSupported);
    attributes[1].id = cudaLaunchAttributeAccessPolicyWindow;
    cr_assert(launch_count(&config, count) == cudaErrorNotSupported);
    cr_assert(*count == 2);
    cr_assert(cudaGetLastError() == cudaErrorNotSupported);
    cr_assert(cudaDeviceSynchronize() == cudaSuccess, "none of these is a kernel's own error");
}

static void see_all(dim3 grid, dim3 block)
{
    size_t count = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    cudaLaunchConfig_t config = shape(grid, block);
    seen *out = device(count * sizeof *out, 0);
    size_t i = 0;

    cr_assert(launch_see(&config, out) == cudaSuccess);
    for (unsigned int bz = 0; bz < grid.z; bz++) {
        for (unsigned int by = 0; by < grid.y; by++) {
            for (unsigned int bx = 0; bx < grid.x; bx++) {
                for (unsigned int z = 0; z < block.z; z++) {
                    for (unsigned int y = 0; y < block.y; y++) {
                        for (unsigned int x = 0; x < block.x; x++) {
                            const seen *is = &out[i++];

                            cr_assert(is->thread.x == x && is->thread.y == y && is->thread.z == z);
                            cr_assert(is->block.x == bx && is->block.y == by && is->block.z == bz);
                            cr_assert(is->times == 1 && is->warp_size == 32);
                            cr_assert(memcmp(&is->block_dim, &block, sizeof block) == 0);
                            cr_assert(memcmp(&is->grid_dim, &grid, sizeof grid) == 0);
                        }
                    }
                }
            }
        }
    }
    cr_assert(cudaFree(out) == cudaSuccess);
}

Test(model, indices_in_one_to_three_dimensions)
{
    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        see_all((dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 });
        see_all((dim3){ 5, 1, 1 }, (dim3){ 33, 1, 1 });
        see_all((dim3){ 3, 4, 1 }, (dim3){ 7, 5, 1 });
        see_all((dim3){ 2, 3, 4 }, (dim3){ 3, 2, 5 });
        see_all((dim3){ 1, 1, 3 }, (dim3){ 2, 1, 64 });
        see_all((dim3){ 2, 1, 2 }, (dim3){ 32, 32, 1 });
    }
}

Test(model, order_of_threads_and_blocks)
{
    enum { BLOCKS = 3, THREADS = 70 };
    int *turns = device((size_t)BLOCKS * THREADS * sizeof *turns, 0);
    int *turn = device(sizeof *turn, 0);
    cudaLaunchConfig_t config = line(BLOCKS, THREADS);

    cr_assert(launch_note_order(&config, turns, turn) == cudaSuccess);
    for (int i = 0; i < BLOCKS * THREADS; i++)
        cr_assert(turns[i] == i);
    kg__model_set_order(KG__MODEL_REVERSED);
    *turn = 0;
    cr_assert(launch_note_order(&config, turns, turn) == cudaSuccess);
    for (int i = 0; i < BLOCKS * THREADS; i++)
        cr_assert(turns[i] == BLOCKS * THREADS - 1 - i);
}

static void fill_ascending(int *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = i;
}

Test(model, values_cross_threads_at_barriers)
{
    static const unsigned int sizes[] = { 1, 2, 31, 32, 33, 64, 255, 1000, 1024 };
    int *values = device((size_t)3 * 1024 * sizeof *values, 0);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            int threads = (int)sizes[s];
            cudaLaunchConfig_t config = line(3, sizes[s]);

            for (int rounds = 1; rounds <= 4; rounds++) {
                fill_ascending(values, 3 * threads);
                cr_assert(launch_reverse(&config, values, rounds) == cudaSuccess);
                cr_assert(kg__model_last_launch().barriers == 6 * (uint64_t)rounds);
                cr_assert(kg__model_last_launch().threads == 3 * (uint64_t)sizes[s]);
                for (int i = 0; i < 3 * threads; i++) {
                    int block = i / threads * threads;

                    cr_assert(values[i] ==
                              (rounds % 2 == 0 ? i : block + threads - 1 - (i - block)));
                }
            }
        }
    }
}

Test(model, barriers_in_three_dimensions)
{
    int *values = device((size_t)2 * 480 * sizeof *values, 0);
    cudaLaunchConfig_t config = shape((dim3){ 1, 2, 1 }, (dim3){ 4, 6, 20 });

    fill_ascending(values, 2 * 480);
    cr_assert(launch_reverse(&config, values, 1) == cudaSuccess);
    for (int i = 0; i < 480; i++)
        cr_assert(values[i] == 479 - i && values[480 + i] == 480 + 479 - i);
}

Test(model, a_race_shows_between_the_orders)
{
    int values[2][64];
    int *memory = device(sizeof values[0], 0);
    cudaLaunchConfig_t config = line(1, 64);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        fill_ascending(memory, 64);
        cr_assert(launch_reverse_racy(&config, memory) == cudaSuccess);
        memcpy(values[order], memory, sizeof values[0]);
    }
    cr_assert(memcmp(values[0], values[1], sizeof values[0]) != 0);
    cr_assert(values[KG__MODEL_ASCENDING][63] == 0 && values[KG__MODEL_ASCENDING][0] == -1);
    cr_assert(values[KG__MODEL_REVERSED][0] == 63 && values[KG__MODEL_REVERSED][63] == -1);
}

Test(model, dynamic_shared_memory_and_its_limits)
{
    enum { BLOCKS = 3, THREADS = 100 };
    int *values = device((size_t)BLOCKS * THREADS * sizeof *values, 0);
    int *poisoned = device(BLOCKS * sizeof *poisoned, 1);
    struct cudaFuncAttributes is;
    cudaLaunchConfig_t config = line(BLOCKS, THREADS);

    fill_ascending(values, BLOCKS * THREADS);
    config.dynamicSmemBytes = (size_t)THREADS * sizeof *values;
    cr_assert(launch_rotate_dynamic(&config, values, poisoned) == cudaSuccess);
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        int block = i / THREADS * THREADS;

        cr_assert(values[i] == block + (i - block + 1) % THREADS);
    }
    for (int i = 0; i < BLOCKS; i++)
        cr_assert(poisoned[i] != 0, "block %d found what another left behind", i);

    config.dynamicSmemBytes = 49152;
    cr_assert(launch_rotate_dynamic(&config, values, poisoned) == cudaSuccess);
    config.dynamicSmemBytes = 49153;
    cr_assert(launch_rotate_dynamic(&config, values, poisoned) == cudaErrorInvalidValue);
    cr_assert(strstr(kg__model_failure(), "49153 bytes of dynamic shared memory, of which a block "
                                          "has 49152: ask for more, up to 232448, with") != NULL,
              "%s", kg__model_failure());
    cr_assert(allow_rotate_dynamic(232449) == cudaErrorInvalidValue);
    cr_assert(allow_rotate_dynamic(-1) == cudaErrorInvalidValue);
    cr_assert(allow_rotate_dynamic(232448) == cudaSuccess);
    cr_assert(cudaFuncGetAttributes(&is, rotate_dynamic_kernel()) == cudaSuccess);
    cr_assert(is.maxDynamicSharedSizeBytes == 232448 && is.maxThreadsPerBlock == 1024);
    config.dynamicSmemBytes = 232448;
    cr_assert(launch_rotate_dynamic(&config, values, poisoned) == cudaSuccess);
    config.dynamicSmemBytes = 232449;
    cr_assert(launch_rotate_dynamic(&config, values, poisoned) == cudaErrorInvalidValue);
    cr_assert(cudaFuncSetAttribute(NULL, cudaFuncAttributeMaxDynamicSharedMemorySize, 4) ==
              cudaErrorInvalidDeviceFunction);
    cr_assert(cudaFuncSetAttribute(rotate_dynamic_kernel(),
                                   cudaFuncAttributePreferredSharedMemoryCarveout,
                                   50) == cudaSuccess);
    cr_assert(cudaFuncSetAttribute(rotate_dynamic_kernel(),
                                   cudaFuncAttributePreferredSharedMemoryCarveout,
                                   101) == cudaErrorInvalidValue);
    cr_assert(cudaFuncSetAttribute(rotate_dynamic_kernel(), (enum cudaFuncAttribute)99, 1) ==
              cudaErrorInvalidValue);
    cr_assert(cudaFuncGetAttributes(NULL, rotate_dynamic_kernel()) == cudaErrorInvalidValue);
    cr_assert(cudaFuncGetAttributes(&is, NULL) == cudaErrorInvalidDeviceFunction);
}

Test(model, static_shared_arrays_are_poisoned_and_counted)
{
    int *poisoned = device((size_t)4 * 32 * sizeof *poisoned, 0);
    cudaLaunchConfig_t config = line(4, 32);

    cr_assert(launch_find_static_poison(&config, poisoned) == cudaSuccess);
    for (int i = 0; i < 4 * 32; i++)
        cr_assert(poisoned[i] == 1, "thread %d", i);
    cr_assert(find_static_poison_attributes().sharedSizeBytes == 384);
    cr_assert(find_static_poison_attributes().maxDynamicSharedSizeBytes == 49152 - 384);
}

Test(model, too_much_static_shared_memory, .init = cr_redirect_stderr)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    cr_assert(launch_large_shared(&config, out) == cudaErrorInvalidKernelImage);
    cr_assert_str_eq(complaints(),
                     "kernelgate: kernel large_shared: its shared arrays take 49156 bytes, and a "
                     "block has 49152: nvcc would not build it; take dynamic shared memory\n");
    cr_assert(cudaDeviceSynchronize() == cudaSuccess);
}

Test(model, ended_threads_do_not_hold_up_a_barrier)
{
    int *out = device(200 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(2, 200);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        for (int staying = 0; staying <= 200; staying += 50) {
            memset(out, 0, 200 * sizeof *out);
            cr_assert(launch_leave_early(&config, staying, out) == cudaSuccess);
            cr_assert(kg__model_last_launch().barriers == (staying > 0 ? 4 : 0));
            for (int i = 0; i < 200; i++)
                cr_assert(out[i] == (i < staying ? staying : 0));
        }
    }
}

Test(model, votes_of_a_block)
{
    int(*out)[3] = device(77 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 77);

    for (int limit = 0; limit <= 77; limit += 7) {
        cr_assert(launch_votes(&config, limit, out[0]) == cudaSuccess);
        for (int i = 0; i < 77; i++)
            cr_assert(out[i][0] == limit && out[i][1] == (limit == 77) && out[i][2] == (limit > 0));
    }
}

/* Runs a warp operation over a warp and a half, in both orders, into out[48]. */
static void operate(warp_operation operation, int argument, int width, int *out)
{
    int *memory = device(48 * sizeof *memory, 0);
    cudaLaunchConfig_t config = line(1, 48);

    kg__model_set_order(KG__MODEL_REVERSED);
    cr_assert(launch_warp(&config, operation, argument, width, memory) == cudaSuccess);
    memcpy(out, memory, 48 * sizeof *out);
    kg__model_set_order(KG__MODEL_ASCENDING);
    cr_assert(launch_warp(&config, operation, argument, width, memory) == cudaSuccess);
    cr_assert(memcmp(out, memory, 48 * sizeof *out) == 0, "the order of lanes shows");
    cr_assert(kg__model_last_launch().meetings > 0 && kg__model_last_launch().barriers == 0);
    cr_assert(cudaFree(memory) == cudaSuccess);
}

/* The value of a lane, as the kernel has it; all ones where the lane does not exist. */
static int lane_value(int warp, int lane)
{
    return warp == 0 || lane < 16 ? 32 * warp + lane + 100 : -1;
}

Test(model, shuffles)
{
    static const int widths[] = { 1, 2, 8, 16, 32 };
    static const int arguments[] = { 0, 1, 3, 7, 16, 31, 33 };
    int out[48];

    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        for (size_t a = 0; a < sizeof arguments / sizeof arguments[0]; a++) {
            int width = widths[w];
            int argument = arguments[a];

            operate(SHUFFLE, argument, width, out);
            for (int i = 0; i < 48; i++)
                cr_assert(out[i] == lane_value(i / 32, i % 32 / width * width + argument % width));
            argument %= 32;
            operate(SHUFFLE_UP, argument, width, out);
            for (int i = 0; i < 48; i++) {
                int lane = i % 32;

                cr_assert(out[i] ==
                          lane_value(i / 32, lane % width >= argument ? lane - argument : lane));
            }
            operate(SHUFFLE_DOWN, argument, width, out);
            for (int i = 0; i < 48; i++) {
                int lane = i % 32;

                cr_assert(
                    out[i] ==
                    lane_value(i / 32, lane % width + argument < width ? lane + argument : lane));
            }
            operate(SHUFFLE_XOR, argument, width, out);
            for (int i = 0; i < 48; i++) {
                int lane = i % 32;
                int end = lane / width * width + width;

                cr_assert(out[i] ==
                          lane_value(i / 32, (lane ^ argument) < end ? lane ^ argument : lane));
            }
        }
    }
}

Test(model, votes_and_reductions_of_a_warp)
{
    int out[48];
    int sums[2] = { 0, 0 };

    for (int i = 0; i < 48; i++)
        sums[i / 32] += i + 100;
    operate(BALLOT_ODD, 0, 32, out);
    cr_assert((unsigned int)out[0] == 0xaaaaaaaau && (unsigned int)out[47] == 0xaaaau);
    operate(ANY_IS, 120, 32, out);
    cr_assert(out[0] == 1 && out[31] == 1 && out[32] == 0);
    operate(ALL_BELOW, 132, 32, out);
    cr_assert(out[0] == 1 && out[32] == 0);
    operate(MATCH_MOD, 4, 32, out);
    cr_assert((unsigned int)out[1] == 0x22222222u && out[35] == 0x8888);
    operate(SUM, 0, 32, out);
    cr_assert(out[0] == sums[0] && out[31] == sums[0] && out[47] == sums[1]);
    operate(MINIMUM, 110, 32, out);
    cr_assert(out[0] == 110 - 131 + 100 && out[40] == 110 - 147 + 132);
    operate(MAXIMUM, 110, 32, out);
    cr_assert(out[0] == 110 - 100 + 131 && out[40] == 110 - 132 + 147);
    operate(ALL_BITS, 0, 32, out);
    cr_assert(out[0] == 0 && out[32] == 0x80);
    operate(ANY_BITS, 0, 32, out);
    cr_assert(out[0] == 0xff && out[32] == (0x80 | 0x1f));
    operate(PARITY, 0, 32, out);
    cr_assert(out[0] == 0 && out[32] == 0);
    operate(SYNC, 0, 32, out);
    for (int i = 0; i < 48; i++)
        cr_assert(out[i] == (i ^ 1) + 100);
}

Test(model, shuffles_of_every_type)
{
    int *out = device(64 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 64);

    cr_assert(launch_shuffle_types(&config, out) == cudaSuccess);
    for (int i = 0; i < 64; i++)
        cr_assert(out[i] == 1);
}

Test(model, parts_of_a_warp_meet_apart)
{
    int *out = device(64 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 64);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        cr_assert(launch_half_warps(&config, out) == cudaSuccess);
        for (int i = 0; i < 64; i++) {
            int base = i / 16 * 16;

            cr_assert(out[i] == (i % 32 < 16 ? 16 * base + 120 : base + 3), "thread %d has %d", i,
                      out[i]);
        }
    }
}

Test(model, ended_lanes_do_not_hold_up_a_warp)
{
    int *out = device(40 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 40);

    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        cr_assert(launch_leave_warp(&config, 20, out) == cudaSuccess);
        for (int i = 0; i < 20; i++)
            cr_assert(out[i] == 8);
        cr_assert(launch_leave_warp(&config, 1, out) == cudaSuccess);
        cr_assert(out[0] == -1, "lane 1 has ended, so its value is undefined");
    }
}

Test(model, sums_by_shuffles_and_barriers)
{
    enum { BLOCKS = 4, THREADS = 256 };
    float *values = device((size_t)BLOCKS * THREADS * sizeof *values, 0);
    float *sums = device(BLOCKS * sizeof *sums, 0);
    cudaLaunchConfig_t config = line(BLOCKS, THREADS);

    for (int i = 0; i < BLOCKS * THREADS; i++)
        values[i] = (float)i;
    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        kg__model_set_order((kg__model_order)order);
        memset(sums, 0, BLOCKS * sizeof *sums);
        cr_assert(launch_block_sum(&config, values, sums) == cudaSuccess);
        for (int i = 0; i < BLOCKS; i++) {
            int expected = THREADS * (THREADS * i) + THREADS * (THREADS - 1) / 2;

            cr_assert((int)sums[i] == expected);
        }
    }
}

/* Launches a defect on a warp, and asserts the error, that it sticks, and the beginning and a part
 * of its message. */
static void go_wrong(defect which, cudaError_t expected, const char *place, const char *what)
{
    int *out = device(32 * sizeof *out, 0);
    void *memory = NULL;
    unsigned long long *count = device(sizeof *count, 0);
    cudaLaunchConfig_t config = line(2, 32);
    cudaError_t error = launch_defect(&config, which, out);
    const char *text;

    cr_assert(error == expected, "%s", cudaGetErrorName(error));
    text = complaints();
    cr_assert(strncmp(text, place, strlen(place)) == 0, "%s", text);
    cr_assert(strstr(text, what) != NULL, "%s", text);
    cr_assert(strchr(text, '\n') == text + strlen(text) - 1, "one line: %s", text);
    cr_assert(cudaPeekAtLastError() == expected);
    cr_assert(cudaGetLastError() == expected);
    cr_assert(cudaGetLastError() == expected, "a kernel's error sticks");
    cr_assert(cudaDeviceSynchronize() == expected);
    cr_assert(cudaMalloc(&memory, 4) == expected);
    cr_assert(cudaMemset(out, 0, 4) == expected);
    cr_assert(cudaFree(out) == expected);
    cr_assert(cudaDeviceReset() == expected);
    cr_assert(launch_count(&config, count) == expected && *count == 0);
}

#define BLOCK_0 "kernelgate: kernel go_wrong, block (0, 0, 0), "

Test(model, no_defect_no_complaint, .init = cr_redirect_stderr)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(2, 32);

    cr_assert(launch_defect(&config, NO_DEFECT, out) == cudaSuccess);
    cr_assert_str_eq(complaints(), "");
    cr_assert(out[31] == 31 && cudaGetLastError() == cudaSuccess);
}

Test(model, a_deadlock_is_reported, .init = cr_redirect_stderr, .timeout = 20)
{
    go_wrong(BARRIER_AGAINST_SHUFFLE, cudaErrorLaunchFailure, BLOCK_0 "thread (1, 0, 0): ",
             "no thread can go on: 1 wait at __syncthreads() and 31 in warp operations, this one "
             "for the lanes 0xffffffff, of which 0xfffffffe wait");
}

Test(model, masks_that_differ_are_reported, .init = cr_redirect_stderr, .timeout = 20)
{
    go_wrong(DIFFERENT_MASKS, cudaErrorLaunchFailure,
             BLOCK_0 "thread (0, 0, 0): ", "0 wait at __syncthreads() and 32 in warp operations");
}

Test(model, a_mask_without_its_caller_is_reported, .init = cr_redirect_stderr)
{
    go_wrong(OUTSIDE_MASK, cudaErrorLaunchFailure,
             BLOCK_0 "thread (1, 0, 0): ", "mask leaves out the lane that calls it");
}

Test(model, a_bad_width_is_reported, .init = cr_redirect_stderr)
{
    go_wrong(BAD_WIDTH, cudaErrorLaunchFailure,
             BLOCK_0 "thread (0, 0, 0): ", "width is not a power of two");
}

Test(model, a_trap_is_reported, .init = cr_redirect_stderr)
{
    go_wrong(TRAP, cudaErrorLaunchFailure, BLOCK_0 "thread (0, 0, 0): ", "called __trap()");
}

Test(model, an_illegal_address_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    go_wrong(NULL_ADDRESS, cudaErrorIllegalAddress,
             BLOCK_0 "thread (5, 0, 0): ", "an access to the address (nil), where no memory is");
}

Test(model, deep_recursion_is_reported, .init = cr_redirect_stderr, .disabled = !FAULTS_ARE_CAUGHT)
{
    go_wrong(DEEP_RECURSION, cudaErrorHardwareStackError,
             BLOCK_0 "thread (2, 0, 0): ", "the stack overflowed its 512 KiB");
}

Test(model, a_large_local_array_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    go_wrong(LARGE_ARRAY, cudaErrorHardwareStackError,
             BLOCK_0 "thread (0, 0, 0): ", "the local arrays are too large");
}

Test(model, division_by_zero_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    go_wrong(DIVISION_BY_ZERO, cudaErrorLaunchFailure,
             BLOCK_0 "thread (0, 0, 0): ", "an integer is divided by zero");
}

Test(model, a_failed_assert_is_reported, .init = cr_redirect_stderr, .disabled = !FAULTS_ARE_CAUGHT)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    cr_assert(launch_defect(&config, FAILED_ASSERT, out) == cudaErrorAssert);
    cr_assert(strstr(complaints(), BLOCK_0 "thread (3, 0, 0): the kernel called abort()") != NULL);
}

Test(model, no_memory_for_stacks_is_reported, .init = cr_redirect_stderr,
     .disabled = !FAULTS_ARE_CAUGHT)
{
    int *values = device(1024 * sizeof *values, 0);
    cudaLaunchConfig_t config = line(1, 1024);
    const char *begins = "kernelgate: kernel reverse, block (0, 0, 0), thread (";
    struct rlimit limit;
    size_t pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    const char *text;

    cr_assert(sizes != NULL && fscanf(sizes, "%zu", &pages) == 1);
    fclose(sizes);
    cr_assert(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGE_SIZE) + 100 * KG__MODEL_STACK;
    cr_assert(setrlimit(RLIMIT_AS, &limit) == 0);
    cr_assert(launch_reverse(&config, values, 1) == cudaErrorLaunchOutOfResources);
    text = complaints();
    cr_assert(strncmp(text, begins, strlen(begins)) == 0, "%s", text);
    cr_assert(strstr(text, "no memory can be mapped for another thread's stack") != NULL);
}

Test(model, faults_of_the_host_remain_its_own, .signal = SIGSEGV, .disabled = !FAULTS_ARE_CAUGHT)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    cr_assert(launch_defect(&config, NO_DEFECT, out) == cudaSuccess);
    raise(SIGSEGV);
}

Test(model, a_kernel_cannot_call_the_host)
{
    int *out = device(32 * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 32);

    cr_assert(!kg__model_where(NULL));
    cr_assert(launch_defect(&config, CALLS_THE_HOST, out) == cudaSuccess);
    cr_assert(out[0] == cudaErrorNotPermitted && out[31] == cudaErrorNotPermitted);
    cr_assert(cudaGetLastError() == cudaSuccess);
}

Test(model, atomics)
{
    int *integers = device(6 * sizeof *integers, 0);
    unsigned int *naturals = device(6 * sizeof *naturals, 0);
    float *reals = device(sizeof *reals, 0);
    cudaLaunchConfig_t config = line(1, 64);

    naturals[0] = UINT32_MAX;
    naturals[2] = 0x0f;
    cr_assert(launch_atomics(&config, integers, naturals, reals) == cudaSuccess);
    cr_assert(integers[0] == 63 * 64 / 2 && integers[1] == -64);
    cr_assert(integers[2] == -63 && integers[3] == 63);
    cr_assert(integers[4] == 64 && integers[5] == 63);
    cr_assert(naturals[0] == 0 && naturals[1] == UINT32_MAX && naturals[2] == 0x0f);
    cr_assert(naturals[3] == 64 % 5 && naturals[4] == 1 && naturals[5] == 128);
    cr_assert((int)reals[0] == 32);
}

Test(model, mathematics)
{
    int *out = device(MATHEMATICS * sizeof *out, 0);
    cudaLaunchConfig_t config = line(1, 1);

    cr_assert(launch_mathematics(&config, out) == cudaSuccess);
    for (int i = 0; i < MATHEMATICS; i++)
        cr_assert(out[i] == 1, "check %d", i);
}

Test(model, constants)
{
    const float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    float back[8] = { 0 };
    float *out = device(sizeof back, 0);
    float *source = device(sizeof back, 0);
    cudaLaunchConfig_t config = line(1, 8);

    cr_assert(set_constants(values, sizeof values, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    cr_assert(set_constants(values, 8, 24, cudaMemcpyHostToDevice) == cudaSuccess);
    cr_assert(launch_read_constants(&config, out) == cudaSuccess);
    cr_assert(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < 8; i++)
        cr_assert((int)back[i] == (i < 6 ? i + 1 : i - 5));
    source[0] = 9.0f;
    cr_assert(set_constants(source, 4, 4, cudaMemcpyDeviceToDevice) == cudaSuccess);
    cr_assert(get_constants(back, 8, 4) == cudaSuccess);
    cr_assert((int)back[0] == 9 && (int)back[1] == 3);
    cr_assert(set_constants(values, 0, 32, cudaMemcpyDefault) == cudaSuccess);
    cr_assert(set_constants(values, 1, 32, cudaMemcpyDefault) == cudaErrorInvalidValue);
    cr_assert(set_constants(values, 33, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cr_assert(set_constants(values, 4, SIZE_MAX, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cr_assert(set_constants(NULL, 4, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cr_assert(set_constants(values, 4, 0, cudaMemcpyDeviceToHost) ==
              cudaErrorInvalidMemcpyDirection);
    cr_assert(set_constants(values, 4, 0, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    cr_assert(get_constants(back, 33, 0) == cudaErrorInvalidValue);
}

Test(model, constants_on_a_stream)
{
    const float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const cudaStream_t unknown = (cudaStream_t)0x7;
    float back[8] = { 0 };
    float *out = device(sizeof back, 0);
    cudaStream_t stream = NULL;

    cr_assert(cudaStreamCreate(&stream) == cudaSuccess);
    cr_assert(set_constants(values, sizeof values, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    cr_assert(get_constants_on(out, 12, 20, cudaMemcpyDeviceToDevice, stream) == cudaSuccess);
    cr_assert((int)out[0] == 6 && (int)out[2] == 8 && (int)out[3] == 0);
    cr_assert(get_constants_on(back, 8, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    cr_assert((int)back[0] == 2 && (int)back[1] == 3 && (int)back[2] == 0);
    cr_assert(get_constants_on(out, 4, 0, cudaMemcpyDefault, stream) == cudaSuccess);
    cr_assert((int)out[0] == 1);
    cr_assert(get_constants_on(back, 8, 28, cudaMemcpyDeviceToHost, stream) ==
              cudaErrorInvalidValue);
    cr_assert(get_constants_on(back, 4, 0, cudaMemcpyDeviceToDevice, stream) ==
              cudaErrorInvalidValue);
    cr_assert(get_constants_on(out, 4, 0, cudaMemcpyDeviceToHost, stream) == cudaErrorInvalidValue);
    cr_assert(get_constants_on(NULL, 4, 0, cudaMemcpyDeviceToHost, stream) ==
              cudaErrorInvalidValue);
    cr_assert(get_constants_on(out, 4, 0, cudaMemcpyHostToDevice, stream) ==
              cudaErrorInvalidMemcpyDirection);
    cr_assert(get_constants_on(back, 4, 0, cudaMemcpyDeviceToHost, unknown) ==
              cudaErrorInvalidResourceHandle);
}

enum { LAUNCHES = 200 };

static void *launch_often(void *count)
{
    cudaLaunchConfig_t config = line(2, 50);

    for (int i = 0; i < LAUNCHES; i++) {
        if (launch_count(&config, count) != cudaSuccess)
            return NULL;
    }
    return count;
}

Test(model, host_threads_take_turns)
{
    pthread_t host_threads[4];
    unsigned long long *count = device(sizeof *count, 0);

    for (int i = 0; i < 4; i++)
        cr_assert(pthread_create(&host_threads[i], NULL, launch_often, count) == 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;

        cr_assert(pthread_join(host_threads[i], &result) == 0);
        cr_assert(result == count);
    }
    cr_assert(*count == 4ull * LAUNCHES * 100);
}

/* This program's kernels are not instrumented: nobody sees what they do, and it costs nothing. */
Test(model, watching_a_plain_program_sees_nothing)
{
    cudaLaunchConfig_t config = line(3, 64);
    unsigned long long *count = device(sizeof *count, 0);
    const kg__model_report *report;

    cr_assert(!kg__model_is_instrumented());
    kg__model_watch(KG__MODEL_COUNT | KG__MODEL_CHECK, 0);
    kg__model_describe(count, sizeof *count, "count", true);
    kg__model_forget(count, sizeof *count);
    cr_assert(launch_count(&config, count) == cudaSuccess);
    report = kg__model_seen();
    cr_assert(report->accesses == 0 && report->blocks == 0 && report->watched == 0);
    cr_assert(report->finding_count == 0 && report->line_count == 0);
    for (int i = 0; i < KG__COUNTERS; i++)
        cr_assert(report->counts.value[i] == 0);
}

/* What a kernel may not use is a compile error that names it, and where to read on. */
static const struct {
    const char *headers;
    const char *statement;
    const char *error;
} unsupported[] = {
    { "", "out[0] = __activemask();", "the CPU model does not support __activemask()" },
    { "", "out[0] = __vadd4(out[1], 1u);", "the CPU model does not support __vadd4()" },
    { "", "out[0] = (unsigned)clock64();", "the CPU model does not support clock64()" },
    { "", "asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(out[0]));",
      "the CPU model does not support inline PTX" },
    { "#include <cooperative_groups.h>\n", "",
      "the CPU model does not support cooperative_groups.h" },
    { "#include <cuda_fp16.h>\n", "", "the CPU model does not support cuda_fp16.h" },
};

Test(model, what_is_not_supported_is_a_compile_error)
{
    char folder[] = "/tmp/kernelgate-test.XXXXXX";
    char source[64];
    char command[1024];

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source, "%s/kernel.cpp", folder);
    snprintf(command, sizeof command, "'%s' -std=c++17 -O1 -I'%s' -S -o /dev/null %s 2>&1", KG__CXX,
             KG__MODEL_INCLUDE, source);
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
        char said[8192] = "";
        FILE *file = fopen(source, "w");
        FILE *compiler;
        size_t length;

        cr_assert(file != NULL);
        fprintf(file,
                "#include <cuda_runtime.h>\n%s"
                "__global__ void kernel(unsigned int *out) { out[0] = out[1]; %s }\n",
                unsupported[i].headers, unsupported[i].statement);
        cr_assert(fclose(file) == 0);
        compiler = popen(command, "r");
        cr_assert(compiler != NULL);
        length = fread(said, 1, sizeof said - 1, compiler);
        cr_expect(pclose(compiler) != 0, "%s compiles", unsupported[i].statement);
        cr_expect(length > 0 && strstr(said, unsupported[i].error) != NULL &&
                      strstr(said, "docs/model.md") != NULL,
                  "%s: %s", unsupported[i].error, said);
    }
    cr_assert(remove(source) == 0 && remove(folder) == 0);
}

/* What launches came to that were only planned. */
typedef struct plan {
    int kernels;
    unsigned long long blocks;
    size_t dynamic_bytes;
    char symbol[64];
} plan;

static void note_launch(void *context, const kg__model_kernel *kernel,
                        const cudaLaunchConfig_t *config)
{
    plan *noted = context;

    noted->kernels++;
    noted->blocks += (unsigned long long)config->gridDim.x * config->gridDim.y * config->gridDim.z;
    noted->dynamic_bytes = config->dynamicSmemBytes;
    snprintf(noted->symbol, sizeof noted->symbol, "%s", kernel->symbol);
}

Test(model, launches_that_are_planned_run_no_thread)
{
    cudaLaunchConfig_t config = shape((dim3){ 3, 4, 5 }, (dim3){ 32, 1, 1 });
    cudaLaunchConfig_t none = line(0, 32);
    unsigned long long *threads = device(sizeof *threads, 0);
    plan noted = { 0 };

    config.dynamicSmemBytes = 128;
    kg__model_plan(note_launch, &noted);
    cr_assert(launch_count(&config, threads) == cudaSuccess);
    cr_assert(launch_count(&config, threads) == cudaSuccess);
    cr_assert(launch_count(&none, threads) == cudaErrorInvalidConfiguration);
    kg__model_plan(NULL, NULL);
    cr_assert(noted.kernels == 2 && noted.blocks == 120 && noted.dynamic_bytes == 128);
    cr_assert(strstr(noted.symbol, "count") != NULL, "%s", noted.symbol);
    cr_assert(*threads == 0);
    cr_assert(launch_count(&config, threads) == cudaSuccess);
    cr_assert(*threads == 60 * 32 && noted.kernels == 2);
}

/* Memory of any size can be had where nothing is done with it, and copies leave it alone. */
Test(model, memory_that_is_planned_holds_nothing)
{
    int *before = device(sizeof *before, 0);
    size_t left;
    size_t total;
    void *large = NULL;
    plan noted = { 0 };

    cr_assert(cudaMemGetInfo(&left, &total) == cudaSuccess);
    kg__model_plan(note_launch, &noted);
    cr_assert(cudaMemset(before, 1, sizeof *before) == cudaSuccess);
    cr_assert(*before == 0);
    cr_assert(cudaMalloc(&large, total + ((size_t)1 << 30)) == cudaSuccess);
    cr_assert(cudaMemcpy(before, large, sizeof *before, cudaMemcpyDeviceToDevice) == cudaSuccess);
    cr_assert(cudaMemcpy(before, large, sizeof *before, cudaMemcpyHostToDevice) != cudaSuccess);
    cr_assert(*before == 0 && cudaFree(large) == cudaSuccess);
    kg__model_plan(NULL, NULL);
    cr_assert(cudaMemset(before, 1, sizeof *before) == cudaSuccess && *before == 0x01010101);
}
