// C = A B, 8 x 16 outputs per thread, the tiles two steps ahead on their way while this step's are
// multiplied: one barrier per step instead of two, and no wait for memory (pipeline.cuh).
#include "pipeline.cuh"

typedef shape<128, 128, 16, 3, 1, 2, true> whole;
typedef shape<128, 128, 16, 3, 1, 2, false> cut;

KG_LAUNCHER(matmul_f32_pipelined)
{
    return is_whole<whole>(call) ? start<whole>(call) : start<cut>(call);
}

// SPDX-License-Identifier: MIT
