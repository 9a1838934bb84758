/* cuBLAS: rotations, and calls on vectors with types of their own. */
#include <cublas_api.h>

#include "cublas_dense.h"

template <typename T>
static void check_rotations()
{
    using real = typename type<T>::real;
    const number sine = scalar<T>(0.75, 0.5);
    const real c = real(0.5), given = 0.75;
    const T s = type<T>::of(sine);
    vector<T> x(5, 2, 1), y(5, -1, 2);
    const auto expect_rotated = [&](const char *name, cublasStatus_t status, number sine) {
        for (int i = 0; i < 5; i++) {
            const number first = x.at(i), second = y.at(i);

            x.set(i, double(c) * first + sine * second);
            y.set(i, double(c) * second - std::conj(sine) * first);
        }
        expect(name, status, x.stored);
        expect(name, status, y.stored);
    };

    expect_rotated("rot", PICK(rot)(handle, 5, x.stored.device, 2, y.stored.device, -1, &c, &s),
                   sine);
    if constexpr (type<T>::is_complex)
        expect_rotated("srot",
                       pick<T>(0, 0, cublasCsrot, cublasZdrot)(handle, 5, x.stored.device, 2,
                                                               y.stored.device, -1, &c, &given),
                       given);
    for (const number first : { number(3, 1), number(0), number(-1, 2), number(-4) })
        for (const number second : { number(2, -4), number(0), number(-3) }) {
            const number from = type<T>::value(type<T>::of(first)),
                         to = type<T>::value(type<T>::of(second));
            T a = type<T>::of(first), b = type<T>::of(second), found;
            real cosine;

            RUN(PICK(rotg)(handle, &a, &b, &cosine, &found));
            const number sine = type<T>::value(found), r = type<T>::value(a);
            const number zero = double(cosine) * to - std::conj(sine) * from;
            CHECK(near(std::abs(double(cosine) * from + sine * to - r), 0) &&
                  near(std::abs(zero), 0));
            CHECK(near(double(cosine) * double(cosine) + std::norm(sine), 1));
            if (!type<T>::is_complex) {
                const double z = type<T>::value(b).real();

                CHECK(near(z == 1             ? 0
                           : std::fabs(z) < 1 ? std::sqrt(1 - z * z)
                                              : 1 / z,
                           double(cosine)));
            }
        }
    if constexpr (!type<T>::is_complex)
        for (const T flag : { -2, -1, 0, 1 }) {
            T param[] = { flag, 2, -1, 3, 4 };
            const double h11 = flag == 0 ? 1 : 2, h21 = flag == 1 ? -1 : -1,
                         h12 = flag == 1 ? 1 : 3, h22 = flag == 0 ? 1 : 4;
            const cublasStatus_t status = pick<T>(cublasSrotm, cublasDrotm, 0, 0)(
                handle, 5, x.stored.device, 2, y.stored.device, -1, param);

            for (int i = 0; flag != -2 && i < 5; i++) {
                const number first = x.at(i), second = y.at(i);

                x.set(i, h11 * first + h12 * second);
                y.set(i, h21 * first + h22 * second);
            }
            expect("rotm", status, x.stored);
            expect("rotm", status, y.stored);
        }
}

/* What a modified rotation is to do: the second component is zero, and the weighted length stays.
 */
template <typename T>
static void check_modified_rotations()
{
    const struct {
        T d1, d2, x1, y1, flag;
    } rows[] = { { 2, 3, 5, 1, 0 },
                 { 2, 3, 1, 5, 1 },
                 { 2, 0, 1, 5, -2 },
                 { -1, 2, 1, 1, -1 },
                 { T(1e-9), 3, 5, T(1e-6), -1 },
                 { T(1e9), T(3e9), 1, 5, -1 } };

    for (const auto &row : rows) {
        T d1 = row.d1, d2 = row.d2, x1 = row.x1, y1 = row.y1, h[] = { 7, 7, 7, 7, 7 };

        RUN(pick<T>(cublasSrotmg, cublasDrotmg, 0, 0)(handle, &d1, &d2, &x1, &y1, h));
        CHECK(h[0] == row.flag);
        if (h[0] == -2 || row.d1 < 0) {
            CHECK(h[0] == -2 ? x1 == row.x1 && d1 == row.d1 && h[1] == 7 : d1 == 0 && x1 == 0);
            continue;
        }
        const double h11 = h[0] == 0 ? 1 : h[1], h21 = h[0] == 1 ? -1 : h[2],
                     h12 = h[0] == 1 ? 1 : h[3], h22 = h[0] == 0 ? 1 : h[4];
        CHECK(h[0] != 0 || (h[1] == 7 && h[4] == 7));
        CHECK(h[0] != 1 || (h[2] == 7 && h[3] == 7));
        CHECK(near(h11 * row.x1 + h12 * row.y1, x1) && near(h21 * row.x1 + h22 * row.y1, 0));
        CHECK(near(double(d1) * x1 * x1,
                   double(row.d1) * row.x1 * row.x1 + double(row.d2) * row.y1 * row.y1));
        CHECK(std::fabs(d1) > 5e-8 && std::fabs(d1) < 2e7 && std::fabs(d2) < 2e7);
    }
}

/* Calls with types of their own. */
static void check_types()
{
    const double c = 0.5, s = 0.75;
    vector<float> x(5, 2, 1);
    vector<double> y(5, -1, 2);
    float sum = 0;
    double a = 3, b = 4, cosine = 0, sine = 0, d1 = 2, d2 = 3, x1 = 5, y1 = 1, h[5];
    int largest = 0, least = 0;
    double expected = 0;

    for (const number value : x.dense)
        expected += std::fabs(value.real());
    RUN(cublasAsumEx(handle, 5, x.stored.device, CUDA_R_32F, 2, &sum, CUDA_R_32F, CUDA_R_32F));
    CHECK(near(sum, expected));
    RUN(cublasIamaxEx(handle, 5, y.stored.device, CUDA_R_64F, 1, &largest));
    RUN(cublasIaminEx(handle, 5, y.stored.device, CUDA_R_64F, 1, &least));
    for (const double value : y.stored.host)
        CHECK(std::fabs(value) <= std::fabs(y.stored.host[size_t(largest - 1)]) &&
              std::fabs(value) >= std::fabs(y.stored.host[size_t(least - 1)]));
    vector<double> z(5, 1, 3);
    const cublasStatus_t copied =
        cublasCopyEx(handle, 5, y.stored.device, CUDA_R_64F, -1, z.stored.device, CUDA_R_64F, 1);
    for (int i = 0; i < 5; i++)
        z.set(i, y.at(i));
    expect("copyEx", copied, z.stored);
    const cublasStatus_t rotated =
        cublasRotEx(handle, 5, y.stored.device, CUDA_R_64F, -1, z.stored.device, CUDA_R_64F, 1, &c,
                    &s, CUDA_R_64F, CUDA_R_64F);
    for (int i = 0; i < 5; i++) {
        z.set(i, (c - s) * y.at(i));
        y.set(i, (c + s) * y.at(i));
    }
    expect("rotEx", rotated, z.stored);
    expect("rotEx", rotated, y.stored);
    RUN(cublasSwapEx(handle, 5, y.stored.device, CUDA_R_64F, -1, z.stored.device, CUDA_R_64F, 1));
    std::swap(y.dense, z.dense);
    for (int i = 0; i < 5; i++)
        z.set(i, z.at(i));
    expect("swapEx", CUBLAS_STATUS_SUCCESS, z.stored);
    RUN(cublasRotgEx(handle, &a, &b, CUDA_R_64F, &cosine, &sine, CUDA_R_64F, CUDA_R_64F));
    CHECK(near(a, 5) && near(cosine, 0.6) && near(sine, 0.8));
    RUN(cublasRotmgEx(handle, &d1, CUDA_R_64F, &d2, CUDA_R_64F, &x1, CUDA_R_64F, &y1, CUDA_R_64F, h,
                      CUDA_R_64F, CUDA_R_64F));
    CHECK(h[0] == 0 && near(h[2], -0.2) && near(h[3], 0.3));
    const cublasStatus_t modified =
        cublasRotmEx(handle, 5, y.stored.device, CUDA_R_64F, -1, z.stored.device, CUDA_R_64F, 1, h,
                     CUDA_R_64F, CUDA_R_64F);
    for (int i = 0; i < 5; i++)
        z.set(i, -0.2 * y.at(i) + z.at(i));
    expect("rotmEx", modified, z.stored);
}

int main()
{
    RUN(cublasCreate(&handle));
    check_rotations<float>();
    check_rotations<double>();
    check_rotations<cuComplex>();
    check_rotations<cuDoubleComplex>();
    check_modified_rotations<float>();
    check_modified_rotations<double>();
    check_types();
    int bits = 0;
    RUN(cublasSetFixedPointEmulationMaxMantissaBitCount(handle, 40));
    RUN(cublasGetFixedPointEmulationMaxMantissaBitCount(handle, &bits));
    CHECK(bits == 40 && cublasGetSmCountTarget(handle, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    RUN(cublasDestroy(handle));
    return failures > 0;
}

// SPDX-License-Identifier: MIT
