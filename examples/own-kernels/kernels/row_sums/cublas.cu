// The sums as the matrix times a vector of ones, by cuBLAS.
#include <kernelgate/kernelgate.h>

#include <cublas_v2.h>

#define MOST_COLUMNS 1024

static __device__ float ones[MOST_COLUMNS];
static cublasHandle_t handle;

// What a launcher must not do where it is timed: the handle allocates.
KG_LAUNCHER(row_sums_prepare_cublas)
{
    static float filled[MOST_COLUMNS];

    for (float &one : filled)
        one = 1.0f;
    if (KG_EXTENT(call, 1) > MOST_COLUMNS)
        return cudaErrorInvalidValue;
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return cudaErrorInitializationError;
    return cudaMemcpyToSymbol(ones, filled, sizeof filled);
}

// To cuBLAS, whose matrices are stored by columns, it is the transposed matrix.
KG_LAUNCHER(row_sums_cublas)
{
    int rows = (int)KG_EXTENT(call, 0);
    int columns = (int)KG_EXTENT(call, 1);
    const float one = 1.0f;
    const float zero = 0.0f;
    void *vector;
    cudaError_t found = cudaGetSymbolAddress(&vector, ones);

    if (found != cudaSuccess)
        return found;
    cublasSetStream(handle, call->stream);
    return cublasSgemv(handle, CUBLAS_OP_T, columns, rows, &one, KG_ARG(call, const float, 0),
                       columns, (const float *)vector, 1, &zero, KG_ARG(call, float, 1),
                       1) == CUBLAS_STATUS_SUCCESS
               ? cudaSuccess
               : cudaErrorLaunchFailure;
}
