// CUB's scan of the whole device, which also looks back.
#include "../../cub.cuh"

#include <cub/device/device_scan.cuh>

KG_LAUNCHER(scan_f32_cub)
{
    int n = (int)KG_EXTENT(call, 0);
    const float *x = KG_ARG(call, const float, 0);
    float *y = KG_ARG(call, float, 1);

    // The suite declares 8 bytes per 1024 elements and 8 KiB; CUB takes 8 bytes per tile of its.
    return run_cub(call, (n / 1024 + 1024) * sizeof(int64_t), [=](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(temporary, bytes, x, y, n, call->stream);
    });
}

// SPDX-License-Identifier: MIT
