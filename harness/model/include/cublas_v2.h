/* The CPU model's stand-in for cublas_v2.h, so that kernels compile next to host code that calls
 * cuBLAS. A handle can be made and set up; calls that compute report and return
 * CUBLAS_STATUS_NOT_SUPPORTED. */
#ifndef KG__MODEL_CUBLAS_V2_H
#define KG__MODEL_CUBLAS_V2_H

#include "cuComplex.h"
#include "cuda_bf16.h"
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
    X(CUBLAS_STATUS_INVALID_VALUE, 7, "an invalid value was used as an argument")                  \
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
typedef enum cublasGemmAlgo_t {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
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
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

#define KG__MODEL_STATUS(name, value, text)                                                        \
    if ((int)status == (value))                                                                    \
        return is_name ? #name : text;
/* Returns a status's name, or its text; a literal. */
static inline const char *kg__model_cublas_status(cublasStatus_t status, int is_name)
{
    KG__MODEL_CUBLAS_STATUSES(KG__MODEL_STATUS)
    return "unknown status";
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

#ifdef __cplusplus

/* Calls that set up a handle have no effect. */
#define KG__MODEL_CUBLAS(name)                                                                     \
    template <typename... Arguments>                                                               \
    static inline cublasStatus_t name(cublasHandle_t, Arguments &&...)                             \
    {                                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
KG__MODEL_CUBLAS(cublasDestroy)
KG__MODEL_CUBLAS(cublasSetStream)
KG__MODEL_CUBLAS(cublasSetWorkspace)
KG__MODEL_CUBLAS(cublasSetMathMode)
KG__MODEL_CUBLAS(cublasSetPointerMode)
KG__MODEL_CUBLAS(cublasSetAtomicsMode)
KG__MODEL_CUBLAS(cublasSetSmCountTarget)
#undef KG__MODEL_CUBLAS
static inline cublasStatus_t cublasLoggerConfigure(int, int, int, const char *)
{
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    static char any;

    *handle = reinterpret_cast<cublasHandle_t>(&any);
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasGetVersion(cublasHandle_t, int *version)
{
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

#define KG__MODEL_CUBLAS(name)                                                                     \
    template <typename... Arguments>                                                               \
    static inline cublasStatus_t name(Arguments &&...)                                             \
    {                                                                                              \
        (void)kg__model_refuse("cuBLAS", #name);                                                   \
        return CUBLAS_STATUS_NOT_SUPPORTED;                                                        \
    }
#define KG__MODEL_REAL(name) KG__MODEL_CUBLAS(cublasS##name) KG__MODEL_CUBLAS(cublasD##name)
#define KG__MODEL_COMPLEX(name) KG__MODEL_CUBLAS(cublasC##name) KG__MODEL_CUBLAS(cublasZ##name)
#define KG__MODEL_ALL(name) KG__MODEL_REAL(name) KG__MODEL_COMPLEX(name)
// clang-format off
#define KG__MODEL_OF_REAL(X) X(dot) X(nrm2) X(asum) X(ger) X(syr) X(symv)
#define KG__MODEL_OF_COMPLEX(X) X(dotc) X(dotu) X(gerc) X(geru) X(hemv) X(hemm) X(herk)
#define KG__MODEL_OF_ALL(X)                                                                        \
    X(axpy) X(copy) X(scal) X(swap) X(rot) X(gemv) X(gemvBatched) X(gemvStridedBatched) X(gemm)    \
    X(gemmBatched) X(gemmStridedBatched) X(geam) X(dgmm) X(symm) X(syrk) X(syr2k) X(trmm)          \
    X(trmv) X(trsv) X(trsm) X(trsmBatched) X(getrfBatched) X(getriBatched) X(getrsBatched)         \
    X(geqrfBatched) X(gelsBatched) X(matinvBatched)
#define KG__MODEL_NAMED(X)                                                                         \
    X(cublasScnrm2) X(cublasDznrm2) X(cublasScasum) X(cublasDzasum) X(cublasIsamax)                \
    X(cublasIdamax) X(cublasIcamax) X(cublasIzamax) X(cublasIsamin) X(cublasIdamin)                \
    X(cublasHgemm) X(cublasHgemmBatched) X(cublasHgemmStridedBatched) X(cublasSgemmEx)             \
    X(cublasCgemmEx) X(cublasGemmEx) X(cublasGemmBatchedEx) X(cublasGemmStridedBatchedEx)          \
    X(cublasAxpyEx) X(cublasDotEx) X(cublasNrm2Ex) X(cublasScalEx) X(cublasSetVector)              \
    X(cublasGetVector) X(cublasSetMatrix) X(cublasGetMatrix)
// clang-format on
KG__MODEL_OF_REAL(KG__MODEL_REAL)
KG__MODEL_OF_COMPLEX(KG__MODEL_COMPLEX)
KG__MODEL_OF_ALL(KG__MODEL_ALL)
KG__MODEL_NAMED(KG__MODEL_CUBLAS)
#undef KG__MODEL_OF_ALL
#undef KG__MODEL_OF_REAL
#undef KG__MODEL_OF_COMPLEX
#undef KG__MODEL_NAMED
#undef KG__MODEL_ALL
#undef KG__MODEL_COMPLEX
#undef KG__MODEL_REAL
#undef KG__MODEL_CUBLAS
#endif

#endif
