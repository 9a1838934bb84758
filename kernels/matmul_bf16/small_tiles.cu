// C = A B for few outputs: tiles so small that one wave of blocks covers C, a ring so deep that
// (nearly) all of k is on its way at once, and four warps to a tile's step of 64, each for 16 of
// it: a block waits for memory once, and no warp multiplies a thin tile, whose operands would cost
// more of shared memory's time than its products of the tensor cores'.
#include "pipeline.cuh"

KG_LAUNCHER(matmul_bf16_small_tiles)
{
    return KG_AXIS(call, 0) == 48 ? start_pipeline<shape<48, 64, 48, 32, 4, 5>>(call)
                                  : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
