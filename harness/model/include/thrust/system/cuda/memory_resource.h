/* SPDX-License-Identifier: MIT */
/* Memory of Thrust's device: cudart's, so that the model knows its bounds. */
#pragma once
#include <thrust/mr/host_memory_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cuda/pointer.h>
#include <thrust/system/detail/bad_alloc.h>

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
namespace detail
{

inline cudaError_t allocate_device(void **pointer, std::size_t size)
{
    return ::cudaMalloc(pointer, size);
}
inline cudaError_t allocate_managed(void **pointer, std::size_t size)
{
    return ::cudaMallocManaged(pointer, size, cudaMemAttachGlobal);
}
inline cudaError_t allocate_pinned(void **pointer, std::size_t size)
{
    return ::cudaMallocHost(pointer, size);
}

template <cudaError_t (*Allocate)(void **, std::size_t), cudaError_t (*Free)(void *),
          typename Pointer>
class resource final : public mr::memory_resource<Pointer>
{
  public:
    Pointer do_allocate(std::size_t bytes, std::size_t) override
    {
        void *memory = nullptr;
        const cudaError_t error = Allocate(&memory, bytes);

        if (error == cudaSuccess)
            return Pointer(memory);
        (void)cudaGetLastError();
        throw thrust::system::detail::bad_alloc(cudaGetErrorString(error));
    }
    void do_deallocate(Pointer pointer, std::size_t, std::size_t) override
    {
        (void)Free(thrust::detail::pointer_traits<Pointer>::get(pointer));
    }
};

} // namespace detail
typedef detail::resource<detail::allocate_device, cudaFree, pointer<void>> memory_resource;
typedef detail::resource<detail::allocate_managed, cudaFree, universal_pointer<void>>
    universal_memory_resource;
typedef detail::resource<detail::allocate_pinned, cudaFreeHost, universal_pointer<void>>
    universal_host_pinned_memory_resource;
} // namespace cuda
} // namespace system
namespace cuda
{
using system::cuda::memory_resource;
using system::cuda::universal_host_pinned_memory_resource;
using system::cuda::universal_memory_resource;
} // namespace cuda
THRUST_NAMESPACE_END
