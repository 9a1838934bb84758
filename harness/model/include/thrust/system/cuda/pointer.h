/* SPDX-License-Identifier: MIT */
/* Pointers of Thrust's device. */
#pragma once
#include <thrust/detail/pointer.h>
#include <thrust/detail/reference.h>
#include <thrust/system/cpp/detail/execution_policy.h>
#include <type_traits>

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
template <typename Element>
using reference = tagged_reference<Element, tag>;
template <typename Element>
using pointer = thrust::pointer<Element, tag, reference<Element>>;
template <typename Element>
using universal_pointer =
    thrust::pointer<Element, tag, typename std::add_lvalue_reference<Element>::type>;
} // namespace cuda
} // namespace system
namespace cuda
{
using system::cuda::pointer;
using system::cuda::reference;
using system::cuda::universal_pointer;
} // namespace cuda
THRUST_NAMESPACE_END
