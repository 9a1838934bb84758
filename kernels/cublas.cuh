// What variants by cuBLAS share: a handle of the program, and a workspace.
#ifndef CUBLAS_CUH
#define CUBLAS_CUH

#include <cublas_v2.h>
#include <kernelgate/kernelgate.h>

// What cuBLAS recommends for Hopper. Its own would be allocated at a launch that a graph records.
#define WORKSPACE (32 << 20)

static cublasHandle_t handle;
static void *workspace;

// For .advanced.prepare.
static inline cudaError_t prepare_cublas()
{
    if (workspace == nullptr && cudaMalloc(&workspace, WORKSPACE) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return cudaErrorInitializationError;
    return cudaSuccess;
}

// Has the next call start its work on a launch's stream. A new stream resets the workspace.
static inline cublasStatus_t begin_cublas(const kg_call *call)
{
    cublasStatus_t status = cublasSetStream(handle, call->stream);

    return status != CUBLAS_STATUS_SUCCESS ? status
                                           : cublasSetWorkspace(handle, workspace, WORKSPACE);
}

#endif

// SPDX-License-Identifier: MIT
