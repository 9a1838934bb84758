// Decoupled look-back by a warp: its lanes visit 32 tiles at once, so that a trip to L2 leads back
// over 32 tiles instead of one.
#include "look_back.cuh"

struct by_warp {
    static __device__ float look_back(word *published, int tile)
    {
        int lane = threadIdx.x;
        float sum = 0.0f;
        unsigned all;

        // Lane 0 is at the nearest tile. Before the first tile everything is known, and 0.
        for (int nearest = tile - 1;; nearest -= LANES) {
            unsigned known, needed;
            word seen;
            float own;

            do {
                seen = nearest >= lane ? look_at(&published[nearest - lane]) : (word)ALL << 32;
                known = __ballot_sync(ALL_LANES, reach_of(seen) != NOTHING);
                all = __ballot_sync(ALL_LANES, reach_of(seen) == ALL);
                // The lanes up to the first one whose sum reaches to the start; without one, all.
                needed = all ^ (all - 1);
            } while ((needed & ~known) != 0);
            own = needed >> lane & 1 ? sum_of(seen) : 0.0f;
            for (int distance = LANES / 2; distance > 0; distance /= 2)
                own += __shfl_down_sync(ALL_LANES, own, distance);
            sum = own + sum;
            if (all != 0)
                return sum;
        }
    }
};

KG_LAUNCHER(scan_f32_look_back_warp)
{
    return start_look_back<by_warp>(call);
}

// SPDX-License-Identifier: MIT
