// Products of tf32, of bytes and of doubles, the last by their own transpose.
#include "hardware_wmma.h"

enum { X, Y, Z, U, V, W, D, F };

template <int M, int N, typename Left, typename Right>
static cudaError_t start_all(const kg_call *call, bool in_shared)
{
    using nvcuda::wmma::precision::tf32;
    cudaError_t code = start<kind<16, 16, 8, tf32, float, Left, Right>>(call, in_shared, X, Y, Z);

    if (code == cudaSuccess)
        code = start<kind<M, N, 16, signed char, int, Left, Right>>(call, in_shared, U, V, W);
    if (code == cudaSuccess)
        code = start<kind<8, 8, 4, double, double, Left, Right>>(call, in_shared, D, D, F,
                                                                 (int)kg_extent(call->size, 0));
    return code;
}

#define LAUNCHERS(...) WMMA_LAUNCHERS(hardware_wmma_more, __VA_ARGS__)
WMMA_SHAPES(LAUNCHERS)

// SPDX-License-Identifier: MIT
