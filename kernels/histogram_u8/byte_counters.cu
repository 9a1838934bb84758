// No atomics: each thread has 256 counters of a byte for itself, and adds one by a load and a
// store. The counters of lane l are in bank l, so that there are no conflicts; the four bytes of a
// word belong to four warps:
//
//     bank             0                   1           ...
//     bin 0    lane 0 of warps 0-3  lane 1 of warps 0-3
//     bin 1    lane 0 of warps 0-3  ...
//
// A counter that wraps has counted 256 bytes, which go to the result at once. This is rare, and
// saves clearing all counters after every 255 bytes.
#include "counts.cuh"

#define WARPS 4

static __global__ void byte_counters(const uint8_t *x, int *counts, int64_t n)
{
    KG_DYNAMIC_SHARED(uint4, memory);
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    int groups = blockDim.x / (WARPS * LANES);
    unsigned(*words)[LANES] = (unsigned(*)[LANES])memory;
    uint8_t *bytes_of_block = (uint8_t *)memory;
    int own = warp / WARPS * BINS * WARPS * LANES + WARPS * lane + warp % WARPS;

    // From a shuffle, since nvcc computes it again for every word otherwise: 6 of 36 instructions.
    own = __shfl_sync(ALL_LANES, own, lane);
    count_vectors(
        x, n, [&] { zero(memory, groups * BINS * WARPS * LANES); },
        [=](auto &bytes) {
            constexpr int MANY = sizeof bytes / sizeof *bytes;
            unsigned count[MANY], all = 0;

#pragma unroll
            for (int i = 0; i < MANY; i++) {
                uint8_t *at = &bytes_of_block[own + WARPS * LANES * bytes[i]];

                count[i] = *at + 1u;
                *at = (uint8_t)count[i];
                all |= count[i];
            }
            // One branch for four bytes.
            if (all < 256)
                return;
            for (int i = 0; i < MANY; i++)
                if (count[i] == 256)
                    atomicAdd(&counts[bytes[i]], 256);
        });
    add_lanes(counts, [&](int bin) {
        unsigned sum = 0;

        // The sum of a word's four bytes.
        for (int group = 0; group < groups; group++)
            sum = __dp4a(words[group * BINS + bin][lane], 0x01010101u, sum);
        return (int)sum;
    });
}

KG_LAUNCHER(histogram_u8_byte_counters)
{
    return start_counting(call, byte_counters, kg_shared(BINS * KG_AXIS(call, 0)));
}

// SPDX-License-Identifier: MIT
