/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cooperative_groups/scan.h. */
#pragma once

#include "reduce.h"

namespace cooperative_groups
{

template <typename Group, typename Value, typename Operation>
KG__GROUP Value inclusive_scan(const Group &group, Value value, Operation &&operation)
{
    return kg__model::scan_up(group, value, operation);
}

template <typename Group, typename Value>
KG__GROUP Value inclusive_scan(const Group &group, Value value)
{
    return inclusive_scan(group, value, plus<Value>());
}

/* The first thread gets Value(). Sums of integers need no more shuffles than an inclusive scan. */
template <typename Group, typename Value, typename Operation>
KG__GROUP Value exclusive_scan(const Group &group, Value value, Operation &&operation)
{
    const Value with_own = kg__model::scan_up(group, value, operation);

    if constexpr (std::is_integral<Value>::value &&
                  std::is_same<std::decay_t<Operation>, plus<Value>>::value) {
        return static_cast<Value>(with_own - value);
    } else {
        const Value before = kg__model::value_before(group, with_own);

        return group.thread_rank() == 0 ? Value() : before;
    }
}

template <typename Group, typename Value>
KG__GROUP Value exclusive_scan(const Group &group, Value value)
{
    return exclusive_scan(group, value, plus<Value>());
}

namespace kg__model
{

/* Adds the group's total, which the last thread has, to an atomic; all get the old value. */
template <typename Group, typename Atomic, typename Value, typename Operation>
KG__GROUP Value update_by_last(const Group &group, const Atomic &atomic, const Value &all,
                               Operation &operation)
{
    const unsigned int last = static_cast<unsigned int>(group.size()) - 1;
    Value old = all;

    if (group.thread_rank() == last)
        old = update(atomic, all, operation);
    return group.shfl(old, last);
}

} // namespace kg__model

/* Each thread gets the atomic's old value combined with the values of the threads before it, in
 * this order, and in the inclusive scan with its own. */
template <typename Group, typename Atomic, typename Value, typename Operation>
KG__GROUP Value inclusive_scan_update(const Group &group, const Atomic &atomic, Value value,
                                      Operation &&operation)
{
    const Value with_own = kg__model::scan_up(group, value, operation);

    return operation(kg__model::update_by_last(group, atomic, with_own, operation), with_own);
}

template <typename Group, typename Atomic, typename Value>
KG__GROUP Value inclusive_scan_update(const Group &group, const Atomic &atomic, Value value)
{
    return inclusive_scan_update(group, atomic, value, plus<Value>());
}

template <typename Group, typename Atomic, typename Value, typename Operation>
KG__GROUP Value exclusive_scan_update(const Group &group, const Atomic &atomic, Value value,
                                      Operation &&operation)
{
    const Value with_own = kg__model::scan_up(group, value, operation);
    const Value old = kg__model::update_by_last(group, atomic, with_own, operation);
    const Value before = kg__model::value_before(group, with_own);

    return group.thread_rank() == 0 ? old : operation(old, before);
}

template <typename Group, typename Atomic, typename Value>
KG__GROUP Value exclusive_scan_update(const Group &group, const Atomic &atomic, Value value)
{
    return exclusive_scan_update(group, atomic, value, plus<Value>());
}

} // namespace cooperative_groups
