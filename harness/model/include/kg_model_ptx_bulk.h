/* SPDX-License-Identifier: MIT */
/* Inline PTX's mbarrier objects, barriers by number and bulk copies. Part of kg_model_ptx.h, which
 * includes it. */
#pragma once

#include "kg_model_reductions.h"

namespace kg__ptx
{

/* bar.sync; a count of 0: of all threads that have not ended. */
KG__PTX void barrier(unsigned int number, unsigned int count)
{
    if (number == 0 && (count == 0 || count == threads()))
        kg__model_barrier();
    else
        kg__model_pass(
            kg__model_wait_at_numbered(number < KG__MODEL_NAMED_BARRIERS ? number : ~0u, count));
}

/* bar.arrive. */
KG__PTX void barrier_arrive(unsigned int number, unsigned int count)
{
    kg__model_arrive_at_numbered(number < KG__MODEL_NAMED_BARRIERS ? number : ~0u, count);
}

} // namespace kg__ptx
