/* The CPU model's stand-in for cuda.h: the driver's types, so that headers that name them
 * compile. Of its calls, only those that return an error's name are there; for others use the
 * runtime's. */
#ifndef KG__MODEL_CUDA_H
#define KG__MODEL_CUDA_H

#include "cuda_runtime_api.h"

#include <stdint.h>

#define CUDA_VERSION CUDART_VERSION
#define CUDAAPI

typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaUUID_t CUuuid;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

/* For the tensor memory accelerator: opaque, as in CUDA. */
typedef struct __attribute__((aligned(64))) CUtensorMap {
    cuuint64_t opaque[16];
} CUtensorMap;

/* Error codes shared by the driver and the runtime have the same numbers. */
static inline CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = cudaGetErrorName((cudaError_t)error);
    return CUDA_SUCCESS;
}

static inline CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

#ifdef __cplusplus
#define KG__MODEL_DRIVER(name)                                                                     \
    template <typename... Arguments>                                                               \
    __attribute__((__error__("the CPU model does not support " #name                                   \
                         "(): use CUDA's runtime in its place (docs/model.md)"))) CUresult         \
    name(Arguments &&...);
KG__MODEL_DRIVER(cuInit)
KG__MODEL_DRIVER(cuDeviceGet)
KG__MODEL_DRIVER(cuDeviceGetAttribute)
KG__MODEL_DRIVER(cuCtxCreate)
KG__MODEL_DRIVER(cuCtxGetCurrent)
KG__MODEL_DRIVER(cuMemAlloc)
KG__MODEL_DRIVER(cuMemFree)
KG__MODEL_DRIVER(cuMemcpyHtoD)
KG__MODEL_DRIVER(cuMemcpyDtoH)
KG__MODEL_DRIVER(cuModuleLoadData)
KG__MODEL_DRIVER(cuModuleGetFunction)
KG__MODEL_DRIVER(cuFuncSetAttribute)
KG__MODEL_DRIVER(cuLaunchKernel)
KG__MODEL_DRIVER(cuLaunchKernelEx)
KG__MODEL_DRIVER(cuTensorMapEncodeTiled)
#undef KG__MODEL_DRIVER
#endif

#endif
