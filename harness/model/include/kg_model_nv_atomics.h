/* SPDX-License-Identifier: MIT */
/* nvcc's built-in atomics, with an order and a scope. Included by cuda_runtime.h. */
#pragma once

#include "cuda_runtime.h"

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

/* Returns the flags for the parts of an order that apply to a load, a store or both. */
KG__MODEL_INLINE constexpr unsigned int kg__model_how(int order, int scope, bool loads, bool stores)
{
    const bool acquires = loads && order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE;
    const bool releases = stores && order >= __NV_ATOMIC_RELEASE;

    return acquires * KG__MODEL_ACQUIRES | releases * KG__MODEL_RELEASES |
           (scope <= __NV_THREAD_SCOPE_BLOCK) * KG__MODEL_OF_BLOCK |
           (scope == __NV_THREAD_SCOPE_THREAD) * KG__MODEL_OF_THREAD;
}

template <typename Value>
KG__MODEL_INLINE void __nv_atomic_load(const Value *address, Value *value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    kg__model_atomic_read(address, value, sizeof *value, kg__model_how(order, scope, true, false));
}
template <typename Value>
KG__MODEL_INLINE Value __nv_atomic_load_n(const Value *address, int order,
                                          int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    Value value;

    __nv_atomic_load(address, &value, order, scope);
    return value;
}
template <typename Value>
KG__MODEL_INLINE void __nv_atomic_store(Value *address, const Value *value, int order,
                                        int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    kg__model_atomic_write(address, value, sizeof *value, kg__model_how(order, scope, false, true));
}
template <typename Value>
KG__MODEL_INLINE void __nv_atomic_store_n(Value *address, std::enable_if_t<true, Value> value,
                                          int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __nv_atomic_store(address, &value, order, scope);
}
template <typename Value>
KG__MODEL_INLINE Value __nv_atomic_exchange_n(Value *address, std::enable_if_t<true, Value> value,
                                              int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return kg__model_exchange(address, kg__model_how(order, scope, true, true), value);
}
template <typename Value>
KG__MODEL_INLINE void __nv_atomic_exchange(Value *address, const Value *value, Value *old,
                                           int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *old = __nv_atomic_exchange_n(address, *value, order, scope);
}
template <typename Value>
KG__MODEL_INLINE bool __nv_atomic_compare_exchange(Value *address, Value *expected,
                                                   const Value *value, bool, int order, int,
                                                   int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    const Value old = kg__model_compare_exchange(address, kg__model_how(order, scope, true, true),
                                                 *expected, *value);
    const bool is_equal = __builtin_memcmp(&old, expected, sizeof old) == 0;

    if (!is_equal)
        *expected = old;
    return is_equal;
}
template <typename Value>
KG__MODEL_INLINE bool __nv_atomic_compare_exchange_n(Value *address, Value *expected,
                                                     std::enable_if_t<true, Value> value,
                                                     bool is_weak, int order, int failed,
                                                     int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return __nv_atomic_compare_exchange(address, expected, &value, is_weak, order, failed, scope);
}
KG__MODEL_INLINE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order != __NV_ATOMIC_RELAXED && scope > __NV_THREAD_SCOPE_BLOCK)
        kg__model_fence();
    else if (order != __NV_ATOMIC_RELAXED)
        kg__model_fence_block();
}

#define KG__MODEL_FETCH(name, result)                                                              \
    template <typename Value>                                                                      \
    KG__MODEL_INLINE Value __nv_atomic_fetch_##name(                                               \
        Value *address, std::enable_if_t<true, Value> value, int order,                            \
        int scope = __NV_THREAD_SCOPE_SYSTEM)                                                      \
    {                                                                                              \
        return kg__model_update(                                                                   \
            address, kg__model_how(order, scope, true, true),                                      \
            [&](Value old) __attribute__((always_inline)) { return static_cast<Value>(result); }); \
    }
KG__MODEL_FETCH(add, old + value)
KG__MODEL_FETCH(sub, old - value)
KG__MODEL_FETCH(and, old &value)
KG__MODEL_FETCH(or, old | value)
KG__MODEL_FETCH(xor, old ^ value)
KG__MODEL_FETCH(min, old < value ? old : value)
KG__MODEL_FETCH(max, old > value ? old : value)
#undef KG__MODEL_FETCH
