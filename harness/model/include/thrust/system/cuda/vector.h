/* SPDX-License-Identifier: MIT */
/* Vectors in the memory of Thrust's device. */
#pragma once
#include <thrust/detail/vector_base.h>
#include <thrust/system/cuda/memory.h>
#include <vector>

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
template <typename Element, typename Allocator = allocator<Element>>
using vector = thrust::detail::vector_base<Element, Allocator>;
template <typename Element, typename Allocator = universal_allocator<Element>>
using universal_vector = thrust::detail::vector_base<Element, Allocator>;
} // namespace cuda
} // namespace system
namespace cuda
{
using system::cuda::universal_vector;
using system::cuda::vector;
} // namespace cuda
THRUST_NAMESPACE_END
