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

/* A square matrix that stores one triangle: `fill` says how the other one follows from it. */
template <typename Number, typename Fill>
std::vector<Number> fetch_triangle(const call &call, const void *data, cudaDataType type, int n,
                                   int lead, bool is_lower, Fill fill)
{
    matrix from = lying(data, type, lead);
    std::vector<Number> all;

    from.rows = from.columns = n;
    all = call.fetch<Number>(from);
    for (long long j = 0; j < n; j++)
        for (long long i = 0; i < n; i++) {
            if (i != j && is_lower != (i > j))
                all[static_cast<size_t>(j * n + i)] = fill(all[static_cast<size_t>(i * n + j)]);
        }
    return all;
}

/* b = alpha op(a)^-1 b of a triangular a, on the host. */
template <typename Number>
KG__OF_HOST void solve(const std::vector<Number> &a, cublasOperation_t op, bool is_lower,
                       bool is_unit, int m, int n, std::vector<Number> &b)
{
    const bool down = is_lower == (op == CUBLAS_OP_N);

    for (long long column = 0; column < n; column++)
        for (long long step = 0; step < m; step++) {
            const long long i = down ? step : m - 1 - step;
            Number *const x = b.data() + column * m;
            wide<Number> sum = x[i];

            for (long long j = down ? 0 : i + 1; j < (down ? i : m); j++)
                sum -= wide<Number>(conjugate(a.data()[op == CUBLAS_OP_N ? j * m + i : i * m + j],
                                              op == CUBLAS_OP_C)) *
                       wide<Number>(x[j]);
            if (!is_unit)
                sum /= wide<Number>(conjugate(a.data()[i * m + i], op == CUBLAS_OP_C));
            x[i] = narrow<Number>(sum);
        }
}

template <typename Number>
std::vector<Number> turned(const std::vector<Number> &a, int m, int n)
{
    std::vector<Number> to(a.size());

    for (long long j = 0; j < n; j++)
        for (long long i = 0; i < m; i++)
            to[static_cast<size_t>(i * n + j)] = a[static_cast<size_t>(j * m + i)];
    return to;
}

/* From the right, x op(a) = b is op(a)^T x^T = b^T. */
template <typename Number>
void trsm(const call &call, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
          cublasDiagType_t unit, int m, int n, Number alpha, matrix a, matrix b)
{
    const bool left = side == CUBLAS_SIDE_LEFT;
    std::vector<Number> x;

    call.require(m >= 0 && n >= 0 && is_operation(op) && fill <= CUBLAS_FILL_MODE_UPPER);
    if (m == 0 || n == 0)
        return;
    a.rows = a.columns = left ? m : n;
    b.rows = m;
    b.columns = n;
    std::vector<Number> triangle = call.fetch<Number>(a);
    x = call.fetch<Number>(b);
    for (Number &element : x)
        element *= alpha;
    if (left) {
        solve(triangle, op, fill == CUBLAS_FILL_MODE_LOWER, unit == CUBLAS_DIAG_UNIT, m, n, x);
    } else {
        x = turned(x, m, n);
        if (op == CUBLAS_OP_C)
            for (Number &element : triangle)
                element = conjugate(element, true);
        solve(triangle, op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N,
              fill == CUBLAS_FILL_MODE_LOWER, unit == CUBLAS_DIAG_UNIT, n, m, x);
        x = turned(x, n, m);
    }
    call.put(b, x);
}

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

} // namespace
} // namespace kg__model

#define KG__CUBLAS_GEMM(name, T)                                                                   \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
                        int m, int n, int k, const T *alpha, const T *a, int lda, const T *b,      \
                        int ldb, const T *beta, T *c, int ldc)                                     \
    {                                                                                              \
        KG__CALL(name, handle)                                                                     \
        gemm(call, transa, transb, m, n, k, call.number(alpha), lying(a, lda), lying(b, ldb),      \
             call.number(beta), lying(c, ldc));                                                    \
        KG__END                                                                                    \
    }                                                                                              \
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
KG__CUBLAS_GEMM(cublasHgemm, __half)

#define KG__CUBLAS_MATRICES(L, T)                                                                  \
    KG__CUBLAS_GEMM(cublas##L##gemm, T)                                                            \
    cublasStatus_t cublas##L##symm(                                                                \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,         \
        const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)    \
    {                                                                                              \
        using value = kg__model::number_t<T>;                                                      \
        KG__CALL(cublas##L##symm, handle)                                                          \
        const bool left = side == CUBLAS_SIDE_LEFT;                                                \
        call.require(m >= 0 && n >= 0 && ldc >= std::max(1, m));                                   \
        const auto all = fetch_triangle<value>(call, a, type_of<T>, left ? m : n, lda,             \
                                               fill == CUBLAS_FILL_MODE_LOWER,                     \
                                               [](value other) { return other; });                 \
        const auto other = call.fetch<value>({ const_cast<T *>(b), type_of<T>, m, n, ldb });       \
        std::vector<value> result(other.size());                                                   \
        if (call.number(beta) != value(0))                                                         \
            result = call.fetch<value>({ c, type_of<T>, m, n, ldc });                              \
        multiply(CUBLAS_OP_N, CUBLAS_OP_N, m, n, left ? m : n, call.number(alpha),                 \
                 left ? all : other, left ? other : all, call.number(beta), result);               \
        call.put({ c, type_of<T>, m, n, ldc }, result);                                            \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##syrk(cublasHandle_t handle, cublasFillMode_t fill,                   \
                                   cublasOperation_t trans, int n, int k, const T *alpha,          \
                                   const T *a, int lda, const T *beta, T *c, int ldc)              \
    {                                                                                              \
        using value = kg__model::number_t<T>;                                                      \
        KG__CALL(cublas##L##syrk, handle)                                                          \
        const bool straight = trans == CUBLAS_OP_N;                                                \
        const bool lower = fill == CUBLAS_FILL_MODE_LOWER;                                         \
        call.require(n >= 0 && k >= 0 && ldc >= std::max(1, n));                                   \
        const auto given = call.fetch<value>(                                                      \
            { const_cast<T *>(a), type_of<T>, straight ? n : k, straight ? k : n, lda });          \
        std::vector<value> result(static_cast<size_t>(n) * static_cast<size_t>(n));                \
        if (call.number(beta) != value(0))                                                         \
            result = call.fetch<value>({ c, type_of<T>, n, n, ldc });                              \
        multiply(straight ? CUBLAS_OP_N : CUBLAS_OP_T, straight ? CUBLAS_OP_T : CUBLAS_OP_N, n, n, \
                 k, call.number(alpha), given, given, call.number(beta), result);                  \
        call.put({ c, type_of<T>, n, n, ldc }, result, lower, !lower);                             \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##trsm(cublasHandle_t handle, cublasSideMode_t side,                   \
                                   cublasFillMode_t fill, cublasOperation_t trans,                 \
                                   cublasDiagType_t unit, int m, int n, const T *alpha,            \
                                   const T *a, int lda, T *b, int ldb)                             \
    {                                                                                              \
        KG__CALL(cublas##L##trsm, handle)                                                          \
        trsm(call, side, fill, trans, unit, m, n, call.number(alpha), lying(a, lda),               \
             lying(b, ldb));                                                                       \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##trsmBatched(                                                         \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,                       \
        cublasOperation_t trans, cublasDiagType_t unit, int m, int n, const T *alpha,              \
        const T *const a[], int lda, T *const b[], int ldb, int count)                             \
    {                                                                                              \
        KG__CALL(cublas##L##trsmBatched, handle)                                                   \
        const auto as = addresses_of(call, a, count);                                              \
        const auto bs = addresses_of(call, b, count);                                              \
        for (size_t i = 0; i < as.size(); i++)                                                     \
            trsm(call, side, fill, trans, unit, m, n, call.number(alpha),                          \
                 lying(as[i], type_of<T>, lda), lying(bs[i], type_of<T>, ldb));                    \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##trmm(cublasHandle_t handle, cublasSideMode_t side,                   \
                                   cublasFillMode_t fill, cublasOperation_t trans,                 \
                                   cublasDiagType_t unit, int m, int n, const T *alpha,            \
                                   const T *a, int lda, const T *b, int ldb, T *c, int ldc)        \
    {                                                                                              \
        using value = kg__model::number_t<T>;                                                      \
        KG__CALL(cublas##L##trmm, handle)                                                          \
        const bool left = side == CUBLAS_SIDE_LEFT;                                                \
        const int order = left ? m : n;                                                            \
        call.require(m >= 0 && n >= 0 && ldc >= std::max(1, m));                                   \
        auto all =                                                                                 \
            fetch_triangle<value>(call, a, type_of<T>, order, lda, fill == CUBLAS_FILL_MODE_LOWER, \
                                  [](value) { return value(0); });                                 \
        for (size_t i = 0; unit == CUBLAS_DIAG_UNIT && i < static_cast<size_t>(order); i++)        \
            all[i * static_cast<size_t>(order) + i] = value(1);                                    \
        const auto other = call.fetch<value>({ const_cast<T *>(b), type_of<T>, m, n, ldb });       \
        std::vector<value> result(other.size());                                                   \
        multiply(left ? trans : CUBLAS_OP_N, left ? CUBLAS_OP_N : trans, m, n, order,              \
                 call.number(alpha), left ? all : other, left ? other : all, value(0), result);    \
        call.put({ c, type_of<T>, m, n, ldc }, result);                                            \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##geam(                                                                \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc)    \
    {                                                                                              \
        KG__CALL(cublas##L##geam, handle)                                                          \
        call.require(m >= 0 && n >= 0 && ldc >= std::max(1, m) &&                                  \
                     lda >= std::max(1, transa == CUBLAS_OP_N ? m : n) &&                          \
                     (ldb >= std::max(1, transb == CUBLAS_OP_N ? m : n) ||                         \
                      call.number(beta) == number_t<T>(0)));                                       \
        call.run<geam>(transa, transb, call.number(alpha), lying(a, lda), call.number(beta),       \
                       lying(b, ldb), matrix{ c, type_of<T>, m, n, ldc });                         \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n,     \
                                   const T *a, int lda, const T *x, int incx, T *c, int ldc)       \
    {                                                                                              \
        KG__CALL(cublas##L##dgmm, handle)                                                          \
        call.require(m >= 0 && n >= 0 && lda >= std::max(1, m) && ldc >= std::max(1, m));          \
        call.run<dgmm<number_t<T>>>(side == CUBLAS_SIDE_LEFT, lying(a, lda), lying(x, incx),       \
                                    matrix{ c, type_of<T>, m, n, ldc });                           \
        KG__END                                                                                    \
    }                                                                                              \
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
            std::vector<number_t<T>> x(all.size());                                                \
            int info = 0;                                                                          \
            for (size_t j = 0; j < static_cast<size_t>(n); j++) {                                  \
                x[j * static_cast<size_t>(n) + j] = number_t<T>(1);                                \
                if (info == 0 && all[j * static_cast<size_t>(n) + j] == number_t<T>(0))            \
                    info = static_cast<int>(j) + 1;                                                \
            }                                                                                      \
            if (info == 0)                                                                         \
                solve_factored(all, pivots_at(call, pivots, n, i), CUBLAS_OP_N, n, n, x);          \
            if (info == 0)                                                                         \
                call.put({ cs[static_cast<size_t>(i)], type_of<T>, n, n, ldc }, x);                \
            give_info(call, infos, i, info);                                                       \
        }                                                                                          \
        KG__END                                                                                    \
    }
KG__CUBLAS_MATRICES(S, float)
KG__CUBLAS_MATRICES(D, double)
KG__CUBLAS_MATRICES(C, cuComplex)
KG__CUBLAS_MATRICES(Z, cuDoubleComplex)
#undef KG__CUBLAS_MATRICES
#undef KG__CUBLAS_GEMM

/* The C function cublasGemmEx(), whose name has an overload too. */
extern "C" void kg__cublasGemmEx() __asm__("cublasGemmEx");
/* cublasGemmStridedBatchedEx() likewise. */
extern "C" void kg__cublasGemmStridedBatchedEx() __asm__("cublasGemmStridedBatchedEx");
/* cublasGemmBatchedEx() likewise. */
extern "C" void kg__cublasGemmBatchedEx() __asm__("cublasGemmBatchedEx");

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float *alpha,
                             const void *a, cudaDataType a_type, int lda, const void *b,
                             cudaDataType b_type, int ldb, const float *beta, void *c,
                             cudaDataType c_type, int ldc)
{
    KG__CALL(cublasSgemmEx, handle)
    gemm_of_types(
        call, transa, transb, m, n, k, alpha, beta, CUBLAS_COMPUTE_32F, a_type, c_type, 1,
        [&](int) {
            return operands{ lying(a, a_type, lda), lying(b, b_type, ldb), lying(c, c_type, ldc) };
        });
    KG__END
}
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
