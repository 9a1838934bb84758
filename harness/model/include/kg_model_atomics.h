/* Atomics, and loads and stores with a cache hint. Part of cuda_runtime.h, which includes it. */
#ifndef KG__MODEL_ATOMICS_H
#define KG__MODEL_ATOMICS_H

/* Atomics: no thread is ever stopped in the middle of one. Each gives the old value. The builtins
 * tell an instrumented kernel's atomic accesses from its plain ones. */

/* Each by the names of its scopes, which make no difference here. */
#define KG__MODEL_SCOPES(define, name, ...)                                                        \
    define(name, __VA_ARGS__) define(name##_block, __VA_ARGS__) define(name##_system, __VA_ARGS__)
#define KG__MODEL_ATOMIC(...) KG__MODEL_SCOPES(KG__MODEL_ONE_ATOMIC, __VA_ARGS__)
#define KG__MODEL_ONE_ATOMIC(name, type, changed)                                                  \
    KG__MODEL_INLINE type name(type *address, type value)                                          \
    {                                                                                              \
        type old;                                                                                  \
        type now;                                                                                  \
                                                                                                   \
        __atomic_load(address, &old, __ATOMIC_RELAXED);                                            \
        now = (changed);                                                                           \
        __atomic_store(address, &now, __ATOMIC_RELAXED);                                           \
        return old;                                                                                \
    }
/* Signed sums wrap around, as the hardware's do. */
KG__MODEL_ATOMIC(atomicAdd, int,
                 static_cast<int>(static_cast<unsigned int>(old) +
                                  static_cast<unsigned int>(value)))
KG__MODEL_ATOMIC(atomicAdd, unsigned int, old + value)
KG__MODEL_ATOMIC(atomicAdd, unsigned long long, old + value)
KG__MODEL_ATOMIC(atomicAdd, float, old + value)
KG__MODEL_ATOMIC(atomicAdd, double, old + value)
KG__MODEL_ATOMIC(atomicSub, int,
                 static_cast<int>(static_cast<unsigned int>(old) -
                                  static_cast<unsigned int>(value)))
KG__MODEL_ATOMIC(atomicSub, unsigned int, old - value)
KG__MODEL_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
KG__MODEL_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
#define KG__MODEL_ATOMICS(type)                                                                    \
    KG__MODEL_ATOMIC(atomicMin, type, value < old ? value : old)                                   \
    KG__MODEL_ATOMIC(atomicMax, type, value > old ? value : old)                                   \
    KG__MODEL_ATOMIC(atomicAnd, type, old &value)                                                  \
    KG__MODEL_ATOMIC(atomicOr, type, old | value)                                                  \
    KG__MODEL_ATOMIC(atomicXor, type, old ^ value)
KG__MODEL_ATOMICS(int)
KG__MODEL_ATOMICS(unsigned int)
KG__MODEL_ATOMICS(unsigned long long)
#undef KG__MODEL_ATOMICS
KG__MODEL_ATOMIC(atomicMin, long long, value < old ? value : old)
KG__MODEL_ATOMIC(atomicMax, long long, value > old ? value : old)
#undef KG__MODEL_ATOMIC
#undef KG__MODEL_ONE_ATOMIC

#define KG__MODEL_ATOMIC_EXCHANGE(type) KG__MODEL_SCOPES(KG__MODEL_ONE_EXCHANGE, atomicExch, type)
#define KG__MODEL_ONE_EXCHANGE(name, type)                                                         \
    KG__MODEL_INLINE type name(type *address, type value)                                          \
    {                                                                                              \
        type old;                                                                                  \
                                                                                                   \
        __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);                                \
        return old;                                                                                \
    }
KG__MODEL_ATOMIC_EXCHANGE(int)
KG__MODEL_ATOMIC_EXCHANGE(unsigned int)
KG__MODEL_ATOMIC_EXCHANGE(unsigned long long)
KG__MODEL_ATOMIC_EXCHANGE(float)
#undef KG__MODEL_ATOMIC_EXCHANGE
#undef KG__MODEL_ONE_EXCHANGE

#define KG__MODEL_ATOMIC_CAS(type) KG__MODEL_SCOPES(KG__MODEL_ONE_CAS, atomicCAS, type)
#define KG__MODEL_ONE_CAS(name, type)                                                              \
    KG__MODEL_INLINE type name(type *address, type expected, type value)                           \
    {                                                                                              \
        type old;                                                                                  \
                                                                                                   \
        __atomic_load(address, &old, __ATOMIC_ACQUIRE);                                            \
        if (old == expected)                                                                       \
            __atomic_store(address, &value, __ATOMIC_RELAXED);                                     \
        return old;                                                                                \
    }
KG__MODEL_ATOMIC_CAS(int)
KG__MODEL_ATOMIC_CAS(unsigned int)
KG__MODEL_ATOMIC_CAS(unsigned long long)
KG__MODEL_ATOMIC_CAS(unsigned short)
#undef KG__MODEL_ATOMIC_CAS
#undef KG__MODEL_ONE_CAS
#undef KG__MODEL_SCOPES

/* Loads and stores with a cache hint are loads and stores. */

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
/* These are never one with a load before. */
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

#endif
