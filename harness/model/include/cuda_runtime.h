/* The CPU model's stand-in for cuda_runtime.h: what CUDA C kernels and their launchers need in
 * order to be compiled by g++ (C++17) and run on the CPU, unchanged. nvcc takes the same sources
 * with CUDA's own header.
 *
 * Where a kernel's source has to meet the model half way:
 * - Launch with cudaLaunchKernelEx(&config, kernel, arguments...): `<<<>>>` is no C++ and cannot be
 * parsed by g++.
 * - Declare dynamic shared memory with KG_DYNAMIC_SHARED(type, name), for `extern __shared__ type
 * name[]` cannot be given a meaning here.
 * - Two files of one program cannot both define an external __device__ function, __device__
 * variable or __constant__ array of the same name, which nvcc allows without -rdc: make them
 * static.
 * - A __device__ function is inlined wherever it is called, so it cannot be recursive.
 * - Leave the const away from __constant__ arrays, so that loads from them remain loads.
 *
 * Unsupported intrinsics are compile errors, and so are cooperative groups, textures, inline PTX
 * and dynamic parallelism. Threads run one at a time and change only at barriers and warp
 * operations, so atomics and fences need do nothing special. A kernel that waits for another thread
 * by spinning on memory therefore never ends.
 */
#ifndef KG__MODEL_CUDA_RUNTIME_H
#define KG__MODEL_CUDA_RUNTIME_H

#ifndef __cplusplus
#error "kernels are compiled as C++; C sources include cuda_runtime_api.h"
#endif

#include "cuda_runtime_api.h"
#include "kg_model_device.h"

#ifdef __SANITIZE_THREAD__
/* Instrumented kernels call these by other names, before string.h declares them. */
extern "C" void *memcpy(void *to, const void *from,
                        size_t size) noexcept(true) __asm__("kg__model_memcpy");
extern "C" void *memmove(void *to, const void *from,
                         size_t size) noexcept(true) __asm__("kg__model_memmove");
extern "C" void *memset(void *to, int value,
                        size_t size) noexcept(true) __asm__("kg__model_memset");
#endif

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <utility>

/* The qualifiers bear attributes that do not suit everything they may stand before: always_inline
 * wants functions that are declared inline, and a __device__ variable cannot be inlined at all. */
#pragma GCC diagnostic ignored "-Wattributes"

#define __global__ __attribute__((noinline))
#define __device__ __attribute__((always_inline))
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __managed__ __attribute__((used))
/* A section of their own tells constants from other variables, and the alignment (twice what all of
 * them may take) leaves a hole behind each. */
#define __constant__ __attribute__((used, section("kg_constant"), aligned(131072)))
#define __align__(bytes) __attribute__((aligned(bytes)))

/* One block runs at a time, so that its shared arrays can be static. "used" keeps the compiler from
 * caching them across a barrier. The alignment puts each array into a neighbourhood of its own,
 * where an overrun does not hit the next array. */
#define __shared__ static __attribute__((used, aligned(65536)))

/* Declares `name` as a pointer to the block's dynamic shared memory. */
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    type *const name = static_cast<type *>(kg__model_dynamic_shared())

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))

extern "C" const int warpSize;

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

/* The lanes of the mask really meet, so that code that relies on it sees its shared memory in
 * order, in either order of threads. */
KG__MODEL_INLINE void __syncwarp(unsigned int mask = 0xffffffffu)
{
    kg__model_run_warp_operation(KG__MODEL_SYNC, mask, 0, 0, KG__MODEL_WARP);
}

KG__MODEL_INLINE void __threadfence_block()
{
}

KG__MODEL_INLINE void __threadfence()
{
    kg__model_fence();
}

KG__MODEL_INLINE void __threadfence_system()
{
    kg__model_fence();
}

KG__MODEL_INLINE void __trap()
{
    kg__model_trap(cudaErrorLaunchFailure, "the kernel called __trap()");
}

/* Warp operations. */

/* One of the shuffles, of any arithmetic type; `argument` as the operation has it. */
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

    memcpy(&bits, &promoted, sizeof promoted);
    bits = kg__model_run_warp_operation(operation, mask, bits, argument,
                                        static_cast<unsigned int>(width));
    memcpy(&result, &bits, sizeof result);
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

template <typename Value>
KG__MODEL_INLINE unsigned int __match_any_sync(unsigned int mask, Value value)
{
    static_assert(std::is_arithmetic<Value>::value,
                  "__match_any_sync takes integers, float and double: see docs/model.md");
    const decltype(+value) promoted = value;
    uint64_t bits = 0;

    memcpy(&bits, &promoted, sizeof promoted);
    return static_cast<unsigned int>(
        kg__model_run_warp_operation(KG__MODEL_MATCH_ANY, mask, bits, 0, KG__MODEL_WARP));
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

/* Atomics: no thread is ever stopped in the middle of one. Each gives the old value. The builtins
 * tell an instrumented kernel's atomic accesses from its plain ones. */

#define KG__MODEL_ATOMIC(name, type, changed)                                                      \
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

#define KG__MODEL_ATOMIC_EXCHANGE(type)                                                            \
    KG__MODEL_INLINE type atomicExch(type *address, type value)                                    \
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

#define KG__MODEL_ATOMIC_CAS(type)                                                                 \
    KG__MODEL_INLINE type atomicCAS(type *address, type expected, type value)                      \
    {                                                                                              \
        type old;                                                                                  \
                                                                                                   \
        __atomic_load(address, &old, __ATOMIC_RELAXED);                                            \
        if (old == expected)                                                                       \
            __atomic_store(address, &value, __ATOMIC_RELAXED);                                     \
        return old;                                                                                \
    }
KG__MODEL_ATOMIC_CAS(int)
KG__MODEL_ATOMIC_CAS(unsigned int)
KG__MODEL_ATOMIC_CAS(unsigned long long)
KG__MODEL_ATOMIC_CAS(unsigned short)
#undef KG__MODEL_ATOMIC_CAS

/* Loads and stores with a cache hint are loads and stores. */

#define KG__MODEL_HINTED_LOAD(name)                                                                \
    template <typename Value>                                                                      \
    KG__MODEL_INLINE Value name(const Value *address)                                              \
    {                                                                                              \
        return *address;                                                                           \
    }
KG__MODEL_HINTED_LOAD(__ldg)
KG__MODEL_HINTED_LOAD(__ldca)
KG__MODEL_HINTED_LOAD(__ldcg)
KG__MODEL_HINTED_LOAD(__ldcs)
KG__MODEL_HINTED_LOAD(__ldcv)
KG__MODEL_HINTED_LOAD(__ldlu)
#undef KG__MODEL_HINTED_LOAD

#define KG__MODEL_HINTED_STORE(name)                                                               \
    template <typename Value>                                                                      \
    KG__MODEL_INLINE void name(Value *address, Value value)                                        \
    {                                                                                              \
        *address = value;                                                                          \
    }
KG__MODEL_HINTED_STORE(__stwb)
KG__MODEL_HINTED_STORE(__stcg)
KG__MODEL_HINTED_STORE(__stcs)
KG__MODEL_HINTED_STORE(__stwt)
#undef KG__MODEL_HINTED_STORE

/* Mathematics beyond what math.h has. */

#define KG__MODEL_EXTREMES(type, left, right)                                                      \
    KG__MODEL_INLINE constexpr type min(left a, right b)                                           \
    {                                                                                              \
        return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }                                                                                              \
    KG__MODEL_INLINE constexpr type max(left a, right b)                                           \
    {                                                                                              \
        return static_cast<type>(a) > static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }
#define KG__MODEL_INTEGER_EXTREMES(type, unsigned_type)                                            \
    KG__MODEL_EXTREMES(type, type, type)                                                           \
    KG__MODEL_EXTREMES(unsigned_type, unsigned_type, unsigned_type)                                \
    KG__MODEL_EXTREMES(unsigned_type, type, unsigned_type)                                         \
    KG__MODEL_EXTREMES(unsigned_type, unsigned_type, type)
KG__MODEL_INTEGER_EXTREMES(int, unsigned int)
KG__MODEL_INTEGER_EXTREMES(long, unsigned long)
KG__MODEL_INTEGER_EXTREMES(long long, unsigned long long)
#undef KG__MODEL_INTEGER_EXTREMES
#undef KG__MODEL_EXTREMES

/* Of a number and a NaN these give the number, as fmin() and fmax() do. */
#define KG__MODEL_FLOAT_EXTREMES(type, left, right, smaller, larger)                               \
    KG__MODEL_INLINE type min(left a, right b)                                                     \
    {                                                                                              \
        return smaller(a, b);                                                                      \
    }                                                                                              \
    KG__MODEL_INLINE type max(left a, right b)                                                     \
    {                                                                                              \
        return larger(a, b);                                                                       \
    }
KG__MODEL_FLOAT_EXTREMES(float, float, float, fminf, fmaxf)
KG__MODEL_FLOAT_EXTREMES(double, double, double, fmin, fmax)
KG__MODEL_FLOAT_EXTREMES(double, float, double, fmin, fmax)
KG__MODEL_FLOAT_EXTREMES(double, double, float, fmin, fmax)
#undef KG__MODEL_FLOAT_EXTREMES

/* Names that the C library declares, or may come to declare, for purposes of its own. */
#define rsqrtf kg__model_rsqrtf
#define rsqrt kg__model_rsqrt

/* 1 over the square root, in single precision. */
KG__MODEL_INLINE float kg__model_rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}

/* The same in double precision. */
KG__MODEL_INLINE double kg__model_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

KG__MODEL_INLINE float __saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* The fast variants are as exact here as the plain ones. */
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf

#define KG__MODEL_UNARY(name, type, expression)                                                    \
    KG__MODEL_INLINE type name(type x)                                                             \
    {                                                                                              \
        return expression;                                                                         \
    }
KG__MODEL_UNARY(__frcp_rn, float, 1.0f / x)
KG__MODEL_UNARY(__fsqrt_rn, float, sqrtf(x))
KG__MODEL_UNARY(__frsqrt_rn, float, rsqrtf(x))
KG__MODEL_UNARY(__drcp_rn, double, 1.0 / x)
KG__MODEL_UNARY(__dsqrt_rn, double, sqrt(x))
#undef KG__MODEL_UNARY

#define KG__MODEL_BINARY(name, type, expression)                                                   \
    KG__MODEL_INLINE type name(type x, type y)                                                     \
    {                                                                                              \
        return expression;                                                                         \
    }
KG__MODEL_BINARY(__fdividef, float, x / y)
KG__MODEL_BINARY(__fdiv_rn, float, x / y)
KG__MODEL_BINARY(__fadd_rn, float, x + y)
KG__MODEL_BINARY(__fsub_rn, float, x - y)
KG__MODEL_BINARY(__fmul_rn, float, x *y)
KG__MODEL_BINARY(__ddiv_rn, double, x / y)
KG__MODEL_BINARY(__dadd_rn, double, x + y)
KG__MODEL_BINARY(__dsub_rn, double, x - y)
KG__MODEL_BINARY(__dmul_rn, double, x *y)
KG__MODEL_BINARY(__umulhi, unsigned int,
                 static_cast<unsigned int>((static_cast<uint64_t>(x) * y) >> 32))
KG__MODEL_BINARY(__mulhi, int, static_cast<int>((static_cast<int64_t>(x) * y) >> 32))
#undef KG__MODEL_BINARY

KG__MODEL_INLINE float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}

KG__MODEL_INLINE double __fma_rn(double x, double y, double z)
{
    return fma(x, y, z);
}

KG__MODEL_INLINE int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}

KG__MODEL_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

KG__MODEL_INLINE int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}

KG__MODEL_INLINE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}

KG__MODEL_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}

KG__MODEL_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

KG__MODEL_INLINE unsigned int __brev(unsigned int x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

/* Bytes of two words, each chosen by four bits of `selector`, the topmost of which spreads its
 * sign.
 */
KG__MODEL_INLINE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    const uint64_t both = static_cast<uint64_t>(y) << 32 | x;
    unsigned int result = 0;

    for (unsigned int i = 0; i < 4; i++) {
        const unsigned int choice = selector >> 4 * i & 0xf;
        const unsigned int byte = static_cast<unsigned int>(both >> 8 * (choice & 7)) & 0xff;

        result |= ((choice & 8) != 0 ? (byte >> 7) * 0xffu : byte) << 8 * i;
    }
    return result;
}

/* 64 bits, of `high` and `low`, shifted: the distance wraps at 32, or (c) stops there. */
#define KG__MODEL_FUNNEL(name, expression, distance)                                               \
    KG__MODEL_INLINE unsigned int name(unsigned int low, unsigned int high, unsigned int shift)    \
    {                                                                                              \
        const uint64_t both = static_cast<uint64_t>(high) << 32 | low;                             \
        const unsigned int by = distance;                                                          \
                                                                                                   \
        return static_cast<unsigned int>(expression);                                              \
    }
KG__MODEL_FUNNEL(__funnelshift_l, (both << by) >> 32, shift & 31)
KG__MODEL_FUNNEL(__funnelshift_lc, (both << by) >> 32, shift < 32 ? shift : 32)
KG__MODEL_FUNNEL(__funnelshift_r, both >> by, shift & 31)
KG__MODEL_FUNNEL(__funnelshift_rc, both >> by, shift < 32 ? shift : 32)
#undef KG__MODEL_FUNNEL

/* The products of four bytes each, and `sum`. */
#define KG__MODEL_DOT(word, byte)                                                                  \
    KG__MODEL_INLINE word __dp4a(word a, word b, word sum)                                         \
    {                                                                                              \
        unsigned int result = static_cast<unsigned int>(sum);                                      \
                                                                                                   \
        for (int i = 0; i < 32; i += 8)                                                            \
            result +=                                                                              \
                static_cast<unsigned int>(static_cast<byte>(a >> i) * static_cast<byte>(b >> i));  \
        return static_cast<word>(result);                                                          \
    }
KG__MODEL_DOT(int, signed char)
KG__MODEL_DOT(unsigned int, unsigned char)
#undef KG__MODEL_DOT

#define KG__MODEL_REINTERPRET(name, to, from)                                                      \
    KG__MODEL_INLINE to name(from x)                                                               \
    {                                                                                              \
        to result;                                                                                 \
                                                                                                   \
        static_assert(sizeof result == sizeof x, "reinterpretation keeps the size");               \
        memcpy(&result, &x, sizeof result);                                                        \
        return result;                                                                             \
    }
KG__MODEL_REINTERPRET(__float_as_int, int, float)
KG__MODEL_REINTERPRET(__float_as_uint, unsigned int, float)
KG__MODEL_REINTERPRET(__int_as_float, float, int)
KG__MODEL_REINTERPRET(__uint_as_float, float, unsigned int)
KG__MODEL_REINTERPRET(__double_as_longlong, long long, double)
KG__MODEL_REINTERPRET(__longlong_as_double, double, long long)
#undef KG__MODEL_REINTERPRET

/* Makers of vectors. */

#define KG__MODEL_MAKERS(name, element)                                                            \
    KG__MODEL_INLINE constexpr name##1 make_##name##1(element x)                                   \
    {                                                                                              \
        return name##1 { x };                                                                      \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##2 make_##name##2(element x, element y)                        \
    {                                                                                              \
        return name##2 { x, y };                                                                   \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##3 make_##name##3(element x, element y, element z)             \
    {                                                                                              \
        return name##3 { x, y, z };                                                                \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##4 make_##name##4(element x, element y, element z, element w)  \
    {                                                                                              \
        return name##4 { x, y, z, w };                                                             \
    }
KG__MODEL_MAKERS(char, signed char)
KG__MODEL_MAKERS(uchar, unsigned char)
KG__MODEL_MAKERS(short, short)
KG__MODEL_MAKERS(ushort, unsigned short)
KG__MODEL_MAKERS(int, int)
KG__MODEL_MAKERS(uint, unsigned int)
KG__MODEL_MAKERS(long, long)
KG__MODEL_MAKERS(ulong, unsigned long)
KG__MODEL_MAKERS(longlong, long long)
KG__MODEL_MAKERS(ulonglong, unsigned long long)
KG__MODEL_MAKERS(float, float)
KG__MODEL_MAKERS(double, double)
#undef KG__MODEL_MAKERS

/* What hardware has and the model cannot give. */

#define KG__MODEL_UNSUPPORTED(signature, name, reason)                                             \
    extern "C" __attribute__((                                                                     \
        error("the CPU model does not support " name ": " reason " (docs/model.md)"))) signature;
KG__MODEL_UNSUPPORTED(long long clock64(void), "clock64()", "it does not measure time")
KG__MODEL_UNSUPPORTED(void __nanosleep(unsigned int), "__nanosleep()", "it does not measure time")
KG__MODEL_UNSUPPORTED(unsigned int __activemask(void), "__activemask()",
                      "which lanes run together is up to the hardware")
KG__MODEL_UNSUPPORTED(void __brkpt(void), "__brkpt()", "use a debugger on the CPU")
KG__MODEL_UNSUPPORTED(unsigned int __match_all_sync(unsigned int, unsigned int, int *),
                      "__match_all_sync()", "use __match_any_sync()")
KG__MODEL_UNSUPPORTED(size_t __cvta_generic_to_shared(const void *), "__cvta_generic_to_shared()",
                      "shared memory has no address space of its own")
KG__MODEL_UNSUPPORTED(void __pipeline_memcpy_async(void *, const void *, size_t),
                      "__pipeline_memcpy_async()", "copy by assignment")
KG__MODEL_UNSUPPORTED(unsigned int __isShared(const void *), "__isShared()",
                      "shared memory has no address space of its own")
KG__MODEL_UNSUPPORTED(unsigned int __isGlobal(const void *), "__isGlobal()",
                      "global memory has no address space of its own")
KG__MODEL_UNSUPPORTED(int __dp2a_lo(int, int, int), "__dp2a_lo()", "use __dp4a() or multiply")
KG__MODEL_UNSUPPORTED(int __dp2a_hi(int, int, int), "__dp2a_hi()", "use __dp4a() or multiply")
KG__MODEL_UNSUPPORTED(unsigned int __vadd4(unsigned int, unsigned int), "__vadd4()",
                      "add byte by byte")
KG__MODEL_UNSUPPORTED(unsigned int __vsub4(unsigned int, unsigned int), "__vsub4()",
                      "subtract byte by byte")
KG__MODEL_UNSUPPORTED(unsigned int __vabsdiffu4(unsigned int, unsigned int), "__vabsdiffu4()",
                      "subtract byte by byte")
#undef KG__MODEL_UNSUPPORTED

/* Inline PTX, which g++ would take for assembly of its own processor. Headers of the system write
 * __asm__. */
#define asm                                                                                        \
    _Pragma("GCC error \"the CPU model does not support inline PTX: see docs/model.md\"") __asm__

/* The host's side. */

/* What carries a launch's arguments is no access of the kernel. */
#define KG__MODEL_UNWATCHED __attribute__((no_sanitize("thread")))

template <typename Body>
KG__MODEL_UNWATCHED static inline void kg__model_call(void *body)
{
    (*static_cast<const Body *>(body))();
}

/* Launches `kernel` over the grid of `config`. The arguments are converted to the kernel's
 * parameter types once, and every thread gets a copy. */
template <typename... Expected, typename... Actual>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Expected...), Actual &&...arguments)
{
    return [&](Expected... parameters) {
        auto body = [&]() KG__MODEL_UNWATCHED { kernel(parameters...); };

        return kg__model_launch(config, reinterpret_cast<const void *>(kernel),
                                kg__model_call<decltype(body)>, &body);
    }(std::forward<Actual>(arguments)...);
}

template <typename... Parameters>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...),
                                               cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

template <typename... Parameters>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                                void (*kernel)(Parameters...))
{
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}

template <typename Element>
static inline cudaError_t cudaMalloc(Element **pointer, size_t size)
{
    return cudaMalloc(reinterpret_cast<void **>(pointer), size);
}

template <typename Element>
static inline cudaError_t cudaMallocHost(Element **pointer, size_t size)
{
    return cudaMallocHost(reinterpret_cast<void **>(pointer), size);
}

template <typename Element>
static inline cudaError_t cudaMallocManaged(Element **pointer, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged(reinterpret_cast<void **>(pointer), size, flags);
}

/* `symbol` is the __constant__ or __device__ variable itself; `offset` and `count` are bytes. */
template <typename Symbol>
static inline cudaError_t cudaMemcpyToSymbol(const Symbol &symbol, const void *from, size_t count,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return kg__model_copy_to_symbol(const_cast<Symbol *>(&symbol), sizeof symbol, from, count,
                                    offset, kind, nullptr);
}

template <typename Symbol>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const Symbol &symbol, const void *from, size_t count, size_t offset = 0,
                        cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr)
{
    return kg__model_copy_to_symbol(const_cast<Symbol *>(&symbol), sizeof symbol, from, count,
                                    offset, kind, stream);
}

template <typename Symbol>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const Symbol &symbol, size_t count,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return kg__model_copy_from_symbol(to, &symbol, sizeof symbol, count, offset, kind, nullptr);
}

template <typename Symbol>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const Symbol &symbol, size_t count,
                                                    size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = nullptr)
{
    return kg__model_copy_from_symbol(to, &symbol, sizeof symbol, count, offset, kind, stream);
}

#undef KG__MODEL_UNWATCHED
#undef KG__MODEL_INLINE

/* The attributes that take hooks away, and with them accesses, branches and bounds out of sight.
 * Headers of the system write them with underscores: written so, they have no effect here. */
#define no_sanitize(...)                                                                           \
    _Pragma("GCC error \"the CPU model sees every access: remove no_sanitize (docs/model.md)\"")   \
        __unused__
#define no_sanitize_coverage no_sanitize()
#define no_sanitize_thread no_sanitize()
#define no_sanitize_undefined no_sanitize()
#define __no_sanitize__(...) __unused__
#define __no_sanitize_coverage__ __unused__
#define __no_sanitize_thread__ __unused__
#define __no_sanitize_undefined__ __unused__

#endif
