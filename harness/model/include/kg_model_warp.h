/* SPDX-License-Identifier: MIT */
/* Barriers, fences and warp operations. Part of cuda_runtime.h, which includes it. */
#pragma once

/* Barriers and fences. */

KG__MODEL_INLINE void __syncthreads()
{
    kg__model_barrier();
}

KG__MODEL_INLINE int __syncthreads_count(int predicate)
{
    return kg__model_barrier_vote(predicate).nonzero;
}

KG__MODEL_INLINE int __syncthreads_or(int predicate)
{
    return kg__model_barrier_vote(predicate).nonzero != 0;
}

KG__MODEL_INLINE int __syncthreads_and(int predicate)
{
    const kg__model_votes votes = kg__model_barrier_vote(predicate);

    return votes.nonzero == votes.arrived;
}

/* One of a block's 16 barriers, which some of its warps may use. */
KG__MODEL_INLINE void __barrier_sync_count(unsigned int number, unsigned int threads)
{
    kg__model_pass(
        kg__model_wait_at_numbered(number < KG__MODEL_NAMED_BARRIERS ? number : ~0u, threads));
}

KG__MODEL_INLINE void __barrier_sync(unsigned int number)
{
    if (number == 0)
        __syncthreads();
    else
        __barrier_sync_count(number, 0);
}

/* The lanes of the mask really synchronize, so that code that relies on it sees its shared
 * memory in order, in either order of threads. */
KG__MODEL_INLINE void __syncwarp(unsigned int mask = 0xffffffffu)
{
    kg__model_run_warp_operation(KG__MODEL_SYNC, mask, 0, 0, KG__MODEL_WARP);
}

KG__MODEL_INLINE void __threadfence_block()
{
    kg__model_fence_block();
}

KG__MODEL_INLINE void __threadfence()
{
    kg__model_fence();
}

KG__MODEL_INLINE void __threadfence_system()
{
    kg__model_fence();
}

KG__MODEL_INLINE __attribute__((noreturn)) void __trap()
{
    kg__model_trap(cudaErrorLaunchFailure, "the kernel called __trap()");
}

KG__MODEL_INLINE void __brkpt()
{
    kg__model_trap(cudaErrorLaunchFailure, "the kernel called __brkpt(), with no debugger there");
}

/* Affects only time. */
KG__MODEL_INLINE void __nanosleep(unsigned int)
{
    kg__model_tries_in_vain(nullptr, 0);
}

KG__MODEL_INLINE void __prof_trigger(int)
{
}

KG__MODEL_INLINE long long clock64()
{
    return kg__model_clock();
}

#define KG__MODEL_MEMORY(name, memory)                                                             \
    KG__MODEL_INLINE unsigned int name(const void *address)                                        \
    {                                                                                              \
        return kg__model_memory_at(address) == (memory);                                           \
    }
KG__MODEL_MEMORY(__isGlobal, KG__MODEL_IS_GLOBAL)
KG__MODEL_MEMORY(__isShared, KG__MODEL_IS_SHARED)
KG__MODEL_MEMORY(__isConstant, KG__MODEL_IS_CONSTANT)
KG__MODEL_MEMORY(__isLocal, KG__MODEL_IS_LOCAL)
#undef KG__MODEL_MEMORY

/* The linker's, one in each program and library. */
extern "C" void *__dso_handle __attribute__((visibility("hidden")));

/* Returns what 32-bit addresses near an object are relative to. As on a GPU they have the low bits
 * of generic pointers: some code makes descriptors of these. */
KG__MODEL_INLINE char *kg__model_origin(const void *object)
{
    return reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(object) & ~uintptr_t(0xffffff));
}

/* Returns whether an offset fits in 31 bits: then the first two of its 32 bits are equal. */
KG__MODEL_INLINE bool kg__model_reaches(intptr_t offset)
{
    return offset >> 30 == 0 || offset >> 30 == -1;
}

/* 32-bit addresses in shared memory are relative to the origin of the dynamic shared memory; those
 * whose first two bits differ to that of this program or library, which has the static arrays and
 * may be loaded far from it. Memory out of both's reach is not shared memory. Places of an array at
 * a null pointer, such as an empty one, become addresses that no access may have; their 18 bits in
 * a descriptor are beyond the 227 KiB that a block can have. */
KG__MODEL_INLINE size_t __cvta_generic_to_shared(const void *address)
{
    const intptr_t at = reinterpret_cast<intptr_t>(address);
    const intptr_t near =
        at - reinterpret_cast<intptr_t>(kg__model_origin(kg__model_dynamic_memory));
    const intptr_t own = at - reinterpret_cast<intptr_t>(kg__model_origin(&__dso_handle));

    if (at >> 20 == 0)
        return 0x3ff39000 + static_cast<size_t>(at);
    if (kg__model_reaches(near))
        return static_cast<uint32_t>(near);
    if (!kg__model_reaches(own))
        kg__model_trap(cudaErrorIllegalAddress,
                       "__cvta_generic_to_shared(): the address is not in shared memory");
    return static_cast<uint32_t>(own) ^ 0x80000000;
}

KG__MODEL_INLINE void *__cvta_shared_to_generic(size_t address)
{
    const int32_t near = static_cast<int32_t>(address);

    return kg__model_reaches(near) ? kg__model_origin(kg__model_dynamic_memory) + near
                                   : kg__model_origin(&__dso_handle) + (near ^ INT32_MIN);
}

/* All other memory has the addresses of generic pointers. */
#define KG__MODEL_SAME_ADDRESS(memory)                                                             \
    KG__MODEL_INLINE size_t __cvta_generic_to_##memory(const void *address)                        \
    {                                                                                              \
        return reinterpret_cast<size_t>(address);                                                  \
    }                                                                                              \
    KG__MODEL_INLINE void *__cvta_##memory##_to_generic(size_t address)                            \
    {                                                                                              \
        return reinterpret_cast<void *>(address);                                                  \
    }
KG__MODEL_SAME_ADDRESS(global)
KG__MODEL_SAME_ADDRESS(local)
KG__MODEL_SAME_ADDRESS(constant)
#undef KG__MODEL_SAME_ADDRESS

/* Warp operations. */

/* One of the shuffles, of any arithmetic type; `argument` as in the operation. */
template <typename Value>
KG__MODEL_INLINE auto kg__model_shuffle(kg__model_warp_operation operation, unsigned int mask,
                                        Value value, unsigned int argument, int width)
    -> decltype(+value)
{
    static_assert(std::is_arithmetic<Value>::value,
                  "shuffles take integers, float and double: see docs/model.md");
    const decltype(+value) promoted = value;
    decltype(+value) result;
    uint64_t bits = 0;

    __builtin_memcpy(&bits, &promoted, sizeof promoted);
    bits = kg__model_run_warp_operation(operation, mask, bits, argument,
                                        static_cast<unsigned int>(width));
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

template <typename Value>
KG__MODEL_INLINE auto __shfl_sync(unsigned int mask, Value value, int lane,
                                  int width = KG__MODEL_WARP)
{
    return kg__model_shuffle(KG__MODEL_SHUFFLE, mask, value, static_cast<unsigned int>(lane),
                             width);
}

template <typename Value>
KG__MODEL_INLINE auto __shfl_up_sync(unsigned int mask, Value value, unsigned int delta,
                                     int width = KG__MODEL_WARP)
{
    return kg__model_shuffle(KG__MODEL_SHUFFLE_UP, mask, value, delta, width);
}

template <typename Value>
KG__MODEL_INLINE auto __shfl_down_sync(unsigned int mask, Value value, unsigned int delta,
                                       int width = KG__MODEL_WARP)
{
    return kg__model_shuffle(KG__MODEL_SHUFFLE_DOWN, mask, value, delta, width);
}

template <typename Value>
KG__MODEL_INLINE auto __shfl_xor_sync(unsigned int mask, Value value, int lane_mask,
                                      int width = KG__MODEL_WARP)
{
    return kg__model_shuffle(KG__MODEL_SHUFFLE_XOR, mask, value,
                             static_cast<unsigned int>(lane_mask), width);
}

KG__MODEL_INLINE unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return static_cast<unsigned int>(
        kg__model_run_warp_operation(KG__MODEL_BALLOT, mask, predicate != 0, 0, KG__MODEL_WARP));
}

KG__MODEL_INLINE int __any_sync(unsigned int mask, int predicate)
{
    return static_cast<int>(
        kg__model_run_warp_operation(KG__MODEL_ANY, mask, predicate != 0, 0, KG__MODEL_WARP));
}

KG__MODEL_INLINE int __all_sync(unsigned int mask, int predicate)
{
    return static_cast<int>(
        kg__model_run_warp_operation(KG__MODEL_ALL, mask, predicate != 0, 0, KG__MODEL_WARP));
}

/* __match_any_sync() and __match_all_sync(), of any arithmetic type. */
template <typename Value>
KG__MODEL_INLINE unsigned int kg__model_match(kg__model_warp_operation operation, unsigned int mask,
                                              Value value)
{
    static_assert(std::is_arithmetic<Value>::value,
                  "matches take integers, float and double: see docs/model.md");
    const decltype(+value) promoted = value;
    uint64_t bits = 0;

    __builtin_memcpy(&bits, &promoted, sizeof promoted);
    return static_cast<unsigned int>(
        kg__model_run_warp_operation(operation, mask, bits, 0, KG__MODEL_WARP));
}

template <typename Value>
KG__MODEL_INLINE unsigned int __match_any_sync(unsigned int mask, Value value)
{
    return kg__model_match(KG__MODEL_MATCH_ANY, mask, value);
}

template <typename Value>
KG__MODEL_INLINE unsigned int __match_all_sync(unsigned int mask, Value value, int *all)
{
    const unsigned int matched = kg__model_match(KG__MODEL_MATCH_ALL, mask, value);

    *all = matched != 0;
    return matched;
}

/* Returns the lanes that are here together: all that can be, as on hardware if nothing separates
 * them. */
KG__MODEL_INLINE unsigned int __activemask()
{
    return static_cast<unsigned int>(
        kg__model_run_warp_operation(KG__MODEL_ACTIVE, 0xffffffffu, 0, 0, KG__MODEL_WARP));
}

#define KG__MODEL_REDUCTION(name, type, operation)                                                 \
    KG__MODEL_INLINE type name(unsigned int mask, type value)                                      \
    {                                                                                              \
        return static_cast<type>(kg__model_run_warp_operation(                                     \
            operation, mask, static_cast<unsigned int>(value), 0, KG__MODEL_WARP));                \
    }
KG__MODEL_REDUCTION(__reduce_add_sync, unsigned int, KG__MODEL_ADD)
KG__MODEL_REDUCTION(__reduce_add_sync, int, KG__MODEL_ADD)
KG__MODEL_REDUCTION(__reduce_min_sync, unsigned int, KG__MODEL_MIN_UNSIGNED)
KG__MODEL_REDUCTION(__reduce_min_sync, int, KG__MODEL_MIN_SIGNED)
KG__MODEL_REDUCTION(__reduce_max_sync, unsigned int, KG__MODEL_MAX_UNSIGNED)
KG__MODEL_REDUCTION(__reduce_max_sync, int, KG__MODEL_MAX_SIGNED)
KG__MODEL_REDUCTION(__reduce_and_sync, unsigned int, KG__MODEL_AND)
KG__MODEL_REDUCTION(__reduce_or_sync, unsigned int, KG__MODEL_OR)
KG__MODEL_REDUCTION(__reduce_xor_sync, unsigned int, KG__MODEL_XOR)
#undef KG__MODEL_REDUCTION
