// Planar image, all red values first: a warp's 32 threads read 32 neighboring bytes, one sector.
#include <kernelgate/kernelgate.h>

static __global__ void coalesced(unsigned char *image, size_t pixels)
{
    size_t pixel = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (pixel < pixels)
        image[pixel] = 255 - image[pixel];
}

KG_LAUNCHER(invert_red_coalesced)
{
    int64_t pixels = KG_EXTENT(call, 0) * KG_EXTENT(call, 1) * KG_EXTENT(call, 2);
    int block = KG_AXIS(call, 0);

    return kg_start(call, coalesced, kg_grid(pixels, block), block, KG_ARG(call, unsigned char, 0),
                    pixels);
}

// SPDX-License-Identifier: MIT
