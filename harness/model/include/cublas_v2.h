/* The CPU model's stand-in for cublas_v2.h: the types, so that kernels beside host code that calls
 * cuBLAS compile. Its calls do not: a variant of cuBLAS is for GPUs alone. */
#ifndef KG__MODEL_CUBLAS_V2_H
#define KG__MODEL_CUBLAS_V2_H

#include "cuda_runtime_api.h"

typedef struct cublasContext *cublasHandle_t;

typedef enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0 } cublasStatus_t;

typedef enum cublasOperation_t {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2
} cublasOperation_t;

#ifdef __cplusplus
#define KG__MODEL_CUBLAS(name)                                                                     \
    template <typename... Arguments>                                                               \
    __attribute__((error("the CPU model does not support " #name                                   \
                         "(): make the variant one for GPUs alone, GPU_ONLY (docs/model.md)")))    \
    cublasStatus_t                                                                                 \
    name(Arguments &&...);
KG__MODEL_CUBLAS(cublasCreate)
KG__MODEL_CUBLAS(cublasDestroy)
KG__MODEL_CUBLAS(cublasSetStream)
KG__MODEL_CUBLAS(cublasSetMathMode)
KG__MODEL_CUBLAS(cublasSgemv)
KG__MODEL_CUBLAS(cublasSgemm)
KG__MODEL_CUBLAS(cublasDgemm)
KG__MODEL_CUBLAS(cublasHgemm)
KG__MODEL_CUBLAS(cublasGemmEx)
KG__MODEL_CUBLAS(cublasSgemmEx)
KG__MODEL_CUBLAS(cublasSgemmStridedBatched)
KG__MODEL_CUBLAS(cublasGemmStridedBatchedEx)
#undef KG__MODEL_CUBLAS
#endif

#endif
