/* SPDX-License-Identifier: MIT */
/* Host calls of whole programs, beyond those of a harness: launches by pointers, stream-ordered
 * memory, captures, and hints. Hints are checked and change nothing. Part of cuda_runtime_api.h. */
#pragma once

/* Ends a call that changes nothing, with a result. */
cudaError_t kg__model_answer(cudaError_t error);
/* The same: cudaErrorInvalidValue if its arguments are not `valid`. */
static inline cudaError_t kg__model_take_hint(int valid)
{
    return kg__model_answer(valid ? cudaSuccess : cudaErrorInvalidValue);
}
/* The same of a call about `count` bytes of managed memory, with a device's number. */
cudaError_t kg__model_take_managed_hint(const void *pointer, size_t count, int device, int valid);
/* Refuses a call of a library that the model does not have, by its name, on stderr and as the
 * reason for a launcher's failure. Returns cudaErrorNotSupported. */
cudaError_t kg__model_refuse(const char *library, const char *call);

/* Defines a hint, and a call that writes an answer. */
#define KG__MODEL_HINT(name, parameters, valid) KG__MODEL_ANSWER(name, parameters, valid, (void)0)
#define KG__MODEL_ANSWER(name, parameters, valid, ...)                                             \
    static inline cudaError_t name parameters                                                      \
    {                                                                                              \
        const int kg__valid = (valid);                                                             \
                                                                                                   \
        if (kg__valid)                                                                             \
            __VA_ARGS__;                                                                           \
        return kg__model_take_hint(kg__valid);                                                     \
    }

/* Launches. `arguments` points at a value for each parameter. Without the kernel's type, its
 * parameters are read from its program's debug information. */
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic_bytes KG__MODEL_DEFAULT(0),
                             cudaStream_t stream KG__MODEL_DEFAULT(0));
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic_bytes KG__MODEL_DEFAULT(0),
                                        cudaStream_t stream KG__MODEL_DEFAULT(0));

typedef void (*cudaHostFn_t)(void *data);
typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
/* Calls a function of the host in the order of a stream, one of the two. CUDA calls that it makes
 * are refused. */
cudaError_t kg__model_call_host(cudaStream_t stream, cudaHostFn_t function,
                                cudaStreamCallback_t callback, void *data);
static inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return kg__model_call_host(stream, function, NULL, data);
}
static inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                                void *data, unsigned int flags)
{
    return flags == 0 ? kg__model_call_host(stream, NULL, function, data) : kg__model_take_hint(0);
}

/* Streams. */
#define cudaEventWaitDefault 0x00
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags KG__MODEL_DEFAULT(0));
/* Writes what is known of a stream; what is not asked for is NULL. */
cudaError_t kg__model_stream_facts(cudaStream_t stream, int *priority, unsigned int *flags,
                                   unsigned long long *id);
static inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    return kg__model_stream_facts(stream, priority, NULL, NULL);
}
static inline cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    return kg__model_stream_facts(stream, NULL, flags, NULL);
}
static inline cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    return kg__model_stream_facts(stream, NULL, NULL, id);
}
KG__MODEL_ANSWER(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
                 least != NULL && greatest != NULL, (*least = 0, *greatest = -5))

#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
KG__MODEL_HINT(cudaStreamSetAttribute,
               (cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value),
               ((void)stream, (void)attribute, value != NULL))
KG__MODEL_HINT(cudaCtxResetPersistingL2Cache, (void), 1)
/* A length of 0 is all of the allocation. */
static inline cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length KG__MODEL_DEFAULT(0),
                         unsigned int flags KG__MODEL_DEFAULT(cudaMemAttachSingle))
{
    (void)stream;
    return kg__model_take_managed_hint(pointer, length, 0, flags <= cudaMemAttachSingle);
}

/* Stream-ordered memory; a pool is only a name. */
typedef struct CUmemPoolHandle_st *cudaMemPool_t;

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2
};
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0,
    cudaMemAllocationTypePinned = 1,
    cudaMemAllocationTypeManaged = 2
};
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0 };
enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone = 0,
    cudaMemAccessFlagsProtRead = 1,
    cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    size_t maxSize;
    unsigned short usage;
};

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
static inline cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream)
{
    return pool != NULL ? cudaMallocAsync(pointer, size, stream) : kg__model_take_hint(0);
}
static inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    if (device != 0)
        return kg__model_answer(cudaErrorInvalidDevice);
    if (pool != NULL)
        *pool = (cudaMemPool_t)0x1;
    return kg__model_take_hint(pool != NULL);
}
static inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetMemPool(pool, device);
}
KG__MODEL_ANSWER(cudaMemPoolCreate,
                 (cudaMemPool_t * pool, const struct cudaMemPoolProps *properties),
                 pool != NULL && properties != NULL &&
                     properties->allocType == cudaMemAllocationTypePinned,
                 *pool = (cudaMemPool_t)0x2)
KG__MODEL_HINT(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool), device == 0 && pool != NULL)
KG__MODEL_HINT(cudaMemPoolSetAttribute,
               (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value),
               pool != NULL && value != NULL &&
                   attribute >= cudaMemPoolReuseFollowEventDependencies &&
                   attribute <= cudaMemPoolAttrUsedMemHigh)
KG__MODEL_HINT(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t kept), ((void)kept, pool != NULL))
KG__MODEL_HINT(cudaMemPoolDestroy, (cudaMemPool_t pool), pool != NULL)

/* Host memory, which the device accesses directly. */
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterReadOnly 0x08
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)
#define cudaHostRegisterIoMemory 0x04
cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};
static inline cudaError_t cudaHostGetDevicePointer(void **pointer, void *host, unsigned int flags)
{
    struct cudaPointerAttributes attributes;
    const cudaError_t code = cudaPointerGetAttributes(&attributes, host);

    if (code != cudaSuccess || pointer == NULL || flags != 0 ||
        attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeDevice)
        return code != cudaSuccess ? code : kg__model_take_hint(0);
    *pointer = host;
    return cudaSuccess;
}
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t count,
                                        enum cudaMemoryAdvise advice,
                                        struct cudaMemLocation location)
{
    (void)location;
    return kg__model_take_managed_hint(pointer, count, 0,
                                       advice >= cudaMemAdviseSetReadMostly &&
                                           advice <= cudaMemAdviseUnsetAccessedBy);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count,
                                               struct cudaMemLocation location, unsigned int flags,
                                               cudaStream_t stream KG__MODEL_DEFAULT(0))
{
    (void)stream;
    return kg__model_take_managed_hint(pointer, count,
                                       location.type == cudaMemLocationTypeDevice ? location.id : 0,
                                       count > 0 && flags == 0);
}
static inline cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                              int from_device, size_t count,
                                              cudaStream_t stream KG__MODEL_DEFAULT(0))
{
    if (to_device != 0 || from_device != 0)
        return kg__model_answer(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, count, cudaMemcpyDeviceToDevice, stream);
}
static inline cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                         size_t count)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, count, 0);
}

/* The device. */
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1 = 0
};
enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6
};
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
KG__MODEL_HINT(cudaSetDeviceFlags, (unsigned int flags), flags <= 0xff)
KG__MODEL_HINT(cudaDeviceSetCacheConfig, (enum cudaFuncCache config), (int)config <= 3)
/* Of the limits that of the kernels' heap has an effect. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
KG__MODEL_ANSWER(cudaDeviceGetCacheConfig, (enum cudaFuncCache * config), config != NULL,
                 *config = cudaFuncCachePreferNone)
static inline cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    const char none[] = "0000:00:00.0";

    if (id == NULL || size < (int)sizeof none || device != 0)
        return kg__model_take_hint(0);
    for (size_t i = 0; i < sizeof none; i++)
        id[i] = none[i];
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (device != 0 || peer != 0 || can == NULL)
        return kg__model_answer(cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    (void)flags;
    return kg__model_answer(peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}
static inline cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return kg__model_answer(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}
KG__MODEL_HINT(cudaFuncSetCacheConfig, (const void *kernel, enum cudaFuncCache config),
               kernel != NULL && (int)config <= 3)

/* Kernels. */
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int threads,
                                                       size_t dynamic_bytes, unsigned int flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, dynamic_bytes);
}
/* Returns the address of a variable of `size` bytes, which becomes device memory. */
cudaError_t kg__model_symbol_address(void **pointer, const void *symbol, size_t size);

#include "kg_model_graphs.h"
#include "kg_model_more_calls.h"

#undef KG__MODEL_ANSWER
#undef KG__MODEL_HINT
