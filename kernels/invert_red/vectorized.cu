// Planar image, 16 pixels per thread: a warp's request is 512 neighboring bytes, all of 16 sectors,
// instead of 32 bytes. What is left after the last whole vector, fewer than 16 pixels, goes to the
// next threads, a pixel each.
#include <kernelgate/kernelgate.h>

enum { WIDTH = sizeof(uint4) };

static __global__ void vectorized(unsigned char *image, size_t pixels)
{
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t vectors = pixels / WIDTH;

    if (thread < vectors) {
        uint4 *of_thread = reinterpret_cast<uint4 *>(image) + thread;
        uint4 red = *of_thread;

        // 255 - x is ~x in a byte, so that four bytes need no unpacking.
        *of_thread = make_uint4(~red.x, ~red.y, ~red.z, ~red.w);
    } else if (thread - vectors < pixels % WIDTH) {
        size_t pixel = vectors * WIDTH + thread - vectors;

        image[pixel] = 255 - image[pixel];
    }
}

KG_LAUNCHER(invert_red_vectorized)
{
    int64_t pixels = KG_EXTENT(call, 0) * KG_EXTENT(call, 1) * KG_EXTENT(call, 2);
    int block = KG_AXIS(call, 0);

    return kg_start(call, vectorized, kg_grid(pixels / WIDTH + pixels % WIDTH, block), block,
                    KG_ARG(call, unsigned char, 0), pixels);
}

// SPDX-License-Identifier: MIT
