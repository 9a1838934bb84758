/* SPDX-License-Identifier: MIT */
/* cuBLAS's calls on matrices. */
#pragma once

#include "kg_model_cublas.h"

namespace kg__model
{
namespace
{

/* c = alpha op(a) + beta op(b), element by element. */
struct geam {
    template <typename Number>
    __device__ void operator()(cublasOperation_t op_a, cublasOperation_t op_b, Number alpha,
                               matrix a, Number beta, matrix b, matrix c) const
    {
        for (long long j = 0; j < c.columns; j++)
            for (long long i = 0; i < c.rows; i++) {
                Number sum = 0;

                if (alpha != Number(0))
                    sum += alpha * get<Number>(op_a, a, i, j);
                if (beta != Number(0))
                    sum += beta * get<Number>(op_b, b, i, j);
                store(c.type, c.data, j * c.lead + i, sum);
            }
    }
    template <typename Number>
    __device__ static Number get(cublasOperation_t op, matrix a, long long i, long long j)
    {
        return conjugate(
            load<Number>(a.type, a.data, op == CUBLAS_OP_N ? j * a.lead + i : i * a.lead + j),
            op == CUBLAS_OP_C);
    }
};

/* c = diag(x) a, or a diag(x). */
template <typename Number>
struct dgmm {
    __device__ void operator()(bool left, matrix a, matrix x, matrix c) const
    {
        for (long long j = 0; j < c.columns; j++)
            for (long long i = 0; i < c.rows; i++)
                store(c.type, c.data, j * c.lead + i,
                      load<Number>(a.type, a.data, j * a.lead + i) *
                          load<Number>(x.type, x.data, (left ? i : j) * x.lead));
    }
};

/* Factors a square matrix with partial pivoting; pivots count from 1. Returns 0, or the number of
 * the first pivot that is zero. */
template <typename Number>
KG__OF_HOST int factor(std::vector<Number> &all, int n, int *pivots)
{
    Number *const a = all.data();
    int info = 0;

    for (long long k = 0; k < n; k++) {
        long long best = k;

        for (long long i = k + 1; pivots != nullptr && i < n; i++)
            best = std::abs(a[k * n + i]) > std::abs(a[k * n + best]) ? i : best;
        if (pivots != nullptr)
            pivots[k] = static_cast<int>(best) + 1;
        if (a[k * n + best] == Number(0)) {
            info = info == 0 ? static_cast<int>(k) + 1 : info;
            continue;
        }
        for (long long j = 0; best != k && j < n; j++)
            std::swap(a[j * n + k], a[j * n + best]);
        for (long long i = k + 1; i < n; i++)
            a[k * n + i] /= a[k * n + k];
        for (long long j = k + 1; j < n; j++)
            for (long long i = k + 1; i < n; i++)
                a[j * n + i] -= a[k * n + i] * a[j * n + k];
    }
    return info;
}

/* Solves with a factored matrix. */
template <typename Number>
void solve_factored(const std::vector<Number> &a, const std::vector<int> &pivots,
                    cublasOperation_t op, int n, int columns, std::vector<Number> &b)
{
    const auto permute = [&](bool forward) {
        for (long long step = 0; step < static_cast<long long>(pivots.size()); step++) {
            const long long i = forward ? step : n - 1 - step;

            for (long long j = 0; j < columns; j++)
                std::swap(b[static_cast<size_t>(j * n + i)],
                          b[static_cast<size_t>(j * n + pivots[static_cast<size_t>(i)] - 1)]);
        }
    };

    if (op == CUBLAS_OP_N) {
        permute(true);
        solve(a, op, true, true, n, columns, b);
        solve(a, op, false, false, n, columns, b);
    } else {
        solve(a, op, false, false, n, columns, b);
        solve(a, op, true, true, n, columns, b);
        permute(false);
    }
}

std::vector<int> pivots_at(const call &call, const int *pivots, int n, int i)
{
    std::vector<int> found(static_cast<size_t>(pivots != nullptr ? n : 0));

    if (!found.empty())
        call.copy(found.data(), pivots + static_cast<long long>(i) * n, found.size() * sizeof(int),
                  cudaMemcpyDeviceToHost);
    for (const int pivot : found)
        call.require(pivot >= 1 && pivot <= n);
    return found;
}

void give_info(const call &call, int *infos, int i, int info)
{
    call.copy(infos + i, &info, sizeof info, cudaMemcpyDefault);
}

/* The inverse of a factored matrix, or which pivot is zero. */
template <typename Number>
void invert(const call &call, const std::vector<Number> &factored, const std::vector<int> &pivots,
            matrix to, int *infos, int which)
{
    const size_t n = static_cast<size_t>(to.rows);
    std::vector<Number> x(factored.size());
    int info = 0;

    for (size_t j = 0; j < n; j++) {
        x[j * n + j] = Number(1);
        if (info == 0 && factored[j * n + j] == Number(0))
            info = static_cast<int>(j) + 1;
    }
    if (info == 0) {
        solve_factored(factored, pivots, CUBLAS_OP_N, static_cast<int>(n), static_cast<int>(n), x);
        call.put(to, x);
    }
    give_info(call, infos, which, info);
}

/* Products in groups, each of sizes and factors of its own, which are the host's. */
void multiply_groups(const call &call, const cublasOperation_t *op_a, const cublasOperation_t *op_b,
                     const int *m, const int *n, const int *k, const void *alpha, const void *a,
                     cudaDataType a_type, const int *lda, const void *b, cudaDataType b_type,
                     const int *ldb, const void *beta, const void *c, cudaDataType c_type,
                     const int *ldc, int groups, const int *sizes, cublasComputeType_t compute)
{
    const size_t scalar = bytes_of(a_type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F);
    int count = 0, first = 0;

    call.require(groups >= 0);
    if (!call.is_of_host(alpha) || a_type == CUDA_C_32F || a_type == CUDA_C_64F)
        throw CUBLAS_STATUS_NOT_SUPPORTED;
    for (int i = 0; i < groups; i++) {
        call.require(sizes[i] >= 0);
        count += sizes[i];
    }
    const auto as = addresses_of(call, a, count);
    const auto bs = addresses_of(call, b, count);
    const auto cs = addresses_of(call, c, count);
    for (int i = 0; i < groups; first += sizes[i++])
        gemm_of_types(call, op_a[i], op_b[i], m[i], n[i], k[i],
                      static_cast<const char *>(alpha) + static_cast<size_t>(i) * scalar,
                      static_cast<const char *>(beta) + static_cast<size_t>(i) * scalar, compute,
                      a_type, c_type, sizes[i], [&](int j) {
                          const size_t at = static_cast<size_t>(first + j);

                          return operands{ lying(as[at], a_type, lda[i]),
                                           lying(bs[at], b_type, ldb[i]),
                                           lying(cs[at], c_type, ldc[i]) };
                      });
}

} // namespace
} // namespace kg__model

#define KG__GEMM(name, T)                                                                          \
    KG__DEFINE(name,                                                                               \
               (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,  \
                int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb,            \
                const T *beta, T *c, int ldc),                                                     \
               gemm(call, transa, transb, m, n, k, call.number(alpha), lying(a, lda),              \
                    lying(b, ldb), call.number(beta), lying(c, ldc)))
#define KG__GEMMS(name, T)                                                                         \
    KG__GEMM(name, T)                                                                              \
    cublasStatus_t name##StridedBatched(                                                           \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        int k, const T *alpha, const T *a, int lda, long long stepa, const T *b, int ldb,          \
        long long stepb, const T *beta, T *c, int ldc, long long stepc, int count)                 \
    {                                                                                              \
        KG__CALL(name##StridedBatched, handle)                                                     \
        call.require(count >= 0);                                                                  \
        for (int i = 0; i < count; i++)                                                            \
            gemm(call, transa, transb, m, n, k, call.number(alpha), lying(a + i * stepa, lda),     \
                 lying(b + i * stepb, ldb), call.number(beta), lying(c + i * stepc, ldc));         \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t name##Batched(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int m, int n, int k, const T *alpha,    \
                                 const T *const a[], int lda, const T *const b[], int ldb,         \
                                 const T *beta, T *const c[], int ldc, int count)                  \
    {                                                                                              \
        KG__CALL(name##Batched, handle)                                                            \
        const auto as = addresses_of(call, a, count);                                              \
        const auto bs = addresses_of(call, b, count);                                              \
        const auto cs = addresses_of(call, c, count);                                              \
        for (size_t i = 0; i < as.size(); i++)                                                     \
            gemm(call, transa, transb, m, n, k, call.number(alpha), lying(as[i], type_of<T>, lda), \
                 lying(bs[i], type_of<T>, ldb), call.number(beta), lying(cs[i], type_of<T>, ldc)); \
        KG__END                                                                                    \
    }
KG__GEMMS(cublasHgemm, __half)
KG__GEMMS(cublasCgemm3m, cuComplex)
KG__GEMM(cublasZgemm3m, cuDoubleComplex)

#define KG__CUBLAS_MATRICES(L, T)                                                                  \
    KG__GEMMS(cublas##L##gemm, T)                                                                  \
    KG__DEFINE(                                                                                    \
        cublas##L##geam,                                                                           \
        (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,  \
         const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc),  \
        call.require(m >= 0 && n >= 0 && ldc >= std::max(1, m) &&                                  \
                     lda >= std::max(1, transa == CUBLAS_OP_N ? m : n) &&                          \
                     (ldb >= std::max(1, transb == CUBLAS_OP_N ? m : n) ||                         \
                      call.number(beta) == number_t<T>(0)));                                       \
        call.run<geam>(transa, transb, call.number(alpha), lying(a, lda), call.number(beta),       \
                       lying(b, ldb), matrix{ c, type_of<T>, m, n, ldc }))                         \
    KG__DEFINE(cublas##L##dgmm,                                                                    \
               (cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T *a, int lda,   \
                const T *x, int incx, T *c, int ldc),                                              \
               call.require(m >= 0 && n >= 0 && lda >= std::max(1, m) && ldc >= std::max(1, m));   \
               call.run<dgmm<number_t<T>>>(side == CUBLAS_SIDE_LEFT, lying(a, lda),                \
                                           lying(x, incx), matrix{ c, type_of<T>, m, n, ldc }))    \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t handle, int n, T *const a[], int lda,    \
                                           int *pivots, int *infos, int count)                     \
    {                                                                                              \
        KG__CALL(cublas##L##getrfBatched, handle)                                                  \
        const auto as = addresses_of(call, a, count);                                              \
        std::vector<int> found(static_cast<size_t>(std::max(n, 0)));                               \
        for (int i = 0; i < count; i++) {                                                          \
            const matrix one = { as[static_cast<size_t>(i)], type_of<T>, n, n, lda };              \
            auto all = call.fetch<number_t<T>>(one);                                               \
            give_info(call, infos, i, factor(all, n, pivots != nullptr ? found.data() : nullptr)); \
            call.put(one, all);                                                                    \
            if (pivots != nullptr && n > 0)                                                        \
                call.copy(pivots + static_cast<long long>(i) * n, found.data(),                    \
                          found.size() * sizeof(int), cudaMemcpyHostToDevice);                     \
        }                                                                                          \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##getrsBatched(                                                        \
        cublasHandle_t handle, cublasOperation_t trans, int n, int columns, const T *const a[],    \
        int lda, const int *pivots, T *const b[], int ldb, int *info, int count)                   \
    {                                                                                              \
        KG__CALL(cublas##L##getrsBatched, handle)                                                  \
        const auto as = addresses_of(call, a, count);                                              \
        const auto bs = addresses_of(call, b, count);                                              \
        for (int i = 0; i < count; i++) {                                                          \
            const matrix to = { bs[static_cast<size_t>(i)], type_of<T>, n, columns, ldb };         \
            const auto all =                                                                       \
                call.fetch<number_t<T>>({ as[static_cast<size_t>(i)], type_of<T>, n, n, lda });    \
            auto x = call.fetch<number_t<T>>(to);                                                  \
            solve_factored(all, pivots_at(call, pivots, n, i), trans, n, columns, x);              \
            call.put(to, x);                                                                       \
        }                                                                                          \
        *info = 0;                                                                                 \
        KG__END                                                                                    \
    }                                                                                              \
    KG__DEFINE(                                                                                    \
        cublas##L##matinvBatched, KG__CUBLAS_MATINV(T),                                            \
        call.require(n >= 0 && n <= 32 && ldc >= n);                                               \
        const auto as = addresses_of(call, a, count);                                              \
        const auto cs = addresses_of(call, c, count);                                              \
        std::vector<int> pivots(static_cast<size_t>(n)); for (int i = 0; i < count; i++) {         \
            const size_t at = static_cast<size_t>(i);                                              \
            auto all = call.fetch<number_t<T>>({ as[at], type_of<T>, n, n, lda });                 \
            factor(all, n, pivots.data());                                                         \
            invert(call, all, pivots, { cs[at], type_of<T>, n, n, ldc }, infos, i);                \
        })                                                                                         \
    cublasStatus_t cublas##L##getriBatched(cublasHandle_t handle, int n, const T *const a[],       \
                                           int lda, const int *pivots, T *const c[], int ldc,      \
                                           int *infos, int count)                                  \
    {                                                                                              \
        KG__CALL(cublas##L##getriBatched, handle)                                                  \
        const auto as = addresses_of(call, a, count);                                              \
        const auto cs = addresses_of(call, c, count);                                              \
        for (int i = 0; i < count; i++) {                                                          \
            const auto all =                                                                       \
                call.fetch<number_t<T>>({ as[static_cast<size_t>(i)], type_of<T>, n, n, lda });    \
            invert(call, all, pivots_at(call, pivots, n, i),                                       \
                   { cs[static_cast<size_t>(i)], type_of<T>, n, n, ldc }, infos, i);               \
        }                                                                                          \
        KG__END                                                                                    \
    }
KG__CUBLAS_MATRICES(S, float)
KG__CUBLAS_MATRICES(D, double)
KG__CUBLAS_MATRICES(C, cuComplex)
KG__CUBLAS_MATRICES(Z, cuDoubleComplex)
#undef KG__CUBLAS_MATRICES
#undef KG__GEMMS
#undef KG__GEMM

/* The C function cublasGemmEx(), whose name has an overload too. */
extern "C" void kg__cublasGemmEx() __asm__("cublasGemmEx");
/* cublasGemmStridedBatchedEx() likewise. */
extern "C" void kg__cublasGemmStridedBatchedEx() __asm__("cublasGemmStridedBatchedEx");
/* cublasGemmBatchedEx() likewise. */
extern "C" void kg__cublasGemmBatchedEx() __asm__("cublasGemmBatchedEx");

#define KG__CUBLAS_GEMM_EX(name, T)                                                                \
    KG__DEFINE(name, KG__CUBLAS_GEMM_OF_TYPES(T),                                                  \
               gemm_of_types(call, transa, transb, m, n, k, alpha, beta, CUBLAS_COMPUTE_32F,       \
                             a_type, c_type, 1, [&](int) {                                         \
                                 return operands{ lying(a, a_type, lda), lying(b, b_type, ldb),    \
                                                  lying(c, c_type, ldc) };                         \
                             }))
KG__CUBLAS_GEMM_EX(cublasSgemmEx, float)
KG__CUBLAS_GEMM_EX(cublasCgemmEx, cuComplex)
KG__CUBLAS_GEMM_EX(cublasCgemm3mEx, cuComplex)
#undef KG__CUBLAS_GEMM_EX
#define KG__CUBLAS_GROUPS(name, T, compute)                                                        \
    KG__DEFINE(name, KG__CUBLAS_GEMM_GROUPED(T),                                                   \
               multiply_groups(call, transa, transb, m, n, k, alpha, a, type_of<T>, lda, b,        \
                               type_of<T>, ldb, beta, c, type_of<T>, ldc, groups, sizes, compute))
KG__CUBLAS_GROUPS(cublasSgemmGroupedBatched, float, CUBLAS_COMPUTE_32F)
KG__CUBLAS_GROUPS(cublasDgemmGroupedBatched, double, CUBLAS_COMPUTE_64F)
#undef KG__CUBLAS_GROUPS
KG__DEFINE(cublasGemmGroupedBatchedEx, KG__CUBLAS_GEMM_GROUPED_EX,
           multiply_groups(call, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,
                           beta, c, c_type, ldc, groups, sizes, compute))
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType a_type, int lda, const void *b,
                            cudaDataType b_type, int ldb, const void *beta, void *c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t)
{
    KG__CALL(kg__cublasGemmEx, handle)
    gemm_of_types(call, transa, transb, m, n, k, alpha, beta, compute, a_type, c_type, 1, [&](int) {
        return operands{ lying(a, a_type, lda), lying(b, b_type, ldb), lying(c, c_type, ldc) };
    });
    KG__END
}
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType a_type, int lda, long long a_step, const void *b,
    cudaDataType b_type, int ldb, long long b_step, const void *beta, void *c, cudaDataType c_type,
    int ldc, long long c_step, int count, cublasComputeType_t compute, cublasGemmAlgo_t)
{
    KG__CALL(kg__cublasGemmStridedBatchedEx, handle)
    gemm_of_types(call, transa, transb, m, n, k, alpha, beta, compute, a_type, c_type, count,
                  [&](int i) {
                      return operands{ lying(step_to(a, a_type, i * a_step), a_type, lda),
                                       lying(step_to(b, b_type, i * b_step), b_type, ldb),
                                       lying(step_to(c, c_type, i * c_step), c_type, ldc) };
                  });
    KG__END
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                   const void *const a[], cudaDataType a_type, int lda,
                                   const void *const b[], cudaDataType b_type, int ldb,
                                   const void *beta, void *const c[], cudaDataType c_type, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t)
{
    KG__CALL(kg__cublasGemmBatchedEx, handle)
    const auto as = addresses_of(call, a, count);
    const auto bs = addresses_of(call, b, count);
    const auto cs = addresses_of(call, c, count);
    gemm_of_types(call, transa, transb, m, n, k, alpha, beta, compute, a_type, c_type, count,
                  [&](int i) {
                      return operands{ lying(as[static_cast<size_t>(i)], a_type, lda),
                                       lying(bs[static_cast<size_t>(i)], b_type, ldb),
                                       lying(cs[static_cast<size_t>(i)], c_type, ldc) };
                  });
    KG__END
}
