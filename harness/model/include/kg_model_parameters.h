/* SPDX-License-Identifier: MIT */
/* How a launch holds a kernel's parameters, and hands them to its threads. Included by
 * cuda_runtime.h. */
#pragma once

#include "cuda_runtime.h"

/* How a thread's copy of a parameter reaches the kernel. A class whose constructors or destructor
 * do something is passed by its address, so that it can be the copy itself: neither is called, as
 * on a GPU. Threads that run side by side have no copy of their own. */
#ifdef KG__MODEL_SIDE_BY_SIDE
template <typename T>
using kg__model_passed = T;
#else
template <typename T>
using kg__model_passed = std::conditional_t<std::is_trivially_copyable_v<T> ||
                                                (std::is_trivially_copy_constructible_v<T> &&
                                                 std::is_trivially_move_constructible_v<T> &&
                                                 std::is_trivially_destructible_v<T>),
                                            T, T &>;
#endif
/* The kernel by that type; the one without parameters between is not warned of. */
template <typename... Expected>
__attribute__((always_inline)) static inline auto kg__model_passing(void (*kernel)(Expected...))
{
    return reinterpret_cast<void (*)(kg__model_passed<Expected>...)>(
        reinterpret_cast<void (*)()>(kernel));
}

/* How a launch holds a parameter: a reference as the address of its object. */
template <typename T>
struct kg__model_reference {
    T *to;
    kg__model_reference(T &object) : to(std::addressof(object))
    {
    }
    KG__MODEL_UNWATCHED operator T &() const
    {
        return *to;
    }
};
template <typename T>
using kg__model_held = std::conditional_t<std::is_lvalue_reference_v<T>,
                                          kg__model_reference<std::remove_reference_t<T>>, T>;

/* A parameter that is bound until the launch: a copy of it is, or its reference. */
template <typename Expected, typename Actual>
using kg__model_bound =
    std::conditional_t<std::is_lvalue_reference_v<Expected>, kg__model_held<Expected>, Actual &>;
