/* SPDX-License-Identifier: MIT */
/* The calls of cuBLAS. Included by cublas_v2.h. */
#pragma once

/* The calls: X(name, parameters), for each element type where T and its letter stand. R is the
 * real type of T. */
#define KG__CUBLAS_ON(X, L, l, T, R, NRM, ASUM)                                                    \
    X(cublas##L##axpy, (cublasHandle_t, int, const T *, const T *, int, T *, int))                 \
    X(cublas##L##copy, (cublasHandle_t, int, const T *, int, T *, int))                            \
    X(cublas##L##swap, (cublasHandle_t, int, T *, int, T *, int))                                  \
    X(cublas##L##scal, (cublasHandle_t, int, const T *, T *, int))                                 \
    X(cublas##NRM, (cublasHandle_t, int, const T *, int, R *))                                     \
    X(cublas##ASUM, (cublasHandle_t, int, const T *, int, R *))                                    \
    X(cublasI##l##amax, (cublasHandle_t, int, const T *, int, int *))                              \
    X(cublasI##l##amin, (cublasHandle_t, int, const T *, int, int *))                              \
    X(cublas##L##gemv, (cublasHandle_t, cublasOperation_t, int, int, const T *, const T *, int,    \
                        const T *, int, const T *, T *, int))                                      \
    X(cublas##L##symv, (cublasHandle_t, cublasFillMode_t, int, const T *, const T *, int,          \
                        const T *, int, const T *, T *, int))                                      \
    X(cublas##L##trsv, (cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,     \
                        int, const T *, int, T *, int))                                            \
    X(cublas##L##trmv, (cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,     \
                        int, const T *, int, T *, int))                                            \
    X(cublas##L##gemm, (cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,       \
                        const T *, const T *, int, const T *, int, const T *, T *, int))           \
    X(cublas##L##gemmBatched,                                                                      \
      (cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const T *,             \
       const T *const[], int, const T *const[], int, const T *, T *const[], int, int))             \
    X(cublas##L##gemmStridedBatched,                                                               \
      (cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const T *, const T *,  \
       int, long long, const T *, int, long long, const T *, T *, int, long long, int))            \
    X(cublas##L##symm, (cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int, int, const T *,   \
                        const T *, int, const T *, int, const T *, T *, int))                      \
    X(cublas##L##syrk, (cublasHandle_t, cublasFillMode_t, cublasOperation_t, int, int, const T *,  \
                        const T *, int, const T *, T *, int))                                      \
    X(cublas##L##trsm, (cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,     \
                        cublasDiagType_t, int, int, const T *, const T *, int, T *, int))          \
    X(cublas##L##trsmBatched,                                                                      \
      (cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,    \
       int, int, const T *, const T *const[], int, T *const[], int, int))                          \
    X(cublas##L##trmm,                                                                             \
      (cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,    \
       int, int, const T *, const T *, int, const T *, int, T *, int))                             \
    X(cublas##L##geam, (cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, const T *, \
                        const T *, int, const T *, const T *, int, T *, int))                      \
    X(cublas##L##dgmm,                                                                             \
      (cublasHandle_t, cublasSideMode_t, int, int, const T *, int, const T *, int, T *, int))      \
    X(cublas##L##getrfBatched, (cublasHandle_t, int, T *const[], int, int *, int *, int))          \
    X(cublas##L##getrsBatched, (cublasHandle_t, cublasOperation_t, int, int, const T *const[],     \
                                int, const int *, T *const[], int, int *, int))                    \
    X(cublas##L##getriBatched,                                                                     \
      (cublasHandle_t, int, const T *const[], int, const int *, T *const[], int, int *, int))
#define KG__CUBLAS_DOT(X, name, T)                                                                 \
    X(name, (cublasHandle_t, int, const T *, int, const T *, int, T *))
#define KG__CUBLAS_GER(X, name, T)                                                                 \
    X(name, (cublasHandle_t, int, int, const T *, const T *, int, const T *, int, T *, int))
#define KG__CUBLAS_EX cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int
#define KG__CUBLAS_CALLS(X)                                                                        \
    KG__CUBLAS_ON(X, S, s, float, float, Snrm2, Sasum)                                             \
    KG__CUBLAS_ON(X, D, d, double, double, Dnrm2, Dasum)                                           \
    KG__CUBLAS_ON(X, C, c, cuComplex, float, Scnrm2, Scasum)                                       \
    KG__CUBLAS_ON(X, Z, z, cuDoubleComplex, double, Dznrm2, Dzasum)                                \
    KG__CUBLAS_DOT(X, cublasSdot, float)                                                           \
    KG__CUBLAS_DOT(X, cublasDdot, double)                                                          \
    KG__CUBLAS_DOT(X, cublasCdotu, cuComplex)                                                      \
    KG__CUBLAS_DOT(X, cublasCdotc, cuComplex)                                                      \
    KG__CUBLAS_DOT(X, cublasZdotu, cuDoubleComplex)                                                \
    KG__CUBLAS_DOT(X, cublasZdotc, cuDoubleComplex)                                                \
    KG__CUBLAS_GER(X, cublasSger, float)                                                           \
    KG__CUBLAS_GER(X, cublasDger, double)                                                          \
    KG__CUBLAS_GER(X, cublasCgeru, cuComplex)                                                      \
    KG__CUBLAS_GER(X, cublasCgerc, cuComplex)                                                      \
    KG__CUBLAS_GER(X, cublasZgeru, cuDoubleComplex)                                                \
    KG__CUBLAS_GER(X, cublasZgerc, cuDoubleComplex)                                                \
    X(cublasCsscal, (cublasHandle_t, int, const float *, cuComplex *, int))                        \
    X(cublasZdscal, (cublasHandle_t, int, const double *, cuDoubleComplex *, int))                 \
    X(cublasAxpyEx, (cublasHandle_t, int, const void *, cudaDataType, const void *, cudaDataType,  \
                     int, void *, cudaDataType, int, cudaDataType))                                \
    X(cublasDotEx, (cublasHandle_t, int, const void *, cudaDataType, int, const void *,            \
                    cudaDataType, int, void *, cudaDataType, cudaDataType))                        \
    X(cublasDotcEx, (cublasHandle_t, int, const void *, cudaDataType, int, const void *,           \
                     cudaDataType, int, void *, cudaDataType, cudaDataType))                       \
    X(cublasNrm2Ex,                                                                                \
      (cublasHandle_t, int, const void *, cudaDataType, int, void *, cudaDataType, cudaDataType))  \
    X(cublasScalEx,                                                                                \
      (cublasHandle_t, int, const void *, cudaDataType, void *, cudaDataType, int, cudaDataType))  \
    X(cublasHgemm, (KG__CUBLAS_EX, const __half *, const __half *, int, const __half *, int,       \
                    const __half *, __half *, int))                                                \
    X(cublasHgemmBatched, (KG__CUBLAS_EX, const __half *, const __half *const[], int,              \
                           const __half *const[], int, const __half *, __half *const[], int, int)) \
    X(cublasHgemmStridedBatched,                                                                   \
      (KG__CUBLAS_EX, const __half *, const __half *, int, long long, const __half *, int,         \
       long long, const __half *, __half *, int, long long, int))                                  \
    X(cublasSgemmEx, (KG__CUBLAS_EX, const float *, const void *, cudaDataType, int, const void *, \
                      cudaDataType, int, const float *, void *, cudaDataType, int))                \
    X(cublasGemmEx,                                                                                \
      (KG__CUBLAS_EX, const void *, const void *, cudaDataType, int, const void *, cudaDataType,   \
       int, const void *, void *, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t))       \
    X(cublasGemmBatchedEx, (KG__CUBLAS_EX, const void *, const void *const[], cudaDataType, int,   \
                            const void *const[], cudaDataType, int, const void *, void *const[],   \
                            cudaDataType, int, int, cublasComputeType_t, cublasGemmAlgo_t))        \
    X(cublasGemmStridedBatchedEx,                                                                  \
      (KG__CUBLAS_EX, const void *, const void *, cudaDataType, int, long long, const void *,      \
       cudaDataType, int, long long, const void *, void *, cudaDataType, int, long long, int,      \
       cublasComputeType_t, cublasGemmAlgo_t))                                                     \
    X(cublasSetVector, (int, int, const void *, int, void *, int))                                 \
    X(cublasGetVector, (int, int, const void *, int, void *, int))                                 \
    X(cublasSetMatrix, (int, int, int, const void *, int, void *, int))                            \
    X(cublasGetMatrix, (int, int, int, const void *, int, void *, int))                            \
    X(cublasSetVectorAsync, (int, int, const void *, int, void *, int, cudaStream_t))              \
    X(cublasGetVectorAsync, (int, int, const void *, int, void *, int, cudaStream_t))              \
    X(cublasSetMatrixAsync, (int, int, int, const void *, int, void *, int, cudaStream_t))         \
    X(cublasGetMatrixAsync, (int, int, int, const void *, int, void *, int, cudaStream_t))

/* These succeed without the library too, so that a handle can be made and set up. */
#define KG__CUBLAS_SETUP_CALLS(X)                                                                  \
    X(cublasDestroy, (cublasHandle_t))                                                             \
    X(cublasSetStream, (cublasHandle_t, cudaStream_t))                                             \
    X(cublasGetStream, (cublasHandle_t, cudaStream_t *))                                           \
    X(cublasSetPointerMode, (cublasHandle_t, cublasPointerMode_t))                                 \
    X(cublasGetPointerMode, (cublasHandle_t, cublasPointerMode_t *))                               \
    X(cublasSetMathMode, (cublasHandle_t, cublasMath_t))                                           \
    X(cublasGetMathMode, (cublasHandle_t, cublasMath_t *))                                         \
    X(cublasSetAtomicsMode, (cublasHandle_t, cublasAtomicsMode_t))                                 \
    X(cublasSetWorkspace, (cublasHandle_t, void *, size_t))                                        \
    X(cublasSetSmCountTarget, (cublasHandle_t, int))                                               \
    X(cublasLoggerConfigure, (int, int, int, const char *))
