// C = A B by mma.sync with copies that need no registers and no waiting: cp.async fills a ring of 3
// or 4 stages while the warps multiply an earlier one.
#include "pipeline.cuh"

KG_LAUNCHER(matmul_bf16_cp_async)
{
    switch (KG_AXIS(call, 0) * 1000000 + KG_AXIS(call, 1) * 1000 + KG_AXIS(call, 2)) {
    case 64064004:
        return start_pipeline<shape<64, 64, 32, 32, 1, 4>>(call);
    case 128128003:
        return start_pipeline<shape<128, 128, 64, 32, 1, 3>>(call);
    default:
        return cudaErrorInvalidValue;
    }
}

// SPDX-License-Identifier: MIT
