// CUB's histogram of the whole device, of 256 equal bins.
#include "../../cub.cuh"

#include <cub/device/device_histogram.cuh>

KG_LAUNCHER(histogram_u8_cub)
{
    int n = (int)KG_EXTENT(call, 0);
    const uint8_t *x = KG_ARG(call, const uint8_t, 0);
    int *counts = KG_ARG(call, int, 1);

    // What the suite declares.
    return run_cub(call, 4 << 20, [=](void *temporary, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(temporary, bytes, x, counts, 257, 0, 256, n,
                                                   call->stream);
    });
}

// SPDX-License-Identifier: MIT
