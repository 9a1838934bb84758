// C = A B by cuBLAS, whose matrices are stored column after column: to it row-major A, B and C are
// transposed, and it computes C^T = B^T A^T.
#include "../../cublas.cuh"

KG_LAUNCHER(matmul_f32_prepare_cublas)
{
    (void)call;
    return prepare_cublas();
}

KG_LAUNCHER(matmul_f32_cublas)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    const float one = 1.0f, zero = 0.0f;
    cublasStatus_t status = begin_cublas(call);

    // Pedantic: no rounding to TF32.
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                             KG_ARG(call, const float, 1), n, KG_ARG(call, const float, 0), k,
                             &zero, KG_ARG(call, float, 2), n);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorLaunchFailure;
}

// SPDX-License-Identifier: MIT
