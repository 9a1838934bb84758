// Decoupled look-back by a warp: each trip to L2 covers 32 tiles.
#include "look_back.cuh"

KG_LAUNCHER(scan_f32_look_back_warp)
{
    return start_look_back<by_warp>(call);
}

// SPDX-License-Identifier: MIT
