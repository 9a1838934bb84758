/* SPDX-License-Identifier: MIT */
/* Atomic operations of the host's code in instrumented sources, such as those of std::shared_ptr
 * and std::atomic, which g++ calls by these names of ThreadSanitizer. Kernels need a part of them
 * only, which is in model/watch/hooks.c. All are sequentially consistent, as strong as any order.
 */
#include <stdint.h>

/* With sanitizers on, gcc knows functions of these names, with types of its own for them. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
/* The orders are not used. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define FETCH(bits, operation)                                                                     \
    uint##bits##_t __tsan_atomic##bits##_fetch_##operation(volatile uint##bits##_t *word,          \
                                                           uint##bits##_t value, int order)        \
    {                                                                                              \
        return __atomic_fetch_##operation(word, value, __ATOMIC_SEQ_CST);                          \
    }

#define COMPARE(bits, strength, is_weak)                                                           \
    int __tsan_atomic##bits##_compare_exchange_##strength(                                         \
        volatile uint##bits##_t *word, uint##bits##_t *expected, uint##bits##_t value, int order,  \
        int failed)                                                                                \
    {                                                                                              \
        return __atomic_compare_exchange_n(word, expected, value, is_weak, __ATOMIC_SEQ_CST,       \
                                           __ATOMIC_SEQ_CST);                                      \
    }

#define OPERATIONS(bits)                                                                           \
    FETCH(bits, add)                                                                               \
    FETCH(bits, sub)                                                                               \
    FETCH(bits, and)                                                                               \
    FETCH(bits, or)                                                                                \
    FETCH(bits, xor)                                                                               \
    FETCH(bits, nand)                                                                              \
    COMPARE(bits, strong, 0)                                                                       \
    COMPARE(bits, weak, 1)

OPERATIONS(8)
OPERATIONS(16)
OPERATIONS(32)
OPERATIONS(64)

uint8_t __tsan_atomic8_load(const volatile uint8_t *word, int order)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

void __tsan_atomic8_store(volatile uint8_t *word, uint8_t value, int order)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

uint8_t __tsan_atomic8_exchange(volatile uint8_t *word, uint8_t value, int order)
{
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

void __tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
