/* SPDX-License-Identifier: MIT */
/* cuBLAS's calls on vectors, and on a matrix and vectors. */
#pragma once

#include "kg_model_cublas.h"

namespace kg__model
{
namespace
{

struct axpy {
    template <typename Number>
    __device__ void operator()(Number alpha, vector x, vector y) const
    {
        for (long long i = 0; i < x.count; i++)
            y.set(i, alpha * x.get<Number>(i) + y.get<Number>(i));
    }
};
template <typename Number>
struct copy_vector {
    __device__ void operator()(vector x, vector y) const
    {
        for (long long i = 0; i < x.count; i++)
            y.set(i, x.get<Number>(i));
    }
};
template <typename Number>
struct swap_vectors {
    __device__ void operator()(vector x, vector y) const
    {
        for (long long i = 0; i < x.count; i++) {
            const Number value = x.get<Number>(i);

            x.set(i, y.get<Number>(i));
            y.set(i, value);
        }
    }
};
template <typename Number>
struct scale {
    template <typename Factor>
    __device__ void operator()(Factor alpha, vector x) const
    {
        for (long long i = 0; i < x.count; i++)
            x.set(i, alpha * x.get<Number>(i));
    }
};
template <typename Number>
struct dot {
    __device__ Number operator()(vector x, vector y, bool conjugates) const
    {
        wide<Number> sum = 0;

        for (long long i = 0; i < x.count; i++)
            sum += wide<Number>(conjugate(x.get<Number>(i), conjugates)) *
                   wide<Number>(y.get<Number>(i));
        return narrow<Number>(sum);
    }
};
template <typename Number>
struct euclidean {
    __device__ double operator()(vector x) const
    {
        double sum = 0;

        for (long long i = 0; i < x.count; i++)
            sum += std::norm(wide<Number>(x.get<Number>(i)));
        return sqrt(sum);
    }
};
template <typename Number>
struct sum_of_magnitudes {
    __device__ double operator()(vector x) const
    {
        double sum = 0;

        for (long long i = 0; i < x.count; i++)
            sum += magnitude(x.get<Number>(i));
        return sum;
    }
};
/* Counts from 1; 0 of no elements. */
template <typename Number>
struct extreme {
    __device__ int operator()(vector x, bool least) const
    {
        long long found = 0;

        for (long long i = 1; i < x.count; i++) {
            const double value = magnitude(x.get<Number>(i));
            const double best = magnitude(x.get<Number>(found));

            if (least ? value < best : value > best)
                found = i;
        }
        return x.count > 0 ? static_cast<int>(found) + 1 : 0;
    }
};

/* Where an element of op(a) lies, or one of a symmetric matrix that stores one triangle. */
struct access {
    matrix a;
    cublasOperation_t operation;
    bool is_symmetric, is_lower;

    template <typename Number>
    __device__ Number get(long long i, long long j) const
    {
        const bool turned = is_symmetric ? is_lower == (i < j) : operation != CUBLAS_OP_N;

        return conjugate(load<Number>(a.type, a.data, turned ? i * a.lead + j : j * a.lead + i),
                         operation == CUBLAS_OP_C);
    }
};
struct gemv {
    template <typename Number>
    __device__ void operator()(access a, Number alpha, vector x, Number beta, vector y) const
    {
        for (long long i = 0; i < y.count; i++) {
            wide<Number> sum = 0;

            for (long long j = 0; j < x.count; j++)
                sum += wide<Number>(a.get<Number>(i, j)) * wide<Number>(x.get<Number>(j));
            y.set(i, alpha * narrow<Number>(sum) +
                         (beta == Number(0) ? Number(0) : beta * y.get<Number>(i)));
        }
    }
};
struct ger {
    template <typename Number>
    __device__ void operator()(matrix a, Number alpha, vector x, vector y, bool conjugates) const
    {
        for (long long j = 0; j < y.count; j++)
            for (long long i = 0; i < x.count; i++)
                store(a.type, a.data, j * a.lead + i,
                      load<Number>(a.type, a.data, j * a.lead + i) +
                          alpha * x.get<Number>(i) * conjugate(y.get<Number>(j), conjugates));
    }
};
/* Multiplies x by a triangular op(a), or (`solves`) solves op(a) times x = the given vector. */
template <typename Number>
struct triangle {
    __device__ void operator()(access a, bool is_lower, bool is_unit, bool solves, vector x) const
    {
        const bool down = is_lower == (a.operation == CUBLAS_OP_N);

        for (long long step = 0; step < x.count; step++) {
            /* The elements that it needs have not changed, or for a solution, have been found. */
            const long long i = down == solves ? step : x.count - 1 - step;
            wide<Number> sum = 0;

            for (long long j = down ? 0 : i + 1; j < (down ? i : x.count); j++)
                sum += wide<Number>(a.get<Number>(i, j)) * wide<Number>(x.get<Number>(j));
            const wide<Number> own = x.get<Number>(i);
            const wide<Number> diagonal = is_unit ? Number(1) : a.get<Number>(i, i);
            x.set(i, narrow<Number>(solves ? (own - sum) / diagonal : own * diagonal + sum));
        }
    }
};

vector vector_of(const void *data, cudaDataType type, int count, int step)
{
    return { const_cast<void *>(data), type, count, step };
}

template <typename Element>
vector vector_of(const Element *data, int count, int step)
{
    return vector_of(data, type_of<Element>, count, step);
}

} // namespace
} // namespace kg__model

/* Calls of vectors; no element is no work. */
#define KG__CUBLAS_VECTORS(L, l, T, R, NRM, ASUM)                                                  \
    cublasStatus_t cublas##L##axpy(cublasHandle_t handle, int n, const T *alpha, const T *x,       \
                                   int incx, T *y, int incy)                                       \
    {                                                                                              \
        KG__CALL(cublas##L##axpy, handle)                                                          \
        call.run<axpy>(call.number(alpha), vector_of(x, n, incx), vector_of(y, n, incy));          \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##copy(cublasHandle_t handle, int n, const T *x, int incx, T *y,       \
                                   int incy)                                                       \
    {                                                                                              \
        KG__CALL(cublas##L##copy, handle)                                                          \
        call.run<copy_vector<number_t<T>>>(vector_of(x, n, incx), vector_of(y, n, incy));          \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##swap(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy)   \
    {                                                                                              \
        KG__CALL(cublas##L##swap, handle)                                                          \
        call.run<swap_vectors<number_t<T>>>(vector_of(x, n, incx), vector_of(y, n, incy));         \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##scal(cublasHandle_t handle, int n, const T *alpha, T *x, int incx)   \
    {                                                                                              \
        KG__CALL(cublas##L##scal, handle)                                                          \
        call.run<scale<number_t<T>>>(call.number(alpha), vector_of(x, n, incx));                   \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##NRM(cublasHandle_t handle, int n, const T *x, int incx, R *result)      \
    {                                                                                              \
        KG__CALL(cublas##NRM, handle)                                                              \
        call.give(result, R(call.run<euclidean<number_t<T>>>(vector_of(x, n, incx))));             \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##ASUM(cublasHandle_t handle, int n, const T *x, int incx, R *result)     \
    {                                                                                              \
        KG__CALL(cublas##ASUM, handle)                                                             \
        call.give(result, R(call.run<sum_of_magnitudes<number_t<T>>>(vector_of(x, n, incx))));     \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublasI##l##amax(cublasHandle_t handle, int n, const T *x, int incx,            \
                                    int *result)                                                   \
    {                                                                                              \
        KG__CALL(cublasI##l##amax, handle)                                                         \
        call.give(result, call.run<extreme<number_t<T>>>(vector_of(x, n, incx), false));           \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublasI##l##amin(cublasHandle_t handle, int n, const T *x, int incx,            \
                                    int *result)                                                   \
    {                                                                                              \
        KG__CALL(cublasI##l##amin, handle)                                                         \
        call.give(result, call.run<extreme<number_t<T>>>(vector_of(x, n, incx), true));            \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##gemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,      \
                                   const T *alpha, const T *a, int lda, const T *x, int incx,      \
                                   const T *beta, T *y, int incy)                                  \
    {                                                                                              \
        KG__CALL(cublas##L##gemv, handle)                                                          \
        call.require(m >= 0 && n >= 0 && lda >= std::max(1, m) && incx != 0 && incy != 0);         \
        call.run<gemv>(access{ lying(a, lda), op, false, false }, call.number(alpha),              \
                       vector_of(x, op == CUBLAS_OP_N ? n : m, incx), call.number(beta),           \
                       vector_of(y, op == CUBLAS_OP_N ? m : n, incy));                             \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##L##symv(cublasHandle_t handle, cublasFillMode_t fill, int n,            \
                                   const T *alpha, const T *a, int lda, const T *x, int incx,      \
                                   const T *beta, T *y, int incy)                                  \
    {                                                                                              \
        KG__CALL(cublas##L##symv, handle)                                                          \
        call.require(n >= 0 && lda >= std::max(1, n) && incx != 0 && incy != 0);                   \
        call.run<gemv>(access{ lying(a, lda), CUBLAS_OP_N, true, fill == CUBLAS_FILL_MODE_LOWER }, \
                       call.number(alpha), vector_of(x, n, incx), call.number(beta),               \
                       vector_of(y, n, incy));                                                     \
        KG__END                                                                                    \
    }                                                                                              \
    KG__CUBLAS_TRIANGLE(cublas##L##trsv, T, true)                                                  \
    KG__CUBLAS_TRIANGLE(cublas##L##trmv, T, false)
#define KG__CUBLAS_TRIANGLE(name, T, solves)                                                       \
    cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,        \
                        cublasDiagType_t unit, int n, const T *a, int lda, T *x, int incx)         \
    {                                                                                              \
        KG__CALL(name, handle)                                                                     \
        call.require(n >= 0 && lda >= std::max(1, n) && incx != 0);                                \
        call.run<triangle<number_t<T>>>(access{ lying(a, lda), op, false, false },                 \
                                        fill == CUBLAS_FILL_MODE_LOWER, unit == CUBLAS_DIAG_UNIT,  \
                                        solves, vector_of(x, n, incx));                            \
        KG__END                                                                                    \
    }
KG__CUBLAS_VECTORS(S, s, float, float, Snrm2, Sasum)
KG__CUBLAS_VECTORS(D, d, double, double, Dnrm2, Dasum)
KG__CUBLAS_VECTORS(C, c, cuComplex, float, Scnrm2, Scasum)
KG__CUBLAS_VECTORS(Z, z, cuDoubleComplex, double, Dznrm2, Dzasum)
#undef KG__CUBLAS_VECTORS
#undef KG__CUBLAS_TRIANGLE

#define KG__CUBLAS_PAIR(dotted, rank, T, conjugates)                                               \
    cublasStatus_t dotted(cublasHandle_t handle, int n, const T *x, int incx, const T *y,          \
                          int incy, T *result)                                                     \
    {                                                                                              \
        KG__CALL(dotted, handle)                                                                   \
        call.give(result, call.run<dot<number_t<T>>>(vector_of(x, n, incx), vector_of(y, n, incy), \
                                                     conjugates));                                 \
        KG__END                                                                                    \
    }                                                                                              \
    cublasStatus_t rank(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, \
                        const T *y, int incy, T *a, int lda)                                       \
    {                                                                                              \
        KG__CALL(rank, handle)                                                                     \
        call.require(m >= 0 && n >= 0 && lda >= std::max(1, m) && incx != 0 && incy != 0);         \
        call.run<ger>(lying(a, lda), call.number(alpha), vector_of(x, m, incx),                    \
                      vector_of(y, n, incy), conjugates);                                          \
        KG__END                                                                                    \
    }
KG__CUBLAS_PAIR(cublasSdot, cublasSger, float, false)
KG__CUBLAS_PAIR(cublasDdot, cublasDger, double, false)
KG__CUBLAS_PAIR(cublasCdotu, cublasCgeru, cuComplex, false)
KG__CUBLAS_PAIR(cublasCdotc, cublasCgerc, cuComplex, true)
KG__CUBLAS_PAIR(cublasZdotu, cublasZgeru, cuDoubleComplex, false)
KG__CUBLAS_PAIR(cublasZdotc, cublasZgerc, cuDoubleComplex, true)
#undef KG__CUBLAS_PAIR

#define KG__CUBLAS_SCALE(name, R, T)                                                               \
    cublasStatus_t name(cublasHandle_t handle, int n, const R *alpha, T *x, int incx)              \
    {                                                                                              \
        KG__CALL(name, handle)                                                                     \
        call.run<scale<number_t<T>>>(call.scalar<R>(alpha), vector_of(x, n, incx));                \
        KG__END                                                                                    \
    }
KG__CUBLAS_SCALE(cublasCsscal, float, cuComplex)
KG__CUBLAS_SCALE(cublasZdscal, double, cuDoubleComplex)
#undef KG__CUBLAS_SCALE

/* Calls with element types of their own compute in doubles. */

namespace kg__model
{
namespace
{
std::complex<double> scalar_of(const call &call, const void *from, cudaDataType type)
{
    switch (type) {
    case CUDA_R_64F:
        return call.scalar<double>(from);
    case CUDA_R_16F:
        return __half2float(call.scalar<__half>(from));
    case CUDA_R_16BF:
        return __bfloat162float(call.scalar<__nv_bfloat16>(from));
    case CUDA_C_32F:
        return call.scalar<std::complex<float>>(from);
    case CUDA_C_64F:
        return call.scalar<std::complex<double>>(from);
    default:
        return call.scalar<float>(from);
    }
}
void give_as(const call &call, void *to, cudaDataType type, std::complex<double> value)
{
    switch (type) {
    case CUDA_R_64F:
        return call.give(to, value.real());
    case CUDA_R_16F:
        return call.give(to, __float2half(static_cast<float>(value.real())));
    case CUDA_R_16BF:
        return call.give(to, __float2bfloat16(static_cast<float>(value.real())));
    case CUDA_C_32F:
        return call.give(to, std::complex<float>(value));
    case CUDA_C_64F:
        return call.give(to, value);
    default:
        return call.give(to, static_cast<float>(value.real()));
    }
}
using any_number = std::complex<double>;
} // namespace
} // namespace kg__model

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alpha_type, const void *x, cudaDataType x_type, int incx,
                            void *y, cudaDataType y_type, int incy, cudaDataType)
{
    KG__CALL(cublasAxpyEx, handle)
    call.run<axpy>(scalar_of(call, alpha, alpha_type), vector_of(x, x_type, n, incx),
                   vector_of(y, y_type, n, incy));
    KG__END
}
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alpha_type, void *x, cudaDataType x_type, int incx,
                            cudaDataType)
{
    KG__CALL(cublasScalEx, handle)
    call.run<scale<any_number>>(scalar_of(call, alpha, alpha_type), vector_of(x, x_type, n, incx));
    KG__END
}
#define KG__CUBLAS_DOT_EX(name, conjugates)                                                        \
    cublasStatus_t name(cublasHandle_t handle, int n, const void *x, cudaDataType x_type,          \
                        int incx, const void *y, cudaDataType y_type, int incy, void *result,      \
                        cudaDataType result_type, cudaDataType)                                    \
    {                                                                                              \
        KG__CALL(name, handle)                                                                     \
        give_as(call, result, result_type,                                                         \
                call.run<dot<any_number>>(vector_of(x, x_type, n, incx),                           \
                                          vector_of(y, y_type, n, incy), conjugates));             \
        KG__END                                                                                    \
    }
KG__CUBLAS_DOT_EX(cublasDotEx, false)
KG__CUBLAS_DOT_EX(cublasDotcEx, true)
#undef KG__CUBLAS_DOT_EX
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType x_type,
                            int incx, void *result, cudaDataType result_type, cudaDataType)
{
    KG__CALL(cublasNrm2Ex, handle)
    give_as(call, result, result_type,
            call.run<euclidean<any_number>>(vector_of(x, x_type, n, incx)));
    KG__END
}
