/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cublas_v2.h. Programs of `kernelgate nvcc` that link cuBLAS have its
 * calls from kg_model_cublas_*.h. Elsewhere, so that kernels compile next to host code that calls
 * cuBLAS, they report and return CUBLAS_STATUS_NOT_SUPPORTED. */
#pragma once
/* By which programs see that it is included. */
#define CUBLAS_V2_H_
#define CUBLAS_API_H_

#include "cuComplex.h"
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#else
#include "cuda_runtime_api.h"
#endif
#include "library_types.h"

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)
#define CUBLASWINAPI

typedef struct cublasContext *cublasHandle_t;

#define KG__MODEL_CUBLAS_STATUSES(X)                                                               \
    X(CUBLAS_STATUS_SUCCESS, 0, "success")                                                         \
    X(CUBLAS_STATUS_NOT_INITIALIZED, 1, "the library was not initialized")                         \
    X(CUBLAS_STATUS_ALLOC_FAILED, 3, "the resource allocation failed")                             \
    X(CUBLAS_STATUS_INVALID_VALUE, 7,                                                              \
      "an unsupported value or parameter was passed to the function")                              \
    X(CUBLAS_STATUS_ARCH_MISMATCH, 8, "an absent device architectural feature is required")        \
    X(CUBLAS_STATUS_MAPPING_ERROR, 11, "an access to GPU memory space failed")                     \
    X(CUBLAS_STATUS_EXECUTION_FAILED, 13, "the GPU program failed to execute")                     \
    X(CUBLAS_STATUS_INTERNAL_ERROR, 14, "an internal operation failed")                            \
    X(CUBLAS_STATUS_NOT_SUPPORTED, 15, "the functionality is not supported")                       \
    X(CUBLAS_STATUS_LICENSE_ERROR, 16, "the license check failed")
#define KG__MODEL_STATUS(name, value, text) name = (value),
typedef enum cublasStatus_t { KG__MODEL_CUBLAS_STATUSES(KG__MODEL_STATUS) } cublasStatus_t;
#undef KG__MODEL_STATUS

typedef enum cublasOperation_t {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum cublasFillMode_t {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum cublasSideMode_t { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum cublasPointerMode_t {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1
} cublasPointerMode_t;
typedef enum cublasAtomicsMode_t {
    CUBLAS_ATOMICS_NOT_ALLOWED = 0,
    CUBLAS_ATOMICS_ALLOWED = 1
} cublasAtomicsMode_t;
#define KG__MODEL_ALGORITHM(n) CUBLAS_GEMM_ALGO##n = (n)
#define KG__MODEL_ALGORITHM_TOO(n)                                                                 \
    KG__MODEL_ALGORITHM(n), CUBLAS_GEMM_ALGO##n##_TENSOR_OP = 100 + (n)
typedef enum cublasGemmAlgo_t {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    KG__MODEL_ALGORITHM_TOO(0),
    KG__MODEL_ALGORITHM_TOO(1),
    KG__MODEL_ALGORITHM_TOO(2),
    KG__MODEL_ALGORITHM_TOO(3),
    KG__MODEL_ALGORITHM_TOO(4),
    KG__MODEL_ALGORITHM_TOO(5),
    KG__MODEL_ALGORITHM_TOO(6),
    KG__MODEL_ALGORITHM_TOO(7),
    KG__MODEL_ALGORITHM_TOO(8),
    KG__MODEL_ALGORITHM_TOO(9),
    KG__MODEL_ALGORITHM_TOO(10),
    KG__MODEL_ALGORITHM_TOO(11),
    KG__MODEL_ALGORITHM_TOO(12),
    KG__MODEL_ALGORITHM_TOO(13),
    KG__MODEL_ALGORITHM_TOO(14),
    KG__MODEL_ALGORITHM_TOO(15),
    KG__MODEL_ALGORITHM(16),
    KG__MODEL_ALGORITHM(17),
    KG__MODEL_ALGORITHM(18),
    KG__MODEL_ALGORITHM(19),
    KG__MODEL_ALGORITHM(20),
    KG__MODEL_ALGORITHM(21),
    KG__MODEL_ALGORITHM(22),
    KG__MODEL_ALGORITHM(23),
    CUBLAS_GEMM_AUTOTUNE = 999,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99
} cublasGemmAlgo_t;
#undef KG__MODEL_ALGORITHM
#undef KG__MODEL_ALGORITHM_TOO
typedef enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
    CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;
typedef enum cublasEmulationStrategy_t {
    CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
    CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
    CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;
typedef void (*cublasLogCallback)(const char *message);
typedef cudaDataType cublasDataType_t;

#define KG__MODEL_STATUS(name, value, text)                                                        \
    if ((int)status == (value))                                                                    \
        return is_name ? #name : text;
/* Returns a status's name, or its text; a literal. */
static inline const char *kg__model_cublas_status(cublasStatus_t status, int is_name)
{
    KG__MODEL_CUBLAS_STATUSES(KG__MODEL_STATUS)
    return "unrecognized status";
}
#undef KG__MODEL_STATUS
static inline const char *cublasGetStatusName(cublasStatus_t status)
{
    return kg__model_cublas_status(status, 1);
}
static inline const char *cublasGetStatusString(cublasStatus_t status)
{
    return kg__model_cublas_status(status, 0);
}
static inline cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    if ((int)type < MAJOR_VERSION || (int)type > PATCH_LEVEL || value == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
             : type == MINOR_VERSION ? CUBLAS_VER_MINOR
                                     : CUBLAS_VER_PATCH;
    return CUBLAS_STATUS_SUCCESS;
}

#include "kg_model_cublas_calls.h"

#define KG__CUBLAS_DECLARE(name, parameters) cublasStatus_t name parameters;
#ifdef __cplusplus
extern "C" {
#else
typedef struct __half __half;
typedef struct __nv_bfloat16 __nv_bfloat16;
#endif
cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version);
/* Their names in NVIDIA's library, which some sources use. */
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasGetVersion_v2 cublasGetVersion
#define cublasSetStream_v2 cublasSetStream
#define cublasSgemm_v2 cublasSgemm
#define cublasDgemm_v2 cublasDgemm
KG__CUBLAS_SETUP_CALLS(KG__CUBLAS_DECLARE)
KG__CUBLAS_CALLS(KG__CUBLAS_DECLARE)
#ifdef __cplusplus
}

/* The type of a computation as that of an element, as before CUDA 11. */
static inline cublasComputeType_t kg__model_compute_type(cudaDataType type)
{
    return type == CUDA_R_16F                         ? CUBLAS_COMPUTE_16F
           : type == CUDA_R_64F || type == CUDA_C_64F ? CUBLAS_COMPUTE_64F
           : type == CUDA_R_32I                       ? CUBLAS_COMPUTE_32I
                                                      : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType a_type,
                                          int lda, const void *b, cudaDataType b_type, int ldb,
                                          const void *beta, void *c, cudaDataType c_type, int ldc,
                                          cudaDataType compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,
                        beta, c, c_type, ldc, kg__model_compute_type(compute), algorithm);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType a_type, int lda, long long a_step, const void *b,
    cudaDataType b_type, int ldb, long long b_step, const void *beta, void *c, cudaDataType c_type,
    int ldc, long long c_step, int count, cudaDataType compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda,
                                      a_step, b, b_type, ldb, b_step, beta, c, c_type, ldc, c_step,
                                      count, kg__model_compute_type(compute), algorithm);
}
static inline cublasStatus_t
cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    int m, int n, int k, const void *alpha, const void *const a[],
                    cudaDataType a_type, int lda, const void *const b[], cudaDataType b_type,
                    int ldb, const void *beta, void *const c[], cudaDataType c_type, int ldc,
                    int count, cudaDataType compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type,
                               ldb, beta, c, c_type, ldc, count, kg__model_compute_type(compute),
                               algorithm);
}

/* Notes that a product has failed whose status the source drops. */
static inline void kg__model_call_dropped(cublasStatus_t status, const char *call)
{
    kg__model_call_dropped(status == CUBLAS_STATUS_SUCCESS         ? cudaSuccess
                           : status == CUBLAS_STATUS_INVALID_VALUE ? cudaErrorInvalidValue
                                                                   : cudaErrorUnknown,
                           call);
}
#endif
#undef KG__CUBLAS_DECLARE
