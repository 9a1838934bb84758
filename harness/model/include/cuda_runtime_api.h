/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for the C interface of CUDA's runtime: the part that a harness and a
 * kernel's launcher use, with CUDA 13's names and values. Usable from C11 and from C++.
 *
 * Differences from the real one:
 * - A copy or a launch is complete when its call returns, unless a program has its streams' work
 *   executed in reverse (docs/programs.md), and a launch returns its kernel's error, as with
 *   CUDA_LAUNCH_BLOCKING=1. Errors of a kernel are sticky.
 * - The model does not measure time: in suites cudaEventElapsedTime() returns
 *   cudaErrorNotSupported, in programs the host's time between the two calls.
 * - A copy whose pointers do not fit its direction, which CUDA leaves undefined, is
 *   cudaErrorInvalidValue.
 * - New memory is filled with 0xff bytes (NaN for floats, -1 for integers) so that nothing reads
 *   as zero by luck. */
#pragma once

/* Other headers, such as helper_cuda.h, test this to detect the inclusion. */
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define CUDART_VERSION 13000

#ifdef __cplusplus
#define KG__MODEL_DEFAULT(value) = value
extern "C" {
#else
#define KG__MODEL_DEFAULT(value)
#endif

#include "kg_model_errors.h"
#include "kg_model_hints.h"

/* The vector types, one to four fields of an element type, aligned as in CUDA: two and four
 * fields to their whole size, at most 16 bytes; three as one field. */
#define KG__MODEL_VECTORS(name, element, align_of_two, align_of_four)                              \
    typedef struct name##1                                                                         \
    {                                                                                              \
        element x;                                                                                 \
    }                                                                                              \
    name##1;                                                                                       \
    typedef struct __attribute__((aligned(align_of_two))) name##2                                  \
    {                                                                                              \
        element x, y;                                                                              \
    }                                                                                              \
    name##2;                                                                                       \
    typedef struct name##3                                                                         \
    {                                                                                              \
        element x, y, z;                                                                           \
    }                                                                                              \
    name##3;                                                                                       \
    typedef struct __attribute__((aligned(align_of_four))) name##4                                 \
    {                                                                                              \
        element x, y, z, w;                                                                        \
    }                                                                                              \
    name##4;

KG__MODEL_VECTORS(char, signed char, 2, 4)
KG__MODEL_VECTORS(uchar, unsigned char, 2, 4)
KG__MODEL_VECTORS(short, short, 4, 8)
KG__MODEL_VECTORS(ushort, unsigned short, 4, 8)
KG__MODEL_VECTORS(int, int, 8, 16)
KG__MODEL_VECTORS(uint, unsigned int, 8, 16)
KG__MODEL_VECTORS(long, long, 16, 16)
KG__MODEL_VECTORS(ulong, unsigned long, 16, 16)
KG__MODEL_VECTORS(longlong, long long, 16, 16)
KG__MODEL_VECTORS(ulonglong, unsigned long long, 16, 16)
KG__MODEL_VECTORS(float, float, 8, 16)
KG__MODEL_VECTORS(double, double, 16, 16)
#undef KG__MODEL_VECTORS

/* CUDA 13's vector types that name their alignment. */
#define KG__MODEL_FOUR(name, element, alignment)                                                   \
    typedef struct __attribute__((aligned(alignment))) name##4_##alignment##a                      \
    {                                                                                              \
        element x, y, z, w;                                                                        \
    }                                                                                              \
    name##4_##alignment##a;
#define KG__MODEL_BOTH(X, name, element) X(name, element, 16) X(name, element, 32)
#define KG__MODEL_ALIGNED_VECTORS(X)                                                               \
    KG__MODEL_BOTH(X, long, long)                                                                  \
    KG__MODEL_BOTH(X, ulong, unsigned long)                                                        \
    KG__MODEL_BOTH(X, longlong, long long)                                                         \
    KG__MODEL_BOTH(X, ulonglong, unsigned long long)                                               \
    KG__MODEL_BOTH(X, double, double)
KG__MODEL_ALIGNED_VECTORS(KG__MODEL_FOUR)
#undef KG__MODEL_FOUR

/* Dimensions of a grid or a block. In C++ an omitted dimension is 1; in C it must be given. */
typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int columns = 1, unsigned int rows = 1, unsigned int layers = 1)
        : x(columns), y(rows), z(layers)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{ x, y, z };
    }
#endif
} dim3;

enum cudaRoundMode {
    cudaRoundNearest = 0,
    cudaRoundZero = 1,
    cudaRoundPosInf = 2,
    cudaRoundMinInf = 3
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

/* The two streams that exist without being created. */
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
/* Of kernels: a grid that begins when the launching one has ended, with all that it launched; and
 * one that nothing orders with others. */
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
/* The calling convention of callbacks, which is the only one here. */
#define CUDART_CB

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
};

/* Launch attributes: Cooperative and ClusterDimension have an effect, ProgrammaticEvent is
 * cudaErrorNotSupported, and the others are hints that change nothing here. */
typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributeProgrammaticEvent = 7,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributePreferredClusterDimension = 11,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14
} cudaLaunchAttributeID;

enum cudaAccessProperty {
    cudaAccessPropertyNormal = 0,
    cudaAccessPropertyStreaming = 1,
    cudaAccessPropertyPersisting = 2
};

/* The data that the L2 cache should keep. */
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};

typedef union cudaLaunchAttributeValue {
    char pad[64];
    struct cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative;
    struct {
        unsigned int x, y, z;
    } clusterDim, preferredClusterDim;
    enum cudaSynchronizationPolicy syncPolicy;
    enum cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    int programmaticStreamSerializationAllowed;
    int priority;
    unsigned int sharedMemCarveout;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    char pad[8 - sizeof(cudaLaunchAttributeID)];
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
} cudaLaunchConfig_t;

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};

/* Attributes of a kernel. Registers, local memory and machine code are 0, since the model does
 * not know them. */
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
    int clusterDimMustBeSet;
    int requiredClusterWidth;
    int requiredClusterHeight;
    int requiredClusterDepth;
    int nonPortableClusterSizeAllowed;
};

enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrPciBusId = 33,
    cudaDevAttrPciDeviceId = 34,
    cudaDevAttrTccDriver = 35,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrPciDomainId = 50,
    cudaDevAttrTexturePitchAlignment = 51,
    cudaDevAttrGlobalL1CacheSupported = 79,
    cudaDevAttrLocalL1CacheSupported = 80,
    cudaDevAttrIsMultiGpuBoard = 84,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCanUseHostPointerForRegisteredMem = 91,
    cudaDevAttrHostRegisterSupported = 99,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
    cudaDevAttrDirectManagedMemAccessFromHost = 101,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrHandleTypePosixFileDescriptorSupported = 103,
    cudaDevAttrIpcEventSupport = 125,
    cudaDevAttrMulticastSupported = 132,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrClusterLaunch = 120
};

typedef struct CUuuid_st {
    char bytes[16];
} cudaUUID_t;

/* The device's limits are those of an NVIDIA H200, so that a launch that fits one fits the
 * other. */
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    size_t totalConstMem;
    int major;
    int minor;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int accessPolicyMaxWindowSize;
    int asyncEngineCount;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    int hostNativeAtomicSupported;
    int pageableMemoryAccess;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int hostRegisterSupported;
    int memoryPoolsSupported;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int tccDriver;
    size_t memPitch;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    size_t surfaceAlignment;
    int maxTexture1D;
    int maxTexture2D[2];
    int maxTexture3D[3];
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int concurrentManagedAccess;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int maxBlocksPerMultiProcessor;
    size_t reservedSharedMemPerBlock;
    int clusterLaunch;
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxTextureCubemap;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    int hostRegisterReadOnlySupported;
    int unifiedFunctionPointers;
    int ipcEventSupported;
    int gpuDirectRDMASupported;
    /* CUDA 13 has them no longer. */
    int clockRate;
    int memoryClockRate;
    int deviceOverlap;
    int computeMode;
    int kernelExecTimeoutEnabled;
    int singleToDoublePrecisionPerfRatio;
    int cooperativeMultiDeviceLaunch;
};

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
/* The calling thread's last error; cudaGetLastError() also clears it, unless it is a kernel's,
 * which is sticky. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize(void);
/* Releases every allocation, stream and event. A kernel's error remains, as with CUDA. */
cudaError_t cudaDeviceReset(void);

cudaError_t cudaMalloc(void **pointer, size_t size);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocHost(void **pointer, size_t size);
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMallocManaged(void **pointer, size_t size,
                              unsigned int flags KG__MODEL_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream KG__MODEL_DEFAULT(0));
/* Fills rows of `width` bytes with values of `size` bytes: 1, 2 or 4. */
cudaError_t kg__model_fill(void *pointer, size_t pitch, unsigned int value, unsigned int size,
                           size_t width, size_t height, cudaStream_t stream, int waits);
cudaError_t cudaMemset(void *pointer, int value, size_t count);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count,
                            cudaStream_t stream KG__MODEL_DEFAULT(0));
static inline cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width,
                                       size_t height)
{
    return kg__model_fill(pointer, pitch, (unsigned int)value, 1, width, height, NULL, 1);
}
static inline cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width,
                                            size_t height, cudaStream_t stream KG__MODEL_DEFAULT(0))
{
    return kg__model_fill(pointer, pitch, (unsigned int)value, 1, width, height, stream, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);

#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventRecordExternal 0x01
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream KG__MODEL_DEFAULT(0),
                                     unsigned int flags KG__MODEL_DEFAULT(0));
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream KG__MODEL_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
/* By threads and shared memory. The kernel's registers, which the model does not know, may allow
 * fewer. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t dynamic_bytes);
/* By threads and shared memory too. A device requires the blocks of a cluster to be close
 * together, and may hold fewer. */
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel,
                                           const cudaLaunchConfig_t *config);
/* The largest cluster that the kernel's attribute allows, if a block of the launch fits. */
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *kernel,
                                                 const cudaLaunchConfig_t *config);

#include "kg_model_texture_types.h"

#include "kg_model_entry_points.h"
#include "kg_model_host_calls.h"

#ifdef __cplusplus
}
#endif
#undef KG__MODEL_DEFAULT

#include "library_types.h"
