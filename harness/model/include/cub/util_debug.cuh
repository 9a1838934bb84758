// SPDX-License-Identifier: MIT
/* CUB's checks of the runtime's errors. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#if (defined(DEBUG) || defined(_DEBUG)) && !defined(CUB_STDERR)
#define CUB_STDERR
#endif

namespace cub
{

/* Returns an error, which cudaGetLastError() then has no more; with CUB_STDERR it is printed. */
inline cudaError_t Debug(cudaError_t error, [[maybe_unused]] const char *file,
                         [[maybe_unused]] int line)
{
    (void)cudaGetLastError();
#ifdef CUB_STDERR
    if (error != cudaSuccess)
        std::fprintf(stderr, "%s:%d: CUDA error %d: %s\n", file, line, static_cast<int>(error),
                     cudaGetErrorString(error));
#endif
    return error;
}

} // namespace cub

#define CUB_NS_QUALIFIER ::cub
#define CubDebug(error) cub::Debug(static_cast<cudaError_t>(error), __FILE__, __LINE__)
#define CubDebugExit(error) (CubDebug(error) != cudaSuccess ? std::exit(1) : static_cast<void>(0))
