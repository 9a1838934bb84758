// Element (row, column) lies at column ^ row of its row: a permutation of each row, so that rows
// and columns both touch all 32 banks, without the memory that padding takes.
#include "tile.cuh"

struct swizzled {
    static __device__ int place(int row, int column)
    {
        return row * LANES + (column ^ row);
    }
};

KG_LAUNCHER(transpose_f32_swizzled)
{
    return start_tiles(call, through_shared<LANES * LANES, swizzled>, LANES);
}

// SPDX-License-Identifier: MIT
