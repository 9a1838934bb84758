/* SPDX-License-Identifier: MIT */
/* The types of the driver's functions that cudaGetDriverEntryPointByVersion() looks up. The model
 * has neither: these serve headers whose functions nobody calls, such as CUTLASS's. */
#pragma once

#include "cuda.h"

#ifdef __cplusplus
typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(...);
typedef CUresult (*PFN_cuTensorMapEncodeIm2col_v12000)(...);

typedef enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2
} cudaDriverEntryPointQueryResult;
enum { cudaEnableDefault = 0 };

__attribute__((
    __error__("the CPU model does not support cudaGetDriverEntryPointByVersion(): call the "
              "driver's function itself (docs/model.md)"))) cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version,
                                 unsigned long long flags, cudaDriverEntryPointQueryResult *result);
#endif
