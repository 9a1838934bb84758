// private_copies that loads 16 bytes at once, and the next 32 bytes before it counts these: a
// sixteenth of the loads, with enough of them in flight.
#include "counts.cuh"

static __global__ void vectorized(const uint8_t *x, int *counts, int64_t n)
{
    __shared__ __align__(16) int copies[BINS][LANES];
    int lane = threadIdx.x % LANES;
    int *own = &copies[0][lane];

    count_vectors(
        x, n, [&] { zero(copies, sizeof copies); },
        [=](auto &bytes) {
            for (unsigned byte : bytes)
                atomicAdd(&own[LANES * byte], 1);
        });
    add_lanes(counts, [&](int bin) { return copies[bin][lane]; });
}

KG_LAUNCHER(histogram_u8_vectorized)
{
    return start_counting(call, vectorized);
}

// SPDX-License-Identifier: MIT
