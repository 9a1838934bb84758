// SPDX-License-Identifier: MIT
/* CUB's allocator of device memory. It keeps nothing: memory that was given back is free, so that
 * its use afterward is found, and other streams need no event to have it. */
#pragma once

#include <cuda_runtime.h>

namespace cub
{

struct CachingDeviceAllocator {
    static constexpr unsigned int INVALID_BIN = static_cast<unsigned int>(-1);
    static constexpr size_t INVALID_SIZE = static_cast<size_t>(-1);
    static constexpr int INVALID_DEVICE_ORDINAL = -1;

    explicit CachingDeviceAllocator(bool = false, bool = false)
    {
    }
    explicit CachingDeviceAllocator(unsigned int, unsigned int = 1, unsigned int = INVALID_BIN,
                                    size_t = INVALID_SIZE, bool = false)
    {
    }
    cudaError_t DeviceAllocate(int, void **memory, size_t bytes, cudaStream_t = nullptr)
    {
        return cudaMalloc(memory, bytes);
    }
    cudaError_t DeviceAllocate(void **memory, size_t bytes, cudaStream_t = nullptr)
    {
        return cudaMalloc(memory, bytes);
    }
    cudaError_t DeviceFree(int, void *memory)
    {
        return cudaFree(memory);
    }
    cudaError_t DeviceFree(void *memory)
    {
        return cudaFree(memory);
    }
    cudaError_t FreeAllCached()
    {
        return cudaSuccess;
    }
    cudaError_t SetMaxCachedBytes(size_t)
    {
        return cudaSuccess;
    }
};

} // namespace cub
