/* SPDX-License-Identifier: MIT */
/* Allocations of Thrust's device. */
#pragma once
#include <thrust/memory.h>
#include <thrust/mr/allocator.h>
#include <thrust/system/cuda/memory_resource.h>

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
inline pointer<void> malloc(std::size_t bytes)
{
    return pointer<void>(detail::malloc(tag(), bytes));
}
template <typename Element>
inline pointer<Element> malloc(std::size_t count)
{
    return pointer<Element>(static_cast<Element *>(detail::malloc(tag(), count * sizeof(Element))));
}
inline void free(pointer<void> memory)
{
    detail::free(tag(), memory);
}
template <typename Element>
using allocator = mr::stateless_resource_allocator<Element, memory_resource>;
template <typename Element>
using universal_allocator = mr::stateless_resource_allocator<Element, universal_memory_resource>;
template <typename Element>
using universal_host_pinned_allocator =
    mr::stateless_resource_allocator<Element, universal_host_pinned_memory_resource>;
} // namespace cuda
} // namespace system
namespace cuda
{
using system::cuda::allocator;
using system::cuda::free;
using system::cuda::malloc;
using system::cuda::universal_allocator;
} // namespace cuda
THRUST_NAMESPACE_END
