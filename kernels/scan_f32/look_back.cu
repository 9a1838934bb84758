// Decoupled look-back by one thread: it visits the tiles before its own one by one, and each costs
// a trip to L2.
#include "look_back.cuh"

struct by_thread {
    static __device__ float look_back(word *published, int tile)
    {
        float sum = 0.0f;
        word seen;

        if (threadIdx.x > 0)
            return 0.0f;
        do {
            tile--;
            do {
                seen = look_at(&published[tile]);
            } while (reach_of(seen) == NOTHING);
            sum = sum_of(seen) + sum;
        } while (reach_of(seen) != ALL);
        return sum;
    }
};

KG_LAUNCHER(scan_f32_look_back)
{
    return start_look_back<by_thread>(call);
}

// SPDX-License-Identifier: MIT
