/* The CPU model's stand-in for cooperative_groups/scan.h. */
#ifndef KG__MODEL_COOPERATIVE_GROUPS_SCAN_H
#define KG__MODEL_COOPERATIVE_GROUPS_SCAN_H

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

/* The first thread gets Value(). Sums of integers need no shuffle beyond those of the inclusive
 * one. */
template <typename Group, typename Value, typename Operation>
KG__GROUP Value exclusive_scan(const Group &group, Value value, Operation &&operation)
{
    const Value with_own = kg__model::scan_up(group, value, operation);

    if constexpr (std::is_integral<Value>::value &&
                  std::is_same<std::decay_t<Operation>, plus<Value>>::value) {
        return static_cast<Value>(with_own - value);
    } else {
        const Value before = group.shfl_up(with_own, 1);

        return group.thread_rank() == 0 ? Value() : before;
    }
}

template <typename Group, typename Value>
KG__GROUP Value exclusive_scan(const Group &group, Value value)
{
    return exclusive_scan(group, value, plus<Value>());
}

} // namespace cooperative_groups

#endif
