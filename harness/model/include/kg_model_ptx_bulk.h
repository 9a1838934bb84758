/* SPDX-License-Identifier: MIT */
/* Inline PTX's mbarrier objects, barriers by number and bulk copies. Part of kg_model_ptx.h, which
 * includes it. */
#pragma once

#include "kg_model_bulk.h"

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

/* mbarrier.test_wait and try_wait, of a token or (ByParity) a parity. Either lets others run. */
template <bool ByParity>
KG__PTX bool wait_at_mbarrier(void *word, uint64_t phase)
{
    kg__model_pass(kg__model_try_mbarrier(word, phase, ByParity));
    return kg__model_mbarrier_is_over(word, phase, ByParity) != 0;
}

} // namespace kg__ptx
