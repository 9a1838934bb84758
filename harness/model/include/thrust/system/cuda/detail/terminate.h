/* SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/detail/config.h>

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
namespace detail
{
/* Ends a kernel that has no memory left. */
inline void terminate_with_message(const char *message)
{
    kg__model_trap(cudaErrorMemoryAllocation, message);
}
} // namespace detail
} // namespace cuda
} // namespace system
THRUST_NAMESPACE_END
