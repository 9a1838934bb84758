/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for NVTX in C++: nothing is traced, and whatever describes a range is
 * accepted. */
#pragma once

#include "nvToolsExt.h"

namespace nvtx3
{
inline namespace v1
{

struct domain {
    struct global {
    };
    template <typename Name>
    explicit domain(const Name &)
    {
    }
    /* The domain of a type, which the type's member `name` names. */
    template <typename D = global>
    static const domain &get()
    {
        static const domain one("");

        return one;
    }
};

/* What describes a range: its parts in any order. */
#define KG__NVTX_PART(name)                                                                        \
    struct name {                                                                                  \
        template <typename... Parts>                                                               \
        constexpr name(const Parts &...)                                                           \
        {                                                                                          \
        }                                                                                          \
    };
KG__NVTX_PART(rgb)
KG__NVTX_PART(argb)
KG__NVTX_PART(color)
KG__NVTX_PART(category)
KG__NVTX_PART(message)
KG__NVTX_PART(payload)
KG__NVTX_PART(event_attributes)
#undef KG__NVTX_PART

/* A destructor keeps the compiler from calling variables unused. */
#define KG__NVTX_OF_DOMAIN(name)                                                                   \
    template <typename D = domain::global>                                                         \
    struct name##_in {                                                                             \
        template <typename... Parts>                                                               \
        explicit name##_in(const Parts &...)                                                       \
        {                                                                                          \
        }                                                                                          \
        ~name##_in()                                                                               \
        {                                                                                          \
        }                                                                                          \
        /* The object of a type, whose members describe it. */                                     \
        template <typename Described>                                                              \
        static const name##_in &get()                                                              \
        {                                                                                          \
            static const name##_in one;                                                            \
                                                                                                   \
            return one;                                                                            \
        }                                                                                          \
    };                                                                                             \
    using name = name##_in<>;
KG__NVTX_OF_DOMAIN(named_category)
KG__NVTX_OF_DOMAIN(registered_string)
KG__NVTX_OF_DOMAIN(scoped_range)
KG__NVTX_OF_DOMAIN(unique_range)
#undef KG__NVTX_OF_DOMAIN

struct range_handle {
};
#define KG__NVTX_CALL(type, name, answer)                                                          \
    template <typename D = domain::global, typename... Parts>                                      \
    type name##_in(const Parts &...)                                                               \
    {                                                                                              \
        answer                                                                                     \
    }                                                                                              \
    template <typename... Parts>                                                                   \
    type name(const Parts &...)                                                                    \
    {                                                                                              \
        answer                                                                                     \
    }
KG__NVTX_CALL(void, mark, )
KG__NVTX_CALL(range_handle, start_range, return {};)
KG__NVTX_CALL(void, end_range, )
#undef KG__NVTX_CALL

} // namespace v1
} // namespace nvtx3

#define NVTX3_FUNC_RANGE() static_cast<void>(0)
#define NVTX3_FUNC_RANGE_IN(domain) static_cast<void>(0)
#define NVTX3_FUNC_RANGE_IF(condition) static_cast<void>(condition)
#define NVTX3_FUNC_RANGE_IF_IN(domain, condition) static_cast<void>(condition)
