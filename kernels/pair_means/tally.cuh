// What lanes of a warp have added up, and its sum over them by shuffles, from register to register.
#ifndef PAIR_MEANS_TALLY_CUH
#define PAIR_MEANS_TALLY_CUH

#include <kernelgate/kernelgate.h>

#define LANES 32

struct tally {
    float sum_a;
    float sum_b;
    int count;
};

// What the first `lanes` lanes of a warp hold, a power of two of them, added up in the first one.
// The mask names no other lane, for a block of fewer threads has no other; the width keeps each
// lane from reading past them.
static __device__ struct tally add_lanes(struct tally own, int lanes)
{
    unsigned mask = 0xffffffffu >> (LANES - lanes);

    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        own.sum_a += __shfl_down_sync(mask, own.sum_a, distance, lanes);
        own.sum_b += __shfl_down_sync(mask, own.sum_b, distance, lanes);
        own.count += __shfl_down_sync(mask, own.count, distance, lanes);
    }
    return own;
}

#endif

// SPDX-License-Identifier: MIT
