// Wrong on purpose: the last group of copies, the tile of V, may be in flight when it is read.
#include "mma.cuh"

struct slip : rules {
    static constexpr int IN_FLIGHT = 1;
};

KG_LAUNCHER(attention_bf16_early_values)
{
    return start_mma<slip>(call);
}

// SPDX-License-Identifier: MIT
