// Sums within a warp, for the library's kernels.
#ifndef OWN_KERNELS_WARP_CUH
#define OWN_KERNELS_WARP_CUH

#include <cuda_runtime.h>

#define WARP 32

// The sum of `value` over a warp, in its lane 0; all lanes take part.
static __device__ __forceinline__ float warp_sum(float value)
{
    for (unsigned offset = WARP / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

#endif
