// C = A B for small matrices, whose tiles of C are fewer than the GPU has room for: a cluster of
// two or three blocks shares each tile, a part of k each, and adds up its sums through distributed
// shared memory (pipeline.cuh).
#include "pipeline.cuh"

// 81 tiles in thirds are 243 blocks at 530, 128 in halves are 256 at 1024: two for each of 132
// processors.
typedef shape<64, 64, 8, 4, 3, 4, false> thirds;
typedef shape<64, 128, 16, 3, 2, 3, true> whole_halves;
typedef shape<64, 128, 16, 3, 2, 3, false> halves;

KG_LAUNCHER(matmul_f32_split_k)
{
    dim3 grid = kg_grid(KG_EXTENT(call, 1), thirds::COLUMNS, KG_EXTENT(call, 0), thirds::ROWS);

    if (grid.x * grid.y * thirds::PARTS <= 2 * 132)
        return start<thirds>(call);
    return is_whole<whole_halves>(call) ? start<whole_halves>(call) : start<halves>(call);
}

// SPDX-License-Identifier: MIT
