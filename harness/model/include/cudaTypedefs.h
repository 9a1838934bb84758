/* SPDX-License-Identifier: MIT */
/* The types of the driver's functions that cudaGetDriverEntryPointByVersion() looks up. */
#pragma once

#include "cuda.h"

#ifdef __cplusplus
typedef decltype(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled_v12000;
typedef PFN_cuTensorMapEncodeTiled_v12000 PFN_cuTensorMapEncodeTiled;
typedef CUresult (*PFN_cuTensorMapEncodeIm2col_v12000)(...);
#endif
