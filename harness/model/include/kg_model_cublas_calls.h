/* SPDX-License-Identifier: MIT */
/* The calls of cuBLAS. Included by cublas_v2.h. */
#pragma once

/* Parameters that calls share, with their names for definitions. */
#define KG__CUBLAS_STORED cublasHandle_t handle, cublasFillMode_t fill
#define KG__CUBLAS_GENERAL cublasHandle_t handle, cublasOperation_t op, int m, int n
#define KG__CUBLAS_TRIANGLE KG__CUBLAS_STORED, cublasOperation_t op, cublasDiagType_t unit, int n
#define KG__CUBLAS_MV(S, T) const S *alpha, const T *a, int lda, const T *x, int incx, const S *beta
#define KG__CUBLAS_GEMV(T) (KG__CUBLAS_GENERAL, KG__CUBLAS_MV(T, T), T * y, int incy)
#define KG__CUBLAS_GBMV(T) (KG__CUBLAS_GENERAL, int kl, int ku, KG__CUBLAS_MV(T, T), T *y, int incy)
#define KG__CUBLAS_SYMV(T) (KG__CUBLAS_STORED, int n, KG__CUBLAS_MV(T, T), T *y, int incy)
#define KG__CUBLAS_SBMV(T) (KG__CUBLAS_STORED, int n, int k, KG__CUBLAS_MV(T, T), T *y, int incy)
#define KG__CUBLAS_SPMV(T)                                                                         \
    (KG__CUBLAS_STORED, int n, const T *alpha, const T *a, const T *x, int incx, const T *beta,    \
     T *y, int incy)
#define KG__CUBLAS_MV_BATCHED(S, T, U)                                                             \
    (KG__CUBLAS_GENERAL, const S *alpha, const T *const a[], int lda, const T *const x[],          \
     int incx, const S *beta, U *const y[], int incy, int count)
#define KG__CUBLAS_MV_STRIDED(S, T, U)                                                             \
    (KG__CUBLAS_GENERAL, const S *alpha, const T *a, int lda, long long stepa, const T *x,         \
     int incx, long long stepx, const S *beta, U *y, int incy, long long stepy, int count)
#define KG__CUBLAS_TRMV(T) (KG__CUBLAS_TRIANGLE, const T *a, int lda, T *x, int incx)
#define KG__CUBLAS_TBMV(T) (KG__CUBLAS_TRIANGLE, int k, const T *a, int lda, T *x, int incx)
#define KG__CUBLAS_TPMV(T) (KG__CUBLAS_TRIANGLE, const T *a, T *x, int incx)
#define KG__CUBLAS_SPR(S, T) (KG__CUBLAS_STORED, int n, const S *alpha, const T *x, int incx, T *a)
#define KG__CUBLAS_SYR(S, T)                                                                       \
    (KG__CUBLAS_STORED, int n, const S *alpha, const T *x, int incx, T *a, int lda)
#define KG__CUBLAS_SPR2(T)                                                                         \
    (KG__CUBLAS_STORED, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a)
#define KG__CUBLAS_SYR2(T)                                                                         \
    (KG__CUBLAS_STORED, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a,   \
     int lda)
#define KG__CUBLAS_GER(T)                                                                          \
    (cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, const T *y,        \
     int incy, T *a, int lda)
#define KG__CUBLAS_DOT(T)                                                                          \
    (cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result)
#define KG__CUBLAS_TPTTR(T) (KG__CUBLAS_STORED, int n, const T *ap, T *a, int lda)
#define KG__CUBLAS_TRTTP(T) (KG__CUBLAS_STORED, int n, const T *a, int lda, T *ap)
#define KG__CUBLAS_SYMM(T)                                                                         \
    (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,            \
     const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)
#define KG__CUBLAS_SYRK(T, S)                                                                      \
    (KG__CUBLAS_STORED, cublasOperation_t op, int n, int k, const S *alpha, const T *a, int lda,   \
     const S *beta, T *c, int ldc)
#define KG__CUBLAS_SYRK_EX(S)                                                                      \
    (KG__CUBLAS_STORED, cublasOperation_t op, int n, int k, const S *alpha, const void *a,         \
     cudaDataType a_type, int lda, const S *beta, void *c, cudaDataType c_type, int ldc)
#define KG__CUBLAS_SYR2K(T, S)                                                                     \
    (KG__CUBLAS_STORED, cublasOperation_t op, int n, int k, const T *alpha, const T *a, int lda,   \
     const T *b, int ldb, const S *beta, T *c, int ldc)
#define KG__CUBLAS_SIDED                                                                           \
    cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,     \
        cublasDiagType_t unit, int m, int n
#define KG__CUBLAS_TRMM(T)                                                                         \
    (KG__CUBLAS_SIDED, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc)
#define KG__CUBLAS_TRSM(T) (KG__CUBLAS_SIDED, const T *alpha, const T *a, int lda, T *b, int ldb)
#define KG__CUBLAS_TRSM_BATCHED(T)                                                                 \
    (KG__CUBLAS_SIDED, const T *alpha, const T *const a[], int lda, T *const b[], int ldb,         \
     int count)
#define KG__CUBLAS_MATINV(T)                                                                       \
    (cublasHandle_t handle, int n, const T *const a[], int lda, T *const c[], int ldc, int *infos, \
     int count)
#define KG__CUBLAS_GEMM_OF_TYPES(T)                                                                \
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,      \
     int k, const T *alpha, const void *a, cudaDataType a_type, int lda, const void *b,            \
     cudaDataType b_type, int ldb, const T *beta, void *c, cudaDataType c_type, int ldc)
#define KG__CUBLAS_GROUPS_OF                                                                       \
    cublasHandle_t handle, const cublasOperation_t transa[], const cublasOperation_t transb[],     \
        const int m[], const int n[], const int k[]
#define KG__CUBLAS_GEMM_GROUPED(T)                                                                 \
    (KG__CUBLAS_GROUPS_OF, const T alpha[], const T *const a[], const int lda[],                   \
     const T *const b[], const int ldb[], const T beta[], T *const c[], const int ldc[],           \
     int groups, const int sizes[])
#define KG__CUBLAS_GEMM_GROUPED_EX                                                                 \
    (KG__CUBLAS_GROUPS_OF, const void *alpha, const void *const a[], cudaDataType a_type,          \
     const int lda[], const void *const b[], cudaDataType b_type, const int ldb[],                 \
     const void *beta, void *const c[], cudaDataType c_type, const int ldc[], int groups,          \
     const int sizes[], cublasComputeType_t compute)
#define KG__CUBLAS_ROT(T, R, S)                                                                    \
    (cublasHandle_t handle, int n, T *x, int incx, T *y, int incy, const R *c, const S *s)
#define KG__CUBLAS_ROTG(T, R) (cublasHandle_t handle, T * a, T * b, R * c, T * s)
#define KG__CUBLAS_ROTM(T)                                                                         \
    (cublasHandle_t handle, int n, T *x, int incx, T *y, int incy, const T *param)
#define KG__CUBLAS_ROTMG(T) (cublasHandle_t handle, T * d1, T * d2, T * x1, const T *y1, T *param)
#define KG__CUBLAS_X int n, const void *x, cudaDataType x_type, int incx
#define KG__CUBLAS_XY                                                                              \
    int n, void *x, cudaDataType x_type, int incx, void *y, cudaDataType y_type, int incy
#define KG__CUBLAS_ROT_EX                                                                          \
    (cublasHandle_t handle, KG__CUBLAS_XY, const void *c, const void *s, cudaDataType type,        \
     cudaDataType execution)
#define KG__CUBLAS_ROTG_EX                                                                         \
    (cublasHandle_t handle, void *a, void *b, cudaDataType type, void *c, void *s,                 \
     cudaDataType cs_type, cudaDataType execution)
#define KG__CUBLAS_ROTM_EX                                                                         \
    (cublasHandle_t handle, KG__CUBLAS_XY, const void *param, cudaDataType type,                   \
     cudaDataType execution)
#define KG__CUBLAS_ROTMG_EX                                                                        \
    (cublasHandle_t handle, void *d1, cudaDataType d1_type, void *d2, cudaDataType d2_type,        \
     void *x1, cudaDataType x1_type, const void *y1, cudaDataType y1_type, void *param,            \
     cudaDataType type, cudaDataType execution)
#define KG__CUBLAS_COPY_EX                                                                         \
    (cublasHandle_t handle, KG__CUBLAS_X, void *y, cudaDataType y_type, int incy)
#define KG__CUBLAS_SWAP_EX (cublasHandle_t handle, KG__CUBLAS_XY)
#define KG__CUBLAS_ASUM_EX                                                                         \
    (cublasHandle_t handle, KG__CUBLAS_X, void *result, cudaDataType type, cudaDataType execution)
#define KG__CUBLAS_IAMAX_EX (cublasHandle_t handle, KG__CUBLAS_X, int *result)

#define KG__CUBLAS_EX cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int
#define KG__CUBLAS_GEMM(X, name, T)                                                                \
    X(name, (KG__CUBLAS_EX, const T *, const T *, int, const T *, int, const T *, T *, int))
#define KG__CUBLAS_GEMMS(X, name, T)                                                               \
    KG__CUBLAS_GEMM(X, name, T)                                                                    \
    X(name##Batched, (KG__CUBLAS_EX, const T *, const T *const[], int, const T *const[], int,      \
                      const T *, T *const[], int, int))                                            \
    X(name##StridedBatched, (KG__CUBLAS_EX, const T *, const T *, int, long long, const T *, int,  \
                             long long, const T *, T *, int, long long, int))
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
    X(cublas##L##gemv, KG__CUBLAS_GEMV(T))                                                         \
    X(cublas##L##gbmv, KG__CUBLAS_GBMV(T))                                                         \
    X(cublas##L##symv, KG__CUBLAS_SYMV(T))                                                         \
    X(cublas##L##gemvBatched, KG__CUBLAS_MV_BATCHED(T, T, T))                                      \
    X(cublas##L##gemvStridedBatched, KG__CUBLAS_MV_STRIDED(T, T, T))                               \
    X(cublas##L##trmv, KG__CUBLAS_TRMV(T))                                                         \
    X(cublas##L##trsv, KG__CUBLAS_TRMV(T))                                                         \
    X(cublas##L##tbmv, KG__CUBLAS_TBMV(T))                                                         \
    X(cublas##L##tbsv, KG__CUBLAS_TBMV(T))                                                         \
    X(cublas##L##tpmv, KG__CUBLAS_TPMV(T))                                                         \
    X(cublas##L##tpsv, KG__CUBLAS_TPMV(T))                                                         \
    X(cublas##L##syr, KG__CUBLAS_SYR(T, T))                                                        \
    X(cublas##L##syr2, KG__CUBLAS_SYR2(T))                                                         \
    X(cublas##L##tpttr, KG__CUBLAS_TPTTR(T))                                                       \
    X(cublas##L##trttp, KG__CUBLAS_TRTTP(T))                                                       \
    X(cublas##L##symm, KG__CUBLAS_SYMM(T))                                                         \
    X(cublas##L##syrk, KG__CUBLAS_SYRK(T, T))                                                      \
    X(cublas##L##syr2k, KG__CUBLAS_SYR2K(T, T))                                                    \
    X(cublas##L##syrkx, KG__CUBLAS_SYR2K(T, T))                                                    \
    X(cublas##L##trmm, KG__CUBLAS_TRMM(T))                                                         \
    X(cublas##L##trsm, KG__CUBLAS_TRSM(T))                                                         \
    X(cublas##L##trsmBatched, KG__CUBLAS_TRSM_BATCHED(T))                                          \
    X(cublas##L##matinvBatched, KG__CUBLAS_MATINV(T))                                              \
    X(cublas##L##rot, KG__CUBLAS_ROT(T, R, T))                                                     \
    X(cublas##L##rotg, KG__CUBLAS_ROTG(T, R))                                                      \
    KG__CUBLAS_GEMMS(X, cublas##L##gemm, T)                                                        \
    X(cublas##L##geam, (cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, const T *, \
                        const T *, int, const T *, const T *, int, T *, int))                      \
    X(cublas##L##dgmm,                                                                             \
      (cublasHandle_t, cublasSideMode_t, int, int, const T *, int, const T *, int, T *, int))      \
    X(cublas##L##getrfBatched, (cublasHandle_t, int, T *const[], int, int *, int *, int))          \
    X(cublas##L##getrsBatched, (cublasHandle_t, cublasOperation_t, int, int, const T *const[],     \
                                int, const int *, T *const[], int, int *, int))                    \
    X(cublas##L##getriBatched,                                                                     \
      (cublasHandle_t, int, const T *const[], int, const int *, T *const[], int, int *, int))
#define KG__CUBLAS_ON_REAL(X, L, T)                                                                \
    X(cublas##L##dot, KG__CUBLAS_DOT(T))                                                           \
    X(cublas##L##ger, KG__CUBLAS_GER(T))                                                           \
    X(cublas##L##sbmv, KG__CUBLAS_SBMV(T))                                                         \
    X(cublas##L##spmv, KG__CUBLAS_SPMV(T))                                                         \
    X(cublas##L##spr, KG__CUBLAS_SPR(T, T))                                                        \
    X(cublas##L##spr2, KG__CUBLAS_SPR2(T))                                                         \
    X(cublas##L##rotm, KG__CUBLAS_ROTM(T))                                                         \
    X(cublas##L##rotmg, KG__CUBLAS_ROTMG(T))                                                       \
    X(cublas##L##gemmGroupedBatched, KG__CUBLAS_GEMM_GROUPED(T))
#define KG__CUBLAS_ON_COMPLEX(X, L, T, R)                                                          \
    X(cublas##L##dotu, KG__CUBLAS_DOT(T))                                                          \
    X(cublas##L##dotc, KG__CUBLAS_DOT(T))                                                          \
    X(cublas##L##geru, KG__CUBLAS_GER(T))                                                          \
    X(cublas##L##gerc, KG__CUBLAS_GER(T))                                                          \
    X(cublas##L##hemv, KG__CUBLAS_SYMV(T))                                                         \
    X(cublas##L##hbmv, KG__CUBLAS_SBMV(T))                                                         \
    X(cublas##L##hpmv, KG__CUBLAS_SPMV(T))                                                         \
    X(cublas##L##her, KG__CUBLAS_SYR(R, T))                                                        \
    X(cublas##L##her2, KG__CUBLAS_SYR2(T))                                                         \
    X(cublas##L##hpr, KG__CUBLAS_SPR(R, T))                                                        \
    X(cublas##L##hpr2, KG__CUBLAS_SPR2(T))                                                         \
    X(cublas##L##hemm, KG__CUBLAS_SYMM(T))                                                         \
    X(cublas##L##herk, KG__CUBLAS_SYRK(T, R))                                                      \
    X(cublas##L##her2k, KG__CUBLAS_SYR2K(T, R))                                                    \
    X(cublas##L##herkx, KG__CUBLAS_SYR2K(T, R))
#define KG__CUBLAS_CALLS(X)                                                                        \
    KG__CUBLAS_ON(X, S, s, float, float, Snrm2, Sasum)                                             \
    KG__CUBLAS_ON(X, D, d, double, double, Dnrm2, Dasum)                                           \
    KG__CUBLAS_ON(X, C, c, cuComplex, float, Scnrm2, Scasum)                                       \
    KG__CUBLAS_ON(X, Z, z, cuDoubleComplex, double, Dznrm2, Dzasum)                                \
    KG__CUBLAS_ON_REAL(X, S, float)                                                                \
    KG__CUBLAS_ON_REAL(X, D, double)                                                               \
    KG__CUBLAS_ON_COMPLEX(X, C, cuComplex, float)                                                  \
    KG__CUBLAS_ON_COMPLEX(X, Z, cuDoubleComplex, double)                                           \
    X(cublasHSHgemvBatched, KG__CUBLAS_MV_BATCHED(float, __half, __half))                          \
    X(cublasHSSgemvBatched, KG__CUBLAS_MV_BATCHED(float, __half, float))                           \
    X(cublasTSTgemvBatched, KG__CUBLAS_MV_BATCHED(float, __nv_bfloat16, __nv_bfloat16))            \
    X(cublasTSSgemvBatched, KG__CUBLAS_MV_BATCHED(float, __nv_bfloat16, float))                    \
    X(cublasHSHgemvStridedBatched, KG__CUBLAS_MV_STRIDED(float, __half, __half))                   \
    X(cublasHSSgemvStridedBatched, KG__CUBLAS_MV_STRIDED(float, __half, float))                    \
    X(cublasTSTgemvStridedBatched, KG__CUBLAS_MV_STRIDED(float, __nv_bfloat16, __nv_bfloat16))     \
    X(cublasTSSgemvStridedBatched, KG__CUBLAS_MV_STRIDED(float, __nv_bfloat16, float))             \
    X(cublasCsrot, KG__CUBLAS_ROT(cuComplex, float, float))                                        \
    X(cublasZdrot, KG__CUBLAS_ROT(cuDoubleComplex, double, double))                                \
    X(cublasRotEx, KG__CUBLAS_ROT_EX)                                                              \
    X(cublasRotgEx, KG__CUBLAS_ROTG_EX)                                                            \
    X(cublasRotmEx, KG__CUBLAS_ROTM_EX)                                                            \
    X(cublasRotmgEx, KG__CUBLAS_ROTMG_EX)                                                          \
    X(cublasCopyEx, KG__CUBLAS_COPY_EX)                                                            \
    X(cublasSwapEx, KG__CUBLAS_SWAP_EX)                                                            \
    X(cublasAsumEx, KG__CUBLAS_ASUM_EX)                                                            \
    X(cublasIamaxEx, KG__CUBLAS_IAMAX_EX)                                                          \
    X(cublasIaminEx, KG__CUBLAS_IAMAX_EX)                                                          \
    X(cublasCsyrkEx, KG__CUBLAS_SYRK_EX(cuComplex))                                                \
    X(cublasCsyrk3mEx, KG__CUBLAS_SYRK_EX(cuComplex))                                              \
    X(cublasCherkEx, KG__CUBLAS_SYRK_EX(float))                                                    \
    X(cublasCherk3mEx, KG__CUBLAS_SYRK_EX(float))                                                  \
    KG__CUBLAS_GEMM(X, cublasZgemm3m, cuDoubleComplex)                                             \
    KG__CUBLAS_GEMMS(X, cublasCgemm3m, cuComplex)                                                  \
    KG__CUBLAS_GEMMS(X, cublasHgemm, __half)                                                       \
    X(cublasSgemmEx, KG__CUBLAS_GEMM_OF_TYPES(float))                                              \
    X(cublasCgemmEx, KG__CUBLAS_GEMM_OF_TYPES(cuComplex))                                          \
    X(cublasCgemm3mEx, KG__CUBLAS_GEMM_OF_TYPES(cuComplex))                                        \
    X(cublasGemmGroupedBatchedEx, KG__CUBLAS_GEMM_GROUPED_EX)                                      \
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

#define KG__CUBLAS_SETTING_CALLS(X, what, type)                                                    \
    X(cublasSet##what, (cublasHandle_t, type))                                                     \
    X(cublasGet##what, (cublasHandle_t, type *))

/* These succeed without the library too, so that a handle can be made and set up. */
#define KG__CUBLAS_SETUP_CALLS(X)                                                                  \
    X(cublasDestroy, (cublasHandle_t))                                                             \
    KG__CUBLAS_SETTING_CALLS(X, Stream, cudaStream_t)                                              \
    KG__CUBLAS_SETTING_CALLS(X, PointerMode, cublasPointerMode_t)                                  \
    KG__CUBLAS_SETTING_CALLS(X, MathMode, cublasMath_t)                                            \
    KG__CUBLAS_SETTING_CALLS(X, AtomicsMode, cublasAtomicsMode_t)                                  \
    KG__CUBLAS_SETTING_CALLS(X, SmCountTarget, int)                                                \
    KG__CUBLAS_SETTING_CALLS(X, EmulationStrategy, cublasEmulationStrategy_t)                      \
    KG__CUBLAS_SETTING_CALLS(X, EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport)  \
    KG__CUBLAS_SETTING_CALLS(X, FixedPointEmulationMantissaControl, cudaEmulationMantissaControl)  \
    KG__CUBLAS_SETTING_CALLS(X, FixedPointEmulationMaxMantissaBitCount, int)                       \
    KG__CUBLAS_SETTING_CALLS(X, FixedPointEmulationMantissaBitOffset, int)                         \
    X(cublasSetWorkspace, (cublasHandle_t, void *, size_t))                                        \
    X(cublasSetLoggerCallback, (cublasLogCallback))                                                \
    X(cublasLoggerConfigure, (int, int, int, const char *))
