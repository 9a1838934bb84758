/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cooperative_groups/memcpy_async.h. */
#pragma once

#include "../cooperative_groups.h"
#include "../kg_model_copies.h"

namespace cooperative_groups
{

/* Each call is a group of copies of its own. */
template <typename Group, typename To, typename From, typename Size>
KG__GROUP void memcpy_async(const Group &group, To *to, const From *from, const Size &bytes)
{
    kg__model_copy_part(to, from, bytes, kg__model_alignment<To, Size>::value, group.thread_rank(),
                        group.size(), nullptr);
    kg__model_commit_copies();
}

/* Copies as many elements as both the target and the source have. */
template <typename Group, typename To, typename ToLayout, typename From, typename FromLayout>
KG__GROUP void memcpy_async(const Group &group, To *to, const ToLayout &to_layout, const From *from,
                            const FromLayout &from_layout)
{
    const size_t to_bytes = static_cast<size_t>(to_layout) * sizeof(To);
    const size_t from_bytes = static_cast<size_t>(from_layout) * sizeof(From);

    memcpy_async(group, to, from, to_bytes < from_bytes ? to_bytes : from_bytes);
}

template <typename Group>
KG__GROUP void wait(const Group &group)
{
    kg__model_wait_for_copies(0);
    group.sync();
}

template <unsigned int Newest, typename Group>
KG__GROUP void wait_prior(const Group &group)
{
    kg__model_wait_for_copies(Newest);
    group.sync();
}

} // namespace cooperative_groups
