// CUB's reduction of the whole device.
#include "../../cub.cuh"

#include <cub/device/device_reduce.cuh>

KG_LAUNCHER(reduce_f32_cub)
{
    int n = (int)KG_EXTENT(call, 0);
    const float *x = KG_ARG(call, const float, 0);
    float *y = KG_ARG(call, float, 1);

    // The suite declares 4 bytes per 32 elements and 64 KiB; CUB takes 4 bytes per block of its.
    return run_cub(call, (n / 32 + 16384) * sizeof(float), [=](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::Sum(temporary, bytes, x, y, n, call->stream);
    });
}

// SPDX-License-Identifier: MIT
