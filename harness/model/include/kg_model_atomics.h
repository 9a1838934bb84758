/* SPDX-License-Identifier: MIT */
/* Atomics, and loads and stores with a cache hint. Part of cuda_runtime.h, which includes it. */
#pragma once

/* Atomics: threads never switch within one. Each returns the old value. The builtins distinguish
 * an instrumented kernel's atomic accesses from its plain ones. */

/* Ends an update by the builtins: a store, unless other blocks run side by side. */
#ifdef KG__MODEL_SIDE_BY_SIDE
#define KG__MODEL_UPDATED(address, old, now)                                                       \
    __atomic_compare_exchange(address, &(old), &(now), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#else
#define KG__MODEL_UPDATED(address, old, now)                                                       \
    (__atomic_store(address, &(now), __ATOMIC_RELAXED), true)
#endif

/* Updates the word at `address`, with an order and a scope (kg_model_device.h). */
template <typename Value, typename Change>
KG__MODEL_INLINE Value kg__model_update(Value *address, unsigned int how, const Change &change)
{
    Value old;
    Value now;

    do {
        kg__model_atomic_read(address, &old, sizeof old, KG__MODEL_UPDATES | how);
        now = change(old);
    } while (!kg__model_atomic_end(address, &old, &now, sizeof now, KG__MODEL_UPDATES | how));
    return old;
}

/* Writes `value` unconditionally; returns the old value. */
template <typename Value>
KG__MODEL_INLINE Value kg__model_exchange(Value *address, unsigned int how, Value value)
{
    return kg__model_update(
        address, KG__MODEL_REPLACES | how, [&](const Value &) __attribute__((always_inline)) {
            return value;
        });
}

/* Writes `value` if the word has the `expected` bits; returns the old value. */
template <typename Value>
KG__MODEL_INLINE Value kg__model_compare_exchange(Value *address, unsigned int how, Value expected,
                                                  Value value)
{
    return kg__model_update(
        address, KG__MODEL_LOCKS | how, [&](const Value &old) __attribute__((always_inline)) {
            return __builtin_memcmp(&old, &expected, sizeof old) == 0 ? value : old;
        });
}

/* An access without an order is relaxed. Of the scopes, only the block's makes a difference. */
#define KG__MODEL_PLAINLY 0
#define KG__MODEL_IN_BLOCK KG__MODEL_OF_BLOCK

/* A thread that only looks at a word, as by atomicAdd(word, 0), may wait for others. */
#define KG__MODEL_LOOKED(type, now)                                                                \
    if (std::is_integral<type>::value && __builtin_constant_p(value) && (now) == old)              \
        kg__model_tries_in_vain(address, static_cast<uint64_t>(old));

#define KG__MODEL_ATOMIC(name, type, changed)                                                      \
    KG__MODEL_ONE_ATOMIC(name, type, changed)                                                      \
    KG__MODEL_ONE_ATOMIC(name##_system, type, changed)                                             \
    KG__MODEL_INLINE type name##_block(type *address, type value)                                  \
    {                                                                                              \
        type old;                                                                                  \
        type now;                                                                                  \
                                                                                                   \
        do {                                                                                       \
            kg__model_atomic_read(address, &old, sizeof old,                                       \
                                  KG__MODEL_UPDATES | KG__MODEL_IN_BLOCK);                         \
            now = (changed);                                                                       \
        } while (!kg__model_atomic_end(address, &old, &now, sizeof now,                            \
                                       KG__MODEL_UPDATES | KG__MODEL_IN_BLOCK));                   \
        return old;                                                                                \
    }
#define KG__MODEL_ONE_ATOMIC(name, type, changed)                                                  \
    KG__MODEL_INLINE type name(type *address, type value)                                          \
    {                                                                                              \
        type old;                                                                                  \
        type now;                                                                                  \
                                                                                                   \
        __atomic_load(address, &old, __ATOMIC_RELAXED);                                            \
        do                                                                                         \
            now = (changed);                                                                       \
        while (!KG__MODEL_UPDATED(address, old, now));                                             \
        KG__MODEL_LOOKED(type, now)                                                                \
        return old;                                                                                \
    }
/* What processors have an instruction for. */
#ifdef KG__MODEL_SIDE_BY_SIDE
#define KG__MODEL_FETCH(name, type, operation, changed)                                            \
    KG__MODEL_ONE_FETCH(name, type, operation, changed)                                            \
    KG__MODEL_ONE_FETCH(name##_system, type, operation, changed)                                   \
    KG__MODEL_ONE_FETCH(name##_block, type, operation, changed)
#define KG__MODEL_ONE_FETCH(name, type, operation, changed)                                        \
    KG__MODEL_INLINE type name(type *address, type value)                                          \
    {                                                                                              \
        const type old = __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);             \
                                                                                                   \
        KG__MODEL_LOOKED(type, changed)                                                            \
        return old;                                                                                \
    }
#else
#define KG__MODEL_FETCH(name, type, operation, changed) KG__MODEL_ATOMIC(name, type, changed)
#endif
/* Signed sums wrap around, as on hardware. */
KG__MODEL_FETCH(atomicAdd, int, add,
                static_cast<int>(static_cast<unsigned int>(old) + static_cast<unsigned int>(value)))
KG__MODEL_FETCH(atomicAdd, unsigned int, add, old + value)
KG__MODEL_FETCH(atomicAdd, unsigned long long, add, old + value)
KG__MODEL_ATOMIC(atomicAdd, float, old + value)
KG__MODEL_ATOMIC(atomicAdd, double, old + value)
KG__MODEL_FETCH(atomicSub, int, sub,
                static_cast<int>(static_cast<unsigned int>(old) - static_cast<unsigned int>(value)))
KG__MODEL_FETCH(atomicSub, unsigned int, sub, old - value)
KG__MODEL_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
KG__MODEL_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
#define KG__MODEL_ATOMICS(type)                                                                    \
    KG__MODEL_ATOMIC(atomicMin, type, value < old ? value : old)                                   \
    KG__MODEL_ATOMIC(atomicMax, type, value > old ? value : old)                                   \
    KG__MODEL_FETCH(atomicAnd, type, and, old &value)                                              \
    KG__MODEL_FETCH(atomicOr, type, or, old | value)                                               \
    KG__MODEL_FETCH(atomicXor, type, xor, old ^ value)
KG__MODEL_ATOMICS(int)
KG__MODEL_ATOMICS(unsigned int)
KG__MODEL_ATOMICS(unsigned long long)
#undef KG__MODEL_ATOMICS
KG__MODEL_ATOMIC(atomicMin, long long, value < old ? value : old)
KG__MODEL_ATOMIC(atomicMax, long long, value > old ? value : old)
#undef KG__MODEL_FETCH
#undef KG__MODEL_ONE_FETCH
#undef KG__MODEL_ATOMIC
#undef KG__MODEL_ONE_ATOMIC

#define KG__MODEL_ATOMIC_EXCHANGE(name, type)                                                      \
    KG__MODEL_INLINE type name(type *address, type value)                                          \
    {                                                                                              \
        type old;                                                                                  \
                                                                                                   \
        __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);                                \
        KG__MODEL_LOOKED(type, value)                                                              \
        return old;                                                                                \
    }
#define KG__MODEL_ATOMIC_CAS(name, type)                                                           \
    KG__MODEL_INLINE type name(type *address, type expected, type value)                           \
    {                                                                                              \
        type old;                                                                                  \
                                                                                                   \
        __atomic_load(address, &old, __ATOMIC_ACQUIRE);                                            \
        if (old != expected || !KG__MODEL_UPDATED(address, old, value))                            \
            kg__model_tries_in_vain(address, static_cast<uint64_t>(old));                          \
        return old;                                                                                \
    }
#define KG__MODEL_EXCHANGES(type)                                                                  \
    KG__MODEL_ATOMIC_EXCHANGE(atomicExch, type)                                                    \
    KG__MODEL_ATOMIC_EXCHANGE(atomicExch_system, type)                                             \
    KG__MODEL_INLINE type atomicExch_block(type *address, type value)                              \
    {                                                                                              \
        return kg__model_exchange(address, KG__MODEL_IN_BLOCK, value);                             \
    }
#define KG__MODEL_COMPARISONS(type)                                                                \
    KG__MODEL_ATOMIC_CAS(atomicCAS, type)                                                          \
    KG__MODEL_ATOMIC_CAS(atomicCAS_system, type)                                                   \
    KG__MODEL_INLINE type atomicCAS_block(type *address, type expected, type value)                \
    {                                                                                              \
        return kg__model_compare_exchange(address, KG__MODEL_IN_BLOCK, expected, value);           \
    }
KG__MODEL_EXCHANGES(int)
KG__MODEL_EXCHANGES(unsigned int)
KG__MODEL_EXCHANGES(unsigned long long)
KG__MODEL_EXCHANGES(float)
KG__MODEL_COMPARISONS(int)
KG__MODEL_COMPARISONS(unsigned int)
KG__MODEL_COMPARISONS(unsigned long long)
KG__MODEL_COMPARISONS(unsigned short)
#undef KG__MODEL_EXCHANGES
#undef KG__MODEL_COMPARISONS
#undef KG__MODEL_ATOMIC_EXCHANGE
#undef KG__MODEL_ATOMIC_CAS
#undef KG__MODEL_LOOKED

/* For vectors, each element is atomic by itself. */
#define KG__MODEL_VECTOR_ATOMIC(name, how)                                                         \
    KG__MODEL_INLINE float2 name(float2 *address, float2 value)                                    \
    {                                                                                              \
        return kg__model_update(                                                                   \
            address, how, [&](const float2 &old) __attribute__((always_inline)) {                  \
                return float2{ old.x + value.x, old.y + value.y };                                 \
            });                                                                                    \
    }                                                                                              \
    KG__MODEL_INLINE float4 name(float4 *address, float4 value)                                    \
    {                                                                                              \
        return kg__model_update(                                                                   \
            address, how, [&](const float4 &old) __attribute__((always_inline)) {                  \
                return float4{ old.x + value.x, old.y + value.y, old.z + value.z,                  \
                               old.w + value.w };                                                  \
            });                                                                                    \
    }
KG__MODEL_VECTOR_ATOMIC(atomicAdd, KG__MODEL_PLAINLY)
KG__MODEL_VECTOR_ATOMIC(atomicAdd_system, KG__MODEL_PLAINLY)
KG__MODEL_VECTOR_ATOMIC(atomicAdd_block, KG__MODEL_IN_BLOCK)
#undef KG__MODEL_VECTOR_ATOMIC

/* Any type of 16 bytes that is aligned to 16 bytes. */
template <typename Value>
constexpr bool kg__model_is_wide = sizeof(Value) == 16 && std::alignment_of<Value>::value >= 16;
#define KG__MODEL_WIDE_ATOMIC(suffix, how)                                                         \
    template <typename Value>                                                                      \
    KG__MODEL_INLINE std::enable_if_t<kg__model_is_wide<Value>, Value> atomicExch##suffix(         \
        Value *address, Value value)                                                               \
    {                                                                                              \
        return kg__model_exchange(address, how, value);                                            \
    }                                                                                              \
    template <typename Value>                                                                      \
    KG__MODEL_INLINE std::enable_if_t<kg__model_is_wide<Value>, Value> atomicCAS##suffix(          \
        Value *address, Value expected, Value value)                                               \
    {                                                                                              \
        return kg__model_compare_exchange(address, how, expected, value);                          \
    }
KG__MODEL_WIDE_ATOMIC(, KG__MODEL_PLAINLY)
KG__MODEL_WIDE_ATOMIC(_system, KG__MODEL_PLAINLY)
KG__MODEL_WIDE_ATOMIC(_block, KG__MODEL_IN_BLOCK)
#undef KG__MODEL_WIDE_ATOMIC
#undef KG__MODEL_PLAINLY
#undef KG__MODEL_IN_BLOCK

/* Loads and stores with a cache hint are plain loads and stores. */

#define KG__MODEL_HINTED_LOAD(name, before)                                                        \
    template <typename Value>                                                                      \
    KG__MODEL_INLINE Value name(const Value *address)                                              \
    {                                                                                              \
        before;                                                                                    \
        return *address;                                                                           \
    }
KG__MODEL_HINTED_LOAD(__ldg, )
KG__MODEL_HINTED_LOAD(__ldca, )
KG__MODEL_HINTED_LOAD(__ldcg, )
KG__MODEL_HINTED_LOAD(__ldcs, )
/* These are never merged with an earlier load. */
KG__MODEL_HINTED_LOAD(__ldcv, __asm__ volatile("" : : : "memory"))
KG__MODEL_HINTED_LOAD(__ldlu, __asm__ volatile("" : : : "memory"))
#undef KG__MODEL_HINTED_LOAD

#define KG__MODEL_HINTED_STORE(name)                                                               \
    template <typename Value>                                                                      \
    KG__MODEL_INLINE void name(Value *address, std::enable_if_t<true, Value> value)                \
    {                                                                                              \
        *address = value;                                                                          \
    }
KG__MODEL_HINTED_STORE(__stwb)
KG__MODEL_HINTED_STORE(__stcg)
KG__MODEL_HINTED_STORE(__stcs)
KG__MODEL_HINTED_STORE(__stwt)
#undef KG__MODEL_HINTED_STORE
