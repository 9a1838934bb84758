/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cuda_runtime.h: everything that CUDA C kernels and their launchers
 * need to be compiled by g++ (C++17) and run on the CPU, unchanged. nvcc compiles the same sources
 * with CUDA's own header.
 *
 * Differences for a kernel's source:
 * - harness/model/rewrite/ rewrites launches with `<<<>>>`, inline PTX, `extern __shared__` arrays
 *   and `__cluster_dims__` before g++ sees them.
 * - A __device__ function is inlined wherever it is called, unless it is recursive.
 * - Declare __constant__ arrays without const, so that loads from them remain loads.
 *
 * An unsupported feature is a compile error, and has a line in docs/model.md. Threads run one at
 * a time and switch only at barriers, at warp operations, and when a cuda::atomic, an atomicCAS()
 * or
 * __nanosleep() waits in vain, so other atomics and fences need do nothing special. A kernel that
 * spins on plain or volatile memory until another thread writes it may never end. */
#ifndef KG__MODEL_CUDA_RUNTIME_H
#define KG__MODEL_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__

#ifndef __cplusplus
#error "kernels are compiled as C++; C sources include cuda_runtime_api.h"
#endif

/* nvcc defines these; the build defines them before any header. Host and device code are
 * compiled together here, so both are under __CUDA_ARCH__. */
#ifndef __CUDACC__
#define KG__MODEL_OF_HOST /* a source without kernels, which nvcc leaves to the host's compiler */
#define __CUDACC__ 1
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#endif
#if !defined(__CUDA_ARCH__) && !defined(KG__MODEL_HOST)
#define __CUDA_ARCH__ 900
#endif

#include "cuda_runtime_api.h"
#include "kg_model_device.h"

/* Whether a function of both sides is called on the device; a constant expression is the host's
 * (harness/model/rewrite/two_sides.py). */
inline constexpr bool kg__model_on_device()
{
    return !__builtin_is_constant_evaluated() && kg__model_in_kernel() != 0;
}

#ifdef KG__INSTRUMENTED
/* Instrumented kernels call these under other names (harness/model/watch/c_library.c), so rename
 * them before string.h and math.h declare them. All kernels call printf() under another name. */
extern "C" void *memcpy(void *to, const void *from,
                        size_t size) noexcept(true) __asm__("kg__model_memmove");
extern "C" void *memmove(void *to, const void *from,
                         size_t size) noexcept(true) __asm__("kg__model_memmove");
#include "kg_model_builtins.h"
#define KG__MODEL_RENAMED(result, name, parameters)                                                \
    extern "C" result name parameters noexcept(true) __asm__("kg__model_" #name);
KG__MODEL_RENAMED(void *, memset, (void *to, int value, size_t size))
KG__MODEL_RENAMED(double, modf, (double x, double *whole))
KG__MODEL_RENAMED(float, modff, (float x, float *whole))
KG__MODEL_RENAMED(double, frexp, (double x, int *exponent))
KG__MODEL_RENAMED(float, frexpf, (float x, int *exponent))
KG__MODEL_RENAMED(double, remquo, (double x, double y, int *quotient))
KG__MODEL_RENAMED(float, remquof, (float x, float y, int *quotient))
KG__MODEL_RENAMED(void, sincos, (double x, double *sine, double *cosine))
KG__MODEL_RENAMED(void, sincosf, (float x, float *sine, float *cosine))
#undef KG__MODEL_RENAMED
#endif
extern "C" int printf(const char *format, ...) __asm__("kg__model_printf")
    __attribute__((format(printf, 1, 2)));

/* A comparison's kernels do without C++17's special functions, which the host alone could call:
 * from a precompiled header g++ instantiates them for each source again, half of the time that a
 * small one takes. */
#ifdef KG__MODEL_WITHOUT_SPECIAL_FUNCTIONS
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif

#include <assert.h>
#include <math.h>
#include <new>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>
#include <utility>

/* The qualifiers have attributes that do not fit everything they may precede: always_inline
 * requires functions that are declared inline, and a __device__ variable cannot be inlined at
 * all. */
#pragma GCC diagnostic ignored "-Wattributes"

/* Marks for the grammar of harness/model/rewrite/ that g++ ignores. */
#ifdef __clang__
#define KG__MODEL_WORD(word)
#define __host__
#else
#define KG__MODEL_WORD(word) , word
#define __host__ __attribute__((kg__host))
#endif
#ifdef KG__MODEL_SIDE_BY_SIDE
#define KG__MODEL_KEPT used
#else
#define KG__MODEL_KEPT noinline
#endif
/* Device code of one file is separate from another's, unless nvcc would link it too (-rdc):
 * symbols with internal visibility become local to their object file
 * (harness/model/rewrite/object_file.py). Variables with either are none of the host's (image.c).
 */
#ifdef __CUDACC_RDC__
#define __global__ __attribute__((KG__MODEL_KEPT KG__MODEL_WORD(kg__global)))
#define __device__ __attribute__((unused, visibility("protected") KG__MODEL_WORD(kg__device)))
#define KG__MODEL_OWN , visibility("protected")
#else
#define __global__                                                                                 \
    __attribute__((KG__MODEL_KEPT, visibility("internal") KG__MODEL_WORD(kg__global)))
#define __device__ __attribute__((always_inline, visibility("internal") KG__MODEL_WORD(kg__device)))
#define KG__MODEL_OWN , visibility("internal")
#endif
#define __forceinline__ inline __attribute__((always_inline))
/* Empty, since the C++ library's headers use __attribute__((__noinline__)). */
#define __noinline__
/* Puts that many single-byte instructions, which never run, before the kernel: the only
 * attribute that carries a number into the program and that templates keep (symbols.c). */
#ifdef __clang__ /* clang-tidy requires the number before templates know it */
#define __launch_bounds__(...)
#else
#define __launch_bounds__(...)                                                                     \
    __attribute__((patchable_function_entry(sizeof(char[kg__model_first(__VA_ARGS__)]),            \
                                            sizeof(char[kg__model_first(__VA_ARGS__)]))))
#endif
/* An argument may have commas of its own, as a template's call has, which a macro splits. */
template <typename... Others>
constexpr unsigned long kg__model_first(unsigned long first, Others...)
{
    return first;
}
#define __maxnreg__(...)
#define __grid_constant__
/* Becomes a constant in the kernel's body, which the model reads (symbols.c); an error unless it is
 * rewritten. */
#define __cluster_dims__(...) __attribute__((aligned(kg__cluster_dims(__VA_ARGS__))))
/* An assumption for the compiler; unevaluated, as with nvcc. */
#define __builtin_assume(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#define __assume(condition) __builtin_assume(condition)
/* By its section the host may access it (harness/model/watch/places.c). */
#define __managed__ __attribute__((used, section("kg_managed") KG__MODEL_OWN))
/* A section of their own distinguishes constants from other variables, and the alignment (twice
 * the maximum size of all of them) leaves a gap behind each. */
#define __constant__ __attribute__((used, section("kg_constant"), aligned(131072) KG__MODEL_OWN))
#define __align__(bytes) __attribute__((aligned(bytes)))

/* Shared arrays can be static because one block runs at a time, or one on each of the host's
 * threads. "used" keeps the compiler from
 * caching them across a barrier. The alignment gives each array an address range of its own,
 * where an overrun does not hit the next array. Without __constinit g++ guards an array of a
 * type with constructors, such as __half, against a second initialization. */
#ifdef __clang__ /* clang-tidy does not know it, and does not need it */
#define __constinit
#endif
#ifdef KG__MODEL_SIDE_BY_SIDE
#define __shared__ static __constinit thread_local __attribute__((used KG__MODEL_WORD(kg__shared)))
#else
#define __shared__                                                                                 \
    static __constinit __attribute__((used, aligned(65536) KG__MODEL_WORD(kg__shared)))
#endif

/* Declares `name` as a pointer to the block's dynamic shared memory. */
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    type *const name = static_cast<type *>(kg__model_dynamic_shared())

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))

extern "C" const int warpSize;

#include "kg_model_atomics.h"
#include "kg_model_clusters.h"
#include "kg_model_integers.h"
#include "kg_model_math.h"
#include "kg_model_nv_atomics.h"
#include "kg_model_rounding.h"
#include "kg_model_simd.h"
#include "kg_model_textures.h"
#include "kg_model_warp.h"

/* Hardware features that the model cannot provide. */

#define KG__MODEL_UNSUPPORTED(signature, name, reason)                                             \
    extern "C" __attribute__((                                                                     \
        error("the CPU model does not support " name ": " reason " (docs/model.md)"))) signature;
KG__MODEL_UNSUPPORTED(void kg__model_inline_ptx(void), "inline PTX",
                      "but by harness/model/rewrite/, which rewrites it")
#undef KG__MODEL_UNSUPPORTED

/* Refuses inline PTX that is not rewritten (harness/model/rewrite/compile_kernel.py): g++ would
 * take it for assembly of its own processor. System headers use __asm__. */
#define asm                                                                                        \
    kg__model_inline_ptx();                                                                        \
    __asm__

/* Host code. */

/* The blocks of a cluster, by __cluster_dims__. */
struct kg__model_cluster {
    unsigned int x = 1, y = 1, z = 1;
};

/* Copying a launch's arguments is no access by the kernel. */
#ifdef __clang__ /* clang-tidy: clang rejects an attribute after `mutable` */
#define KG__MODEL_UNWATCHED
#else
#define KG__MODEL_UNWATCHED __attribute__((no_sanitize("thread")))
#endif

/* Calls a launch's body, which holds the kernel and its arguments: not constant ones, since a class
 * may be copied from what is not constant alone. */
#ifdef KG__MODEL_SIDE_BY_SIDE
template <typename Body>
__attribute__((flatten)) static inline void kg__model_call(void *body)
{
    /* Copies, which nothing else can change, stay in registers. */
    Body call = *static_cast<Body *>(body);
    const kg__model_straight *const straight = &kg__model_own_straight;

    call();
    if (!straight->on)
        return;
    uint3 index = threadIdx;
    for (int number = *straight->current; straight->on && number < straight->last; call()) {
        *straight->current = ++number;
        kg__model_step_thread(&index, &blockDim);
        threadIdx = index;
    }
}
#else
template <typename Body>
KG__MODEL_UNWATCHED static inline void kg__model_call(void *body)
{
    /* Bytes, as a GPU gets them: the parameters' constructors would read the host's memory. */
    if constexpr (!std::is_trivially_copyable_v<Body>) {
        alignas(Body) unsigned char own[sizeof(Body)];

        kg__model_move(own, body, sizeof own);
        (*reinterpret_cast<Body *>(own))();
    } else {
        (*static_cast<Body *>(body))();
    }
}
#endif

/* Keeps a launch's body. */
template <typename Body>
KG__MODEL_UNWATCHED static inline void *kg__model_keep_body(void *body, int copies)
{
    Body *const former = static_cast<Body *>(body);

    /* The host's memory, for a kernel's launch too. */
    if (copies)
        return new (kg__model_keep_memory(nullptr, sizeof(Body))) Body(*former);
    former->~Body();
    return kg__model_keep_memory(body, 0);
}

#include "kg_model_parameters.h"

/* Launches `kernel` over the grid of `config`. The arguments are converted to the kernel's
 * parameter types once, and every thread gets a copy. */
template <typename... Expected, typename... Actual>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Expected...), Actual &&...arguments)
{
    return [&](kg__model_held<Expected>... parameters) {
        auto body = [=]() mutable KG__MODEL_UNWATCHED { kg__model_passing(kernel)(parameters...); };

        /* NOLINTNEXTLINE(bugprone-sizeof-expression): a pointer is looked at, not its target */
        (kg__model_look_at_argument(std::addressof(parameters), sizeof parameters), ...);
        return kg__model_launch(config, reinterpret_cast<const void *>(kernel),
                                kg__model_call<decltype(body)>, &body,
                                kg__model_keep_body<decltype(body)>);
    }(std::forward<Actual>(arguments)...);
}

/* Replaces `<<<>>>` (harness/model/rewrite/). */

static inline cudaLaunchConfig_t
kg__model_configure(dim3 grid, dim3 block, size_t dynamic_bytes = 0, cudaStream_t stream = nullptr)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = dynamic_bytes;
    config.stream = stream;
    return config;
}

/* A kernel and its arguments, ready to launch. They are parameters, which may be constant. */
template <typename... Expected, typename... Actual>
static inline auto kg__model_bind(void (*kernel)(Expected...), const Actual &...arguments)
{
    return [=](auto &&...copied) {
        return [=](const cudaLaunchConfig_t &config) mutable {
            return cudaLaunchKernelEx(&config, kernel, copied...);
        };
    }(static_cast<kg__model_bound<Expected, Actual>>(const_cast<Actual &>(arguments))...);
}

/* The same for a kernel that is known where it is launched, so that the compiler can inline it. */
template <auto Kernel, typename... Expected, typename... Actual>
static inline cudaError_t kg__model_launch_known(const cudaLaunchConfig_t *config,
                                                 void (*)(Expected...), Actual &&...arguments)
{
    return [&](kg__model_held<Expected>... parameters) {
        auto body = [=]() mutable { kg__model_passing(Kernel)(parameters...); };

        /* NOLINTNEXTLINE(bugprone-sizeof-expression): a pointer is looked at, not its target */
        (kg__model_look_at_argument(std::addressof(parameters), sizeof parameters), ...);
        return kg__model_launch(config, reinterpret_cast<const void *>(Kernel),
                                kg__model_call<decltype(body)>, &body,
                                kg__model_keep_body<decltype(body)>);
    }(std::forward<Actual>(arguments)...);
}

/* Binds such a kernel and its arguments, ready to launch. */
template <auto Kernel, typename... Expected, typename... Actual>
static inline auto kg__model_bind_known(void (*)(Expected...), const Actual &...arguments)
{
    return [](auto &&...copied) {
        return [=](const cudaLaunchConfig_t &config) mutable {
            return kg__model_launch_known<Kernel>(&config, Kernel, copied...);
        };
    }(static_cast<kg__model_bound<Expected, Actual>>(const_cast<Actual &>(arguments))...);
}

/* Launches a bound kernel; cudaGetLastError() returns an error. */
template <typename Bound>
static inline void kg__model_run(const cudaLaunchConfig_t &config, Bound &&launch)
{
    const cudaError_t error = launch(config);

    if (error != cudaSuccess)
        kg__model_launch_failed(error);
}

/* A launch that still needs its arguments. */
template <typename... Expected>
static inline auto kg__model_starter(const cudaLaunchConfig_t &config, void (*kernel)(Expected...))
{
    return
        [=](Expected... arguments) { kg__model_run(config, kg__model_bind(kernel, arguments...)); };
}

template <typename... Parameters>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...),
                                               cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

template <typename... Parameters>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(Parameters...),
                                              int threads, size_t dynamic_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, reinterpret_cast<const void *>(kernel), threads, dynamic_bytes);
}

template <typename... Parameters>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters,
                                                         void (*kernel)(Parameters...),
                                                         const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void *>(kernel), config);
}

template <typename... Parameters>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size,
                                                               void (*kernel)(Parameters...),
                                                               const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxPotentialClusterSize(size, reinterpret_cast<const void *>(kernel),
                                                config);
}

template <typename... Parameters>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                                void (*kernel)(Parameters...))
{
    const cudaError_t code =
        cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));

#ifdef __CUDA_ARCH__
    if (code == cudaSuccess) /* hosts choose the parameters of kernels by them */
        attributes->ptxVersion = attributes->binaryVersion = __CUDA_ARCH__ / 10;
#endif
    return code;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

template <typename Element>
static inline cudaError_t cudaMalloc(Element **pointer, size_t size)
{
    return cudaMalloc((void **)pointer, size); /* the elements may be const */
}

template <typename Element>
static inline cudaError_t cudaMallocHost(Element **pointer, size_t size, unsigned int flags = 0)
{
    return cudaHostAlloc((void **)pointer, size, flags);
}

template <typename Element>
static inline cudaError_t cudaMallocManaged(Element **pointer, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)pointer, size, flags);
}

/* `offset` and `count` are bytes. */
template <typename Symbol>
static inline cudaError_t cudaMemcpyToSymbol(const Symbol &symbol, const void *from, size_t count,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return kg__model_copy_symbol(kg__model_symbol(symbol), kg__model_symbol_bytes(symbol), from,
                                 count, offset, kind, cudaMemcpyHostToDevice, nullptr, 1);
}

template <typename Symbol>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const Symbol &symbol, const void *from, size_t count, size_t offset = 0,
                        cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr)
{
    return kg__model_copy_symbol(kg__model_symbol(symbol), kg__model_symbol_bytes(symbol), from,
                                 count, offset, kind, cudaMemcpyHostToDevice, stream, 0);
}

template <typename Symbol>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const Symbol &symbol, size_t count,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return kg__model_copy_symbol(kg__model_symbol(symbol), kg__model_symbol_bytes(symbol), to,
                                 count, offset, kind, cudaMemcpyDeviceToHost, nullptr, 1);
}

template <typename Symbol>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const Symbol &symbol, size_t count,
                                                    size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = nullptr)
{
    return kg__model_copy_symbol(kg__model_symbol(symbol), kg__model_symbol_bytes(symbol), to,
                                 count, offset, kind, cudaMemcpyDeviceToHost, stream, 0);
}

#include "kg_model_launches.h"

#undef KG__MODEL_UNWATCHED
#undef KG__MODEL_INLINE

#ifdef KG__MODEL_OF_HOST
#undef __CUDACC__
#undef __CUDA_ARCH__
#endif

/* Attributes that would remove hooks, and so hide accesses, branches and bounds, have no effect.
 * Each is one name still: libraries ask for it in __has_attribute(). */
#define no_sanitize(...) __unused__
#define no_sanitize_coverage __unused__
#define no_sanitize_thread __unused__
#define no_sanitize_undefined __unused__
#define __no_sanitize__(...) __unused__
#define __no_sanitize_coverage__ __unused__
#define __no_sanitize_thread__ __unused__
#define __no_sanitize_undefined__ __unused__

#endif
