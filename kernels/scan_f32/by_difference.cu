// Wrong: what lies before an element is its sum less the element, which is NaN for infinities. A
// warp walks over all elements.
#include <kernelgate/kernelgate.h>

#define LANES 32
#define ALL_LANES 0xffffffffu

static __global__ void by_difference(const float *x, float *y, int64_t n)
{
    int lane = threadIdx.x;
    float carry = 0.0f;

    for (int64_t first = 0; first < n; first += LANES) {
        int64_t i = first + lane;
        float own = i < n ? x[i] : 0.0f, sum = own, before;

        for (int distance = 1; distance < LANES; distance *= 2) {
            float lower = __shfl_up_sync(ALL_LANES, sum, distance);

            if (lane >= distance)
                sum += lower;
        }
        before = carry + (sum - own);
        if (i < n)
            y[i] = before + own;
        carry += __shfl_sync(ALL_LANES, sum, LANES - 1);
    }
}

KG_LAUNCHER(scan_f32_by_difference)
{
    return kg_start(call, by_difference, 1, LANES, KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), KG_EXTENT(call, 0));
}

// SPDX-License-Identifier: MIT
