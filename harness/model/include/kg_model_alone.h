/* SPDX-License-Identifier: MIT */
/* Algorithms of libraries, such as Thrust's and CUB's, run as kernels of one thread: accesses to
 * device memory are then a kernel's, checked and counted. */
#pragma once

#include <tuple>

#include "cuda_runtime.h"

/* Sources must not take hooks away, but a library's launch is no access by its kernel. */
#pragma push_macro("no_sanitize")
#undef no_sanitize

/* Bytes of a value that is moved without its constructor and destructor. */
template <typename Value>
union kg__model_kept {
    Value value;
    kg__model_kept()
    {
    }
    ~kg__model_kept()
    {
    }
};
template <>
union kg__model_kept<void> {
    char value;
};

/* In the kernel: calls an algorithm, an empty class, and leaves its result at `to`. */
template <typename Algorithm, typename Result, typename Arguments>
__attribute__((noinline)) static void kg__model_call_alone(void *to, const void *given)
{
    kg__model_kept<Arguments> arguments;

    kg__model_move(&arguments, given, sizeof arguments);
    if constexpr (std::is_void_v<Result>) {
        (void)to;
        std::apply(Algorithm(), arguments.value);
    } else {
        kg__model_kept<Result> result;

        new (&result.value) Result(std::apply(Algorithm(), arguments.value));
        kg__model_move(to, &result, sizeof result);
    }
}

/* Runs `Algorithm` with the arguments as a kernel with the name of the function `name`. Returns
 * the launch's error, and the result in `result`. With `MayWait`, it may run after the call: it has
 * no result, and what its arguments point to is the device's. */
template <typename Algorithm, typename Result, bool MayWait = false, typename... Arguments>
static cudaError_t kg__model_run_alone(void (*name)(), cudaStream_t stream,
                                       kg__model_kept<Result> &result,
                                       const Arguments &...arguments)
{
    const cudaLaunchConfig_t config = kg__model_configure(dim3(1), dim3(1), 0, stream);
    auto body = [ to = &result, given = std::tuple<Arguments...>(arguments...) ]()
        __attribute__((no_sanitize("thread")))
    {
        kg__model_call_alone<Algorithm, Result, std::tuple<Arguments...>>(to, &given);
    };
    kg__model_keep *keep = nullptr;
    cudaError_t error;

    if constexpr (MayWait)
        keep = kg__model_keep_body<decltype(body)>;

    kg__model_library_call(1);
    error = kg__model_launch(&config, reinterpret_cast<const void *>(name),
                             kg__model_call<decltype(body)>, &body, keep);
    kg__model_library_call(0);
    return error;
}

#pragma pop_macro("no_sanitize")
