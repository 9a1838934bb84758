/* SPDX-License-Identifier: MIT */
/* Thrust's vectors with the constructors that they have since its version 2, which packages lack:
 * from lists. */
#pragma once

#include <thrust/detail/memory_wrapper.h>
#include <thrust/detail/vector_base.h>
#include <thrust/device_allocator.h>

#include <initializer_list>
#include <memory>

/* The base's constructors are inherited, except copies, which a class has of its own. */
#define KG__THRUST_VECTOR(name, allocator)                                                         \
    template <typename T, typename Alloc = allocator>                                              \
    class name : public detail::vector_base<T, Alloc>                                              \
    {                                                                                              \
        using base = detail::vector_base<T, Alloc>;                                                \
                                                                                                   \
      public:                                                                                      \
        using base::base;                                                                          \
        using base::operator=;                                                                     \
        name() = default;                                                                          \
        name(const name &) = default;                                                              \
        name(name &&) = default;                                                                   \
        name(const name &other, const Alloc &alloc) : base(other, alloc)                           \
        {                                                                                          \
        }                                                                                          \
        name(std::initializer_list<T> list, const Alloc &alloc = Alloc())                          \
            : base(list.begin(), list.end(), alloc)                                                \
        {                                                                                          \
        }                                                                                          \
        name &operator=(const name &) = default;                                                   \
        name &operator=(name &&) = default;                                                        \
        name &operator=(std::initializer_list<T> list)                                             \
        {                                                                                          \
            this->assign(list.begin(), list.end());                                                \
            return *this;                                                                          \
        }                                                                                          \
    };

THRUST_NAMESPACE_BEGIN
KG__THRUST_VECTOR(device_vector, device_allocator<T>)
KG__THRUST_VECTOR(host_vector, std::allocator<T>)
THRUST_NAMESPACE_END
#undef KG__THRUST_VECTOR
