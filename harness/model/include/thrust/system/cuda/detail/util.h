/* SPDX-License-Identifier: MIT */
/* What libraries take from Thrust's own header: the stream of a policy, and errors as exceptions.
 */
#pragma once
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub
{
using namespace cuda;

template <typename Derived>
cudaStream_t stream(const cuda::execution_policy<Derived> &policy)
{
    return static_cast<const Derived &>(policy).stream();
}
inline void throw_on_error(cudaError_t code)
{
    if (code != cudaSuccess)
        throw thrust::system_error(code, thrust::cuda_category());
}
inline void throw_on_error(cudaError_t code, const char *what)
{
    if (code != cudaSuccess)
        throw thrust::system_error(code, thrust::cuda_category(), what);
}
} // namespace cuda_cub
THRUST_NAMESPACE_END
