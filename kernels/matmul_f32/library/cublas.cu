// C = A B by cuBLAS, whose matrices are stored column after column: to it row-major A, B and C are
// transposed, and it computes C^T = B^T A^T.
#include <cublas_v2.h>
#include <kernelgate/kernelgate.h>

// What cuBLAS recommends for Hopper. Its own would be allocated at a launch that a graph records.
#define WORKSPACE (32 << 20)

static cublasHandle_t handle;
static void *workspace;

KG_LAUNCHER(matmul_f32_prepare_cublas)
{
    (void)call;
    if (workspace == nullptr && cudaMalloc(&workspace, WORKSPACE) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return cudaErrorInitializationError;
    return cudaSuccess;
}

KG_LAUNCHER(matmul_f32_cublas)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    const float one = 1.0f, zero = 0.0f;

    // Setting the stream resets the workspace. Pedantic: no rounding to TF32.
    if (cublasSetStream(handle, call->stream) != CUBLAS_STATUS_SUCCESS ||
        cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH) != CUBLAS_STATUS_SUCCESS ||
        cublasSetWorkspace(handle, workspace, WORKSPACE) != CUBLAS_STATUS_SUCCESS)
        return cudaErrorInitializationError;
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                       KG_ARG(call, const float, 1), n, KG_ARG(call, const float, 0), k, &zero,
                       KG_ARG(call, float, 2), n) == CUBLAS_STATUS_SUCCESS
               ? cudaSuccess
               : cudaErrorLaunchFailure;
}
