/* SPDX-License-Identifier: MIT */
/* What the CPU model's cuBLAS and cuRAND have in common: their calls run as kernels of one thread,
 * with the name of the call. They are compiled by `kernelgate nvcc`, without debug information, so
 * that findings have the line of the program's call. */
#pragma once

#include <complex>
#include <vector>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "kg_model_alone.h"
#include "library_types.h"

#undef no_sanitize
#undef no_sanitize_coverage
/* The host's own computations, which touch no memory of the device. */
#define KG__OF_HOST __attribute__((no_sanitize("thread"), no_sanitize_coverage))

namespace kg__model
{

/* An element as real or complex number. */
template <typename Number, typename Given>
__device__ Number number_of(Given given)
{
    return Number(given);
}
template <typename Number, typename Given>
__device__ Number number_of_complex(Given given)
{
    if constexpr (std::is_arithmetic_v<Number>)
        return Number(given.x);
    else
        return Number(given.x, given.y);
}

/* Element i of an array of the device. */
template <typename Number>
__device__ Number load(cudaDataType type, const void *data, long long i)
{
    switch (type) {
    case CUDA_R_64F:
        return number_of<Number>(static_cast<const double *>(data)[i]);
    case CUDA_R_16F:
        return number_of<Number>(__half2float(static_cast<const __half *>(data)[i]));
    case CUDA_R_16BF:
        return number_of<Number>(__bfloat162float(static_cast<const __nv_bfloat16 *>(data)[i]));
    case CUDA_R_8I:
        return number_of<Number>(static_cast<const signed char *>(data)[i]);
    case CUDA_R_32I:
        return number_of<Number>(static_cast<const int *>(data)[i]);
    case CUDA_C_8I:
        return number_of_complex<Number>(static_cast<const char2 *>(data)[i]);
    case CUDA_C_32F:
        return number_of_complex<Number>(static_cast<const float2 *>(data)[i]);
    case CUDA_C_64F:
        return number_of_complex<Number>(static_cast<const double2 *>(data)[i]);
    default:
        return number_of<Number>(static_cast<const float *>(data)[i]);
    }
}

template <typename Number>
__device__ void store(cudaDataType type, void *data, long long i, Number number)
{
    const auto real = std::real(number);
    const auto imaginary = std::imag(number);

    switch (type) {
    case CUDA_R_64F:
        static_cast<double *>(data)[i] = real;
        break;
    case CUDA_R_16F:
        static_cast<__half *>(data)[i] = __float2half(static_cast<float>(real));
        break;
    case CUDA_R_16BF:
        static_cast<__nv_bfloat16 *>(data)[i] = __float2bfloat16(static_cast<float>(real));
        break;
    case CUDA_R_8I:
        static_cast<signed char *>(data)[i] = static_cast<signed char>(real);
        break;
    case CUDA_R_32I:
        static_cast<int *>(data)[i] = static_cast<int>(real);
        break;
    case CUDA_C_32F:
        static_cast<float2 *>(data)[i] =
            make_float2(static_cast<float>(real), static_cast<float>(imaginary));
        break;
    case CUDA_C_64F:
        static_cast<double2 *>(data)[i] = make_double2(real, imaginary);
        break;
    default:
        static_cast<float *>(data)[i] = static_cast<float>(real);
    }
}

inline bool is_known(cudaDataType type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_16F || type == CUDA_R_16BF ||
           type == CUDA_R_8I || type == CUDA_R_32I || type == CUDA_C_32F || type == CUDA_C_64F;
}

template <typename Element>
constexpr cudaDataType type_of = CUDA_R_32F;
template <>
constexpr cudaDataType type_of<double> = CUDA_R_64F;
template <>
constexpr cudaDataType type_of<__half> = CUDA_R_16F;
template <>
constexpr cudaDataType type_of<__nv_bfloat16> = CUDA_R_16BF;
template <>
constexpr cudaDataType type_of<float2> = CUDA_C_32F;
template <>
constexpr cudaDataType type_of<double2> = CUDA_C_64F;

/* The type that a call computes in, of an element's. */
template <typename Element>
struct number {
    using type = Element;
};
template <>
struct number<__half> {
    using type = float;
};
template <>
struct number<float2> {
    using type = std::complex<float>;
};
template <>
struct number<double2> {
    using type = std::complex<double>;
};
template <typename Element>
using number_t = typename number<Element>::type;

/* A matrix of the device, by columns: an element type, and elements between two columns. */
struct matrix {
    void *data;
    cudaDataType type;
    long long rows, columns, lead;

    template <typename Number>
    __device__ Number get(long long i, long long j) const
    {
        return load<Number>(type, data, j * lead + i);
    }
};

/* Copies a matrix of the device to numbers of the host, side by side. */
struct gather {
    template <typename From, typename Number>
    __device__ void operator()(From from, Number *to) const
    {
        for (long long j = 0; j < from.columns; j++)
            for (long long i = 0; i < from.rows; i++) {
                const Number value = from.template get<Number>(i, j);

                kg__model_move(to + j * from.rows + i, &value, sizeof value);
            }
    }
};

/* Copies numbers of the host to a matrix of the device, or to one of its triangles. */
struct scatter {
    template <typename Number>
    __device__ void operator()(matrix to, const Number *from, int lower, int upper) const
    {
        for (long long j = 0; j < to.columns; j++)
            for (long long i = 0; i < to.rows; i++) {
                Number value;

                kg__model_move(&value, from + j * to.rows + i, sizeof value);
                if ((i >= j && lower) || (i <= j && upper))
                    store(to.type, to.data, j * to.lead + i, value);
            }
    }
};

} // namespace kg__model
