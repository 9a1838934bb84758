/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cuda.h: the driver's calls on the runtime's. There is one device and
 * its primary context. A kernel's function comes from cudaGetFuncBySymbol(), since there are no
 * modules: nothing here runs PTX. */
#pragma once

#include "cuda_runtime_api.h"

#include <stdint.h>

#define CUDA_VERSION CUDART_VERSION
#define CUDAAPI
#define CUDA_CB

typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef cudaFunction_t CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaUUID_t CUuuid;
typedef cudaHostFn_t CUhostFn;
typedef cudaMemPool_t CUmemoryPool;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_STATE = 401,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_PERMITTED = 800,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

#include "kg_model_tensor_maps.h"

typedef cudaLaunchAttribute CUlaunchAttribute;

/* Attributes have the runtime's numbers. */
typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
    CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
    CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
    CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132
} CUdevice_attribute;

typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} CUfunction_attribute;

#define CU_CTX_SCHED_AUTO 0x00
#define CU_CTX_SCHED_SPIN 0x01
#define CU_CTX_SCHED_YIELD 0x02
#define CU_CTX_SCHED_BLOCKING_SYNC 0x04
#define CU_CTX_MAP_HOST 0x08
#define CU_STREAM_DEFAULT cudaStreamDefault
#define CU_STREAM_NON_BLOCKING cudaStreamNonBlocking
#define CU_STREAM_LEGACY cudaStreamLegacy
#define CU_STREAM_PER_THREAD cudaStreamPerThread
#define CU_EVENT_DEFAULT cudaEventDefault
#define CU_EVENT_BLOCKING_SYNC cudaEventBlockingSync
#define CU_EVENT_DISABLE_TIMING cudaEventDisableTiming
#define CU_MEM_ATTACH_GLOBAL cudaMemAttachGlobal
#define CU_MEM_ATTACH_HOST cudaMemAttachHost
#define CU_MEMHOSTALLOC_PORTABLE cudaHostAllocPortable
#define CU_MEMHOSTALLOC_DEVICEMAP cudaHostAllocMapped
#define CU_MEMHOSTALLOC_WRITECOMBINED cudaHostAllocWriteCombined
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)

/* Defines a call of the driver as one of the runtime; the codes of errors are the same. */
#define KG__MODEL_DRIVES(name, parameters, ...)                                                    \
    static inline CUresult name parameters                                                         \
    {                                                                                              \
        return (CUresult)(__VA_ARGS__);                                                            \
    }
/* The memory that a device pointer points at. */
static inline void *kg__model_at(CUdeviceptr pointer)
{
    return (void *)(uintptr_t)pointer;
}
#define KG__MODEL_TO(pointer) ((void **)(void *)(pointer))

KG__MODEL_DRIVES(cuGetErrorName, (CUresult error, const char **name),
                 (*name = cudaGetErrorName((cudaError_t)error), cudaSuccess))
KG__MODEL_DRIVES(cuGetErrorString, (CUresult error, const char **text),
                 (*text = cudaGetErrorString((cudaError_t)error), cudaSuccess))

/* The device, and its context. */
KG__MODEL_DRIVES(cuInit, (unsigned int flags), kg__model_take_hint(flags == 0))
KG__MODEL_DRIVES(cuDriverGetVersion, (int *version), cudaDriverGetVersion(version))
KG__MODEL_DRIVES(cuDeviceGetCount, (int *count), cudaGetDeviceCount(count))
KG__MODEL_DRIVES(cuDeviceGet, (CUdevice * device, int number),
                 number != 0 ? cudaErrorInvalidDevice : cudaGetDevice(device))
KG__MODEL_DRIVES(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device),
                 attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
                     ? (*value = 0, kg__model_take_hint(device == 0))
                     : cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device))
KG__MODEL_DRIVES(cuDeviceGetPCIBusId, (char *id, int size, CUdevice device),
                 cudaDeviceGetPCIBusId(id, size, device))
static inline CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    int i = 0;

    for (; error == cudaSuccess && i < size - 1 && properties.name[i] != '\0'; i++)
        name[i] = properties.name[i];
    if (error == cudaSuccess && size > 0)
        name[i] = '\0';
    return (CUresult)error;
}
static inline CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);

    if (error == cudaSuccess)
        *bytes = properties.totalGlobalMem;
    return (CUresult)error;
}
static inline CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);

    if (error == cudaSuccess)
        *uuid = properties.uuid;
    return (CUresult)error;
}
KG__MODEL_DRIVES(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device),
                 cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device) ==
                         cudaSuccess
                     ? cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device)
                     : cudaErrorInvalidDevice)

/* All contexts are one. */
#define KG__MODEL_CONTEXT ((CUcontext)0x1)
KG__MODEL_DRIVES(cuCtxSynchronize, (void), cudaDeviceSynchronize())
KG__MODEL_DRIVES(cuCtxDestroy, (CUcontext context), kg__model_take_hint(context != NULL))
KG__MODEL_DRIVES(cuCtxSetCurrent, (CUcontext context), ((void)context, cudaSetDevice(0)))
KG__MODEL_DRIVES(cuCtxPushCurrent, (CUcontext context), kg__model_take_hint(context != NULL))
KG__MODEL_DRIVES(cuCtxPopCurrent, (CUcontext * context),
                 (context != NULL ? (void)(*context = KG__MODEL_CONTEXT) : (void)0, cudaSuccess))
KG__MODEL_DRIVES(cuCtxGetCurrent, (CUcontext * context),
                 (*context = KG__MODEL_CONTEXT, cudaSuccess))
KG__MODEL_DRIVES(cuCtxGetDevice, (CUdevice * device), cudaGetDevice(device))
KG__MODEL_DRIVES(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device),
                 (*context = KG__MODEL_CONTEXT, cudaSetDevice(device)))
KG__MODEL_DRIVES(cuDevicePrimaryCtxRelease, (CUdevice device), cudaSetDevice(device))
KG__MODEL_DRIVES(cuDevicePrimaryCtxReset, (CUdevice device),
                 device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice)
KG__MODEL_DRIVES(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned int flags),
                 ((void)flags, cudaSetDevice(device)))
#ifdef __cplusplus
/* Before CUDA 13, and since. */
static inline CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
    (void)flags;
    return cuDevicePrimaryCtxRetain(context, device);
}
typedef struct CUctxCreateParams_st CUctxCreateParams;
static inline CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters,
                                   unsigned int flags, CUdevice device)
{
    return parameters == NULL ? cuCtxCreate(context, flags, device) : CUDA_ERROR_NOT_SUPPORTED;
}
#endif

/* Memory. */
KG__MODEL_DRIVES(cuMemGetInfo, (size_t * free_bytes, size_t *total_bytes),
                 cudaMemGetInfo(free_bytes, total_bytes))
KG__MODEL_DRIVES(cuMemAlloc, (CUdeviceptr * pointer, size_t size),
                 size > 0 ? cudaMalloc(KG__MODEL_TO(pointer), size) : cudaErrorInvalidValue)
KG__MODEL_DRIVES(cuMemAllocManaged, (CUdeviceptr * pointer, size_t size, unsigned int flags),
                 cudaMallocManaged(KG__MODEL_TO(pointer), size, flags))
KG__MODEL_DRIVES(cuMemAllocPitch,
                 (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height,
                  unsigned int element),
                 ((void)element, cudaMallocPitch(KG__MODEL_TO(pointer), pitch, width, height)))
KG__MODEL_DRIVES(cuMemAllocAsync, (CUdeviceptr * pointer, size_t size, CUstream stream),
                 cudaMallocAsync(KG__MODEL_TO(pointer), size, stream))
KG__MODEL_DRIVES(cuMemFree, (CUdeviceptr pointer), cudaFree(kg__model_at(pointer)))
KG__MODEL_DRIVES(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream),
                 cudaFreeAsync(kg__model_at(pointer), stream))
KG__MODEL_DRIVES(cuMemAllocHost, (void **pointer, size_t size), cudaMallocHost(pointer, size))
KG__MODEL_DRIVES(cuMemHostAlloc, (void **pointer, size_t size, unsigned int flags),
                 cudaHostAlloc(pointer, size, flags))
KG__MODEL_DRIVES(cuMemFreeHost, (void *pointer), cudaFreeHost(pointer))
KG__MODEL_DRIVES(cuMemHostRegister, (void *pointer, size_t size, unsigned int flags),
                 cudaHostRegister(pointer, size, flags))
KG__MODEL_DRIVES(cuMemHostUnregister, (void *pointer), cudaHostUnregister(pointer))
KG__MODEL_DRIVES(cuMemHostGetDevicePointer, (CUdeviceptr * pointer, void *host, unsigned int flags),
                 cudaHostGetDevicePointer(KG__MODEL_TO(pointer), host, flags))
KG__MODEL_DRIVES(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t size),
                 cudaMemcpy(kg__model_at(to), from, size, cudaMemcpyHostToDevice))
KG__MODEL_DRIVES(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t size),
                 cudaMemcpy(to, kg__model_at(from), size, cudaMemcpyDeviceToHost))
KG__MODEL_DRIVES(cuMemcpyDtoD, (CUdeviceptr to, CUdeviceptr from, size_t size),
                 cudaMemcpy(kg__model_at(to), kg__model_at(from), size, cudaMemcpyDeviceToDevice))
KG__MODEL_DRIVES(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t size),
                 cudaMemcpy(kg__model_at(to), kg__model_at(from), size, cudaMemcpyDefault))
KG__MODEL_DRIVES(cuMemcpyHtoDAsync,
                 (CUdeviceptr to, const void *from, size_t size, CUstream stream),
                 cudaMemcpyAsync(kg__model_at(to), from, size, cudaMemcpyHostToDevice, stream))
KG__MODEL_DRIVES(cuMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t size, CUstream stream),
                 cudaMemcpyAsync(to, kg__model_at(from), size, cudaMemcpyDeviceToHost, stream))
KG__MODEL_DRIVES(cuMemcpyDtoDAsync,
                 (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
                 cudaMemcpyAsync(kg__model_at(to), kg__model_at(from), size,
                                 cudaMemcpyDeviceToDevice, stream))
KG__MODEL_DRIVES(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
                 cudaMemcpyAsync(kg__model_at(to), kg__model_at(from), size, cudaMemcpyDefault,
                                 stream))
#define KG__MODEL_DRIVER_FILLS(bits, type)                                                         \
    KG__MODEL_DRIVES(cuMemsetD##bits, (CUdeviceptr to, type value, size_t count),                  \
                     kg__model_fill(kg__model_at(to), count *((bits) / 8), value, (bits) / 8,      \
                                    count * ((bits) / 8), 1, NULL, 1))                             \
    KG__MODEL_DRIVES(cuMemsetD##bits##Async,                                                       \
                     (CUdeviceptr to, type value, size_t count, CUstream stream),                  \
                     kg__model_fill(kg__model_at(to), count *((bits) / 8), value, (bits) / 8,      \
                                    count * ((bits) / 8), 1, stream, 0))
KG__MODEL_DRIVER_FILLS(8, unsigned char)
KG__MODEL_DRIVER_FILLS(16, unsigned short)
KG__MODEL_DRIVER_FILLS(32, unsigned int)
#undef KG__MODEL_DRIVER_FILLS

/* Streams and events. */
KG__MODEL_DRIVES(cuStreamCreate, (CUstream * stream, unsigned int flags),
                 cudaStreamCreateWithFlags(stream, flags))
KG__MODEL_DRIVES(cuStreamCreateWithPriority, (CUstream * stream, unsigned int flags, int priority),
                 cudaStreamCreateWithPriority(stream, flags, priority))
KG__MODEL_DRIVES(cuStreamDestroy, (CUstream stream), cudaStreamDestroy(stream))
KG__MODEL_DRIVES(cuStreamSynchronize, (CUstream stream), cudaStreamSynchronize(stream))
KG__MODEL_DRIVES(cuStreamQuery, (CUstream stream), cudaStreamQuery(stream))
KG__MODEL_DRIVES(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags),
                 cudaStreamWaitEvent(stream, event, flags))
KG__MODEL_DRIVES(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data),
                 cudaLaunchHostFunc(stream, function, data))
KG__MODEL_DRIVES(cuEventCreate, (CUevent * event, unsigned int flags),
                 cudaEventCreateWithFlags(event, flags))
KG__MODEL_DRIVES(cuEventDestroy, (CUevent event), cudaEventDestroy(event))
KG__MODEL_DRIVES(cuEventRecord, (CUevent event, CUstream stream), cudaEventRecord(event, stream))
KG__MODEL_DRIVES(cuEventSynchronize, (CUevent event), cudaEventSynchronize(event))
KG__MODEL_DRIVES(cuEventQuery, (CUevent event), cudaEventQuery(event))
KG__MODEL_DRIVES(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end),
                 cudaEventElapsedTime(milliseconds, start, end))

/* Kernels, by cudaGetFuncBySymbol(). */
static inline CUresult cuLaunchKernel(CUfunction kernel, unsigned int grid_x, unsigned int grid_y,
                                      unsigned int grid_z, unsigned int block_x,
                                      unsigned int block_y, unsigned int block_z,
                                      unsigned int dynamic_bytes, CUstream stream,
                                      void **parameters, void **extra)
{
    const cudaLaunchConfig_t config = {
        { grid_x, grid_y, grid_z }, { block_x, block_y, block_z }, dynamic_bytes, stream, NULL, 0
    };

    if (extra != NULL)
        return (CUresult)kg__model_refuse("CUDA's driver: parameters in one buffer",
                                          "cuLaunchKernel");
    return (CUresult)cudaLaunchKernelExC(&config, (const void *)kernel, parameters);
}
KG__MODEL_DRIVES(cuFuncSetAttribute, (CUfunction kernel, CUfunction_attribute attribute, int value),
                 cudaFuncSetAttribute((const void *)kernel, (enum cudaFuncAttribute)attribute,
                                      value))
static inline CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                          CUfunction kernel)
{
    struct cudaFuncAttributes attributes;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)kernel);

    if (error != cudaSuccess)
        return (CUresult)error;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = attributes.maxThreadsPerBlock;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)attributes.sharedSizeBytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = attributes.maxDynamicSharedSizeBytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = attributes.preferredShmemCarveout;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        break;
    }
    return (CUresult)kg__model_refuse("CUDA's driver: that attribute", "cuFuncGetAttribute");
}
KG__MODEL_DRIVES(cuOccupancyMaxActiveBlocksPerMultiprocessor,
                 (int *blocks, CUfunction kernel, int threads, size_t dynamic_bytes),
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel,
                                                               threads, dynamic_bytes))

#undef KG__MODEL_DRIVES
#undef KG__MODEL_TO
#undef KG__MODEL_CONTEXT

#ifdef __cplusplus
#define KG__MODEL_DRIVER(name)                                                                     \
    template <typename... Arguments>                                                               \
    __attribute__((__error__("the CPU model does not support " #name                               \
                             "(): it runs no PTX; launch the kernel itself (docs/model.md)")))     \
    CUresult                                                                                       \
    name(Arguments &&...);
KG__MODEL_DRIVER(cuModuleLoad)
KG__MODEL_DRIVER(cuModuleLoadData)
KG__MODEL_DRIVER(cuModuleLoadDataEx)
KG__MODEL_DRIVER(cuModuleLoadFatBinary)
KG__MODEL_DRIVER(cuModuleGetFunction)
KG__MODEL_DRIVER(cuModuleGetGlobal)
KG__MODEL_DRIVER(cuLibraryLoadData)
KG__MODEL_DRIVER(cuLinkCreate)
KG__MODEL_DRIVER(cuLaunchKernelEx)
KG__MODEL_DRIVER(cuTensorMapEncodeIm2col)
#undef KG__MODEL_DRIVER

/* Virtual memory: programs ask whether the device has it before they call what is refused here. */
typedef unsigned long long CUmemGenericAllocationHandle;
typedef cudaMemLocation CUmemLocation;
typedef cudaMemLocationType CUmemLocationType;
typedef cudaMemAllocationType CUmemAllocationType;
typedef cudaMemAccessFlags CUmemAccess_flags;
enum CUmemAllocationHandleType {
    CU_MEM_HANDLE_TYPE_NONE = 0,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_HANDLE_TYPE_FABRIC = 8
};
enum CUmemAllocationGranularity_flags {
    CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
};
#define CU_MEM_ALLOCATION_TYPE_PINNED cudaMemAllocationTypePinned
#define CU_MEM_LOCATION_TYPE_DEVICE cudaMemLocationTypeDevice
#define CU_MEM_ACCESS_FLAGS_PROT_READ cudaMemAccessFlagsProtRead
#define CU_MEM_ACCESS_FLAGS_PROT_READWRITE cudaMemAccessFlagsProtReadWrite
struct CUmemAllocationProp {
    CUmemAllocationType type;
    CUmemAllocationHandleType requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
};
struct CUmemAccessDesc {
    CUmemLocation location;
    CUmemAccess_flags flags;
};
enum CUmulticastGranularity_flags {
    CU_MULTICAST_GRANULARITY_MINIMUM = 0,
    CU_MULTICAST_GRANULARITY_RECOMMENDED = 1
};
struct CUmulticastObjectProp {
    unsigned int numDevices;
    size_t size;
    unsigned long long handleTypes, flags;
};
/* Programs ask for it and go on without: the runtime's last error stays what it was. */
#define KG__MODEL_VIRTUAL(name)                                                                    \
    template <typename... Arguments>                                                               \
    CUresult name(Arguments &&...)                                                                 \
    {                                                                                              \
        const cudaError_t last = cudaPeekAtLastError();                                            \
        const cudaError_t error = kg__model_refuse("CUDA's driver: virtual memory", #name);        \
                                                                                                   \
        if (last == cudaSuccess)                                                                   \
            (void)cudaGetLastError();                                                              \
        return (CUresult)error;                                                                    \
    }
KG__MODEL_VIRTUAL(cuMemAddressReserve)
KG__MODEL_VIRTUAL(cuMemAddressFree)
KG__MODEL_VIRTUAL(cuMemCreate)
KG__MODEL_VIRTUAL(cuMemRelease)
KG__MODEL_VIRTUAL(cuMemMap)
KG__MODEL_VIRTUAL(cuMemUnmap)
KG__MODEL_VIRTUAL(cuMemSetAccess)
KG__MODEL_VIRTUAL(cuMemGetAllocationGranularity)
KG__MODEL_VIRTUAL(cuMemExportToShareableHandle)
KG__MODEL_VIRTUAL(cuMemImportFromShareableHandle)
KG__MODEL_VIRTUAL(cuMemRetainAllocationHandle)
KG__MODEL_VIRTUAL(cuMulticastCreate)
KG__MODEL_VIRTUAL(cuMulticastAddDevice)
KG__MODEL_VIRTUAL(cuMulticastBindMem)
KG__MODEL_VIRTUAL(cuMulticastUnbind)
KG__MODEL_VIRTUAL(cuMulticastGetGranularity)
#undef KG__MODEL_VIRTUAL
#endif
