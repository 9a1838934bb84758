/* The CPU model's runtime interface: errors, memory, copies, streams, launches and their limits. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/watch/watch.h"
#include "tests/model/model_fixture.h"

Test(model_runtime, error_names_and_texts)
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

Test(model_runtime, last_error_is_kept_until_it_is_fetched)
{
    void *memory = NULL;

    OK(cudaPeekAtLastError());
    REFUSED(cudaMalloc(NULL, 4));
    OK(cudaMalloc(&memory, 4));
    cr_assert(cudaPeekAtLastError() == cudaErrorInvalidValue, "a success does not clear it");
    REFUSED(cudaPeekAtLastError());
    REFUSED(cudaGetLastError());
    OK(cudaGetLastError());
}

Test(model_runtime, one_device_with_its_limits)
{
    struct cudaDeviceProp is;
    int value = -1;
    const struct {
        enum cudaDeviceAttr attribute;
        int value;
    } known[] = { { cudaDevAttrMaxThreadsPerBlock, 1024 },
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
                  { cudaDevAttrClusterLaunch, 0 } };

    cr_assert(cudaGetDeviceCount(&value) == cudaSuccess && value == 1);
    cr_assert(cudaGetDevice(&value) == cudaSuccess && value == 0);
    OK(cudaSetDevice(0));
    cr_assert(cudaSetDevice(1) == cudaErrorInvalidDevice);
    cr_assert(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    cr_assert(cudaDriverGetVersion(&value) == cudaSuccess && value == 13000);
    cr_assert(cudaRuntimeGetVersion(&value) == cudaSuccess && value == 13000);
    REFUSED(cudaGetDeviceCount(NULL));
    OK(cudaGetDeviceProperties(&is, 0));
    cr_assert_str_eq(is.name, "CPU model");
    cr_assert(is.maxThreadsDim[2] == 64 && is.totalGlobalMem > (64u << 20));
    cr_assert(cudaGetDeviceProperties(&is, 1) == cudaErrorInvalidDevice);
    REFUSED(cudaGetDeviceProperties(NULL, 0));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        OK(cudaDeviceGetAttribute(&value, known[i].attribute, 0));
        cr_assert(value == known[i].value, "attribute %d is %d, not %d", (int)known[i].attribute,
                  value, known[i].value);
    }
    REFUSED(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0));
    REFUSED(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    cr_assert(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 2) == cudaErrorInvalidDevice);
}

Test(model_runtime, allocations_and_their_errors)
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
    REFUSED(cudaMemGetInfo(NULL, &total));
    cr_assert(cudaMalloc(&managed, total) == cudaErrorMemoryAllocation && managed == NULL,
              "1000 bytes are taken");
    cr_assert(cudaMalloc(&managed, SIZE_MAX) == cudaErrorMemoryAllocation);
    cr_assert(cudaMallocHost(&pinned, SIZE_MAX) == cudaErrorMemoryAllocation);
    REFUSED(cudaMallocManaged(&managed, 0, cudaMemAttachGlobal));
    REFUSED(cudaMallocManaged(&managed, 16, 7));
    REFUSED(cudaMallocManaged(NULL, 16, cudaMemAttachGlobal));
    OK(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal));
    REFUSED(cudaHostAlloc(&pinned, 16, 0x80));
    cr_assert(cudaMallocHost(&pinned, 0) == cudaSuccess && pinned == NULL);
    OK(cudaHostAlloc(&pinned, 16, cudaHostAllocMapped));
    cr_assert(kg__model_allocation_count() == 3);
    for (size_t i = 1; i < 3; i++)
        cr_assert(kg__model_allocation_at(i - 1)->base < kg__model_allocation_at(i)->base);
    cr_assert(kg__model_allocation_at(3) == NULL);
    cr_assert(kg__model_find((char *)memory + 999)->base == memory);
    cr_assert(kg__model_find((char *)memory + 1000) == NULL);
    cr_assert(kg__model_find((char *)memory - 1) == NULL);
    cr_assert(kg__model_find(managed)->kind == KG__MODEL_MANAGED);

    cr_assert(cudaFree(NULL) == cudaSuccess && cudaFreeHost(NULL) == cudaSuccess);
    REFUSED(cudaFree(&on_host));
    cr_assert(cudaFree((char *)memory + 4) == cudaErrorInvalidValue, "not its beginning");
    REFUSED(cudaFree(pinned));
    REFUSED(cudaFreeHost(memory));
    REFUSED(cudaFreeHost(managed));
    OK(cudaFree(memory));
    cr_assert(cudaFree(memory) == cudaErrorInvalidValue, "freed twice");
    cr_assert(cudaFree(managed) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);
    cr_assert(kg__model_allocation_count() == 0);
    cr_assert(cudaMemGetInfo(&left, &total) == cudaSuccess && left == left_before);
    OK(allocate_typed());
}

Test(model_runtime, many_allocations_stay_sorted)
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
        OK(cudaFree(memory[i]));
    for (size_t i = 0; i < COUNT; i++)
        cr_assert((kg__model_find(memory[i]) != NULL) == (i % 2 == 1));
    OK(cudaDeviceReset());
    cr_assert(kg__model_allocation_count() == 0);
}

/* The bytes of this process's addresses that are mapped. */
static size_t mapped_bytes(void)
{
    size_t pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");

    cr_assert(sizes != NULL && fscanf(sizes, "%zu", &pages) == 1);
    fclose(sizes);
    return pages * (size_t)sysconf(_SC_PAGE_SIZE);
}

static void pass_over(void *context, const kg__model_kernel *kernel,
                      const cudaLaunchConfig_t *config)
{
    (void)context;
    (void)kernel;
    (void)config;
}

/* What was freed keeps its addresses for a while: they are not many. */
Test(model_runtime, freed_memory_is_remembered_for_a_while)
{
    enum { COUNT = 300, MEBI = 1 << 20 };
    void *memory[COUNT];
    const kg__model_freed *first;
    void *large = NULL;
    size_t before = mapped_bytes();

    for (size_t i = 0; i < COUNT; i++) {
        memory[i] = device(i % 100 == 0 ? (size_t)50 * MEBI : 1 + i, 0);
        cr_assert(kg__model_find_freed(memory[i]) == NULL, "it is live");
        OK(cudaFree(memory[i]));
        cr_assert(kg__model_find(memory[i]) == NULL);
        cr_assert(kg__model_find_freed(memory[i])->base == memory[i]);
        cr_assert(mapped_bytes() <= before + ((size_t)1 << 30) + MEBI);
    }
    /* Another may have come to lie where it was. */
    first = kg__model_find_freed(memory[0]);
    cr_assert(first == NULL || first->size < MEBI, "too long ago");
    cr_assert(kg__model_find_freed((char *)memory[COUNT - 1] - 4)->size == COUNT);
    /* Memory that is only planned is not filled. */
    kg__model_plan(pass_over, NULL);
    OK(cudaMalloc(&large, (size_t)400 * MEBI));
    OK(cudaFree(large));
    kg__model_plan(NULL, NULL);
    cr_assert(kg__model_find_freed(large) == NULL, "too large");
    cr_assert(kg__model_find_freed(memory[COUNT - 1]) != NULL);
    kg__model_free_all();
    cr_assert(kg__model_find_freed(memory[COUNT - 1]) == NULL);
    cr_assert(mapped_bytes() <= before);
}

/* Where addresses are short, those of freed memory serve again. */
Test(model_runtime, freed_memory_stands_in_nobodys_way, .disabled = !FAULTS_ARE_CAUGHT)
{
    enum { MEBI = 1 << 20 };
    void *memory = device((size_t)100 * MEBI, 0);
    struct rlimit limit;

    OK(cudaFree(memory));
    cr_assert(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = (rlim_t)(mapped_bytes() + (size_t)10 * MEBI);
    cr_assert(setrlimit(RLIMIT_AS, &limit) == 0);
    memory = device((size_t)90 * MEBI, 0);
    OK(cudaFree(memory));
}

Test(model_runtime, pointer_attributes)
{
    struct cudaPointerAttributes is;
    void *memory = device(64, 0);
    void *pinned = NULL;
    void *managed = NULL;
    int on_host = 0;

    OK(cudaMallocHost(&pinned, 8));
    OK(cudaMallocManaged(&managed, 8, cudaMemAttachGlobal));
    OK(cudaPointerGetAttributes(&is, (char *)memory + 8));
    cr_assert(is.type == cudaMemoryTypeDevice && is.device == 0 && is.hostPointer == NULL);
    cr_assert(is.devicePointer == (char *)memory + 8);
    OK(cudaPointerGetAttributes(&is, pinned));
    cr_assert(is.type == cudaMemoryTypeHost && is.hostPointer == pinned);
    OK(cudaPointerGetAttributes(&is, managed));
    cr_assert(is.type == cudaMemoryTypeManaged && is.hostPointer == managed);
    OK(cudaPointerGetAttributes(&is, &on_host));
    cr_assert(is.type == cudaMemoryTypeUnregistered && is.devicePointer == NULL);
    REFUSED(cudaPointerGetAttributes(NULL, memory));
}

Test(model_runtime, copies_of_every_kind)
{
    int host[16];
    int back[16] = { 0 };
    int *first = device(sizeof host, 0);
    int *second = device(sizeof host, 0);
    int *managed = NULL;

    for (int i = 0; i < 16; i++)
        host[i] = i * i;
    OK(cudaMallocManaged((void **)&managed, sizeof host, cudaMemAttachGlobal));
    OK(cudaMemcpy(first, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(second, first, sizeof host, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(managed, second, sizeof host, cudaMemcpyDefault));
    cr_assert(managed[15] == 225, "managed memory is the host's too");
    OK(cudaMemcpy(back, managed, sizeof host, cudaMemcpyDeviceToHost));
    cr_assert(memcmp(host, back, sizeof host) == 0);
    memset(back, 0, sizeof back);
    OK(cudaMemcpy(back, host, sizeof host, cudaMemcpyHostToHost));
    cr_assert(memcmp(host, back, sizeof host) == 0);
    OK(cudaMemcpyAsync(back, second + 4, 4, cudaMemcpyDeviceToHost, NULL));
    cr_assert(back[0] == 16 && back[1] == 1);
    OK(cudaMemcpy(back, first, sizeof host, cudaMemcpyDefault));
    cr_assert(memcmp(host, back, sizeof host) == 0);
    OK(cudaMemsetAsync(first + 1, 1, 4, cudaStreamPerThread));
    OK(cudaMemcpy(back, first, sizeof host, cudaMemcpyDeviceToHost));
    cr_assert(back[0] == 0 && back[1] == 0x01010101 && back[2] == 4);
}

Test(model_runtime, bad_copies_change_nothing)
{
    int host[16] = { 1, 2, 3 };
    int *memory = device(sizeof host, 0x22);
    int *pinned = NULL;

    OK(cudaMallocHost((void **)&pinned, sizeof host));
    cr_assert(cudaMemcpy(memory, host, 4, (enum cudaMemcpyKind)5) ==
              cudaErrorInvalidMemcpyDirection);
    cr_assert(cudaMemcpy(memory, host, 4, (enum cudaMemcpyKind) - 1) ==
              cudaErrorInvalidMemcpyDirection);
    REFUSED(cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory, NULL, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory, host, sizeof host + 1, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory + 16, host, 1, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory + 8, host, SIZE_MAX, cudaMemcpyDefault));
    REFUSED(cudaMemcpy(host, memory, 4, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(memory, host, 4, cudaMemcpyDeviceToHost));
    REFUSED(cudaMemcpy(memory, host, 4, cudaMemcpyDeviceToDevice));
    REFUSED(cudaMemcpy(memory, host, 4, cudaMemcpyHostToHost));
    REFUSED(cudaMemcpy(pinned + 1, host, sizeof host, cudaMemcpyHostToHost));
    REFUSED(cudaMemset(host, 0, 4));
    REFUSED(cudaMemset(NULL, 0, 4));
    REFUSED(cudaMemset(memory, 0, sizeof host + 1));
    OK(cudaMemset(NULL, 0, 0));
    cr_assert(cudaMemcpyAsync(memory, host, 4, cudaMemcpyHostToDevice, (cudaStream_t)host) ==
              cudaErrorInvalidResourceHandle);
    cr_assert(cudaMemsetAsync(memory, 0, 4, (cudaStream_t)host) == cudaErrorInvalidResourceHandle);
    REFUSED(cudaFree(memory + 16));
    for (int i = 0; i < 16; i++)
        cr_assert(memory[i] == 0x22222222);
    cr_assert(host[0] == 1 && host[1] == 2);
    OK(cudaFree(memory));
    cr_assert(cudaMemcpy(host, memory, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
              "memory that was freed");
}

Test(model_runtime, streams_and_events)
{
    cudaStream_t stream = NULL;
    cudaStream_t second = NULL;
    cudaEvent_t event = NULL;
    cudaEvent_t later = NULL;
    float milliseconds = 0.0f;
    int stray = 0;

    REFUSED(cudaStreamCreate(NULL));
    REFUSED(cudaStreamCreateWithFlags(&stream, 8));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaStreamSynchronize(stream));
    cr_assert(cudaStreamQuery(second) == cudaSuccess && cudaStreamQuery(NULL) == cudaSuccess);
    cr_assert(cudaStreamSynchronize((cudaStream_t)&stray) == cudaErrorInvalidResourceHandle);
    OK(cudaEventCreate(&event));
    OK(cudaEventCreateWithFlags(&later, cudaEventDisableTiming));
    REFUSED(cudaEventCreateWithFlags(&later, 64));
    REFUSED(cudaEventCreate(NULL));
    OK(cudaEventRecord(event, stream));
    OK(cudaEventRecord(later, NULL));
    cr_assert(cudaEventRecord((cudaEvent_t)&stray, NULL) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventRecord(event, (cudaStream_t)&stray) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventSynchronize(event) == cudaSuccess && cudaEventQuery(later) == cudaSuccess);
    cr_assert(cudaEventQuery((cudaEvent_t)&stray) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventElapsedTime(&milliseconds, event, later) == cudaErrorNotSupported);
    REFUSED(cudaEventElapsedTime(NULL, event, later));
    cr_assert(cudaEventElapsedTime(&milliseconds, event, NULL) == cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(event));
    cr_assert(cudaEventDestroy(event) == cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(stream));
    cr_assert(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaStreamDestroy(NULL) == cudaErrorInvalidResourceHandle);
    OK(cudaDeviceReset());
    cr_assert(cudaStreamQuery(second) == cudaErrorInvalidResourceHandle);
    cr_assert(cudaEventQuery(later) == cudaErrorInvalidResourceHandle);
}

Test(model_runtime, launch_limits)
{
    unsigned long long *count = device(sizeof *count, 0);
    const struct {
        dim3 grid, block;
        cudaError_t error;
    } launches[] = { { { 1, 1, 1 }, { 1, 1, 1 }, cudaSuccess },
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
                     { { 70000, 3, 1 }, { 2, 1, 1 }, cudaSuccess } };
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

Test(model_runtime, a_large_grid)
{
    unsigned long long *count = device(sizeof *count, 0);
    cudaLaunchConfig_t config = line(5000000, 1);

    OK(launch_count(&config, count));
    cr_assert(*count == 5000000);
    cr_assert(kg__model_last_launch().blocks == 5000000);
    cr_assert(kg__model_last_launch().threads == 5000000);
    cr_assert(kg__model_last_launch().barriers == 0);
}

Test(model_runtime, bad_launches)
{
    unsigned long long *count = device(sizeof *count, 0);
    cudaLaunchConfig_t config = line(1, 1);
    cudaLaunchAttribute attributes[2] = { { .id = cudaLaunchAttributePriority },
                                          { .id = cudaLaunchAttributeCooperative } };
    cudaStream_t stream = NULL;

    REFUSED(launch_count(NULL, count));
    cr_assert(launch_null_kernel(&config) == cudaErrorInvalidDeviceFunction);
    config.stream = (cudaStream_t)count;
    cr_assert(launch_count(&config, count) == cudaErrorInvalidResourceHandle);
    OK(cudaStreamCreate(&stream));
    config.stream = stream;
    config.numAttrs = 2;
    REFUSED(launch_count(&config, count));
    config.attrs = attributes;
    cr_assert(*count == 0);
    OK(launch_count(&config, count));
    attributes[1].val.cooperative = 1;
    cr_assert(launch_count(&config, count) == cudaErrorNotSupported);
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    OK(launch_count(&config, count));
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

Test(model_runtime, constants)
{
    const float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    float back[8] = { 0 };
    float *out = device(sizeof back, 0);
    float *source = device(sizeof back, 0);
    cudaLaunchConfig_t config = line(1, 8);

    OK(set_constants(values, sizeof values, 0, cudaMemcpyHostToDevice));
    OK(set_constants(values, 8, 24, cudaMemcpyHostToDevice));
    OK(launch_read_constants(&config, out));
    OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        cr_assert((int)back[i] == (i < 6 ? i + 1 : i - 5));
    source[0] = 9.0f;
    OK(set_constants(source, 4, 4, cudaMemcpyDeviceToDevice));
    OK(get_constants(back, 8, 4));
    cr_assert((int)back[0] == 9 && (int)back[1] == 3);
    OK(set_constants(values, 0, 32, cudaMemcpyDefault));
    REFUSED(set_constants(values, 1, 32, cudaMemcpyDefault));
    REFUSED(set_constants(values, 33, 0, cudaMemcpyHostToDevice));
    REFUSED(set_constants(values, 4, SIZE_MAX, cudaMemcpyHostToDevice));
    REFUSED(set_constants(NULL, 4, 0, cudaMemcpyHostToDevice));
    cr_assert(set_constants(values, 4, 0, cudaMemcpyDeviceToHost) ==
              cudaErrorInvalidMemcpyDirection);
    REFUSED(set_constants(values, 4, 0, cudaMemcpyDeviceToDevice));
    REFUSED(get_constants(back, 33, 0));
}

Test(model_runtime, constants_on_a_stream)
{
    const float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const cudaStream_t unknown = (cudaStream_t)0x7;
    float back[8] = { 0 };
    float *out = device(sizeof back, 0);
    cudaStream_t stream = NULL;

    OK(cudaStreamCreate(&stream));
    OK(set_constants(values, sizeof values, 0, cudaMemcpyHostToDevice));
    OK(get_constants_on(out, 12, 20, cudaMemcpyDeviceToDevice, stream));
    cr_assert((int)out[0] == 6 && (int)out[2] == 8 && (int)out[3] == 0);
    OK(get_constants_on(back, 8, 4, cudaMemcpyDeviceToHost, stream));
    cr_assert((int)back[0] == 2 && (int)back[1] == 3 && (int)back[2] == 0);
    OK(get_constants_on(out, 4, 0, cudaMemcpyDefault, stream));
    cr_assert((int)out[0] == 1);
    REFUSED(get_constants_on(back, 8, 28, cudaMemcpyDeviceToHost, stream));
    REFUSED(get_constants_on(back, 4, 0, cudaMemcpyDeviceToDevice, stream));
    REFUSED(get_constants_on(out, 4, 0, cudaMemcpyDeviceToHost, stream));
    REFUSED(get_constants_on(NULL, 4, 0, cudaMemcpyDeviceToHost, stream));
    cr_assert(get_constants_on(out, 4, 0, cudaMemcpyHostToDevice, stream) ==
              cudaErrorInvalidMemcpyDirection);
    cr_assert(get_constants_on(back, 4, 0, cudaMemcpyDeviceToHost, unknown) ==
              cudaErrorInvalidResourceHandle);
}

/* This program's kernels are not instrumented: nobody sees what they do, and it costs nothing. */
Test(model_runtime, watching_a_plain_program_sees_nothing)
{
    cudaLaunchConfig_t config = line(3, 64);
    unsigned long long *count = device(sizeof *count, 0);
    const kg__model_report *report;

    cr_assert(!kg__model_is_instrumented());
    kg__model_watch(KG__MODEL_COUNT | KG__MODEL_CHECK, 0);
    kg__model_describe(count, sizeof *count, "count", true);
    kg__model_forget(count, sizeof *count);
    OK(launch_count(&config, count));
    report = kg__model_seen();
    cr_assert(report->accesses == 0 && report->blocks == 0 && report->watched == 0);
    cr_assert(report->finding_count == 0 && report->line_count == 0);
    for (int i = 0; i < KG__COUNTERS; i++)
        cr_assert(report->counts.value[i] == 0);
}

#define HIDES(attribute)                                                                           \
    {                                                                                              \
        attribute " ", "", "kernel.cpp:2:"                                                         \
    }

/* What a kernel may not use is a compile error that names it, and where to read on. */
static const struct {
    const char *before; /* the kernel */
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
    HIDES("__attribute__((no_sanitize(\"thread\")))"),
    HIDES("__attribute__((noinline, no_sanitize(\"bounds\", \"coverage\")))"),
    HIDES("__attribute__((no_sanitize_thread))"),
    HIDES("__attribute__((no_sanitize_coverage))"),
    HIDES("__attribute__((no_sanitize_undefined))"),
    HIDES("[[gnu::no_sanitize(\"thread\")]]"),
    HIDES("[[gnu::no_sanitize_thread]]"),
    { "#define HIDDEN __attribute__((no_sanitize_thread))\nHIDDEN ", "", "kernel.cpp:3:" },
    { "", "[=]() __attribute__((no_sanitize(\"thread\"))) { out[0] = out[1]; }();",
      "kernel.cpp:2:" },
};

/* Compiles a text as a kernel's source; what the compiler says goes to `said`. */
static bool compiles(const char *text, char *said, size_t size)
{
    char folder[] = "/tmp/kernelgate-test.XXXXXX";
    char source[64];
    char command[1024];
    FILE *file;
    FILE *compiler;
    int status;

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source, "%s/kernel.cpp", folder);
    snprintf(command, sizeof command, "'%s' -std=c++17 -O1 -I'%s' -S -o /dev/null %s 2>&1", KG__CXX,
             KG__MODEL_INCLUDE, source);
    file = fopen(source, "w");
    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    compiler = popen(command, "r");
    cr_assert(compiler != NULL);
    said[fread(said, 1, size - 1, compiler)] = '\0';
    status = pclose(compiler);
    cr_assert(remove(source) == 0 && remove(folder) == 0);
    return status == 0;
}

Test(model_runtime, what_is_not_supported_is_a_compile_error)
{
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
        char text[512];
        char said[8192];

        snprintf(text, sizeof text,
                 "#include <cuda_runtime.h>\n"
                 "%s__global__ void kernel(unsigned int *out) { out[0] = out[1]; %s }\n",
                 unsupported[i].before, unsupported[i].statement);
        cr_expect(!compiles(text, said, sizeof said), "it compiles: %s", text);
        cr_expect(strstr(said, unsupported[i].error) != NULL &&
                      strstr(said, "docs/model.md") != NULL,
                  "%s: %s", text, said);
    }
}

/* Headers may define and ask for what they do not use, and the system's may use it. */
Test(model_runtime, what_hides_accesses_may_be_in_headers)
{
    static const char text[] =
        "#include <cuda_runtime.h>\n"
        "#include <algorithm>\n#include <atomic>\n#include <functional>\n#include <iostream>\n"
        "#include <limits>\n#include <memory>\n#include <mutex>\n#include <numeric>\n"
        "#include <random>\n#include <string>\n#include <thread>\n#include <vector>\n"
        "#include <fcntl.h>\n#include <immintrin.h>\n#include <pthread.h>\n#include <unistd.h>\n"
        "#define HIDDEN __attribute__((no_sanitize(\"thread\"), no_sanitize_thread))\n"
        "#if !__has_attribute(no_sanitize) || !__has_attribute(__no_sanitize_thread__)\n"
        "#error\n"
        "#endif\n"
        "__attribute__((__no_sanitize__(\"thread\"), __no_sanitize_coverage__)) void f() {}\n"
        "[[gnu::__no_sanitize_thread__, __gnu__::__no_sanitize_undefined__]] void g() {}\n";
    char said[8192];

    cr_expect(compiles(text, said, sizeof said) && said[0] == '\0', "%s", said);
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

Test(model_runtime, launches_that_are_planned_run_no_thread)
{
    cudaLaunchConfig_t config = shape((dim3){ 3, 4, 5 }, (dim3){ 32, 1, 1 });
    cudaLaunchConfig_t none = line(0, 32);
    unsigned long long *threads = device(sizeof *threads, 0);
    plan noted = { 0 };

    config.dynamicSmemBytes = 128;
    kg__model_plan(note_launch, &noted);
    OK(launch_count(&config, threads));
    OK(launch_count(&config, threads));
    cr_assert(launch_count(&none, threads) == cudaErrorInvalidConfiguration);
    kg__model_plan(NULL, NULL);
    cr_assert(noted.kernels == 2 && noted.blocks == 120 && noted.dynamic_bytes == 128);
    cr_assert(strstr(noted.symbol, "count") != NULL, "%s", noted.symbol);
    cr_assert(*threads == 0);
    OK(launch_count(&config, threads));
    cr_assert(*threads == 60 * 32 && noted.kernels == 2);
}

/* Memory of any size can be had where nothing is done with it, and copies leave it alone. */
Test(model_runtime, memory_that_is_planned_holds_nothing)
{
    int *before = device(sizeof *before, 0);
    size_t left;
    size_t total;
    void *large = NULL;
    plan noted = { 0 };

    OK(cudaMemGetInfo(&left, &total));
    kg__model_plan(note_launch, &noted);
    OK(cudaMemset(before, 1, sizeof *before));
    cr_assert(*before == 0);
    OK(cudaMalloc(&large, total + ((size_t)1 << 30)));
    OK(cudaMemcpy(before, large, sizeof *before, cudaMemcpyDeviceToDevice));
    cr_assert(cudaMemcpy(before, large, sizeof *before, cudaMemcpyHostToDevice) != cudaSuccess);
    cr_assert(*before == 0 && cudaFree(large) == cudaSuccess);
    kg__model_plan(NULL, NULL);
    cr_assert(cudaMemset(before, 1, sizeof *before) == cudaSuccess && *before == 0x01010101);
}
