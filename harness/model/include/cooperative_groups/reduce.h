/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cooperative_groups/reduce.h. */
#pragma once

#include "../cooperative_groups.h"
#include "../cuda/atomic"

namespace cooperative_groups
{

#define KG__GROUP_OPERATION(name, result)                                                          \
    template <typename Value>                                                                      \
    struct name {                                                                                  \
        KG__GROUP Value operator()(Value a, Value b) const                                         \
        {                                                                                          \
            return static_cast<Value>(result);                                                     \
        }                                                                                          \
    };
KG__GROUP_OPERATION(plus, a + b)
KG__GROUP_OPERATION(less, b < a ? b : a)
KG__GROUP_OPERATION(greater, a < b ? b : a)
KG__GROUP_OPERATION(bit_and, a &b)
KG__GROUP_OPERATION(bit_or, a | b)
KG__GROUP_OPERATION(bit_xor, a ^ b)
#undef KG__GROUP_OPERATION

/* Combines the values of a group's threads. */
template <typename Group, typename Value, typename Operation>
KG__GROUP Value reduce(const Group &group, Value value, Operation &&operation);

namespace kg__model
{

template <typename Value>
constexpr bool is_word =
    std::is_same<Value, int>::value || std::is_same<Value, unsigned int>::value;

/* Returns the hardware's reduction of 32-bit integers for an operation; KG__MODEL_SYNC if there
 * is none. */
template <typename Operation, typename Value>
constexpr kg__model_warp_operation hardware_operation()
{
    if (!is_word<Value>)
        return KG__MODEL_SYNC;
    if (std::is_same<Operation, plus<Value>>::value)
        return KG__MODEL_ADD;
    if (std::is_same<Operation, less<Value>>::value)
        return std::is_signed<Value>::value ? KG__MODEL_MIN_SIGNED : KG__MODEL_MIN_UNSIGNED;
    if (std::is_same<Operation, greater<Value>>::value)
        return std::is_signed<Value>::value ? KG__MODEL_MAX_SIGNED : KG__MODEL_MAX_UNSIGNED;
    if (std::is_same<Operation, bit_and<Value>>::value)
        return KG__MODEL_AND;
    if (std::is_same<Operation, bit_or<Value>>::value)
        return KG__MODEL_OR;
    return std::is_same<Operation, bit_xor<Value>>::value ? KG__MODEL_XOR : KG__MODEL_SYNC;
}

/* Each lane gets the combination of its own value and all before it. */
template <typename Group, typename Value, typename Operation>
KG__GROUP Value scan_up(const Group &group, Value value, Operation &operation)
{
    for (unsigned int by = 1; by < group.size(); by *= 2) {
        const Value before = group.shfl_up(value, by);

        if (group.thread_rank() >= by)
            value = operation(before, value);
    }
    return value;
}

template <unsigned int Size, typename Parent, typename Value, typename Operation>
KG__GROUP std::enable_if_t<Size <= KG__MODEL_WARP, Value>
reduce_all(const thread_block_tile<Size, Parent> &tile, Value value, Operation &operation)
{
    for (unsigned int by = Size / 2; by > 0; by /= 2)
        value = operation(value, tile.shfl_xor(value, by));
    return value;
}

/* Of several warps: the warps' combinations are combined. */
template <unsigned int Size, typename Value, typename Operation>
KG__GROUP Value reduce_all(const kg__wide_tile<Size> &tile, Value value, Operation &operation)
{
    return tile.kg__combine(reduce(tile.kg__warp(), value, operation), operation);
}

template <unsigned int Size, typename Parent, typename Value, typename Operation>
KG__GROUP std::enable_if_t<(Size > KG__MODEL_WARP), Value>
scan_up(const thread_block_tile<Size, Parent> &tile, Value value, Operation &operation)
{
    const auto warp = tile.kg__warp();
    const unsigned int own = tile.thread_rank() / KG__MODEL_WARP;
    Value with_own = scan_up(warp, value, operation);

    if (warp.thread_rank() == KG__MODEL_WARP - 1)
        tile.kg__put(with_own);
    tile.sync();
    if (own > 0) {
        Value before = tile.template kg__take<Value>(0);

        for (unsigned int other = 1; other < own; other++)
            before = operation(before, tile.template kg__take<Value>(other));
        with_own = operation(before, with_own);
    }
    tile.sync();
    return with_own;
}

/* Returns the value of the thread before, in the first thread any. */
template <typename Group, typename Value>
KG__GROUP Value value_before(const Group &group, const Value &value)
{
    return group.shfl_up(value, 1);
}

template <unsigned int Size, typename Parent, typename Value>
KG__GROUP std::enable_if_t<(Size > KG__MODEL_WARP), Value>
value_before(const thread_block_tile<Size, Parent> &tile, const Value &value)
{
    const auto warp = tile.kg__warp();
    const unsigned int own = tile.thread_rank() / KG__MODEL_WARP;
    Value before = warp.shfl_up(value, 1);

    if (warp.thread_rank() == KG__MODEL_WARP - 1)
        tile.kg__put(value);
    tile.sync();
    if (warp.thread_rank() == 0 && own > 0)
        before = tile.template kg__take<Value>(own - 1);
    tile.sync();
    return before;
}

template <typename Value, typename Operation>
KG__GROUP Value reduce_all(const coalesced_group &group, Value value, Operation &operation)
{
    return group.shfl(scan_up(group, value, operation), group.size() - 1);
}

/* Updates an atomic by the operation, relaxed; returns the old value. */
template <typename Atomic, typename Value, typename Operation>
KG__GROUP Value update(const Atomic &atomic, const Value &value, Operation &operation)
{
    return kg__model_update(
        atomic.kg__word(),
        Atomic::kg__relaxed, [&](const Value &old) __attribute__((always_inline))->Value {
            return operation(old, value);
        });
}

} // namespace kg__model

/* Uses as many shuffles as CUDA's own: none for 32-bit integers, else a butterfly. */
template <typename Group, typename Value, typename Operation>
KG__GROUP Value reduce(const Group &group, Value value, Operation &&operation)
{
    constexpr kg__model_warp_operation at_once =
        kg__model::hardware_operation<std::decay_t<Operation>, Value>();

    if constexpr (at_once != KG__MODEL_SYNC && std::is_base_of<kg__lanes, Group>::value)
        return static_cast<Value>(kg__model_run_warp_operation(
            at_once, group.kg__mask(), static_cast<unsigned int>(value), 0, KG__MODEL_WARP));
    else
        return kg__model::reduce_all(group, value, operation);
}

/* One thread of the group adds the group's combined value to an atomic, or stores it in an
 * atomic or in memory. Complete when the call returns. */
template <typename Group, typename Atomic, typename Value, typename Operation>
KG__GROUP void reduce_update_async(const Group &group, const Atomic &atomic, const Value &value,
                                   Operation &&operation)
{
    const typename Atomic::value_type all = reduce(group, value, operation);

    if (group.thread_rank() == 0)
        static_cast<void>(kg__model::update(atomic, all, operation));
}

template <typename Group, typename Target, typename Value, typename Operation>
KG__GROUP void reduce_store_async(const Group &group, Target &&target, const Value &value,
                                  Operation &&operation)
{
    const Value all = reduce(group, value, operation);

    if (group.thread_rank() != 0)
        return;
    if constexpr (std::is_pointer<std::decay_t<Target>>::value)
        *target = all;
    else
        target.store(all, cuda::memory_order_relaxed);
}

} // namespace cooperative_groups
