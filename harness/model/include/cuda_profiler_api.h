/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cuda_profiler_api.h: its calls do nothing. */
#pragma once

#include "cuda_runtime_api.h"

static inline cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

static inline cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}
