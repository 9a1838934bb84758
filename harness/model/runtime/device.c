/* The CPU model's device: its limits, and the attributes of kernels. */
#include "model/exec/allocations.h"
#include "model/exec/launch.h"
#include "model/runtime/calls.h"
#include "model/runtime/runtime.h"
#include "model/runtime/streams.h"

/* Questions about the device do not touch its state: they are answered even after a kernel has
 * failed. */
static cudaError_t set_answer(int *answer, int value)
{
    if (answer == NULL)
        return kg__model_end_call(cudaErrorInvalidValue);
    *answer = value;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return set_answer(version, CUDART_VERSION);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return set_answer(version, CUDART_VERSION);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    return set_answer(count, 1);
}

cudaError_t cudaGetDevice(int *device)
{
    return set_answer(device, 0);
}

cudaError_t cudaSetDevice(int device)
{
    if (device != 0)
        return kg__model_end_call(cudaErrorInvalidDevice);
    KG__BEGIN_CALL();
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    size_t left;

    if (properties == NULL)
        return kg__model_end_call(cudaErrorInvalidValue);
    if (device != 0)
        return kg__model_end_call(cudaErrorInvalidDevice);
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
        return set_answer(value, is.maxThreadsPerBlock);
    case cudaDevAttrMaxBlockDimX:
        return set_answer(value, is.maxThreadsDim[0]);
    case cudaDevAttrMaxBlockDimY:
        return set_answer(value, is.maxThreadsDim[1]);
    case cudaDevAttrMaxBlockDimZ:
        return set_answer(value, is.maxThreadsDim[2]);
    case cudaDevAttrMaxGridDimX:
        return set_answer(value, is.maxGridSize[0]);
    case cudaDevAttrMaxGridDimY:
        return set_answer(value, is.maxGridSize[1]);
    case cudaDevAttrMaxGridDimZ:
        return set_answer(value, is.maxGridSize[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return set_answer(value, (int)is.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
        return set_answer(value, (int)is.totalConstMem);
    case cudaDevAttrWarpSize:
        return set_answer(value, is.warpSize);
    case cudaDevAttrMaxRegistersPerBlock:
        return set_answer(value, is.regsPerBlock);
    case cudaDevAttrMultiProcessorCount:
        return set_answer(value, is.multiProcessorCount);
    case cudaDevAttrKernelExecTimeout:
        return set_answer(value, 0);
    case cudaDevAttrIntegrated:
        return set_answer(value, is.integrated);
    case cudaDevAttrCanMapHostMemory:
        return set_answer(value, is.canMapHostMemory);
    case cudaDevAttrConcurrentKernels:
        return set_answer(value, is.concurrentKernels);
    case cudaDevAttrEccEnabled:
        return set_answer(value, is.ECCEnabled);
    case cudaDevAttrL2CacheSize:
        return set_answer(value, is.l2CacheSize);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return set_answer(value, is.maxThreadsPerMultiProcessor);
    case cudaDevAttrUnifiedAddressing:
        return set_answer(value, is.unifiedAddressing);
    case cudaDevAttrComputeCapabilityMajor:
        return set_answer(value, is.major);
    case cudaDevAttrComputeCapabilityMinor:
        return set_answer(value, is.minor);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return set_answer(value, (int)is.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return set_answer(value, is.regsPerMultiprocessor);
    case cudaDevAttrManagedMemory:
        return set_answer(value, is.managedMemory);
    case cudaDevAttrConcurrentManagedAccess:
        return set_answer(value, is.concurrentManagedAccess);
    case cudaDevAttrCooperativeLaunch:
        return set_answer(value, is.cooperativeLaunch);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return set_answer(value, (int)is.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return set_answer(value, is.maxBlocksPerMultiProcessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return set_answer(value, (int)is.reservedSharedMemPerBlock);
    case cudaDevAttrClusterLaunch:
        return set_answer(value, is.clusterLaunch);
    }
    return kg__model_end_call(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void)
{
    KG__BEGIN_CALL();
    kg__model_note_uncapturable();
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaDeviceReset(void)
{
    KG__BEGIN_CALL();
    kg__model_free_all();
    kg__model_free_streams();
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    kg__model_kernel *known;

    KG__BEGIN_CALL();
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

    KG__BEGIN_CALL();
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
