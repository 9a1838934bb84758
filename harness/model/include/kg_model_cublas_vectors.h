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

} // namespace
} // namespace kg__model

/* Calls of vectors; no element is no work. */
#define KG__CUBLAS_VECTORS(L, l, T, R, NRM, ASUM)                                                  \
    KG__DEFINE(                                                                                    \
        cublas##L##axpy,                                                                           \
        (cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, int incy),      \
        call.run<axpy>(call.number(alpha), vector_of(x, n, incx), vector_of(y, n, incy)))          \
    KG__DEFINE(cublas##L##copy,                                                                    \
               (cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy),               \
               call.run<copy_vector<number_t<T>>>(vector_of(x, n, incx), vector_of(y, n, incy)))   \
    KG__DEFINE(cublas##L##swap, (cublasHandle_t handle, int n, T *x, int incx, T *y, int incy),    \
               call.run<swap_vectors<number_t<T>>>(vector_of(x, n, incx), vector_of(y, n, incy)))  \
    KG__DEFINE(cublas##L##scal, (cublasHandle_t handle, int n, const T *alpha, T *x, int incx),    \
               call.run<scale<number_t<T>>>(call.number(alpha), vector_of(x, n, incx)))            \
    KG__DEFINE(cublas##NRM, (cublasHandle_t handle, int n, const T *x, int incx, R *result),       \
               call.give(result, R(call.run<euclidean<number_t<T>>>(vector_of(x, n, incx)))))      \
    KG__DEFINE(                                                                                    \
        cublas##ASUM, (cublasHandle_t handle, int n, const T *x, int incx, R *result),             \
        call.give(result, R(call.run<sum_of_magnitudes<number_t<T>>>(vector_of(x, n, incx)))))     \
    KG__DEFINE(cublasI##l##amax,                                                                   \
               (cublasHandle_t handle, int n, const T *x, int incx, int *result),                  \
               call.give(result, call.run<extreme<number_t<T>>>(vector_of(x, n, incx), false)))    \
    KG__DEFINE(cublasI##l##amin,                                                                   \
               (cublasHandle_t handle, int n, const T *x, int incx, int *result),                  \
               call.give(result, call.run<extreme<number_t<T>>>(vector_of(x, n, incx), true)))
KG__CUBLAS_VECTORS(S, s, float, float, Snrm2, Sasum)
KG__CUBLAS_VECTORS(D, d, double, double, Dnrm2, Dasum)
KG__CUBLAS_VECTORS(C, c, cuComplex, float, Scnrm2, Scasum)
KG__CUBLAS_VECTORS(Z, z, cuDoubleComplex, double, Dznrm2, Dzasum)
#undef KG__CUBLAS_VECTORS

#define KG__CUBLAS_DOTTED(name, T, conjugates)                                                     \
    KG__DEFINE(name, KG__CUBLAS_DOT(T),                                                            \
               call.give(result, call.run<dot<number_t<T>>>(vector_of(x, n, incx),                 \
                                                            vector_of(y, n, incy), conjugates)))
KG__CUBLAS_DOTTED(cublasSdot, float, false)
KG__CUBLAS_DOTTED(cublasDdot, double, false)
KG__CUBLAS_DOTTED(cublasCdotu, cuComplex, false)
KG__CUBLAS_DOTTED(cublasCdotc, cuComplex, true)
KG__CUBLAS_DOTTED(cublasZdotu, cuDoubleComplex, false)
KG__CUBLAS_DOTTED(cublasZdotc, cuDoubleComplex, true)
#undef KG__CUBLAS_DOTTED

#define KG__CUBLAS_SCALE(name, R, T)                                                               \
    KG__DEFINE(name, (cublasHandle_t handle, int n, const R *alpha, T *x, int incx),               \
               call.run<scale<number_t<T>>>(call.scalar<R>(alpha), vector_of(x, n, incx)))
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

KG__DEFINE(cublasAxpyEx,
           (cublasHandle_t handle, int n, const void *alpha, cudaDataType alpha_type, const void *x,
            cudaDataType x_type, int incx, void *y, cudaDataType y_type, int incy, cudaDataType),
           call.run<axpy>(scalar_of(call, alpha, alpha_type), vector_of(x, x_type, n, incx),
                          vector_of(y, y_type, n, incy)))
KG__DEFINE(cublasScalEx,
           (cublasHandle_t handle, int n, const void *alpha, cudaDataType alpha_type, void *x,
            cudaDataType x_type, int incx, cudaDataType),
           call.run<scale<any_number>>(scalar_of(call, alpha, alpha_type),
                                       vector_of(x, x_type, n, incx)))
#define KG__CUBLAS_DOT_EX(name, conjugates)                                                        \
    KG__DEFINE(name,                                                                               \
               (cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx,        \
                const void *y, cudaDataType y_type, int incy, void *result,                        \
                cudaDataType result_type, cudaDataType),                                           \
               give_as(call, result, result_type,                                                  \
                       call.run<dot<any_number>>(vector_of(x, x_type, n, incx),                    \
                                                 vector_of(y, y_type, n, incy), conjugates)))
KG__CUBLAS_DOT_EX(cublasDotEx, false)
KG__CUBLAS_DOT_EX(cublasDotcEx, true)
#undef KG__CUBLAS_DOT_EX
KG__DEFINE(cublasNrm2Ex,
           (cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx,
            void *result, cudaDataType result_type, cudaDataType),
           give_as(call, result, result_type,
                   call.run<euclidean<any_number>>(vector_of(x, x_type, n, incx))))
KG__DEFINE(cublasCopyEx, KG__CUBLAS_COPY_EX,
           call.run<copy_vector<any_number>>(vector_of(x, x_type, n, incx),
                                             vector_of(y, y_type, n, incy)))
KG__DEFINE(cublasSwapEx, KG__CUBLAS_SWAP_EX,
           call.run<swap_vectors<any_number>>(vector_of(x, x_type, n, incx),
                                              vector_of(y, y_type, n, incy)))
KG__DEFINE(cublasAsumEx, KG__CUBLAS_ASUM_EX,
           give_as(call, result, type,
                   call.run<sum_of_magnitudes<any_number>>(vector_of(x, x_type, n, incx))))
KG__DEFINE(cublasIamaxEx, KG__CUBLAS_IAMAX_EX,
           call.give(result, call.run<extreme<any_number>>(vector_of(x, x_type, n, incx), false)))
KG__DEFINE(cublasIaminEx, KG__CUBLAS_IAMAX_EX,
           call.give(result, call.run<extreme<any_number>>(vector_of(x, x_type, n, incx), true)))
