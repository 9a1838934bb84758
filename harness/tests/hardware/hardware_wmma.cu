// Products of halves, with sums of float and of half, and of bfloat16, in each shape of fragments.
#include "hardware_wmma.h"

enum { A, B, C, H, P, Q, R };

template <int M, int N, typename Left, typename Right>
static cudaError_t start_all(const kg_call *call, bool in_shared)
{
    cudaError_t code = start<kind<M, N, 16, half, float, Left, Right>>(call, in_shared, A, B, C);

    if (code == cudaSuccess)
        code = start<kind<M, N, 16, half, half, Left, Right>>(call, in_shared, A, B, H);
    if (code == cudaSuccess)
        code = start<kind<M, N, 16, __nv_bfloat16, float, Left, Right>>(call, in_shared, P, Q, R);
    return code;
}

#define LAUNCHERS(...) WMMA_LAUNCHERS(hardware_wmma, __VA_ARGS__)
LAUNCHERS(row_row_square, 16, 16, row_major, row_major)
WMMA_SHAPES(LAUNCHERS)

// SPDX-License-Identifier: MIT
