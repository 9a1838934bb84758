/* SPDX-License-Identifier: MIT */
/* cuBLAS's plane rotations. */
#pragma once

#include "kg_model_cublas_vectors.h"

namespace kg__model
{
namespace
{

struct rotate {
    template <typename Number, typename Real, typename Sine>
    __device__ void operator()(Number, Real c, Sine s, vector x, vector y) const
    {
        for (long long i = 0; i < x.count; i++) {
            const Number first = x.get<Number>(i), second = y.get<Number>(i);

            x.set(i, c * first + s * second);
            y.set(i, c * second - conjugate(s, true) * first);
        }
    }
};

/* A modified rotation; entries that its flag implies are not read. */
template <typename Number>
struct modified {
    Number flag, h11, h21, h12, h22;
};
template <typename Number>
struct rotate_modified {
    __device__ void operator()(modified<Number> by, vector x, vector y) const
    {
        for (long long i = 0; i < x.count; i++) {
            const Number first = x.get<Number>(i), second = y.get<Number>(i);

            x.set(i, by.h11 * first + by.h12 * second);
            y.set(i, by.h21 * first + by.h22 * second);
        }
    }
};

template <typename Number>
void rotm(const call &call, vector x, vector y, const void *param, cudaDataType type)
{
    const auto entry = [&](long long i) {
        return scalar_of(call, step_to(param, type, i), type).real();
    };
    const double flag = entry(0);

    if (flag == -2)
        return;
    const bool has_cross = flag <= 0, has_main = flag != 0;
    const modified<Number> by = { Number(flag), Number(has_main ? entry(1) : 1),
                                  Number(has_cross ? entry(2) : -1),
                                  Number(has_cross ? entry(3) : 1),
                                  Number(has_main ? entry(4) : 1) };
    call.run<rotate_modified<Number>>(by, x, y);
}

/* c and s for which (a, b) becomes (r, 0), and of real numbers z from which both follow. */
template <typename Number>
void rotg(Number &a, Number &b, Number &c, Number &s)
{
    const double size = std::sqrt(std::norm(a) + std::norm(b));

    if constexpr (std::is_arithmetic_v<Number>) {
        const Number r = std::copysign(size, std::abs(a) > std::abs(b) ? a : b);

        c = size == 0 ? 1 : a / r;
        s = size == 0 ? 0 : b / r;
        b = std::abs(a) > std::abs(b) ? s : c != 0 ? 1 / c : 1;
        a = r;
        b = size == 0 ? 0 : b;
    } else if (std::abs(a) == 0) {
        c = 0;
        s = 1;
        a = b;
    } else {
        const Number direction = a / std::abs(a);

        c = std::abs(a) / size;
        s = direction * std::conj(b) / size;
        a = direction * size;
    }
}
void rotg_as(const call &call, void *a, void *b, cudaDataType type, void *c, void *s,
             cudaDataType c_type, cudaDataType s_type)
{
    const bool is_complex = type == CUDA_C_32F || type == CUDA_C_64F;
    any_number first = scalar_of(call, a, type), second = scalar_of(call, b, type), cosine, sine;

    if (is_complex) {
        rotg(first, second, cosine, sine);
    } else {
        double numbers[] = { first.real(), second.real(), 0, 0 };

        rotg(numbers[0], numbers[1], numbers[2], numbers[3]);
        first = numbers[0];
        second = numbers[1];
        cosine = numbers[2];
        sine = numbers[3];
        give_as(call, b, type, second);
    }
    give_as(call, a, type, first);
    give_as(call, c, c_type, cosine);
    give_as(call, s, s_type, sine);
}

/* Brings d into 1 / 4096^2 to 4096^2: h's row and x, which it weighs, follow. */
void rescale(modified<double> &by, double &d, double *x, double &left, double &right)
{
    while (d != 0 && (std::abs(d) <= 0x1p-24 || std::abs(d) >= 0x1p24)) {
        const bool is_small = std::abs(d) <= 0x1p-24;
        const double factor = is_small ? 0x1p-12 : 0x1p12;

        if (by.flag == 0)
            by.h11 = by.h22 = 1;
        else if (by.flag == 1)
            by.h21 = -1, by.h12 = 1;
        by.flag = -1;
        d /= factor * factor;
        if (x != nullptr)
            *x *= factor;
        left *= factor;
        right *= factor;
    }
}

/* The modified rotation that makes the second component of (sqrt(d1) x1, sqrt(d2) y1) zero. */
modified<double> rotmg(double &d1, double &d2, double &x1, double y1)
{
    const double p1 = d1 * x1, p2 = d2 * y1, q1 = p1 * x1, q2 = p2 * y1;
    modified<double> by = { -1, 0, 0, 0, 0 };

    if (d1 >= 0 && p2 == 0) {
        by.flag = -2;
        return by;
    }
    if (d1 >= 0 && std::abs(q1) > std::abs(q2)) {
        by = { 0, 0, -y1 / x1, p2 / p1, 0 };
        const double u = 1 - by.h12 * by.h21;
        d1 /= u;
        d2 /= u;
        x1 *= u;
    } else if (d1 >= 0 && q2 >= 0) {
        by = { 1, p1 / p2, 0, 0, x1 / y1 };
        const double u = 1 + by.h11 * by.h22;
        std::swap(d1, d2);
        d1 /= u;
        d2 /= u;
        x1 = y1 * u;
    } else {
        d1 = d2 = x1 = 0;
    }
    rescale(by, d1, &x1, by.h11, by.h12);
    rescale(by, d2, nullptr, by.h21, by.h22);
    return by;
}
void rotmg_as(const call &call, void *d1, cudaDataType d1_type, void *d2, cudaDataType d2_type,
              void *x1, cudaDataType x1_type, const void *y1, cudaDataType y1_type, void *param,
              cudaDataType type)
{
    double first = scalar_of(call, d1, d1_type).real(),
           second = scalar_of(call, d2, d2_type).real();
    double x = scalar_of(call, x1, x1_type).real();
    const modified<double> by = rotmg(first, second, x, scalar_of(call, y1, y1_type).real());
    const double entries[] = { by.flag, by.h11, by.h21, by.h12, by.h22 };

    give_as(call, d1, d1_type, first);
    give_as(call, d2, d2_type, second);
    give_as(call, x1, x1_type, x);
    for (int i = 0; i < 5; i++)
        if (i == 0 || by.flag == -1 || (by.flag == 0 && (i == 2 || i == 3)) ||
            (by.flag == 1 && (i == 1 || i == 4)))
            give_as(call, const_cast<void *>(step_to(param, type, i)), type, entries[i]);
}

} // namespace
} // namespace kg__model

#define KG__ROTATE(name, T, R, S)                                                                  \
    KG__DEFINE(name, KG__CUBLAS_ROT(T, R, S),                                                      \
               call.run<rotate>(number_t<T>(), call.number(c), call.number(s),                     \
                                vector_of(x, n, incx), vector_of(y, n, incy)))
#define KG__ROTATIONS(L, T, R)                                                                     \
    KG__ROTATE(cublas##L##rot, T, R, T)                                                            \
    KG__DEFINE(cublas##L##rotg, KG__CUBLAS_ROTG(T, R),                                             \
               rotg_as(call, a, b, type_of<T>, c, s, type_of<R>, type_of<T>))
#define KG__ROTATIONS_REAL(L, T)                                                                   \
    KG__ROTATIONS(L, T, T)                                                                         \
    KG__DEFINE(cublas##L##rotm, KG__CUBLAS_ROTM(T),                                                \
               rotm<T>(call, vector_of(x, n, incx), vector_of(y, n, incy), param, type_of<T>))     \
    KG__DEFINE(cublas##L##rotmg, KG__CUBLAS_ROTMG(T),                                              \
               rotmg_as(call, d1, type_of<T>, d2, type_of<T>, x1, type_of<T>, y1, type_of<T>,      \
                        param, type_of<T>))
KG__ROTATIONS_REAL(S, float)
KG__ROTATIONS_REAL(D, double)
KG__ROTATIONS(C, cuComplex, float)
KG__ROTATIONS(Z, cuDoubleComplex, double)
KG__ROTATE(cublasCsrot, cuComplex, float, float)
KG__ROTATE(cublasZdrot, cuDoubleComplex, double, double)

KG__DEFINE(cublasRotEx, KG__CUBLAS_ROT_EX,
           if (x_type != y_type ||
               (execution != x_type && bytes_of(x_type) > 2)) throw CUBLAS_STATUS_NOT_SUPPORTED;
           call.run<rotate>(any_number(), scalar_of(call, c, type).real(), scalar_of(call, s, type),
                            vector_of(x, x_type, n, incx), vector_of(y, y_type, n, incy)))
KG__DEFINE(cublasRotgEx, KG__CUBLAS_ROTG_EX, rotg_as(call, a, b, type, c, s, cs_type, cs_type))
KG__DEFINE(cublasRotmEx, KG__CUBLAS_ROTM_EX,
           rotm<double>(call, vector_of(x, x_type, n, incx), vector_of(y, y_type, n, incy), param,
                        type))
KG__DEFINE(cublasRotmgEx, KG__CUBLAS_ROTMG_EX,
           rotmg_as(call, d1, d1_type, d2, d2_type, x1, x1_type, y1, y1_type, param, type))
