/* Kernels that use the headers of cuda::std, and the rest of cuda::. */
#include "tests/model/std_kernels.h"

#include "tests/model/watch_start.h"

#include <cuda/annotated_ptr>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/mdspan>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

/* Each may be included again; this one defines a structure, not only what <functional> has. */
#include <cuda/std/functional> // NOLINT(readability-duplicate-include)

static __device__ int sum_of(cuda::std::span<const float> values)
{
    float sum = 0.0f;

    for (float value : values)
        sum += value;
    return (int)sum;
}

// Each is 1 where all is right.
EACH(std_values)
{
    int local[4] = { 1, 2, 3, 4 };
    cuda::std::span<int> all(local);
    cuda::std::array<int, 4> array{ 4, 3, 2, 1 };
    cuda::std::span<const int, 4> fixed(array);
    cuda::std::complex<float> z(1.0f, 2.0f);
    cuda::std::optional<int> none;
    auto [x, y] = cuda::std::make_tuple(i, 2.5f);
    auto twice = cuda::proclaim_return_type<int>([](int value) { return 2 * value; });
    const bool right[] = {
        all.subspan(1, 2).size() == 2 && all.subspan(1).front() == 2 && all.last(1)[0] == 4,
        fixed.size() == 4 && fixed.back() == 1 && !fixed.empty() && all.size_bytes() == 16,
        sum_of(cuda::std::span<const float>(d.a, 3)) == 6,
        cuda::std::bit_cast<uint32_t>(1.0f) == 0x3f800000u,
        cuda::std::popcount(0xf0u) == 4 && cuda::std::countl_zero(1u) == 31,
        cuda::std::countr_zero((uint64_t)8) == 3 && cuda::std::countl_zero((uint8_t)0) == 8,
        cuda::std::bit_ceil(5u) == 8 && cuda::std::bit_floor(5u) == 4,
        cuda::std::has_single_bit(64u) && cuda::std::bit_width(64u) == 7,
        cuda::std::rotl((uint8_t)0x81, 1) == 3 && cuda::std::rotr(1u, 1) == 0x80000000u,
        (z * z).real() == -3.0f && (z * z).imag() == 4.0f,
        none.value_or(7) == 7 && x == i && y == 2.5f,
        cuda::std::numeric_limits<float>::max() > 1e38f,
        cuda::std::max(1, 2) == 2 && cuda::std::abs(-3) == 3,
        cuda::std::is_same_v<cuda::std::remove_const_t<const int>, int>,
        cuda::ceil_div(10, 4) == 3 && cuda::round_up(10, 4) == 12 && cuda::round_down(10, 4) == 8,
        cuda::ilog2(9) == 3 && 17u / cuda::fast_mod_div(5u) == 3 && 17 % cuda::fast_mod_div(5) == 2,
        twice(4) == 8 && cuda::maximum<>()(2, 3) == 3 && cuda::minimum<float>()(2.0f, 3.0f) == 2.0f,
        cuda::std::plus<int>()(1, 2) == 3,
    };

    d.numbers[i] = 1;
    for (bool one : right)
        d.numbers[i] &= one;
}

// Loads as often as with arrays and pointers: four times; beyond the end where k == 1.
EACH(std_requests)
{
    cuda::std::span<const float> values(d.a, (size_t)d.n);
    cuda::std::array<float, 4> mine{};

    for (int j = 0; j < 4; j++) {
        const int at = i + (d.k == 1 ? d.n : j);

        mine[(size_t)j] = values[(size_t)at];
    }
    d.b[i] = mine[0] + mine[1] + mine[2] + mine[3];
}

EACH(std_array_beyond)
{
    cuda::std::array<float, 4> mine{};

    mine[(size_t)((i + d.k) % 5)] = d.a[i];
    d.b[i] = mine[(size_t)d.k];
}

EACH(std_array_in_shared)
{
    __shared__ cuda::std::array<float, WATCH_MAX_BLOCK> staged;

    staged[threadIdx.x] = d.a[i];
    if (d.k != 1)
        __syncthreads();
    d.b[i] = staged[blockDim.x - 1 - threadIdx.x];
}

// A latch and a semaphore within a block, and views of an array.
KERNEL(std_waits)
{
    __shared__ cuda::latch<cuda::thread_scope_block> *ready;
    alignas(16) __shared__ unsigned char rooms[2][32];
    __shared__ int sum;
    auto *const lock =
        reinterpret_cast<cuda::binary_semaphore<cuda::thread_scope_block> *>(rooms[1]);

    if (threadIdx.x == 0) {
        ready = new (rooms[0]) cuda::latch<cuda::thread_scope_block>(blockDim.x);
        new (rooms[1]) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        sum = 0;
    }
    __syncthreads();
    d.b[threadIdx.x] = (float)threadIdx.x;
    ready->arrive_and_wait();
    const float next = d.b[(threadIdx.x + 1) % blockDim.x];
    if (threadIdx.x % 32 == 0) {
        lock->acquire();
        sum++;
        lock->release();
    }
    __syncthreads();
    cuda::std::mdspan right(d.b, 2, d.n / 2);
    cuda::std::mdspan<float, cuda::std::extents<int, 2, cuda::std::dynamic_extent>,
                      cuda::std::layout_left>
        left(d.b, d.n / 2);
    const cuda::std::mdspan row_of(d.b, d.n);
    cuda::annotated_ptr<float, cuda::access_property::streaming> hinted(d.a);
    const unsigned int row = threadIdx.x % 2, column = threadIdx.x / 2;
    d.numbers[threadIdx.x] = next == (float)((threadIdx.x + 1) % blockDim.x) && sum == 2 &&
                             &right(row, column) == d.b + row * (d.n / 2) + column &&
                             &left(row, column) == d.b + 2 * column + row &&
                             &row_of[column] == d.b + column && (int)left.size() == d.n &&
                             right.extent(1) == (size_t)(d.n / 2) && hinted[3] == 4.0f;
}

// SPDX-License-Identifier: MIT
