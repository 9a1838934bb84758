/* SPDX-License-Identifier: MIT */
/* Looking up the driver's functions by their names. Included by cuda_runtime_api.h. */
#pragma once

typedef enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2
} cudaDriverEntryPointQueryResult;
enum { cudaEnableDefault = 0, cudaEnableLegacyStream = 1, cudaEnablePerThreadDefaultStream = 2 };

/* Of all functions, only cuTensorMapEncodeTiled() is found. */
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *result KG__MODEL_DEFAULT(0));
/* The same, in the version of a CUDA release. */
cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version,
                                 unsigned long long flags,
                                 cudaDriverEntryPointQueryResult *result KG__MODEL_DEFAULT(0));
