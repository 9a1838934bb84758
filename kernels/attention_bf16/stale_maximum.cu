// Wrong on purpose: sums keep the scale of the maximum before.
#include "mma.cuh"

struct slip : rules {
    static constexpr bool RESCALES = false;
};

KG_LAUNCHER(attention_bf16_stale_maximum)
{
    return start_mma<slip>(call);
}

// SPDX-License-Identifier: MIT
