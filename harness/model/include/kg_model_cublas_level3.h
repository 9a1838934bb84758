/* SPDX-License-Identifier: MIT */
/* cuBLAS's products, updates and solutions with matrices that store one triangle. */
#pragma once

#include "kg_model_cublas_storage.h"

namespace kg__model
{
namespace
{

/* c = alpha a b + beta c, or with b a, of a stored square matrix; b and c are m x n. */
template <typename Number>
void multiply_from(const call &call, cublasSideMode_t side, const access &a, Number alpha, matrix b,
                   Number beta, matrix c)
{
    const bool left = side == CUBLAS_SIDE_LEFT;
    const int m = static_cast<int>(c.rows), n = static_cast<int>(c.columns);

    call.require(is_side(side) && m >= 0 && n >= 0);
    b.rows = m;
    b.columns = n;
    require_leads(call, b, c);
    const std::vector<Number> all = call.fetch<Number>(a);
    const std::vector<Number> other = call.fetch<Number>(b);
    std::vector<Number> result(other.size());
    if (beta != Number(0))
        result = call.fetch<Number>(c);
    multiply(CUBLAS_OP_N, CUBLAS_OP_N, m, n, left ? m : n, alpha, left ? all : other,
             left ? other : all, beta, result);
    call.put(c, result);
}

/* c = alpha op(a) op(b)' + beta c in one triangle, where ' transposes, and conjugates too if c is
 * Hermitian, whose diagonal is then real; `twice`: and the mirror of the product. */
template <typename Number>
void update_triangle(const call &call, shape kind, cublasFillMode_t fill, cublasOperation_t op,
                     int n, int k, Number alpha, matrix a, matrix b, bool twice, Number beta,
                     matrix c)
{
    const bool straight = op == CUBLAS_OP_N;
    const cublasOperation_t turn = kind == is_hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    const access to = full(call, stored(call, c, n, kind, fill));
    std::vector<Number> result(static_cast<size_t>(n) * static_cast<size_t>(n));

    call.require(k >= 0 && is_operation(op));
    a.rows = b.rows = straight ? n : k;
    a.columns = b.columns = straight ? k : n;
    require_leads(call, a, b);
    const std::vector<Number> left = call.fetch<Number>(a);
    const std::vector<Number> right = a.data != b.data ? call.fetch<Number>(b) : left;
    if (beta != Number(0))
        result = call.fetch<Number>(to);
    multiply(straight ? CUBLAS_OP_N : turn, straight ? turn : CUBLAS_OP_N, n, n, k, alpha, left,
             right, beta, result);
    if (twice)
        multiply(straight ? CUBLAS_OP_N : turn, straight ? turn : CUBLAS_OP_N, n, n, k,
                 conjugate(alpha, kind == is_hermitian), right, left, Number(1), result);
    for (size_t i = 0; kind == is_hermitian && i < result.size(); i += static_cast<size_t>(n) + 1)
        result[i] = Number(std::real(result[i]));
    call.put(to, result, to.is_lower, !to.is_lower);
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
    const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    const cublasOperation_t other = op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;

    call.require(m >= 0 && n >= 0 && is_operation(op) && is_side(side));
    const access from =
        full(call, stored(call, a, left ? m : n, is_triangular, fill, CUBLAS_OP_N, unit));
    b.rows = m;
    b.columns = n;
    require_leads(call, b);
    std::vector<Number> triangle = call.fetch<Number>(from);
    std::vector<Number> x = call.fetch<Number>(b);
    for (Number &element : x)
        element *= alpha;
    if (left) {
        solve(triangle, op, lower, false, m, n, x);
    } else {
        x = turned(x, m, n);
        if (op == CUBLAS_OP_C)
            for (Number &element : triangle)
                element = conjugate(element, true);
        solve(triangle, other, lower, false, n, m, x);
        x = turned(x, n, m);
    }
    call.put(b, x);
}

} // namespace
} // namespace kg__model

#define KG__SIDED(name, T, kind)                                                                   \
    KG__DEFINE(name, KG__CUBLAS_SYMM(T),                                                           \
               const auto square =                                                                 \
                   stored(call, lying(a, lda), side == CUBLAS_SIDE_LEFT ? m : n, kind, fill);      \
               multiply_from(call, side, full(call, square), call.number(alpha), lying(b, ldb),    \
                             call.number(beta), { c, type_of<T>, m, n, ldc }))

/* Updates by one matrix and by two; the factor of a Hermitian `c` is real. */
#define KG__UPDATE_BY(name, S, type_a, type_c, parameters, kind)                                   \
    KG__DEFINE(name, parameters,                                                                   \
               if (type_c != type_of<S> || type_a != type_c) throw CUBLAS_STATUS_NOT_SUPPORTED;    \
               update_triangle(call, kind, fill, op, n, k, number_t<S>(call.number(alpha)),        \
                               lying(a, type_a, lda), lying(a, type_a, lda), false,                \
                               number_t<S>(call.number(beta)), lying(c, type_c, ldc)))
#define KG__UPDATE_BY_2(name, T, R, kind, twice)                                                   \
    KG__DEFINE(name, KG__CUBLAS_SYR2K(T, R),                                                       \
               update_triangle(call, kind, fill, op, n, k, call.number(alpha), lying(a, lda),      \
                               lying(b, ldb), twice, number_t<T>(call.number(beta)),               \
                               lying(c, ldc)))

#define KG__LEVEL3(L, T)                                                                           \
    KG__SIDED(cublas##L##symm, T, is_symmetric)                                                    \
    KG__UPDATE_BY(cublas##L##syrk, T, type_of<T>, type_of<T>, KG__CUBLAS_SYRK(T, T), is_symmetric) \
    KG__UPDATE_BY_2(cublas##L##syr2k, T, T, is_symmetric, true)                                    \
    KG__UPDATE_BY_2(cublas##L##syrkx, T, T, is_symmetric, false)                                   \
    KG__DEFINE(cublas##L##trmm, KG__CUBLAS_TRMM(T),                                                \
               const auto square = stored(call, lying(a, lda), side == CUBLAS_SIDE_LEFT ? m : n,   \
                                          is_triangular, fill, op, unit);                          \
               multiply_from(call, side, full(call, square), call.number(alpha), lying(b, ldb),    \
                             number_t<T>(0), { c, type_of<T>, m, n, ldc }))                        \
    KG__DEFINE(                                                                                    \
        cublas##L##trsm, KG__CUBLAS_TRSM(T),                                                       \
        trsm(call, side, fill, op, unit, m, n, call.number(alpha), lying(a, lda), lying(b, ldb)))  \
    KG__DEFINE(cublas##L##trsmBatched, KG__CUBLAS_TRSM_BATCHED(T),                                 \
               const auto as = addresses_of(call, a, count);                                       \
               const auto bs = addresses_of(call, b, count);                                       \
               for (size_t i = 0; i < as.size(); i++)                                              \
                   trsm(call, side, fill, op, unit, m, n, call.number(alpha),                      \
                        lying(as[i], type_of<T>, lda), lying(bs[i], type_of<T>, ldb)))
#define KG__LEVEL3_COMPLEX(L, T, R)                                                                \
    KG__LEVEL3(L, T)                                                                               \
    KG__SIDED(cublas##L##hemm, T, is_hermitian)                                                    \
    KG__UPDATE_BY(cublas##L##herk, T, type_of<T>, type_of<T>, KG__CUBLAS_SYRK(T, R), is_hermitian) \
    KG__UPDATE_BY_2(cublas##L##her2k, T, R, is_hermitian, true)                                    \
    KG__UPDATE_BY_2(cublas##L##herkx, T, R, is_hermitian, false)
KG__LEVEL3(S, float)
KG__LEVEL3(D, double)
KG__LEVEL3_COMPLEX(C, cuComplex, float)
KG__LEVEL3_COMPLEX(Z, cuDoubleComplex, double)
KG__UPDATE_BY(cublasCsyrkEx, cuComplex, a_type, c_type, KG__CUBLAS_SYRK_EX(cuComplex), is_symmetric)
KG__UPDATE_BY(cublasCsyrk3mEx, cuComplex, a_type, c_type, KG__CUBLAS_SYRK_EX(cuComplex),
              is_symmetric)
KG__UPDATE_BY(cublasCherkEx, cuComplex, a_type, c_type, KG__CUBLAS_SYRK_EX(float), is_hermitian)
KG__UPDATE_BY(cublasCherk3mEx, cuComplex, a_type, c_type, KG__CUBLAS_SYRK_EX(float), is_hermitian)
