/* SPDX-License-Identifier: MIT */
/* Shared by the stand-ins for asynchronous copies: a thread's part of a copy. */
#pragma once

#include "kg_model_std.h"

namespace cuda
{

/* A size known to be a multiple of an alignment, as are the pointers. */
template <size_t Alignment>
struct aligned_size_t {
    size_t value;
    __attribute__((always_inline)) constexpr explicit aligned_size_t(size_t bytes) : value(bytes)
    {
    }
    __attribute__((always_inline)) constexpr operator size_t() const
    {
        return value;
    }
};

} // namespace cuda

/* The alignment known from a size, or from the copied type; 1: none. */
template <typename To, typename Size>
struct kg__model_alignment {
    static constexpr size_t value = alignof(To);
};
template <typename Size>
struct kg__model_alignment<void, Size> {
    static constexpr size_t value = 1;
};
template <typename To, size_t Alignment>
struct kg__model_alignment<To, cuda::aligned_size_t<Alignment>> {
    static constexpr size_t value = Alignment > alignof(To) ? Alignment : alignof(To);
};
template <size_t Alignment>
struct kg__model_alignment<void, cuda::aligned_size_t<Alignment>> {
    static constexpr size_t value = Alignment;
};

/* Thread `rank` of `threads` copies its part of `bytes`, piece by piece. Pieces are as wide as
 * the known alignment or, if that is below 4, as the actual alignment of both pointers and the
 * size; data that is not aligned to 4 is copied immediately. */
__attribute__((always_inline, unused)) static inline void
kg__model_copy_part(void *to, const void *from, size_t bytes, size_t known, size_t rank,
                    size_t threads, const void *bound)
{
    const uintptr_t all =
        reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
    const size_t found = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
    const size_t piece = known < 4 || found < known ? found : known < 16 ? known : 16;

    for (size_t at = rank * piece; at < bytes; at += threads * piece) {
        char *target = static_cast<char *>(to) + at;
        const char *source = static_cast<const char *>(from) + at;

        if (piece >= 4)
            kg__model_copy_async(target, source, piece, 0, bound);
        else
            *target = *source;
    }
}
