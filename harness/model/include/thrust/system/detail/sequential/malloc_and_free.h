/* SPDX-License-Identifier: MIT */
/* Temporary memory of Thrust's algorithms, of the device in a kernel. */
#pragma once
#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace detail
{
namespace sequential
{
template <typename Policy>
inline void *malloc(execution_policy<Policy> &, std::size_t bytes)
{
    return kg__model_room(bytes);
}
template <typename Policy, typename Pointer>
inline void free(execution_policy<Policy> &, Pointer memory)
{
    kg__model_free(raw_pointer_cast(memory));
}
} // namespace sequential
} // namespace detail
} // namespace system
THRUST_NAMESPACE_END
