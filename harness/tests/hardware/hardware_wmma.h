/* SPDX-License-Identifier: MIT */
/* What hardware_wmma.cu and hardware_wmma_more.cu share: kernels that compute c = 2 a b, one warp
 * per tile of c. Extents are multiples of 32 (m and n) and 16 (k). */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernelgate/kernelgate.h>
#include <mma.h>

#include "hardware_wmma_shapes.h"

/* The types of one kind of fragments; the sum is stored as the left operand is. */
template <int M_, int N_, int K_, typename Element_, typename Sum_, typename Left, typename Right>
struct kind {
    static constexpr int M = M_, N = N_, K = K_;
    static constexpr bool left_by_rows = std::is_same<Left, nvcuda::wmma::row_major>::value;
    static constexpr bool right_by_rows = std::is_same<Right, nvcuda::wmma::row_major>::value;
    typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, M, N, K, Element_, Left> left;
    typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, M, N, K, Element_, Right> right;
    typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, M, N, K, Sum_> sum;
    typedef typename left::storage_element_type element;
    typedef Sum_ result;
};

/* An operand as the product takes it: of tf32 rounded. */
template <typename Fragment>
static __device__ __forceinline__ void round_operand(Fragment &operand)
{
    if constexpr (std::is_same<typename Fragment::element_type,
                               nvcuda::wmma::precision::tf32>::value) {
        for (int i = 0; i < operand.num_elements; i++)
            operand.x[i] = nvcuda::wmma::__float_to_tf32(operand.x[i]);
    }
}

/* Stores a tile, loads it again and doubles it, element by element. */
template <typename Kind>
static __device__ __forceinline__ void finish(typename Kind::sum &sum, typename Kind::result *c,
                                              int row, int column, int m, int n)
{
    const int stride = Kind::left_by_rows ? n : m;
    typename Kind::result *to = c + (Kind::left_by_rows ? row * n + column : column * m + row);
    constexpr nvcuda::wmma::layout_t layout =
        Kind::left_by_rows ? nvcuda::wmma::mem_row_major : nvcuda::wmma::mem_col_major;
    typename Kind::sum again;

    nvcuda::wmma::store_matrix_sync(to, sum, (unsigned)stride, layout);
    __syncwarp();
    nvcuda::wmma::load_matrix_sync(again, to, (unsigned)stride, layout);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] + again.x[i];
    __syncwarp();
    nvcuda::wmma::store_matrix_sync(to, sum, (unsigned)stride, layout);
}

/* Operands come from global memory. */
template <typename Kind>
static __global__ void direct(const typename Kind::element *a, const typename Kind::element *b,
                              typename Kind::result *c, int m, int n, int k)
{
    const int row = (int)blockIdx.y * Kind::M;
    const int column = (int)blockIdx.x * Kind::N;
    typename Kind::sum sum;

    nvcuda::wmma::fill_fragment(sum, 0);
    for (int step = 0; step < k; step += Kind::K) {
        typename Kind::left left;
        typename Kind::right right;

        if (Kind::left_by_rows)
            nvcuda::wmma::load_matrix_sync(left, a + row * k + step, (unsigned)k);
        else
            nvcuda::wmma::load_matrix_sync(left, a + step * m + row, (unsigned)m);
        if (Kind::right_by_rows)
            nvcuda::wmma::load_matrix_sync(right, b + step * n + column, (unsigned)n);
        else
            nvcuda::wmma::load_matrix_sync(right, b + column * k + step, (unsigned)k);
        round_operand(left);
        round_operand(right);
        nvcuda::wmma::mma_sync(sum, left, right, sum);
    }
    finish<Kind>(sum, c, row, column, m, n);
}

/* The warp stages them in shared memory. */
template <typename Kind>
static __global__ void staged(const typename Kind::element *a, const typename Kind::element *b,
                              typename Kind::result *c, int m, int n, int k)
{
    constexpr int M = Kind::M, N = Kind::N, K = Kind::K;
    __shared__ __align__(32) typename Kind::element tile_a[M * K];
    __shared__ __align__(32) typename Kind::element tile_b[K * N];
    const int row = (int)blockIdx.y * M;
    const int column = (int)blockIdx.x * N;
    typename Kind::sum sum;

    nvcuda::wmma::fill_fragment(sum, 0);
    for (int step = 0; step < k; step += K) {
        typename Kind::left left;
        typename Kind::right right;

        for (int i = (int)threadIdx.x; i < M * K; i += 32)
            tile_a[i] = Kind::left_by_rows ? a[(row + i / K) * k + step + i % K]
                                           : a[(step + i / M) * m + row + i % M];
        for (int i = (int)threadIdx.x; i < K * N; i += 32)
            tile_b[i] = Kind::right_by_rows ? b[(step + i / N) * n + column + i % N]
                                            : b[(column + i / K) * k + step + i % K];
        __syncthreads();
        nvcuda::wmma::load_matrix_sync(left, tile_a, Kind::left_by_rows ? K : M);
        nvcuda::wmma::load_matrix_sync(right, tile_b, Kind::right_by_rows ? N : K);
        __syncthreads();
        round_operand(left);
        round_operand(right);
        nvcuda::wmma::mma_sync(sum, left, right, sum);
    }
    finish<Kind>(sum, c, row, column, m, n);
}

/* Starts a kernel on the arguments of these numbers. */
template <typename Kind>
static inline cudaError_t start(const kg_call *call, bool in_shared, int a, int b, int c, int n = 0)
{
    const int m = (int)kg_extent(call->size, 0);
    const int k = (int)kg_extent(call->size, 2);

    n = n > 0 ? n : (int)kg_extent(call->size, 1);
    return kg_start(call, in_shared ? staged<Kind> : direct<Kind>, kg_grid(n, Kind::N, m, Kind::M),
                    32, KG_ARG(call, const typename Kind::element, a),
                    KG_ARG(call, const typename Kind::element, b),
                    KG_ARG(call, typename Kind::result, c), m, n, k);
}

/* The launchers of a shape, with operands from global and from shared memory. */
#define WMMA_LAUNCHERS(comparison, name, m, n, left, right)                                        \
    KG_LAUNCHER(comparison##_##name)                                                               \
    {                                                                                              \
        return start_all<m, n, nvcuda::wmma::left, nvcuda::wmma::right>(call, false);              \
    }                                                                                              \
    KG_LAUNCHER(comparison##_staged_##name)                                                        \
    {                                                                                              \
        return start_all<m, n, nvcuda::wmma::left, nvcuda::wmma::right>(call, true);               \
    }
