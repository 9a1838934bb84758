/* SPDX-License-Identifier: MIT */
/* How CUB's algorithms for the whole device run, and their temporary storage. Part of
 * kg_model_cub_device.h. */
#pragma once

#include <iterator>

#include "kg_model_alone.h"
#include "kg_model_cub_sort.h"

namespace cub
{

namespace kg__device
{

constexpr size_t least = 7; /* bytes that contain an aligned word at any address */

template <typename Iterator>
using element = ::std::decay_t<decltype(*::std::declval<Iterator>())>;

/* Of the parameters behind the size: the stream, or a bool of older interfaces. */
inline cudaStream_t stream_of()
{
    return nullptr;
}
template <typename... Rest>
cudaStream_t stream_of(cudaStream_t stream, Rest...)
{
    return stream;
}

/* Bytes of temporary storage that a call asks for, at least a word. CUB's own tiles have thousands
 * of elements, and 1 KiB at least: up to 4096 elements each 64 ask for more here, so that storage
 * for fewer is too small at the sizes that a model is given; beyond, less than CUB 3.0 does. */
template <typename... Iterators, typename Size>
size_t elements(Size n)
{
    return least + (n > 0 ? static_cast<size_t>(n) * (sizeof(element<Iterators>) + ...) : 0);
}
template <typename In, typename Size>
size_t tiles(Size n)
{
    return elements<In>(((n < 4096 ? n : 4096) + 63) / 64) +
           static_cast<size_t>(n > 0 ? n : 0) / 1024;
}
/* Of reductions, which have blocks for no more than this many elements, and one for few. */
template <typename In, typename Size>
size_t few_tiles(Size n)
{
    return n > 4096 ? elements<In>(4096) : tiles<In>(n);
}

/* An algorithm that writes to its temporary storage, as it does on a GPU. */
template <typename Algorithm>
struct in_storage {
    template <typename... Arguments>
    KG__CUB void operator()(void *storage, size_t bytes, const Arguments &...arguments) const
    {
        const uintptr_t first = (reinterpret_cast<uintptr_t>(storage) + 3) / 4 * 4;

        for (size_t i = 0; i + least <= bytes; i += 4)
            *reinterpret_cast<unsigned int *>(first + i) = 0xa5a5a5a5;
        Algorithm()(arguments...);
    }
};

/* Names the kernel by a function. */
template <typename Algorithm, typename... Arguments>
cudaError_t run(void (*name)(), cudaStream_t stream, const Arguments &...arguments)
{
    kg__model_kept<void> none;

    return kg__model_run_alone<Algorithm, void, true>(name, stream, none, arguments...);
}

/* Runs an algorithm that needs `needed` bytes of temporary storage; without storage, tells how
 * many. */
template <typename Algorithm, typename... Arguments>
cudaError_t with_storage(void (*name)(), void *storage, size_t &bytes, size_t needed,
                         cudaStream_t stream, const Arguments &...arguments)
{
    if (storage == nullptr) {
        bytes = needed;
        return cudaSuccess;
    }
    if (bytes < needed)
        return kg__model_refuse_storage(bytes, needed);
    return run<in_storage<Algorithm>>(name, stream, storage, needed, arguments...);
}

} // namespace kg__device

} // namespace cub
