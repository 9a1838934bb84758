// Rows of 33 elements instead of 32: the elements of a column lie in 32 different banks.
#include "tile.cuh"

struct padded {
    static __device__ int place(int row, int column)
    {
        return row * (LANES + 1) + column;
    }
};

KG_LAUNCHER(transpose_f32_padded)
{
    return start_tiles(call, through_shared<LANES *(LANES + 1), padded>, LANES);
}

// SPDX-License-Identifier: MIT
