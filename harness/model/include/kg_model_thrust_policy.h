/* SPDX-License-Identifier: MIT */
/* The tags and policies of Thrust's device (kg_model_thrust.h). */
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/execution_policy.h>

#include "kg_model_alone.h"

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
namespace detail
{

struct tag;
template <typename>
struct execution_policy;
template <>
struct execution_policy<tag> : thrust::execution_policy<tag> {
    static cudaStream_t stream()
    {
        return nullptr;
    }
};
struct tag : execution_policy<tag> {
};
template <typename Derived>
struct execution_policy : thrust::execution_policy<Derived> {
    typedef tag tag_type;
    operator tag() const
    {
        return tag();
    }
    static cudaStream_t stream()
    {
        return nullptr;
    }
};

/* thrust::device, thrust::cuda::par and par_nosync. Allocators for temporary memory are not used:
 * it is the model's. */
struct par_t : execution_policy<par_t> {
    constexpr explicit par_t(cudaStream_t given = nullptr) : given_(given)
    {
    }
    par_t on(cudaStream_t given) const
    {
        return par_t(given);
    }
    template <typename... Allocator>
    const par_t &operator()(Allocator &&...) const
    {
        return *this;
    }
    template <typename... Events>
    const par_t &after(Events &&...) const
    {
        return *this;
    }
    cudaStream_t stream() const
    {
        return given_;
    }

  private:
    cudaStream_t given_;
};
using par_nosync_t = par_t;
constexpr par_t par{ nullptr };
constexpr par_t par_nosync{ nullptr };

} // namespace detail
using detail::execution_policy;
using detail::par;
using detail::par_nosync;
using detail::tag;
} // namespace cuda
} // namespace system
namespace cuda
{
using system::cuda::execution_policy;
using system::cuda::par;
using system::cuda::par_nosync;
using system::cuda::tag;
} // namespace cuda
THRUST_NAMESPACE_END
