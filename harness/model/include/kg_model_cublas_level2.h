/* SPDX-License-Identifier: MIT */
/* cuBLAS's calls on a matrix and vectors, and copies of packed triangles. */
#pragma once

#include "kg_model_cublas_storage.h"

namespace kg__model
{
namespace
{

/* y = alpha a x + beta y */
struct gemv {
    template <typename Number>
    __device__ void operator()(access a, Number alpha, vector x, Number beta, vector y) const
    {
        for (long long i = 0; i < y.count; i++) {
            wide<Number> sum = 0;

            for (long long j = a.first(i), end = a.end(i); j < end; j++)
                sum += wide<Number>(a.get<Number>(i, j)) * wide<Number>(x.get<Number>(j));
            y.set(i, alpha * narrow<Number>(sum) +
                         (beta == Number(0) ? Number(0) : beta * y.get<Number>(i)));
        }
    }
};

/* a += alpha x y', where ' transposes, and conjugates too if wanted; `twice`: and its mirror. A
 * Hermitian matrix keeps a real diagonal. */
struct update {
    template <typename Number>
    __device__ void operator()(access a, Number alpha, vector x, vector y, bool conjugates,
                               bool twice) const
    {
        for (long long i = 0; i < a.rows; i++)
            for (long long j = a.first(i), end = a.end(i); j < end; j++) {
                Number sum = alpha * x.get<Number>(i) * conjugate(y.get<Number>(j), conjugates);

                if (twice)
                    sum += conjugate(alpha, conjugates) * y.get<Number>(i) *
                           conjugate(x.get<Number>(j), conjugates);
                sum += a.get<Number>(i, j);
                a.set(i, j,
                      a.kind == is_triangular && conjugates && i == j ? Number(std::real(sum))
                                                                      : sum);
            }
    }
};

/* Multiplies x by a triangular op(a), or (`solves`) solves op(a) times x = the given vector. */
template <typename Number>
struct triangle {
    __device__ void operator()(access a, bool solves, vector x) const
    {
        const bool down = a.is_lower == (a.operation == CUBLAS_OP_N);

        for (long long step = 0; step < x.count; step++) {
            /* The elements that it needs have not changed, or for a solution, have been found. */
            const long long i = down == solves ? step : x.count - 1 - step;
            const wide<Number> diagonal = a.get<Number>(i, i);
            const wide<Number> own = x.get<Number>(i);
            wide<Number> sum = 0;

            for (long long j = a.first(i), end = a.end(i); j < end; j++)
                if (j != i)
                    sum += wide<Number>(a.get<Number>(i, j)) * wide<Number>(x.get<Number>(j));
            x.set(i, narrow<Number>(solves ? (own - sum) / diagonal : own * diagonal + sum));
        }
    }
};

template <typename Number>
struct copy_triangle {
    __device__ void operator()(access from, access to) const
    {
        for (long long i = 0; i < from.rows; i++)
            for (long long j = from.first(i); j < from.end(i); j++)
                to.set(i, j, from.get<Number>(i, j));
    }
};

template <typename Scalar>
void multiply_vector(const call &call, const access &a, const Scalar *alpha, vector x,
                     const Scalar *beta, vector y)
{
    call.require(x.step != 0 && y.step != 0);
    if (a.rows == 0 || a.columns == 0)
        return;
    x.count = a.operation == CUBLAS_OP_N ? a.columns : a.rows;
    y.count = a.operation == CUBLAS_OP_N ? a.rows : a.columns;
    call.run<gemv>(a, call.number(alpha), x, call.number(beta), y);
}

template <typename Scalar, typename Element>
void update_by(const call &call, const access &a, const Scalar *alpha, const Element *x, int incx,
               const Element *y, int incy, bool conjugates, bool twice)
{
    call.require(incx != 0 && incy != 0);
    call.run<update>(a, number_t<Element>(call.number(alpha)),
                     vector_of(x, static_cast<int>(a.rows), incx),
                     vector_of(y, static_cast<int>(a.columns), incy), conjugates, twice);
}

template <typename Element>
void run_triangle(const call &call, const access &a, bool solves, Element *x, int incx)
{
    call.require(incx != 0);
    call.run<triangle<number_t<Element>>>(a, solves, vector_of(x, static_cast<int>(a.rows), incx));
}

} // namespace
} // namespace kg__model

/* What stores the matrix of a call. */
#define KG__GENERAL full(call, general(call, lying(a, lda), op, m, n))
#define KG__FULL(kind) full(call, stored(call, lying(a, lda), n, kind, fill))
#define KG__BAND(kind) banded(call, stored(call, lying(a, lda), n, kind, fill), k)
#define KG__PACKED(kind) packed(stored(call, lying(a, 0), n, kind, fill))
#define KG__TRIANGLE(lda) stored(call, lying(a, lda), n, is_triangular, fill, op, unit)

#define KG__MULTIPLY(name, parameters, a)                                                          \
    KG__DEFINE(                                                                                    \
        name, parameters,                                                                          \
        multiply_vector(call, a, alpha, vector_of(x, 0, incx), beta, vector_of(y, 0, incy)))
#define KG__UPDATE(name, parameters, a, conjugates)                                                \
    KG__DEFINE(name, parameters, update_by(call, a, alpha, x, incx, x, incx, conjugates, false))
#define KG__UPDATE_2(name, parameters, a, conjugates, twice)                                       \
    KG__DEFINE(name, parameters, update_by(call, a, alpha, x, incx, y, incy, conjugates, twice))
#define KG__TRIANGLES(middle, parameters, a)                                                       \
    KG__DEFINE(middle##mv, parameters, run_triangle(call, a, false, x, incx))                      \
    KG__DEFINE(middle##sv, parameters, run_triangle(call, a, true, x, incx))

/* Products with vectors of a batch. */
#define KG__MULTIPLY_BATCH(name, S, T, U)                                                          \
    KG__DEFINE(name##Batched, KG__CUBLAS_MV_BATCHED(S, T, U),                                      \
               const auto as = addresses_of(call, a, count);                                       \
               const auto xs = addresses_of(call, x, count);                                       \
               const auto ys = addresses_of(call, y, count);                                       \
               for (size_t i = 0; i < as.size(); i++) multiply_vector(                             \
                   call, full(call, general(call, lying(as[i], type_of<T>, lda), op, m, n)),       \
                   alpha, vector_of(xs[i], type_of<T>, 0, incx), beta,                             \
                   vector_of(ys[i], type_of<U>, 0, incy)))                                         \
    KG__DEFINE(name##StridedBatched, KG__CUBLAS_MV_STRIDED(S, T, U), call.require(count >= 0);     \
               for (int i = 0; i < count; i++) multiply_vector(                                    \
                   call, full(call, general(call, lying(a + i * stepa, lda), op, m, n)), alpha,    \
                   vector_of(x + i * stepx, 0, incx), beta, vector_of(y + i * stepy, 0, incy)))

#define KG__LEVEL2(L, T)                                                                           \
    KG__MULTIPLY(cublas##L##gemv, KG__CUBLAS_GEMV(T), KG__GENERAL)                                 \
    KG__MULTIPLY(cublas##L##gbmv, KG__CUBLAS_GBMV(T),                                              \
                 banded(call, general(call, lying(a, lda), op, m, n), kl, ku))                     \
    KG__MULTIPLY(cublas##L##symv, KG__CUBLAS_SYMV(T), KG__FULL(is_symmetric))                      \
    KG__MULTIPLY_BATCH(cublas##L##gemv, T, T, T)                                                   \
    KG__TRIANGLES(cublas##L##tr, KG__CUBLAS_TRMV(T), full(call, KG__TRIANGLE(lda)))                \
    KG__TRIANGLES(cublas##L##tb, KG__CUBLAS_TBMV(T), banded(call, KG__TRIANGLE(lda), k))           \
    KG__TRIANGLES(cublas##L##tp, KG__CUBLAS_TPMV(T), packed(KG__TRIANGLE(0)))                      \
    KG__UPDATE(cublas##L##syr, KG__CUBLAS_SYR(T, T), KG__FULL(is_triangular), false)               \
    KG__UPDATE_2(cublas##L##syr2, KG__CUBLAS_SYR2(T), KG__FULL(is_triangular), false, true)        \
    KG__DEFINE(                                                                                    \
        cublas##L##tpttr, KG__CUBLAS_TPTTR(T),                                                     \
        call.run<copy_triangle<number_t<T>>>(                                                      \
            packed(stored(call, lying(ap, 0), n, is_triangular, fill)), KG__FULL(is_triangular)))  \
    KG__DEFINE(                                                                                    \
        cublas##L##trttp, KG__CUBLAS_TRTTP(T),                                                     \
        call.run<copy_triangle<number_t<T>>>(                                                      \
            KG__FULL(is_triangular), packed(stored(call, lying(ap, 0), n, is_triangular, fill))))
#define KG__LEVEL2_REAL(L, T)                                                                      \
    KG__LEVEL2(L, T)                                                                               \
    KG__MULTIPLY(cublas##L##sbmv, KG__CUBLAS_SBMV(T), KG__BAND(is_symmetric))                      \
    KG__MULTIPLY(cublas##L##spmv, KG__CUBLAS_SPMV(T), KG__PACKED(is_symmetric))                    \
    KG__UPDATE(cublas##L##spr, KG__CUBLAS_SPR(T, T), KG__PACKED(is_triangular), false)             \
    KG__UPDATE_2(cublas##L##spr2, KG__CUBLAS_SPR2(T), KG__PACKED(is_triangular), false, true)      \
    KG__UPDATE_2(cublas##L##ger, KG__CUBLAS_GER(T), KG__RECTANGLE, false, false)
#define KG__LEVEL2_COMPLEX(L, T, R)                                                                \
    KG__LEVEL2(L, T)                                                                               \
    KG__MULTIPLY(cublas##L##hemv, KG__CUBLAS_SYMV(T), KG__FULL(is_hermitian))                      \
    KG__MULTIPLY(cublas##L##hbmv, KG__CUBLAS_SBMV(T), KG__BAND(is_hermitian))                      \
    KG__MULTIPLY(cublas##L##hpmv, KG__CUBLAS_SPMV(T), KG__PACKED(is_hermitian))                    \
    KG__UPDATE(cublas##L##her, KG__CUBLAS_SYR(R, T), KG__FULL(is_triangular), true)                \
    KG__UPDATE(cublas##L##hpr, KG__CUBLAS_SPR(R, T), KG__PACKED(is_triangular), true)              \
    KG__UPDATE_2(cublas##L##her2, KG__CUBLAS_SYR2(T), KG__FULL(is_triangular), true, true)         \
    KG__UPDATE_2(cublas##L##hpr2, KG__CUBLAS_SPR2(T), KG__PACKED(is_triangular), true, true)       \
    KG__UPDATE_2(cublas##L##geru, KG__CUBLAS_GER(T), KG__RECTANGLE, false, false)                  \
    KG__UPDATE_2(cublas##L##gerc, KG__CUBLAS_GER(T), KG__RECTANGLE, true, false)
#define KG__RECTANGLE full(call, general(call, lying(a, lda), CUBLAS_OP_N, m, n))

KG__LEVEL2_REAL(S, float)
KG__LEVEL2_REAL(D, double)
KG__LEVEL2_COMPLEX(C, cuComplex, float)
KG__LEVEL2_COMPLEX(Z, cuDoubleComplex, double)
KG__MULTIPLY_BATCH(cublasHSHgemv, float, __half, __half)
KG__MULTIPLY_BATCH(cublasHSSgemv, float, __half, float)
KG__MULTIPLY_BATCH(cublasTSTgemv, float, __nv_bfloat16, __nv_bfloat16)
KG__MULTIPLY_BATCH(cublasTSSgemv, float, __nv_bfloat16, float)
