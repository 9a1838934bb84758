// C = A B by cuBLAS, whose matrices are stored column after column: to it row-major A, B and C are
// transposed, and it computes C^T = B^T A^T.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <kernelgate/kernelgate.h>

// What cuBLAS recommends for Hopper. One of its own it would allocate where launches are recorded.
#define WORKSPACE (32 << 20)

static cublasHandle_t handle;
static void *workspace;

KG_LAUNCHER(matmul_bf16_prepare_cublas)
{
    (void)call;
    if (workspace == nullptr && cudaMalloc(&workspace, WORKSPACE) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return cudaErrorInitializationError;
    return cudaSuccess;
}

KG_LAUNCHER(matmul_bf16_cublas)
{
    int m = (int)KG_EXTENT(call, 0), n = (int)KG_EXTENT(call, 1), k = (int)KG_EXTENT(call, 2);
    const float one = 1.0f, zero = 0.0f;
    // A new stream resets the workspace.
    cublasStatus_t status = cublasSetStream(handle, call->stream);

    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasSetWorkspace(handle, workspace, WORKSPACE);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                              KG_ARG(call, const __nv_bfloat16, 1), CUDA_R_16BF, n,
                              KG_ARG(call, const __nv_bfloat16, 0), CUDA_R_16BF, k, &zero,
                              KG_ARG(call, __nv_bfloat16, 2), CUDA_R_16BF, n, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorLaunchFailure;
}
