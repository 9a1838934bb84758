/* Thrust's algorithms on the device: results, policies, iterators, copies, single elements. */
#include <nvtx3/nvtx3.hpp>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/detail/util.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"

using ints = thrust::device_vector<int>;
const int n = 1000;

struct square {
    __host__ __device__ int operator()(int x) const
    {
        return x * x;
    }
};
struct is_even {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

__global__ void twice(int *x, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        x[i] *= 2;
}

__global__ void sort_descending(int *x, int count)
{
    if (threadIdx.x == 0) {
        thrust::sort(thrust::seq, x, x + count);
        thrust::sort(thrust::device, x, x + count, thrust::greater<int>());
    }
}

static void check_sorting(const std::vector<int> &sorted, ints &d)
{
    cudaStream_t stream;
    ints keys(n), values(n);

    thrust::sort(d.begin(), d.end(), thrust::greater<int>());
    CHECK(d[0] == sorted[n - 1]);
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(thrust::cuda_cub::stream(thrust::cuda::par.on(stream)) == stream);
    thrust::sort(thrust::cuda::par.on(stream), d.begin(), d.end());
    CHECK(d.front() == sorted[0] && std::equal(sorted.begin(), sorted.end(), d.begin()));
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    thrust::sequence(values.begin(), values.end());
    thrust::transform(values.begin(), values.end(), keys.begin(),
                      [] __host__ __device__(int x) { return x / 100; });
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin(), thrust::greater<int>());
    CHECK(values[0] == 900 && keys[0] == 9);
    int *const raw = thrust::raw_pointer_cast(keys.data());
    thrust::sort_by_key(thrust::device, raw, raw + n, thrust::raw_pointer_cast(values.data()));
    CHECK(values[0] == 0 && thrust::is_sorted(keys.begin(), keys.end()));
}

static void check_sums(const std::vector<int> &sorted, const ints &d)
{
    const int sum = std::accumulate(sorted.begin(), sorted.end(), 0);
    ints e(n), keys(n), sums(n), one(n, 1);
    const auto squares =
        thrust::make_transform_iterator(thrust::counting_iterator<int>(1), square());

    CHECK(thrust::reduce(d.begin(), d.end()) == sum);
    CHECK(thrust::reduce(thrust::cuda::par, d.begin(), d.end(), 0, thrust::maximum<int>()) ==
          sorted[n - 1]);
    CHECK(thrust::reduce(squares, squares + 3) == 14);
    CHECK(thrust::transform_reduce(d.begin(), d.end(), square(), 0L, thrust::plus<long>()) ==
          std::inner_product(sorted.begin(), sorted.end(), sorted.begin(), 0L));
    CHECK(thrust::inner_product(one.begin(), one.end(), one.begin(), 0) == n);
    thrust::inclusive_scan(d.begin(), d.end(), e.begin());
    CHECK(e[n - 1] == sum);
    thrust::exclusive_scan(thrust::device, d.begin(), d.end(), e.begin(), 5);
    CHECK(e[0] == 5 && e[1] == 5 + sorted[0]);
    thrust::tabulate(keys.begin(), keys.end(), [] __device__(int i) { return i / 100; });
    const auto ends =
        thrust::reduce_by_key(keys.begin(), keys.end(), one.begin(), e.begin(), sums.begin());
    CHECK(ends.first - e.begin() == 10 && e[9] == 9 && sums[9] == 100);
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), one.begin(), sums.begin());
    CHECK(sums[99] == 100 && sums[100] == 1);
    thrust::device_vector<thrust::complex<float>> c(8, thrust::complex<float>(1, 2));
    CHECK(thrust::reduce(c.begin(), c.end()).imag() == 16);
}

static void check_selections(const std::vector<int> &sorted, const ints &d)
{
    ints e(n), f(n), at(2);
    std::vector<int> once = sorted;

    once.erase(std::unique(once.begin(), once.end()), once.end());
    CHECK(thrust::copy_if(d.begin(), d.end(), e.begin(), is_even()) - e.begin() ==
          std::count_if(sorted.begin(), sorted.end(), is_even()));
    CHECK(thrust::count_if(d.begin(), d.end(), is_even()) ==
          std::count_if(sorted.begin(), sorted.end(), is_even()));
    e = d;
    e.erase(thrust::unique(e.begin(), e.end()), e.end());
    CHECK(e.size() == once.size());
    e.resize(n);
    thrust::sequence(e.begin(), e.end());
    CHECK(*thrust::max_element(e.begin(), e.end()) == n - 1);
    CHECK(thrust::lower_bound(e.begin(), e.end(), 17) - e.begin() == 17);
    at[0] = 5;
    at[1] = 500;
    thrust::gather(at.begin(), at.end(), e.begin(), f.begin());
    CHECK(f[1] == 500);
    thrust::scatter(at.begin(), at.end(), at.begin(), f.begin());
    CHECK(f[500] == 500);
    CHECK(thrust::partition(e.begin(), e.end(), is_even()) - e.begin() == n / 2);
    thrust::sort(e.begin(), e.end());
    thrust::transform(e.begin(), e.end(), e.begin(), f.begin(), thrust::plus<int>());
    CHECK(thrust::all_of(f.begin(), f.end(), is_even()) && f[n - 1] == 2 * n - 2);
}

/* Thrust 2 has constructors from lists, and NVTX's ranges are often around its calls. */
static void check_lists()
{
    const nvtx3::scoped_range range{ "lists", nvtx3::rgb{ 0, 255, 0 } };
    const thrust::host_vector<int> h{ 4, 5 };
    thrust::device_vector<thrust::pair<int, char>> pairs = { { 4, 'a' }, { 1, 'b' } };
    ints d{ 3, 1, 2 };
    ints copy = d;

    NVTX3_FUNC_RANGE();
    CHECK(d.size() == 3 && d[0] == 3 && d[2] == 2 && copy == d && ints(7, 2).size() == 7);
    const thrust::pair<int, char> second = pairs[1];
    CHECK(second.second == 'b');
    d = { 8, 9 };
    CHECK(d.size() == 2 && d[1] == 9 && ints(h)[1] == 5);
    d = h;
    CHECK(d[0] == 4);
}

static void check_memory(const ints &d)
{
    int *raw = nullptr;
    thrust::host_vector<int> h(n, 3);
    std::vector<float> floats(n);
    thrust::universal_vector<int> shared(4, 7);

    CHECK(cudaMalloc(&raw, n * sizeof *raw) == cudaSuccess);
    thrust::device_ptr<int> there(raw);
    thrust::fill(there, there + n, 4);
    there[5] = 6;
    CHECK(there[5] == 6);
    thrust::copy(h.begin(), h.end(), there);
    twice<<<4, 256>>>(raw, n);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && there[3] == 6);
    thrust::for_each(thrust::device, thrust::counting_iterator<int>(0),
                     thrust::counting_iterator<int>(n), [=] __device__(int i) {
                         raw[i] = i + threadIdx.x;
                         atomicAdd(raw, 1);
                     });
    sort_descending<<<1, 32>>>(raw, n);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && there[0] == n);
    thrust::copy(there, there + n, floats.begin());
    CHECK(floats[0] == n);
    CHECK(cudaFree(raw) == cudaSuccess);
    ints e = d;
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), e.begin()));
    thrust::for_each(pairs, pairs + n, [] __device__(thrust::tuple<const int &, int &> both) {
        thrust::get<1>(both) = 2 * thrust::get<0>(both);
    });
    CHECK(e[7] == 2 * d[7]);
    e.push_back(2);
    e.insert(e.begin(), 9);
    CHECK(e.size() == n + 2 && e.front() == 9 && e.back() == 2);
    shared[1] = 8;
    CHECK(thrust::reduce(shared.begin(), shared.end()) == 29);
    there = thrust::device_malloc<int>(10);
    thrust::fill(there, there + 10, 1);
    thrust::device_free(there);
}

int main()
{
    thrust::host_vector<int> h(n);

    for (int i = 0; i < n; i++)
        h[i] = (i * 7919) % 1009;
    ints d = h;
    thrust::sort(h.begin(), h.end());
    const std::vector<int> sorted(h.begin(), h.end());
    check_sorting(sorted, d);
    check_sums(sorted, d);
    check_selections(sorted, d);
    check_memory(d);
    check_lists();
    try {
        const int beyond = d[n];
        CHECK(beyond == 0);
    } catch (const thrust::system_error &error) {
        CHECK(error.code().value() == cudaErrorInvalidValue);
    }
    return failures > 0;
}

// SPDX-License-Identifier: MIT
