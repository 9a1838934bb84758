/* The CPU model's stand-in for cublasLt.h, so that programs compile that choose one of several
 * products. Descriptions can be made and set; cublasLtMatmul() reports and returns
 * CUBLAS_STATUS_NOT_SUPPORTED. */
#ifndef KG__MODEL_CUBLAS_LT_H
#define KG__MODEL_CUBLAS_LT_H

#include "cublas_v2.h"

typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cublasLtMatmulDescOpaque *cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayoutOpaque *cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreferenceOpaque *cublasLtMatmulPreference_t;

typedef struct cublasLtMatmulAlgo_t {
    uint64_t data[8];
} cublasLtMatmulAlgo_t;

typedef struct cublasLtMatmulHeuristicResult_t {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
    int reserved[4];
} cublasLtMatmulHeuristicResult_t;

typedef enum cublasLtMatmulDescAttributes_t {
    CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0,
    CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
    CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
    CUBLASLT_MATMUL_DESC_TRANSA = 3,
    CUBLASLT_MATMUL_DESC_TRANSB = 4,
    CUBLASLT_MATMUL_DESC_TRANSC = 5,
    CUBLASLT_MATMUL_DESC_FILL_MODE = 6,
    CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11,
    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12,
    CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26
} cublasLtMatmulDescAttributes_t;

typedef enum cublasLtMatmulPreferenceAttributes_t {
    CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0,
    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1
} cublasLtMatmulPreferenceAttributes_t;

typedef enum cublasLtMatrixLayoutAttribute_t {
    CUBLASLT_MATRIX_LAYOUT_TYPE = 0,
    CUBLASLT_MATRIX_LAYOUT_ORDER = 1,
    CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
    CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6
} cublasLtMatrixLayoutAttribute_t;

typedef enum cublasLtEpilogue_t {
    CUBLASLT_EPILOGUE_DEFAULT = 1,
    CUBLASLT_EPILOGUE_RELU = 2,
    CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_EPILOGUE_RELU_BIAS = 6,
    CUBLASLT_EPILOGUE_GELU = 32,
    CUBLASLT_EPILOGUE_GELU_BIAS = 36,
    CUBLASLT_EPILOGUE_GELU_AUX = 160,
    CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164,
    CUBLASLT_EPILOGUE_DGELU = 192,
    CUBLASLT_EPILOGUE_BGRADA = 256,
    CUBLASLT_EPILOGUE_BGRADB = 512
} cublasLtEpilogue_t;

#ifdef __cplusplus

#define KG__MODEL_CREATE(name, type)                                                               \
    template <typename... Arguments>                                                               \
    static inline cublasStatus_t cublasLt##name##Create(type *made, Arguments &&...)               \
    {                                                                                              \
        static char any;                                                                           \
                                                                                                   \
        *made = reinterpret_cast<type>(&any);                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    static inline cublasStatus_t cublasLt##name##Destroy(type)                                     \
    {                                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    template <typename Attribute>                                                                  \
    static inline cublasStatus_t cublasLt##name##SetAttribute(type, Attribute, const void *,       \
                                                              size_t)                              \
    {                                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
KG__MODEL_CREATE(, cublasLtHandle_t)
KG__MODEL_CREATE(MatmulDesc, cublasLtMatmulDesc_t)
KG__MODEL_CREATE(MatrixLayout, cublasLtMatrixLayout_t)
KG__MODEL_CREATE(MatmulPreference, cublasLtMatmulPreference_t)
#undef KG__MODEL_CREATE

static inline cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                               cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                               cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int requested,
                               cublasLtMatmulHeuristicResult_t *results, int *returned)
{
    *returned = requested > 0;
    if (requested > 0)
        results[0] = {};
    return CUBLAS_STATUS_SUCCESS;
}

template <typename... Arguments>
static inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t, Arguments &&...)
{
    (void)kg__model_refuse("cuBLAS", "cublasLtMatmul");
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
#endif

#endif
