/* Kernels that multiply matrices by the warp: right ones of every kind of fragment, and defects. */
#include "tests/model/matrix_kernels.h"

#include "tests/model/watch_start.h"

#include <mma.h>

using namespace nvcuda;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> half_left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> half_right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> float_sum;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, half> half_sum;

template <typename Left, typename Right, typename Sum, wmma::layout_t Layout>
static __global__ void multiply(watch_data d)
{
    typedef typename Left::storage_element_type element;
    typedef typename Sum::storage_element_type result;
    constexpr int words = 32 * MATRIX_STRIDE * sizeof(element) / 4;
    __shared__ __align__(32) int staged_a[words];
    __shared__ __align__(32) int staged_b[words];
    const int *a = static_cast<const int *>(static_cast<const void *>(d.a));
    const int *b = d.numbers;
    Left left;
    Right right;
    Sum sum, more;

    if (d.k != MATRIX_GLOBAL) {
        for (int i = (int)threadIdx.x; i < words; i += 32) {
            staged_a[i] = a[i];
            staged_b[i] = b[i];
        }
        if (d.k == MATRIX_SHARED)
            __syncthreads();
        a = staged_a;
        b = staged_b;
    }
    wmma::fill_fragment(sum, 1);
    wmma::load_matrix_sync(left, reinterpret_cast<const element *>(a), MATRIX_STRIDE);
    wmma::load_matrix_sync(right, reinterpret_cast<const element *>(b), MATRIX_STRIDE);
    wmma::load_matrix_sync(more, reinterpret_cast<const result *>(d.bytes), MATRIX_STRIDE,
                           wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < (int)sum.num_elements; i++)
        sum.x[i] = sum.x[i] + more.x[i];
    wmma::store_matrix_sync(reinterpret_cast<result *>(d.b), sum, MATRIX_STRIDE, Layout);
}

template <typename Left, typename Right>
static __global__ void unpack(watch_data d)
{
    typedef typename Left::storage_element_type element;
    Left left;
    Right right;

    wmma::load_matrix_sync(left, reinterpret_cast<const element *>(d.a), MATRIX_STRIDE);
    wmma::load_matrix_sync(right, reinterpret_cast<const element *>(d.numbers), MATRIX_STRIDE);
    for (int i = 0; i < (int)left.num_elements; i++)
        d.b[threadIdx.x * 32 + (unsigned)i] = (float)left.x[i];
    for (int i = 0; i < (int)right.num_elements; i++)
        d.b[threadIdx.x * 32 + 16 + (unsigned)i] = (float)right.x[i];
}

template <void (*Kernel)(watch_data)>
static cudaError_t launch_kernel(const cudaLaunchConfig_t *config, watch_data data)
{
    return cudaLaunchKernelEx(config, Kernel, data);
}

template <int M, int N, int K, typename Element, typename Sum, typename LeftLayout,
          typename RightLayout, wmma::layout_t Layout>
static constexpr matrix_kind kind()
{
    typedef wmma::fragment<wmma::matrix_a, M, N, K, Element, LeftLayout> left;
    typedef wmma::fragment<wmma::matrix_b, M, N, K, Element, RightLayout> right;
    typedef wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;

    return { launch_kernel<multiply<left, right, sum, Layout>>,
             launch_kernel<unpack<left, right>>,
             M,
             N,
             K,
             left::kg__matrix.element,
             sum::kg__matrix.element,
             std::is_same<LeftLayout, wmma::row_major>::value,
             std::is_same<RightLayout, wmma::row_major>::value,
             Layout == wmma::mem_row_major,
             left::num_elements };
}

#define KINDS(m, n, k, element, sum)                                                               \
    kind<m, n, k, element, sum, wmma::row_major, wmma::row_major, wmma::mem_row_major>(),          \
        kind<m, n, k, element, sum, wmma::row_major, wmma::col_major, wmma::mem_row_major>(),      \
        kind<m, n, k, element, sum, wmma::col_major, wmma::row_major, wmma::mem_col_major>(),      \
        kind<m, n, k, element, sum, wmma::col_major, wmma::col_major, wmma::mem_col_major>()
#define KINDS_OF_16(element, sum)                                                                  \
    KINDS(16, 16, 16, element, sum), KINDS(32, 8, 16, element, sum), KINDS(8, 32, 16, element, sum)

const matrix_kind matrix_kinds[] = {
    KINDS_OF_16(half, float),          KINDS_OF_16(half, half),
    KINDS_OF_16(__nv_bfloat16, float), KINDS_OF_16(signed char, int),
    KINDS_OF_16(unsigned char, int),   KINDS(16, 16, 8, wmma::precision::tf32, float),
    KINDS(8, 8, 4, double, double),
};
const size_t matrix_kind_count = sizeof matrix_kinds / sizeof *matrix_kinds;

// numbers = a b, of bytes of 127, plus the greatest number; k == 1: not saturated.
KERNEL(multiply_saturated)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;

    wmma::fill_fragment(left, 127);
    wmma::fill_fragment(right, 127);
    wmma::fill_fragment(sum, INT32_MAX);
    if (d.k == 1)
        wmma::mma_sync(sum, left, right, sum);
    else
        wmma::mma_sync(sum, left, right, sum, true);
    wmma::store_matrix_sync(d.numbers, sum, 16, wmma::mem_row_major);
}

// All of a product of 16 terms 1 * n and of the half c = k, as half and as float.
KERNEL(multiply_halves)
{
    half_left left;
    half_right right;
    half_sum c, as_half;
    float_sum as_float;

    wmma::fill_fragment(left, 1.0f);
    wmma::fill_fragment(right, (float)d.n);
    wmma::fill_fragment(c, (float)d.k);
    wmma::mma_sync(as_half, left, right, c);
    wmma::mma_sync(as_float, left, right, c);
    d.b[threadIdx.x] = as_half.x[0];
    d.b[32 + threadIdx.x] = as_float.x[7];
}

// Each lane gives its elements the numbers from 8 times its own on: m is n.
template <typename Sum>
static __device__ void store_numbers(float *to)
{
    Sum sum;

    for (int i = 0; i < 8; i++)
        sum.x[i] = (float)(threadIdx.x * 8 + (unsigned)i);
    wmma::store_matrix_sync(to, sum, MATRIX_STRIDE, wmma::mem_row_major);
}

KERNEL(store_lanes)
{
    if (d.n == 16)
        store_numbers<float_sum>(d.b);
    else if (d.n == 32)
        store_numbers<wmma::fragment<wmma::accumulator, 32, 8, 16, float>>(d.b);
    else
        store_numbers<wmma::fragment<wmma::accumulator, 8, 32, 16, float>>(d.b);
}

// a has 16 rows of 16 halves; k == 1: the stride takes the last rows beyond its end.
KERNEL(skip_stride)
{
    half_left left;

    wmma::load_matrix_sync(left, reinterpret_cast<half *>(d.a), d.k == 1 ? 24 : 16);
    d.b[threadIdx.x] = left.x[0];
}

// k == 1: 8 bytes further, where 16 are needed.
KERNEL(misalign)
{
    half_left left;

    wmma::load_matrix_sync(left, reinterpret_cast<half *>(d.a) + (d.k == 1 ? 4 : 0), 16);
    d.b[threadIdx.x] = left.x[0];
}

// k == 1: a stride of 20 halves.
KERNEL(misalign_stride)
{
    half_left left;

    wmma::load_matrix_sync(left, reinterpret_cast<half *>(d.a), d.k == 1 ? 20 : 24);
    d.b[threadIdx.x] = left.x[0];
}

// k == 1: the last row was not written.
KERNEL(load_half_a_tile)
{
    __shared__ __align__(32) half tile[16][16];
    half_right right;

    if (threadIdx.x < (d.k == 1 ? 15 : 16)) {
        for (int i = 0; i < 16; i++)
            tile[threadIdx.x][i] = 1.0f;
    }
    __syncthreads();
    wmma::load_matrix_sync(right, tile[0], 16);
    d.b[threadIdx.x] = right.x[0];
}

// A warp has its own tile; k == 1: all store to one.
KERNEL(store_both)
{
    float_sum sum;

    wmma::fill_fragment(sum, 1.0f);
    wmma::store_matrix_sync(d.b + (d.k == 1 ? 0 : threadIdx.x / 32 * 256), sum, 16,
                            wmma::mem_row_major);
}

// k == 1: lanes read what others have stored, with nothing in between.
KERNEL(read_stored)
{
    __shared__ __align__(32) float tile[256];
    float_sum sum;

    wmma::fill_fragment(sum, 1.0f);
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_col_major);
    if (d.k != 1)
        __syncwarp();
    d.b[threadIdx.x] = tile[31 - threadIdx.x];
}

// b has 16 rows of 16; k == 1: it begins at the second one.
KERNEL(store_beyond)
{
    float_sum sum;

    wmma::fill_fragment(sum, 1.0f);
    wmma::store_matrix_sync(d.b + (d.k == 1 ? 16 : 0), sum, 16, wmma::mem_row_major);
}

// k == 1: the last lane is not there; k == 2: it has ended.
KERNEL(leave_one_out)
{
    float_sum sum;

    if (d.k == 2 && threadIdx.x == 31)
        return;
    if (d.k != 1 || threadIdx.x < 31) {
        wmma::load_matrix_sync(sum, d.a, 16, wmma::mem_row_major);
        d.b[threadIdx.x] = sum.x[0];
    }
    __syncthreads();
}

// k == 1: each half of the warp loads by itself; 2: from another row, 3: with another stride.
KERNEL(call_apart)
{
    float_sum sum;

    if (d.k == 1 && threadIdx.x < 16)
        wmma::load_matrix_sync(sum, d.a, 16, wmma::mem_row_major);
    else
        wmma::load_matrix_sync(sum, d.a + (d.k == 2 && threadIdx.x >= 16 ? 16 : 0),
                               d.k == 3 && threadIdx.x >= 16 ? 32 : 16, wmma::mem_col_major);
    d.b[threadIdx.x] = sum.x[0];
}

// SPDX-License-Identifier: MIT
