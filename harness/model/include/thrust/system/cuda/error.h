/* SPDX-License-Identifier: MIT */
/* Errors of cudart as those of Thrust. */
#pragma once
#include <thrust/detail/config.h>
#include <thrust/system/error_code.h>

#include <string>

#include "cuda_runtime.h"

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
class kg__category final : public error_category
{
  public:
    const char *name() const override
    {
        return "cuda";
    }
    std::string message(int error) const override
    {
        return cudaGetErrorString(static_cast<cudaError_t>(error));
    }
};
} // namespace cuda
inline const error_category &cuda_category()
{
    static const cuda::kg__category category;

    return category;
}
} // namespace system
using system::cuda_category;
namespace cuda
{
using system::cuda_category;
} // namespace cuda
THRUST_NAMESPACE_END
