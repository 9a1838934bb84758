/* SPDX-License-Identifier: MIT */
/* cuBLAS of the CPU model. Operands are read and results written by kernels of one thread, so that
 * they are checked as those of any kernel; products are computed on the host in between, by the
 * distribution's BLAS where it is installed. */
#pragma once

#include <cstring>
#include <dlfcn.h>

#include "cublas_v2.h"
#include "kg_model_library.h"

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
    cublasEmulationStrategy_t emulation;
    int processors, mantissa_bits, mantissa_offset;
    cudaEmulationMantissaControl mantissa;
    cudaEmulationSpecialValuesSupport special_values;
};

namespace kg__model
{
namespace
{

/* A vector of the device, and the elements between two of its own. */
struct vector {
    void *data;
    cudaDataType type;
    long long count, step;

    __device__ long long place(long long i) const
    {
        return step < 0 ? (i + 1 - count) * step : i * step;
    }
    template <typename Number>
    __device__ Number get(long long i) const
    {
        return load<Number>(type, data, place(i));
    }
    template <typename Number>
    __device__ void set(long long i, Number value) const
    {
        store(type, data, place(i), value);
    }
};

/* The type that sums are accumulated in, and the real part's type. */
template <typename Number>
struct wide_of {
    using type = double;
    using real = Number;
};
template <typename Real>
struct wide_of<std::complex<Real>> {
    using type = std::complex<double>;
    using real = Real;
};
template <typename Number>
using wide = typename wide_of<Number>::type;

template <typename Number>
__device__ __host__ Number conjugate(Number value, bool wanted)
{
    if constexpr (!std::is_arithmetic_v<Number>)
        return wanted ? std::conj(value) : value;
    return value;
}
template <typename Number>
__device__ double magnitude(Number value)
{
    return std::abs(double(std::real(value))) + std::abs(double(std::imag(value)));
}
template <typename To, typename From>
__device__ __host__ To narrow(From value)
{
    if constexpr (std::is_arithmetic_v<To>)
        return static_cast<To>(std::real(value));
    else
        return To(static_cast<typename To::value_type>(std::real(value)),
                  static_cast<typename To::value_type>(std::imag(value)));
}

/* A call of the library: what ends it is thrown. */
class call
{
  public:
    template <typename Function>
    call(cublasHandle_t handle, Function *name) : handle_(handle)
    {
        if (handle == nullptr)
            throw CUBLAS_STATUS_NOT_INITIALIZED;
        name_ = reinterpret_cast<void (*)()>(name);
    }
    static void require(bool condition)
    {
        if (!condition)
            throw CUBLAS_STATUS_INVALID_VALUE;
    }
    static void check(cudaError_t error)
    {
        if (error != cudaSuccess)
            throw CUBLAS_STATUS_EXECUTION_FAILED;
    }

    /* Copies in the order of the handle's stream, as the library's kernels read and write. */
    void copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) const
    {
        check(cudaMemcpyAsync(to, from, bytes, kind, handle_->stream));
        check(cudaStreamSynchronize(handle_->stream));
    }

    /* Runs a kernel of one thread; `MayWait`: what has no result may run after the call. */
    template <typename Algorithm, bool MayWait = true, typename... Arguments>
    auto run(const Arguments &...arguments) const
    {
        using Result = decltype(Algorithm()(arguments...));
        constexpr bool may_wait = MayWait && std::is_void_v<Result>;
        kg__model_kept<Result> result;

        check(kg__model_run_alone<Algorithm, Result, may_wait>(name_, handle_->stream, result,
                                                               arguments...));
        if constexpr (!std::is_void_v<Result>)
            return std::move(result.value);
    }

    /* Returns whether a parameter or a result is the host's, as the handle's mode says. A result
     * may be the device's in either mode: cuBLAS 13 copies it to where the pointer leads. */
    bool is_of_host(const void *pointer, bool is_result = false) const
    {
        cudaPointerAttributes of = {};

        require(pointer != nullptr);
        if (handle_->pointers == CUBLAS_POINTER_MODE_DEVICE)
            return false;
        check(cudaPointerGetAttributes(&of, pointer));
        require(is_result || of.type != cudaMemoryTypeDevice);
        return of.type != cudaMemoryTypeDevice;
    }
    /* A parameter or a result, which is where the handle's mode says. */
    template <typename Number>
    Number scalar(const void *from) const
    {
        Number value;

        if (is_of_host(from))
            std::memcpy(&value, from, sizeof value);
        else
            copy(&value, from, sizeof value, cudaMemcpyDeviceToHost);
        return value;
    }
    template <typename Element>
    number_t<Element> number(const Element *from) const
    {
        if constexpr (std::is_same_v<Element, __half>)
            return __half2float(scalar<__half>(from));
        else
            return scalar<number_t<Element>>(from);
    }
    template <typename Number>
    void give(void *to, const Number &value) const
    {
        if (is_of_host(to, true)) {
            check(cudaStreamSynchronize(handle_->stream));
            std::memcpy(to, &value, sizeof value);
        } else {
            check(
                cudaMemcpyAsync(to, &value, sizeof value, cudaMemcpyHostToDevice, handle_->stream));
        }
    }

    /* The elements of a matrix, by columns. */
    template <typename Number, typename From = matrix>
    std::vector<Number> fetch(const From &from) const
    {
        std::vector<Number> numbers(static_cast<size_t>(from.rows * from.columns));

        require(from.lead >= std::max(1ll, from.rows));
        if (!numbers.empty())
            run<gather, false>(from, numbers.data());
        return numbers;
    }
    template <typename Number>
    void put(const matrix &to, const std::vector<Number> &numbers, bool lower = true,
             bool upper = true) const
    {
        if (!numbers.empty())
            run<scatter, false>(to, numbers.data(), int(lower), int(upper));
    }

  private:
    cublasHandle_t handle_;
    void (*name_)();
};

/* A function of the distribution's BLAS; nullptr where none is installed. */
void *find_in_blas(const char *name)
{
    static void *library = [] {
        void *found = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

        return found != nullptr ? found : dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
    }();

    return library != nullptr ? dlsym(library, name) : nullptr;
}
template <typename Number>
constexpr const char *gemm_name = "sgemm_";
template <>
constexpr const char *gemm_name<double> = "dgemm_";
template <>
constexpr const char *gemm_name<std::complex<float>> = "cgemm_";
template <>
constexpr const char *gemm_name<std::complex<double>> = "zgemm_";

/* c = alpha op(a) op(b) + beta c, all by columns without gaps; c is m x n. */
template <typename Number>
KG__OF_HOST void multiply(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                          Number alpha, const std::vector<Number> &a, const std::vector<Number> &b,
                          Number beta, std::vector<Number> &c)
{
    using gemm = void(const char *, const char *, const int *, const int *, const int *,
                      const Number *, const Number *, const int *, const Number *, const int *,
                      const Number *, Number *, const int *);
    static gemm *const found = reinterpret_cast<gemm *>(find_in_blas(gemm_name<Number>));
    const int lead_a = std::max(1, op_a == CUBLAS_OP_N ? m : k);
    const int lead_b = std::max(1, op_b == CUBLAS_OP_N ? k : n);
    const int lead_c = std::max(1, m);
    const Number *const at_a = a.data();
    const Number *const at_b = b.data();

    if (m == 0 || n == 0)
        return;
    if (found != nullptr) {
        found(&"NTC"[op_a], &"NTC"[op_b], &m, &n, &k, &alpha, at_a, &lead_a, at_b, &lead_b, &beta,
              c.data(), &lead_c);
        return;
    }
    for (long long j = 0; j < n; j++)
        for (long long i = 0; i < m; i++) {
            wide<Number> sum = 0;

            for (long long l = 0; l < k; l++)
                sum += wide<Number>(
                           conjugate(at_a[op_a == CUBLAS_OP_N ? l * lead_a + i : i * lead_a + l],
                                     op_a == CUBLAS_OP_C)) *
                       wide<Number>(
                           conjugate(at_b[op_b == CUBLAS_OP_N ? j * lead_b + l : l * lead_b + j],
                                     op_b == CUBLAS_OP_C));
            Number &to = c.data()[j * lead_c + i];
            to = alpha * narrow<Number>(sum) + (beta == Number(0) ? Number(0) : beta * to);
        }
}

bool is_side(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}
bool is_operation(cublasOperation_t operation)
{
    return operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C;
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

template <typename... Matrices>
void require_leads(const call &call, const Matrices &...all)
{
    call.require(((all.lead >= std::max(1ll, all.rows)) && ...));
}

template <typename Number>
void gemm(const call &call, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
          Number alpha, matrix a, matrix b, Number beta, matrix c)
{
    call.require(m >= 0 && n >= 0 && k >= 0 && is_operation(op_a) && is_operation(op_b));
    if (m == 0 || n == 0)
        return;
    a.rows = op_a == CUBLAS_OP_N ? m : k;
    a.columns = op_a == CUBLAS_OP_N ? k : m;
    b.rows = op_b == CUBLAS_OP_N ? k : n;
    b.columns = op_b == CUBLAS_OP_N ? n : k;
    c.rows = m;
    c.columns = n;
    require_leads(call, a, b, c);
    const std::vector<Number> left = call.fetch<Number>(a);
    const std::vector<Number> right = call.fetch<Number>(b);
    std::vector<Number> result(static_cast<size_t>(m) * static_cast<size_t>(n));
    if (beta != Number(0))
        result = call.fetch<Number>(c);
    multiply(op_a, op_b, m, n, k, alpha, left, right, beta, result);
    call.put(c, result);
}

/* A matrix whose size its call knows. */
matrix lying(const void *data, cudaDataType type, long long lead)
{
    return { const_cast<void *>(data), type, 0, 0, lead };
}

template <typename Element>
matrix lying(const Element *data, long long lead)
{
    return lying(data, type_of<Element>, lead);
}

vector vector_of(const void *data, cudaDataType type, int count, int step)
{
    return { const_cast<void *>(data), type, count, step };
}

template <typename Element>
vector vector_of(const Element *data, int count, int step)
{
    return vector_of(data, type_of<Element>, count, step);
}

/* The addresses of a batch's matrices, which are in device memory. */
std::vector<void *> addresses_of(const call &call, const void *array, int count)
{
    std::vector<void *> addresses(static_cast<size_t>(std::max(count, 0)));

    call.require(count >= 0);
    if (count > 0)
        call.copy(addresses.data(), array, addresses.size() * sizeof(void *),
                  cudaMemcpyDeviceToHost);
    return addresses;
}

size_t bytes_of(cudaDataType type)
{
    return type == CUDA_R_64F || type == CUDA_C_32F                         ? 8
           : type == CUDA_C_64F                                             ? 16
           : type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_C_8I ? 2
           : type == CUDA_R_8I                                              ? 1
                                                                            : 4;
}

const void *step_to(const void *data, cudaDataType type, long long elements)
{
    return static_cast<const char *>(data) + elements * static_cast<long long>(bytes_of(type));
}

/* Whether cuBLAS multiplies elements of type `a` to elements of type `c` in a computation. */
bool is_supported(cudaDataType a, cudaDataType c, cublasComputeType_t compute)
{
    const bool narrow = a == CUDA_R_16F || a == CUDA_R_16BF;

    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return a == CUDA_R_16F && c == CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return a == CUDA_R_8I && c == CUDA_R_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return a == c && (a == CUDA_R_64F || a == CUDA_C_64F);
    default:
        return (a == c && (narrow || a == CUDA_R_32F || a == CUDA_C_32F)) ||
               (c == CUDA_R_32F && (narrow || a == CUDA_R_8I)) ||
               (c == CUDA_C_32F && a == CUDA_C_8I);
    }
}

/* A call with element types of its own: `one(i)` are the operands of product i. */
template <typename Function>
void gemm_of_types(const call &call, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                   int k, const void *alpha, const void *beta, cublasComputeType_t compute,
                   cudaDataType type_a, cudaDataType type_c, int count, Function one)
{
    const bool is_complex = type_c == CUDA_C_32F || type_c == CUDA_C_64F;
    const auto all = [&](auto first, auto second) {
        for (int i = 0; i < count; i++) {
            const auto operands = one(i);

            if (operands.a.type != operands.b.type)
                throw CUBLAS_STATUS_NOT_SUPPORTED;
            gemm(call, op_a, op_b, m, n, k, first, operands.a, operands.b, second, operands.c);
        }
    };

    call.require(count >= 0);
    if (!is_supported(type_a, type_c, compute))
        throw CUBLAS_STATUS_NOT_SUPPORTED;
    if (compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC ||
        compute == CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT) {
        if (is_complex)
            all(call.scalar<std::complex<double>>(alpha), call.scalar<std::complex<double>>(beta));
        else
            all(call.scalar<double>(alpha), call.scalar<double>(beta));
    } else if (compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC) {
        /* Sums of products of bytes are exact in doubles. */
        all(double(call.scalar<int>(alpha)), double(call.scalar<int>(beta)));
    } else if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) {
        all(__half2float(call.scalar<__half>(alpha)), __half2float(call.scalar<__half>(beta)));
    } else if (is_complex) {
        all(call.scalar<std::complex<float>>(alpha), call.scalar<std::complex<float>>(beta));
    } else {
        all(call.scalar<float>(alpha), call.scalar<float>(beta));
    }
}

struct operands {
    matrix a, b, c;
};

} // namespace
} // namespace kg__model

/* A call, by the parameters that kg_model_cublas_calls.h names and what it does. */
#define KG__DEFINE(name, parameters, ...)                                                          \
    cublasStatus_t name parameters                                                                 \
    {                                                                                              \
        KG__CALL(name, handle)                                                                     \
        __VA_ARGS__;                                                                               \
        KG__END                                                                                    \
    }

/* The body of a call. */
#define KG__CALL(name, handle)                                                                     \
    try {                                                                                          \
        const kg__model::call call(handle, name);                                                  \
        using namespace kg__model;

#define KG__END                                                                                    \
    }                                                                                              \
    catch (cublasStatus_t status)                                                                  \
    {                                                                                              \
        return status;                                                                             \
    }                                                                                              \
    catch (const std::bad_alloc &)                                                                 \
    {                                                                                              \
        return CUBLAS_STATUS_ALLOC_FAILED;                                                         \
    }                                                                                              \
    return CUBLAS_STATUS_SUCCESS;
