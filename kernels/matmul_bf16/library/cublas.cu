// C = A B by cuBLAS, whose matrices are stored column after column: to it row-major A, B and C are
// transposed, and it computes C^T = B^T A^T.
#include "../../cublas.cuh"

#include <cuda_bf16.h>

KG_LAUNCHER(matmul_bf16_prepare_cublas)
{
    (void)call;
    return prepare_cublas();
}

KG_LAUNCHER(matmul_bf16_cublas)
{
    int m = (int)KG_EXTENT(call, 0), n = (int)KG_EXTENT(call, 1), k = (int)KG_EXTENT(call, 2);
    const float one = 1.0f, zero = 0.0f;
    cublasStatus_t status = begin_cublas(call);

    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                              KG_ARG(call, const __nv_bfloat16, 1), CUDA_R_16BF, n,
                              KG_ARG(call, const __nv_bfloat16, 0), CUDA_R_16BF, k, &zero,
                              KG_ARG(call, __nv_bfloat16, 2), CUDA_R_16BF, n, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorLaunchFailure;
}

// SPDX-License-Identifier: MIT
