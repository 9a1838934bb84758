/* SPDX-License-Identifier: MIT */
/* Stored matrices and vectors for calls of cuBLAS, next to dense ones of the host. What a call must
 * not read is NaN, and what it must not write has to stay so. */
#include <cublas_v2.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "check.h"

#define RUN(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

using number = std::complex<double>;

static cublasHandle_t handle;
static const cublasFillMode_t fills[] = { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER };
static const cublasOperation_t operations[] = { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };

template <typename T>
struct type {
    using real = T;
    static const bool is_complex = false;
    static T of(number value)
    {
        return T(value.real());
    }
    static number value(T from)
    {
        return from;
    }
};
template <typename T, typename R>
struct complex_type {
    using real = R;
    static const bool is_complex = true;
    static T of(number value)
    {
        return T{ R(value.real()), R(value.imag()) };
    }
    static number value(T from)
    {
        return { from.x, from.y };
    }
};
template <>
struct type<cuComplex> : complex_type<cuComplex, float> {
};
template <>
struct type<cuDoubleComplex> : complex_type<cuDoubleComplex, double> {
};

/* The call of a type. */
template <typename T, typename S, typename D, typename C, typename Z>
static auto pick(S s, D d, C c, Z z)
{
    if constexpr (std::is_same_v<T, float>)
        return s;
    else if constexpr (std::is_same_v<T, double>)
        return d;
    else if constexpr (std::is_same_v<T, cuComplex>)
        return c;
    else
        return z;
}
#define PICK(name) pick<T>(cublasS##name, cublasD##name, cublasC##name, cublasZ##name)
#define PICK_OF(name, other) pick<T>(cublasS##name, cublasD##name, cublasC##other, cublasZ##other)

template <typename T>
static number made(int i, int j, int seed)
{
    const double imaginary = type<T>::is_complex ? (i * 5 + j * 3 + seed) % 7 - 3 : 0;

    return { double((i * 3 + j * 7 + seed) % 11 - 5), imaginary };
}
static number conjugate(number value, bool wanted)
{
    return wanted ? std::conj(value) : value;
}

/* Memory of the device. */
template <typename T>
struct memory {
    std::vector<T> host;
    T *device = nullptr;

    explicit memory(size_t count) : host(count)
    {
        cudaMalloc(&device, count * sizeof(T));
        std::memset(host.data(), 0xff, count * sizeof(T));
    }
    ~memory()
    {
        cudaFree(device);
    }
    void send()
    {
        cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
};

static bool near(double a, double b)
{
    return std::isnan(b) ? std::isnan(a) : std::fabs(a - b) <= 2e-4 * (1 + std::fabs(b));
}

/* Holds a result against what its memory is to hold. */
template <typename T>
static void expect(const char *call, cublasStatus_t status, const memory<T> &to)
{
    std::vector<T> found(to.host.size());
    bool same = status == CUBLAS_STATUS_SUCCESS;

    cudaMemcpy(found.data(), to.device, found.size() * sizeof(T), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < found.size(); i++) {
        const number a = type<T>::value(found[i]), b = type<T>::value(to.host[i]);

        same = same && near(a.real(), b.real()) && near(a.imag(), b.imag());
    }
    if (!same)
        std::printf("cublas%c%s: %d\n", pick<T>('S', 'D', 'C', 'Z'), call, status);
    CHECK(same);
}

/* How a matrix is stored: whole (w), as a band (b) or packed (p); general (g), symmetric (s),
 * Hermitian (h), triangular (t) or of ones on its diagonal (u). */
struct form {
    char storage, kind;
    int m, n, below, above;
    cublasFillMode_t fill;

    int lead() const
    {
        return storage == 'w' ? m + 2 : below + above + 2;
    }
    size_t size() const
    {
        return storage == 'p' ? size_t(n * (n + 1) / 2) : size_t(lead() * n);
    }
    bool is_lower() const
    {
        return fill == CUBLAS_FILL_MODE_LOWER;
    }
    bool is_stored(int i, int j) const
    {
        return (kind == 'g' || i == j || is_lower() == (i > j)) &&
               (storage != 'b' || (i - j <= below && j - i <= above));
    }
    size_t place(int i, int j) const
    {
        int at = 0;

        if (storage == 'b')
            return size_t(j * lead() + above + i - j);
        if (storage == 'w')
            return size_t(j * lead() + i);
        for (int column = 0; column < j; column++)
            at += is_lower() ? n - column : column + 1;
        return size_t(at + (is_lower() ? i - j : i));
    }
};

/* A stored matrix and its dense one. */
template <typename T>
struct matrix {
    form as;
    std::vector<number> dense;
    memory<T> stored;

    matrix(const form &as, int seed) : as(as), dense(size_t(as.m * as.n)), stored(as.size())
    {
        for (int j = 0; j < as.n; j++)
            for (int i = 0; i < as.m; i++)
                if (as.is_stored(i, j))
                    set(i, j, made<T>(i, j, seed) + number(i == j ? 20 : 0));
        stored.send();
    }
    void set(int i, int j, number value)
    {
        const bool is_real = as.kind == 'h' && i == j;

        at(i, j) = is_real ? value.real() : as.kind == 'u' && i == j ? 1 : value;
        if (i != j && (as.kind == 's' || as.kind == 'h'))
            at(j, i) = conjugate(value, as.kind == 'h');
        if (as.kind != 'u' || i != j)
            stored.host[as.place(i, j)] = type<T>::of(is_real ? number(value.real(), NAN) : value);
    }
    number &at(int i, int j)
    {
        return dense[size_t(j * as.m + i)];
    }
    number of(cublasOperation_t op, int i, int j)
    {
        return conjugate(op == CUBLAS_OP_N ? at(i, j) : at(j, i), op == CUBLAS_OP_C);
    }
    /* Updates what is stored; the diagonal of a Hermitian matrix becomes real. */
    template <typename Value>
    void update(Value value)
    {
        for (int j = 0; j < as.n; j++)
            for (int i = 0; i < as.m; i++)
                if (as.is_stored(i, j)) {
                    const number sum = value(i, j);

                    set(i, j, sum);
                    if (as.kind == 'h' && i == j)
                        stored.host[as.place(i, j)] = type<T>::of(sum.real());
                }
    }
};

template <typename T>
struct vector {
    int count, step;
    std::vector<number> dense;
    memory<T> stored;

    vector(int count, int step, int seed)
        : count(count), step(step), dense(size_t(count)),
          stored(size_t((count - 1) * std::abs(step) + 1))
    {
        for (int i = 0; i < count; i++)
            set(i, made<T>(i, 2, seed));
        stored.send();
    }
    void set(int i, number value)
    {
        dense[size_t(i)] = value;
        stored.host[size_t(step > 0 ? i * step : (i + 1 - count) * step)] = type<T>::of(value);
    }
    number at(int i) const
    {
        return dense[size_t(i)];
    }
};

template <typename T>
static number scalar(double real, double imaginary)
{
    return { real, type<T>::is_complex ? imaginary : 0 };
}
