/* SPDX-License-Identifier: MIT */
/* Inline PTX's instructions of warp groups. Part of kg_model_ptx.h, which includes it. */
#pragma once

#include "kg_model_wgmma.h"

namespace kg__ptx
{

/* wgmma.mma_async, computed at once: nothing may read the registers, or write the operands, before
 * the wait. */
KG__PTX void wgmma(kg__model_wgmma part)
{
    part.origins[0] = kg__model_origin(kg__model_dynamic_memory);
    part.origins[1] = kg__model_origin(&__dso_handle);
    kg__model_begin_wgmma(&part);
    (void)kg__model_run_warp_operation(KG__MODEL_GROUP, UINT32_MAX,
                                       reinterpret_cast<uintptr_t>(&part), 0, KG__MODEL_WARP);
    kg__model_end_wgmma(&part);
}

/* wgmma.fence. */
KG__PTX void wgmma_fence()
{
    kg__model_fence_wgmma();
    join_warp();
}

/* wgmma.commit_group. */
KG__PTX void wgmma_commit_group()
{
    kg__model_commit_wgmma();
    join_warp();
}

/* wgmma.wait_group: what the warp has read, each of its lanes may write. */
KG__PTX void wgmma_wait_group(unsigned int newest)
{
    kg__model_wait_for_wgmma(newest);
    __syncwarp();
}

} // namespace kg__ptx
