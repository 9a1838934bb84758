/* SPDX-License-Identifier: MIT */
/* The CPU model's device: its limits, and the attributes of kernels. */
#include "model/exec/allocations.h"
#include "model/exec/clusters.h"
#include "model/exec/launch.h"
#include "model/runtime/arrays.h"
#include "model/runtime/calls.h"
#include "model/runtime/graphs.h"
#include "model/runtime/queue.h"
#include "model/runtime/runtime.h"
#include "model/watch/places.h"

/* In kHz, and arbitrary: no time depends on it. */
#define CLOCK_RATE 1000000

/* Queries of the device do not depend on its state: they succeed even after a kernel has failed. */
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
        .multiProcessorCount = KG__MODEL_MULTIPROCESSORS,
        .canMapHostMemory = 1,
        .concurrentKernels = 1,
        .memoryBusWidth = 6144,
        .unifiedAddressing = 1,
        .l2CacheSize = 62914560,
        .persistingL2CacheMaxSize = 39321600,
        .accessPolicyMaxWindowSize = 134217728,
        .asyncEngineCount = 3,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .computePreemptionSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .hostRegisterSupported = 1,
        .memoryPoolsSupported = 1,
        .memPitch = 2147483647,
        .textureAlignment = KG__TEXTURE_ALIGNMENT,
        .texturePitchAlignment = KG__TEXTURE_PITCH_ALIGNMENT,
        .surfaceAlignment = 512,
        .maxTexture1D = 131072,
        .maxTexture2D = { 131072, 65536 },
        .maxTexture3D = { 16384, 16384, 16384 },
        .maxTexture1DLayered = { 32768, 2048 },
        .maxTexture2DLayered = { 32768, 32768, 2048 },
        .maxThreadsPerMultiProcessor = 2048,
        .sharedMemPerMultiprocessor = 233472,
        .regsPerMultiprocessor = 65536,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .cooperativeLaunch = 1,
        .sharedMemPerBlockOptin = KG__MODEL_SHARED_OPTIN,
        .maxBlocksPerMultiProcessor = 32,
        .reservedSharedMemPerBlock = 1024,
        .clusterLaunch = 1,
        .maxSurface1D = 32768,
        .maxSurface2D = { 131072, 65536 },
        .maxSurface3D = { 16384, 16384, 16384 },
        .maxTextureCubemap = 32768,
        .unifiedFunctionPointers = 1,
        .clockRate = CLOCK_RATE,
        .memoryClockRate = CLOCK_RATE,
        .deviceOverlap = 1,
        .singleToDoublePrecisionPerfRatio = 2,
    };
    kg__model_memory_left(&left, &properties->totalGlobalMem);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp properties = { 0 };
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    const struct {
        enum cudaDeviceAttr attribute;
        int value;
    } attributes[] = {
        { cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock },
        { cudaDevAttrMaxBlockDimX, properties.maxThreadsDim[0] },
        { cudaDevAttrMaxBlockDimY, properties.maxThreadsDim[1] },
        { cudaDevAttrMaxBlockDimZ, properties.maxThreadsDim[2] },
        { cudaDevAttrMaxGridDimX, properties.maxGridSize[0] },
        { cudaDevAttrMaxGridDimY, properties.maxGridSize[1] },
        { cudaDevAttrMaxGridDimZ, properties.maxGridSize[2] },
        { cudaDevAttrMaxSharedMemoryPerBlock, (int)properties.sharedMemPerBlock },
        { cudaDevAttrTotalConstantMemory, (int)properties.totalConstMem },
        { cudaDevAttrWarpSize, properties.warpSize },
        { cudaDevAttrMaxRegistersPerBlock, properties.regsPerBlock },
        { cudaDevAttrClockRate, properties.clockRate },
        { cudaDevAttrMemoryClockRate, properties.memoryClockRate },
        { cudaDevAttrGlobalMemoryBusWidth, properties.memoryBusWidth },
        { cudaDevAttrMaxPitch, (int)properties.memPitch },
        { cudaDevAttrTextureAlignment, (int)properties.textureAlignment },
        { cudaDevAttrTexturePitchAlignment, (int)properties.texturePitchAlignment },
        { cudaDevAttrGpuOverlap, properties.deviceOverlap },
        { cudaDevAttrPciBusId, properties.pciBusID },
        { cudaDevAttrPciDeviceId, properties.pciDeviceID },
        { cudaDevAttrPciDomainId, properties.pciDomainID },
        { cudaDevAttrTccDriver, properties.tccDriver },
        { cudaDevAttrGlobalL1CacheSupported, properties.globalL1CacheSupported },
        { cudaDevAttrLocalL1CacheSupported, properties.localL1CacheSupported },
        { cudaDevAttrIsMultiGpuBoard, properties.isMultiGpuBoard },
        { cudaDevAttrComputePreemptionSupported, properties.computePreemptionSupported },
        { cudaDevAttrCanUseHostPointerForRegisteredMem,
          properties.canUseHostPointerForRegisteredMem },
        { cudaDevAttrHostRegisterSupported, properties.hostRegisterSupported },
        { cudaDevAttrPageableMemoryAccessUsesHostPageTables,
          properties.pageableMemoryAccessUsesHostPageTables },
        { cudaDevAttrDirectManagedMemAccessFromHost, properties.directManagedMemAccessFromHost },
        { cudaDevAttrMultiProcessorCount, properties.multiProcessorCount },
        { cudaDevAttrKernelExecTimeout, 0 },
        { cudaDevAttrIntegrated, properties.integrated },
        { cudaDevAttrCanMapHostMemory, properties.canMapHostMemory },
        { cudaDevAttrComputeMode, cudaComputeModeDefault },
        { cudaDevAttrConcurrentKernels, properties.concurrentKernels },
        { cudaDevAttrEccEnabled, properties.ECCEnabled },
        { cudaDevAttrL2CacheSize, properties.l2CacheSize },
        { cudaDevAttrAsyncEngineCount, properties.asyncEngineCount },
        { cudaDevAttrStreamPrioritiesSupported, properties.streamPrioritiesSupported },
        { cudaDevAttrHostNativeAtomicSupported, properties.hostNativeAtomicSupported },
        { cudaDevAttrPageableMemoryAccess, properties.pageableMemoryAccess },
        { cudaDevAttrMaxPersistingL2CacheSize, properties.persistingL2CacheMaxSize },
        { cudaDevAttrMemoryPoolsSupported, properties.memoryPoolsSupported },
        { cudaDevAttrMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor },
        { cudaDevAttrUnifiedAddressing, properties.unifiedAddressing },
        { cudaDevAttrComputeCapabilityMajor, properties.major },
        { cudaDevAttrComputeCapabilityMinor, properties.minor },
        { cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)properties.sharedMemPerMultiprocessor },
        { cudaDevAttrMaxRegistersPerMultiprocessor, properties.regsPerMultiprocessor },
        { cudaDevAttrManagedMemory, properties.managedMemory },
        { cudaDevAttrConcurrentManagedAccess, properties.concurrentManagedAccess },
        { cudaDevAttrCooperativeLaunch, properties.cooperativeLaunch },
        { cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)properties.sharedMemPerBlockOptin },
        { cudaDevAttrMaxBlocksPerMultiprocessor, properties.maxBlocksPerMultiProcessor },
        { cudaDevAttrReservedSharedMemoryPerBlock, (int)properties.reservedSharedMemPerBlock },
        { cudaDevAttrClusterLaunch, properties.clusterLaunch },
        /* What is shared with other processes and devices is refused. */
        { cudaDevAttrHandleTypePosixFileDescriptorSupported, 0 },
        { cudaDevAttrIpcEventSupport, 0 },
        { cudaDevAttrMulticastSupported, 0 },
    };

    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        if (attributes[i].attribute == attribute)
            return set_answer(value, attributes[i].value);
    }
    return kg__model_end_call(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error;

    KG__BEGIN_CALL();
    kg__model_note_uncapturable();
    error = kg__capture_forbids();
    return kg__model_leave(error == cudaSuccess ? kg__queue_wait_for_all() : error);
}

cudaError_t cudaDeviceReset(void)
{
    KG__BEGIN_CALL();
    (void)kg__queue_wait_for_all();
    kg__model_free_all();
    kg__model_forget_arrays();
    kg__streams_free();
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    kg__model_kernel *known;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(kernel == NULL, cudaErrorInvalidDeviceFunction);
    known = kg__model_kernel_at(kernel);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        KG__REFUSE_IF(value < 0 || known->shared_bytes + (size_t)value > KG__MODEL_SHARED_OPTIN,
                      cudaErrorInvalidValue);
        known->dynamic_limit = (size_t)value;
        return kg__model_leave(cudaSuccess);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        known->any_cluster_size = value != 0;
        return kg__model_leave(cudaSuccess);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        /* A hint, in percent or -1. */
        KG__REFUSE_IF(value < -1 || value > 100, cudaErrorInvalidValue);
        known->carveout = value;
        return kg__model_leave(cudaSuccess);
    }
    return kg__model_leave(cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    const kg__model_kernel *known;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(attributes == NULL, cudaErrorInvalidValue);
    KG__REFUSE_IF(kernel == NULL, cudaErrorInvalidDeviceFunction);
    known = kg__model_kernel_at(kernel);
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = known->shared_bytes,
        .maxThreadsPerBlock = (int)known->most_threads,
        .ptxVersion = 90,
        .binaryVersion = 90,
        .maxDynamicSharedSizeBytes = (int)known->dynamic_limit,
        .preferredShmemCarveout = known->carveout,
        .clusterDimMustBeSet = known->cluster.x > 0,
        .requiredClusterWidth = (int)known->cluster.x,
        .requiredClusterHeight = (int)known->cluster.y,
        .requiredClusterDepth = (int)known->cluster.z,
        .nonPortableClusterSizeAllowed = known->any_cluster_size,
    };
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t dynamic_bytes)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(blocks == NULL || threads <= 0, cudaErrorInvalidValue);
    KG__REFUSE_IF(kernel == NULL, cudaErrorInvalidDeviceFunction);
    *blocks =
        threads > KG__MODEL_MAX_THREADS
            ? 0
            : (int)kg__exec_blocks_per_multiprocessor(
                  (unsigned int)threads, kg__model_kernel_at(kernel)->shared_bytes + dynamic_bytes);
    return kg__model_leave(cudaSuccess);
}

/* Returns how many blocks of a launch a device holds at once, or 0 where one does not fit. */
static unsigned int resident_blocks(const kg__model_kernel *kernel,
                                    const cudaLaunchConfig_t *config)
{
    const dim3 block = config->blockDim;

    return KG__MODEL_MULTIPROCESSORS *
           kg__exec_blocks_per_multiprocessor(block.x * block.y * block.z,
                                              kernel->shared_bytes + config->dynamicSmemBytes);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel,
                                           const cudaLaunchConfig_t *config)
{
    const kg__model_kernel *known;
    dim3 cluster;
    unsigned int size;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(clusters == NULL || config == NULL, cudaErrorInvalidValue);
    KG__REFUSE_IF(kernel == NULL, cudaErrorInvalidDeviceFunction);
    known = kg__model_kernel_at(kernel);
    cluster = kg__exec_cluster_of(config, known);
    size = cluster.x * cluster.y * cluster.z;
    KG__REFUSE_IF(size == 0, cudaErrorInvalidClusterSize);
    *clusters = (int)(resident_blocks(known, config) / size);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *kernel,
                                                 const cudaLaunchConfig_t *config)
{
    const kg__model_kernel *known;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(size == NULL || config == NULL, cudaErrorInvalidValue);
    KG__REFUSE_IF(kernel == NULL, cudaErrorInvalidDeviceFunction);
    known = kg__model_kernel_at(kernel);
    *size = resident_blocks(known, config) == 0 ? 0
            : known->any_cluster_size           ? KG__CLUSTER_MAXIMUM
                                                : KG__CLUSTER_PORTABLE;
    return kg__model_leave(cudaSuccess);
}

cudaError_t kg__model_take_managed_hint(const void *pointer, size_t count, int device, int valid)
{
    const kg__model_allocation *holder;

    KG__BEGIN_CALL();
    holder = kg__model_find(pointer);
    /* A __managed__ variable is in its program's image. */
    KG__REFUSE_IF(!valid || (holder == NULL && !kg__model_in_image(pointer)),
                  cudaErrorInvalidValue);
    KG__REFUSE_IF(
        holder != NULL &&
            (holder->kind != KG__MODEL_MANAGED ||
             count > holder->size - (size_t)((const unsigned char *)pointer - holder->base)),
        cudaErrorInvalidValue);
    KG__REFUSE_IF(device != 0, cudaErrorInvalidDevice);
    return kg__model_leave(cudaSuccess);
}
