// One step of the heat equation on five points: half of an element and an eighth of each neighbor.
// Both products are exact, so that a multiply-add gives the same bits as a product and a sum.
#ifndef STENCIL_2D_HEAT_CUH
#define STENCIL_2D_HEAT_CUH

#include <kernelgate/kernelgate.h>

#define LANES 32

static inline __device__ float heat(float here, float north, float south, float west, float east)
{
    return 0.5f * here + 0.125f * ((north + south) + (west + east));
}

// Whether an index is not on the border, where elements are copied.
static inline __device__ bool is_inner(int index, int extent)
{
    return index > 0 && index < extent - 1;
}

// The nearest index that exists. What is read beyond the border is not used, and so need not
// branch.
static inline __device__ int nearest(int index, int extent)
{
    return min(max(index, 0), extent - 1);
}

#endif

// SPDX-License-Identifier: MIT
