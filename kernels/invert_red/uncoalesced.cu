// Interleaved image, RGBRGB...: a warp's 32 threads read every third of 96 bytes, three sectors.
#include <kernelgate/kernelgate.h>

static __global__ void uncoalesced(unsigned char *image, size_t pixels)
{
    size_t pixel = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (pixel < pixels)
        image[3 * pixel] = 255 - image[3 * pixel];
}

KG_LAUNCHER(invert_red_uncoalesced)
{
    int64_t pixels = KG_EXTENT(call, 0) * KG_EXTENT(call, 1) * KG_EXTENT(call, 2);
    int block = KG_AXIS(call, 0);

    return kg_start(call, uncoalesced, kg_grid(pixels, block), block,
                    KG_ARG(call, unsigned char, 0), pixels);
}

// SPDX-License-Identifier: MIT
