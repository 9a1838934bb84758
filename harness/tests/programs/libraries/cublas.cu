/* cuBLAS: values that a loop computes too, for each kind of call. */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <vector>

#include "check.h"

#define RUN(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

/* Memory of the device with elements of the host. */
template <typename T>
struct array {
    std::vector<T> host;
    T *device = nullptr;

    explicit array(size_t count, int seed = 1) : host(count)
    {
        for (size_t i = 0; i < count; i++)
            host[i] = T(float((i * 7 + size_t(seed)) % 11) - 5);
        cudaMalloc(&device, count * sizeof(T));
        cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~array()
    {
        cudaFree(device);
    }
    T at(size_t i)
    {
        T value;

        cudaDeviceSynchronize();
        cudaMemcpy(&value, device + i, sizeof value, cudaMemcpyDeviceToHost);
        return value;
    }
};

static cublasHandle_t handle;

static bool near(double a, double b)
{
    return std::fabs(a - b) <= 1e-3 * (1 + std::fabs(b));
}

static void check_vectors()
{
    const int n = 10;
    array<float> x(2 * n), y(n, 3);
    const float alpha = 2;
    float dot = 0, norm = 0, sum = 0, expected = 0, squares = 0;
    int largest = 0;

    for (int i = 0; i < n; i++) {
        expected += x.host[2 * i] * y.host[i];
        squares += y.host[i] * y.host[i];
    }
    RUN(cublasSdot(handle, n, x.device, 2, y.device, 1, &dot));
    RUN(cublasSnrm2(handle, n, y.device, 1, &norm));
    RUN(cublasSasum(handle, n, y.device, 1, &sum));
    RUN(cublasIsamax(handle, n, y.device, 1, &largest));
    CHECK(near(dot, expected) && near(norm, std::sqrt(squares)) && sum > 0);
    for (int i = 0; i < n; i++)
        CHECK(std::fabs(y.host[i]) <= std::fabs(y.host[largest - 1]));
    RUN(cublasSaxpy(handle, n, &alpha, x.device, 2, y.device, 1));
    CHECK(near(y.at(4), y.host[4] + 2 * x.host[8]));
    RUN(cublasSscal(handle, n, &alpha, y.device, 1));
    RUN(cublasScopy(handle, n, y.device, -1, x.device, 1));
    CHECK(x.at(0) == y.at(9));
    RUN(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    RUN(cublasSdot(handle, n, y.device, 1, y.device, 1, x.device));
    CHECK(cublasSdot(handle, n, y.device, 1, y.device, 1, &dot) == CUBLAS_STATUS_EXECUTION_FAILED);
    RUN(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    (void)cudaGetLastError();
}

/* op(a) is m x k, op(b) k x n. */
static double product(const std::vector<double> &a, bool turn_a, int lda,
                      const std::vector<double> &b, bool turn_b, int ldb, int k, int i, int j)
{
    double sum = 0;

    for (int l = 0; l < k; l++)
        sum += a[size_t(turn_a ? i * lda + l : l * lda + i)] *
               b[size_t(turn_b ? l * ldb + j : j * ldb + l)];
    return sum;
}

static void check_products()
{
    const int m = 5, n = 4, k = 3, lead = 6;

    for (int which = 0; which < 4; which++) {
        const bool ta = which & 1, tb = which & 2;
        array<double> a(lead * lead), b(lead * lead, 2), c(lead * lead, 5);
        const double alpha = 2, beta = which == 3 ? 0 : 3;

        RUN(cublasDgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m,
                        n, k, &alpha, a.device, lead, b.device, lead, &beta, c.device, lead));
        CHECK(near(c.at(2 * lead + 4), 2 * product(a.host, ta, lead, b.host, tb, lead, k, 4, 2) +
                                           beta * c.host[2 * lead + 4]));
        CHECK(c.at(2 * lead + 5) == c.host[2 * lead + 5]);
    }
    array<__half> a(16), b(16, 2);
    array<float> c(16), z(16);
    const float one = 1, zero = 0;
    RUN(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.device, CUDA_R_16F, 4,
                     b.device, CUDA_R_16F, 4, &zero, c.device, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT));
    float sum = 0;
    for (int l = 0; l < 4; l++)
        sum += __half2float(a.host[l * 4 + 1]) * __half2float(b.host[8 + l]);
    CHECK(near(c.at(9), sum));
    RUN(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, c.device, 2, 4,
                                  c.device, 2, 0, &zero, z.device, 2, 4, 4));
    CHECK(near(z.at(12), c.at(12) * c.at(0) + c.at(14) * c.at(1)));
    RUN(cublasSgemv(handle, CUBLAS_OP_T, 4, 2, &one, c.device, 4, z.device, 1, &zero, z.device + 8,
                    1));
    CHECK(near(z.at(9),
               c.at(4) * z.at(0) + c.at(5) * z.at(1) + c.at(6) * z.at(2) + c.at(7) * z.at(3)));
    RUN(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 4, 4, &one, c.device, 4, &one, c.device, 4,
                    z.device, 4));
    CHECK(near(z.at(6), c.at(6) + c.at(9)));
}

static void check_solutions()
{
    const int n = 3;
    const double one = 1, given[] = { 4, 1, 2, 1, 5, 1, 2, 1, 6 };
    array<double> a(9), inverse(9), b(3), x(3);
    array<long> addresses(2);
    double **const as = reinterpret_cast<double **>(addresses.device);
    array<int> pivots(n), info(1);
    cudaStream_t stream;

    CHECK(cudaMemcpy(a.device, given, sizeof given, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(x.device, b.device, 24, cudaMemcpyDeviceToDevice) == cudaSuccess);
    RUN(cublasDtrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                    CUBLAS_DIAG_NON_UNIT, n, 1, &one, a.device, n, x.device, n));
    CHECK(near(x.at(1), (b.host[1] - x.at(0)) / 5));
    /* What the host says of matrices is in the order of the handle's stream. */
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    RUN(cublasSetStream(handle, stream));
    cudaMemcpyAsync(as, &a.device, sizeof a.device, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(as + 1, &inverse.device, sizeof a.device, cudaMemcpyHostToDevice, stream);
    RUN(cublasDtrsmBatched(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                           CUBLAS_DIAG_NON_UNIT, n, n, &one, as, n, as + 1, n, 1));
    CHECK(near(6 * inverse.at(5), inverse.host[5]));
    RUN(cublasDgetrfBatched(handle, n, as, n, pivots.device, info.device, 1));
    CHECK(info.at(0) == 0);
    RUN(cublasDgetriBatched(handle, n, as, n, pivots.device, as + 1, n, info.device, 1));
    CHECK(near(4 * inverse.at(0) + inverse.at(1) + 2 * inverse.at(2), 1));
    RUN(cublasSetStream(handle, nullptr));
    cudaStreamDestroy(stream);
}

/* c = relu(a^T b + bias) of 3 x 2 elements. */
static void check_epilogue()
{
    array<float> a(12), b(8, 4), c(6), bias(3, 9);
    const float one = 1, zero = 0;
    const cublasOperation_t turned = CUBLAS_OP_T;
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    const cublasLtPointerMode_t scales = CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
    cublasLtHandle_t lt;
    cublasLtMatmulDesc_t how;
    cublasLtMatrixLayout_t layouts[3];
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;

    RUN(cublasLtCreate(&lt));
    RUN(cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    RUN(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
    RUN(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                       sizeof epilogue));
    RUN(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.device,
                                       sizeof bias.device));
    RUN(cublasLtMatrixLayoutCreate(&layouts[0], CUDA_R_32F, 4, 3, 4));
    RUN(cublasLtMatrixLayoutCreate(&layouts[1], CUDA_R_32F, 4, 2, 4));
    RUN(cublasLtMatrixLayoutCreate(&layouts[2], CUDA_R_32F, 3, 2, 3));
    RUN(cublasLtMatmulPreferenceCreate(&preference));
    RUN(cublasLtMatmulAlgoGetHeuristic(lt, how, layouts[0], layouts[1], layouts[2], layouts[2],
                                       preference, 1, &found, &count));
    CHECK(count == 1);
    RUN(cublasLtMatmul(lt, how, &one, a.device, layouts[0], b.device, layouts[1], &zero, c.device,
                       layouts[2], c.device, layouts[2], &found.algo, nullptr, 0, nullptr));
    for (int i = 0; i < 6; i++) {
        float sum = bias.host[i % 3];

        for (int l = 0; l < 4; l++)
            sum += a.host[i % 3 * 4 + l] * b.host[i / 3 * 4 + l];
        CHECK(near(c.at(i), sum > 0 ? sum : 0));
    }
    CHECK(cublasLtMatmul(lt, how, &one, a.device, layouts[0], b.device, layouts[0], &zero, c.device,
                         layouts[2], c.device, layouts[2], nullptr, nullptr, 0,
                         nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    RUN(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_POINTER_MODE, &scales,
                                       sizeof scales));
    CHECK(cublasLtMatmul(lt, how, &one, a.device, layouts[0], b.device, layouts[1], &zero, c.device,
                         layouts[2], c.device, layouts[2], nullptr, nullptr, 0,
                         nullptr) == CUBLAS_STATUS_NOT_SUPPORTED);
    for (const auto layout : layouts)
        RUN(cublasLtMatrixLayoutDestroy(layout));
    RUN(cublasLtMatmulPreferenceDestroy(preference));
    RUN(cublasLtMatmulDescDestroy(how));
    RUN(cublasLtDestroy(lt));
}

int main()
{
    array<float> there(12);
    std::vector<float> back(12);

    CHECK(cublasSdot(nullptr, 1, there.device, 1, there.device, 1, back.data()) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
    RUN(cublasCreate_v2(&handle));
    check_vectors();
    check_products();
    check_solutions();
    check_epilogue();
    RUN(cublasSetMatrix(3, 4, 4, there.host.data(), 3, there.device, 3));
    RUN(cublasGetVector(6, 4, there.device, 2, back.data(), 1));
    CHECK(back[2] == there.host[4]);
    const float one = 1;
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, there.device, 3,
                      there.device, 4, &one, there.device, 4) == CUBLAS_STATUS_INVALID_VALUE);
    RUN(cublasDestroy(handle));
    return failures > 0;
}

// SPDX-License-Identifier: MIT
