// A tile of 32 x 32 is turned in shared memory, so that both loads and stores are coalesced. But a
// column of the tile lies in one bank: its 32 elements are read one after the other.
#include "tile.cuh"

struct plain {
    static __device__ int place(int row, int column)
    {
        return row * LANES + column;
    }
};

KG_LAUNCHER(transpose_f32_tiled)
{
    return start_tiles(call, through_shared<LANES * LANES, plain>, LANES);
}

// SPDX-License-Identifier: MIT
