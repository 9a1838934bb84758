/* SPDX-License-Identifier: MIT */
/* Host calls that others make up: of pitched memory in three dimensions, of the one device, and of
 * earlier toolkits. Part of cuda_runtime_api.h, after kg_model_host_calls.h. */
#pragma once

/* A kernel, for the driver's calls. */
typedef struct CUfunc_st *cudaFunction_t;
KG__MODEL_ANSWER(cudaGetFuncBySymbol, (cudaFunction_t * function, const void *kernel),
                 function != NULL && kernel != NULL, *function = (cudaFunction_t)(uintptr_t)kernel)

/* Pitched memory. */
static inline cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    cudaError_t error;

    if (pitched == NULL)
        return kg__model_take_hint(0);
    error =
        cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return error;
}
static inline cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value,
                                            struct cudaExtent extent,
                                            cudaStream_t stream KG__MODEL_DEFAULT(0))
{
    cudaError_t error = cudaSuccess;

    for (size_t layer = 0; layer < extent.depth && error == cudaSuccess; layer++)
        error = cudaMemset2DAsync((char *)pitched.ptr + layer * pitched.ysize * pitched.pitch,
                                  pitched.pitch, value, extent.width, extent.height, stream);
    return error;
}
static inline cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value,
                                       struct cudaExtent extent)
{
    return cudaMemset3DAsync(pitched, value, extent, 0);
}

/* The device. */
KG__MODEL_HINT(cudaInitDevice, (int device, unsigned int device_flags, unsigned int flags),
               ((void)device_flags, device == 0 && flags == 0))
KG__MODEL_HINT(cudaSetValidDevices, (int *devices, int count),
               devices != NULL && count == 1 && devices[0] == 0)
KG__MODEL_ANSWER(cudaGetDeviceFlags, (unsigned int *flags), flags != NULL, *flags = 0)
KG__MODEL_ANSWER(cudaChooseDevice, (int *device, const struct cudaDeviceProp *properties),
                 device != NULL && properties != NULL, *device = 0)
KG__MODEL_ANSWER(cudaDeviceGetByPCIBusId, (int *device, const char *id),
                 device != NULL && id != NULL, *device = 0)
KG__MODEL_ANSWER(cudaStreamGetDevice, (cudaStream_t stream, int *device),
                 ((void)stream, device != NULL), *device = 0)
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4
};
static inline cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute,
                                                    int device, int peer)
{
    (void)value, (void)attribute, (void)device, (void)peer;
    return kg__model_answer(cudaErrorInvalidDevice);
}
static inline cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    struct cudaPointerAttributes attributes;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, host);

    if (error != cudaSuccess || flags == NULL || attributes.type != cudaMemoryTypeHost)
        return error != cudaSuccess ? error : kg__model_take_hint(0);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

/* Streams and pools: attributes that change nothing are not kept. */
KG__MODEL_HINT(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
               ((void)to, (void)from, 1))
KG__MODEL_HINT(cudaMemPoolSetAccess,
               (cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count),
               ((void)count, pool != NULL && list != NULL))
KG__MODEL_ANSWER(cudaMemPoolGetAccess,
                 (enum cudaMemAccessFlags * flags, cudaMemPool_t pool,
                  struct cudaMemLocation *location),
                 flags != NULL && pool != NULL && location != NULL,
                 *flags = cudaMemAccessFlagsProtReadWrite)

static inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                                  enum cudaMemPoolAttr attribute, void *value)
{
    size_t free_bytes = 0, total_bytes = 0;
    const cudaError_t error = cudaMemGetInfo(&free_bytes, &total_bytes);

    if (error != cudaSuccess || pool == NULL || value == NULL)
        return error != cudaSuccess ? error : kg__model_take_hint(0);
    if (attribute < cudaMemPoolAttrReleaseThreshold)
        *(int *)value = 1;
    else if (attribute == cudaMemPoolAttrUsedMemCurrent ||
             attribute == cudaMemPoolAttrReservedMemCurrent)
        *(uint64_t *)value = total_bytes - free_bytes;
    else
        return kg__model_refuse("memory pools, of this attribute", "cudaMemPoolGetAttribute");
    return cudaSuccess;
}

/* Memory of other processes: programs ask whether the device shares it. */
typedef struct cudaIpcMemHandle_st {
    char reserved[64];
} cudaIpcMemHandle_t;
#define cudaIpcMemLazyEnablePeerAccess 1

static inline cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory)
{
    (void)handle;
    (void)memory;
    return kg__model_refuse("memory of other processes", "cudaIpcGetMemHandle");
}

static inline cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle,
                                               unsigned int flags)
{
    (void)memory;
    (void)handle;
    (void)flags;
    return kg__model_refuse("memory of other processes", "cudaIpcOpenMemHandle");
}

static inline cudaError_t cudaIpcCloseMemHandle(void *memory)
{
    (void)memory;
    return kg__model_refuse("memory of other processes", "cudaIpcCloseMemHandle");
}

/* Of earlier toolkits. */
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2
};
KG__MODEL_HINT(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig config), (int)config <= 2)
KG__MODEL_HINT(cudaFuncSetSharedMemConfig, (const void *kernel, enum cudaSharedMemConfig config),
               kernel != NULL && (int)config <= 2)
KG__MODEL_ANSWER(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig * config), config != NULL,
                 *config = cudaSharedMemBankSizeFourByte)
