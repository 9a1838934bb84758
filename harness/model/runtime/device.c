/* The CPU model's device: its limits, its errors, streams and events. */
#include "model/model.h"

#include "base/message.h"

#include <pthread.h>
#include <stdlib.h>

/* A stream or an event: nothing but its being alive. */
struct CUstream_st {
    struct CUstream_st *next;
};

struct CUevent_st {
    struct CUevent_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUstream_st *streams;
/* The stream of the call that is judged, which no reset takes away. */
static struct CUstream_st call_stream;
static size_t astray;       /* pieces of work that another stream was given since */
static size_t uncapturable; /* allocations and waits since */
static struct CUevent_st *events;
static cudaError_t stuck = cudaSuccess;
static _Thread_local cudaError_t last_error = cudaSuccess;

/* Returns from the function that contains it, as every API call begins. */
#define BEGIN()                                                                                    \
    do {                                                                                           \
        cudaError_t refused;                                                                       \
                                                                                                   \
        if (!kg__model_enter(&refused))                                                            \
            return refused;                                                                        \
    } while (0)

/* Ends an API call: keeps an error as the calling thread's last one, and returns it. */
static cudaError_t end_call(cudaError_t error)
{
    /* "Not ready" is an answer, not an error. */
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    return error;
}

void kg__model_stick(cudaError_t error)
{
    stuck = error;
}

bool kg__model_enter(cudaError_t *error)
{
    if (kg__model_where(NULL)) {
        *error = cudaErrorNotPermitted;
        return false;
    }
    pthread_mutex_lock(&lock);
    if (stuck == cudaSuccess)
        return true;
    *error = kg__model_leave(stuck);
    return false;
}

cudaError_t kg__model_leave(cudaError_t error)
{
    pthread_mutex_unlock(&lock);
    return end_call(error);
}

/* True when `stream` is one that work can be given to; needs the lock. */
static bool is_stream(cudaStream_t stream)
{
    if (stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return true;
    if (stream == &call_stream)
        return true;
    for (const struct CUstream_st *live = streams; live != NULL; live = live->next) {
        if (live == stream)
            return true;
    }
    return false;
}

bool kg__model_takes_work(cudaStream_t stream)
{
    astray += stream != &call_stream;
    return is_stream(stream);
}

cudaStream_t kg__model_begin_call(void)
{
    astray = uncapturable = 0;
    return &call_stream;
}

void kg__model_note_uncapturable(void)
{
    uncapturable++;
}

size_t kg__model_uncapturable(void)
{
    return uncapturable;
}

size_t kg__model_astray(void)
{
    return astray;
}

static bool is_event(cudaEvent_t event)
{
    for (const struct CUevent_st *live = events; live != NULL; live = live->next) {
        if (live == event)
            return true;
    }
    return false;
}

#define NAME_CASE(name, value, text)                                                               \
    case value:                                                                                    \
        return #name;
#define TEXT_CASE(name, value, text)                                                               \
    case value:                                                                                    \
        return text;

const char *cudaGetErrorName(cudaError_t error)
{
    switch ((int)error) {
        KG__MODEL_ERRORS(NAME_CASE)
    default:
        return "unrecognized error code";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
        KG__MODEL_ERRORS(TEXT_CASE)
    default:
        return "unrecognized error code";
    }
}

cudaError_t cudaPeekAtLastError(void)
{
    cudaError_t error;

    pthread_mutex_lock(&lock);
    error = stuck != cudaSuccess ? stuck : last_error;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();

    last_error = cudaSuccess;
    return error;
}

/* Questions about the device do not touch its state: they are answered even after a kernel has
 * failed. */
static cudaError_t tell(int *answer, int value)
{
    if (answer == NULL)
        return end_call(cudaErrorInvalidValue);
    *answer = value;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return tell(version, CUDART_VERSION);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return tell(version, CUDART_VERSION);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    return tell(count, 1);
}

cudaError_t cudaGetDevice(int *device)
{
    return tell(device, 0);
}

cudaError_t cudaSetDevice(int device)
{
    if (device != 0)
        return end_call(cudaErrorInvalidDevice);
    BEGIN();
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    size_t left;

    if (properties == NULL)
        return end_call(cudaErrorInvalidValue);
    if (device != 0)
        return end_call(cudaErrorInvalidDevice);
    *properties = (struct cudaDeviceProp){
        .name = "CPU model",
        .uuid.bytes = "kernelgate-model",
        .sharedMemPerBlock = KG__MODEL_SHARED_DEFAULT,
        .regsPerBlock = 65536,
        .warpSize = KG__MODEL_WARP,
        .maxThreadsPerBlock = KG__MODEL_MAX_THREADS,
        .maxThreadsDim = { 1024, 1024, 64 },
        .maxGridSize = { 2147483647, 65535, 65535 },
        .totalConstMem = 65536,
        .major = 9,
        .minor = 0,
        .multiProcessorCount = 132,
        .canMapHostMemory = 1,
        .unifiedAddressing = 1,
        .l2CacheSize = 62914560,
        .maxThreadsPerMultiProcessor = 2048,
        .sharedMemPerMultiprocessor = 233472,
        .regsPerMultiprocessor = 65536,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .sharedMemPerBlockOptin = KG__MODEL_SHARED_OPTIN,
        .maxBlocksPerMultiProcessor = 32,
        .reservedSharedMemPerBlock = 1024,
    };
    kg__model_memory_left(&left, &properties->totalGlobalMem);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp is;
    cudaError_t error = cudaGetDeviceProperties(&is, device);

    if (error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        return tell(value, is.maxThreadsPerBlock);
    case cudaDevAttrMaxBlockDimX:
        return tell(value, is.maxThreadsDim[0]);
    case cudaDevAttrMaxBlockDimY:
        return tell(value, is.maxThreadsDim[1]);
    case cudaDevAttrMaxBlockDimZ:
        return tell(value, is.maxThreadsDim[2]);
    case cudaDevAttrMaxGridDimX:
        return tell(value, is.maxGridSize[0]);
    case cudaDevAttrMaxGridDimY:
        return tell(value, is.maxGridSize[1]);
    case cudaDevAttrMaxGridDimZ:
        return tell(value, is.maxGridSize[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return tell(value, (int)is.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
        return tell(value, (int)is.totalConstMem);
    case cudaDevAttrWarpSize:
        return tell(value, is.warpSize);
    case cudaDevAttrMaxRegistersPerBlock:
        return tell(value, is.regsPerBlock);
    case cudaDevAttrMultiProcessorCount:
        return tell(value, is.multiProcessorCount);
    case cudaDevAttrKernelExecTimeout:
        return tell(value, 0);
    case cudaDevAttrIntegrated:
        return tell(value, is.integrated);
    case cudaDevAttrCanMapHostMemory:
        return tell(value, is.canMapHostMemory);
    case cudaDevAttrConcurrentKernels:
        return tell(value, is.concurrentKernels);
    case cudaDevAttrEccEnabled:
        return tell(value, is.ECCEnabled);
    case cudaDevAttrL2CacheSize:
        return tell(value, is.l2CacheSize);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return tell(value, is.maxThreadsPerMultiProcessor);
    case cudaDevAttrUnifiedAddressing:
        return tell(value, is.unifiedAddressing);
    case cudaDevAttrComputeCapabilityMajor:
        return tell(value, is.major);
    case cudaDevAttrComputeCapabilityMinor:
        return tell(value, is.minor);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return tell(value, (int)is.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return tell(value, is.regsPerMultiprocessor);
    case cudaDevAttrManagedMemory:
        return tell(value, is.managedMemory);
    case cudaDevAttrConcurrentManagedAccess:
        return tell(value, is.concurrentManagedAccess);
    case cudaDevAttrCooperativeLaunch:
        return tell(value, is.cooperativeLaunch);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return tell(value, (int)is.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return tell(value, is.maxBlocksPerMultiProcessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return tell(value, (int)is.reservedSharedMemPerBlock);
    case cudaDevAttrClusterLaunch:
        return tell(value, is.clusterLaunch);
    }
    return end_call(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void)
{
    BEGIN();
    kg__model_note_uncapturable();
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaDeviceReset(void)
{
    BEGIN();
    kg__model_free_all();
    while (streams != NULL) {
        struct CUstream_st *first = streams;

        streams = first->next;
        free(first);
    }
    while (events != NULL) {
        struct CUevent_st *first = events;

        events = first->next;
        free(first);
    }
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    BEGIN();
    if (stream == NULL || (flags & ~(unsigned int)cudaStreamNonBlocking) != 0)
        return kg__model_leave(cudaErrorInvalidValue);
    *stream = kg__allocate(1, sizeof **stream);
    (*stream)->next = streams;
    streams = *stream;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    BEGIN();
    for (struct CUstream_st **link = &streams; *link != NULL; link = &(*link)->next) {
        if (*link == stream) {
            *link = stream->next;
            free(stream);
            return kg__model_leave(cudaSuccess);
        }
    }
    return kg__model_leave(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    BEGIN();
    kg__model_note_uncapturable();
    return kg__model_leave(is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    BEGIN();
    if (event == NULL ||
        (flags & ~(unsigned int)(cudaEventBlockingSync | cudaEventDisableTiming)) != 0)
        return kg__model_leave(cudaErrorInvalidValue);
    *event = kg__allocate(1, sizeof **event);
    (*event)->next = events;
    events = *event;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    BEGIN();
    for (struct CUevent_st **link = &events; *link != NULL; link = &(*link)->next) {
        if (*link == event) {
            *link = event->next;
            free(event);
            return kg__model_leave(cudaSuccess);
        }
    }
    return kg__model_leave(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    BEGIN();
    return kg__model_leave(is_event(event) && is_stream(stream) ? cudaSuccess
                                                                : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    BEGIN();
    kg__model_note_uncapturable();
    return kg__model_leave(is_event(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    BEGIN();
    if (milliseconds == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
    if (!is_event(start) || !is_event(end))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    return kg__model_leave(cudaErrorNotSupported);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    kg__model_kernel *known;

    BEGIN();
    if (kernel == NULL)
        return kg__model_leave(cudaErrorInvalidDeviceFunction);
    known = kg__model_kernel_at(kernel);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || known->shared_bytes + (size_t)value > KG__MODEL_SHARED_OPTIN)
            return kg__model_leave(cudaErrorInvalidValue);
        known->dynamic_limit = (size_t)value;
        return kg__model_leave(cudaSuccess);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        /* A hint, in percent or -1. */
        return kg__model_leave(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
    }
    return kg__model_leave(cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    const kg__model_kernel *known;

    BEGIN();
    if (attributes == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
    if (kernel == NULL)
        return kg__model_leave(cudaErrorInvalidDeviceFunction);
    known = kg__model_kernel_at(kernel);
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = known->shared_bytes,
        .maxThreadsPerBlock = KG__MODEL_MAX_THREADS,
        .maxDynamicSharedSizeBytes = (int)known->dynamic_limit,
        .preferredShmemCarveout = -1,
    };
    return kg__model_leave(cudaSuccess);
}
