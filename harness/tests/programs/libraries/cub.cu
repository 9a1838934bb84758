/* CUB's algorithms for the whole device. */
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"

const int n = 1000;

/* Runs a call twice: for its temporary storage, and with it. */
template <typename Call>
static void run(Call call)
{
    size_t bytes = 0;
    void *storage = nullptr;

    CHECK(call(storage, bytes) == cudaSuccess && bytes > 0);
    CHECK(cudaMalloc(&storage, bytes) == cudaSuccess);
    CHECK(call(storage, bytes) == cudaSuccess);
    CHECK(cudaFree(storage) == cudaSuccess);
}

template <typename T>
static T *on_device(const std::vector<T> &here)
{
    T *there = nullptr;

    CHECK(cudaMalloc(&there, here.size() * sizeof(T)) == cudaSuccess);
    CHECK(cudaMemcpy(there, here.data(), here.size() * sizeof(T), cudaMemcpyHostToDevice) ==
          cudaSuccess);
    return there;
}
template <typename T>
static std::vector<T> on_host(const T *there, size_t count)
{
    std::vector<T> here(count);

    CHECK(cudaMemcpy(here.data(), there, count * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return here;
}

struct is_even {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

struct doubled {
    __host__ __device__ int operator()(int x) const
    {
        return 2 * x;
    }
};
struct negate {
    __host__ __device__ void operator()(int &x) const
    {
        x = -x;
    }
};

/* Those without temporary storage. */
static void check_elements(const std::vector<int> &x, const int *d, int *out)
{
    CHECK(cub::DeviceTransform::Transform(d, out, n, doubled()) == cudaSuccess);
    CHECK(cub::DeviceFor::ForEachN(out, n, negate()) == cudaSuccess);
    CHECK(on_host(out, n)[7] == -2 * x[7]);
}

static void check_sums(const std::vector<int> &x, const int *d, int *out, int *number)
{
    run([&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, d, number, n); });
    CHECK(on_host(number, 1)[0] == std::accumulate(x.begin(), x.end(), 0));
    run([&](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, d, number, n); });
    CHECK(on_host(number, 1)[0] == *std::max_element(x.begin(), x.end()));
    run([&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, d, out, n); });
    CHECK(on_host(out, n)[n - 1] == std::accumulate(x.begin(), x.end() - 1, 0));
    run([&](void *t, size_t &b) {
        return cub::DeviceScan::InclusiveScan(t, b, d, out, cub::Max(), n);
    });
    CHECK(on_host(out, n)[9] == *std::max_element(x.begin(), x.begin() + 10));
    run([&](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(t, b, d, out, 11, 0, 1000, n);
    });
    CHECK(on_host(out, 1)[0] == std::count_if(x.begin(), x.end(), [](int v) { return v < 100; }));
    run([&](void *t, size_t &b) {
        int *bins[2] = { out, out + 10 }, levels[2] = { 11, 3 }, lower[2] = {},
            upper[2] = { 1000, 1000 };
        return cub::DeviceHistogram::MultiHistogramEven<3, 2>(t, b, d, bins, levels, lower, upper,
                                                              n / 3);
    });
    int low = 0, high = 0;
    for (int i = 0; i < n / 3; i++) {
        low += x[3 * i] < 100;
        high += x[3 * i + 1] >= 500 && x[3 * i + 1] < 1000;
    }
    CHECK(on_host(out, 12)[0] == low && on_host(out, 12)[11] == high);
    run([&](void *t, size_t &b) {
        static const std::vector<int> bounds = { 0, 10, 10, 30 };
        static int *const offsets = on_device(bounds);
        return cub::DeviceSegmentedReduce::Sum(t, b, d, out, 3, offsets, offsets + 1);
    });
    CHECK(on_host(out, 3)[1] == 0 &&
          on_host(out, 1)[0] == std::accumulate(x.begin(), x.begin() + 10, 0));
}

static void check_choices(const std::vector<int> &x, const int *d, int *out, int *number)
{
    run([&](void *t, size_t &b) {
        return cub::DeviceSelect::If(t, b, d, out, number, n, is_even());
    });
    const int even = on_host(number, 1)[0];
    CHECK(even == std::count_if(x.begin(), x.end(), is_even()) && is_even()(on_host(out, 1)[0]));
    run([&](void *t, size_t &b) {
        return cub::DevicePartition::If(t, b, d, out, number, n, is_even());
    });
    CHECK(!is_even()(on_host(out, n)[even]) && on_host(number, 1)[0] == even);
    const std::vector<int> keys = { 1, 1, 2, 2, 2, 7 };
    int *const k = on_device(keys);
    run([&](void *t, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(t, b, k, out, out + 10, number, 6);
    });
    CHECK(on_host(number, 1)[0] == 3 && on_host(out, 12)[11] == 3 && on_host(out, 3)[2] == 7);
    run([&](void *t, size_t &b) {
        return cub::DeviceReduce::ReduceByKey(t, b, k, out, d, out + 10, number, cub::Sum(), 6);
    });
    CHECK(on_host(out, 11)[10] == x[0] + x[1]);
    CHECK(cudaFree(k) == cudaSuccess);
}

static void check_sorting(const std::vector<int> &x, const int *d)
{
    std::vector<float> keys(x.begin(), x.end());
    std::vector<int> places(n), sorted = x;

    for (int i = 0; i < n; i++) {
        keys[i] = (i % 2 == 0 ? 1 : -1) * keys[i];
        places[i] = i;
    }
    float *const k = on_device(keys);
    float *const other = on_device(keys);
    int *const p = on_device(places);
    int *const q = on_device(places);
    run([&](void *t, size_t &b) {
        return cub::DeviceRadixSort::SortPairs(t, b, k, other, p, q, n);
    });
    auto found = on_host(other, n);
    const auto at = on_host(q, n);
    CHECK(std::is_sorted(found.begin(), found.end()) && keys[at[17]] == found[17]);
    cub::DoubleBuffer<float> buffers(k, other);
    run([&](void *t, size_t &b) {
        return cub::DeviceRadixSort::SortKeysDescending(t, b, buffers, n);
    });
    found = on_host(buffers.Current(), n);
    CHECK(std::is_sorted(found.rbegin(), found.rend()));
    run([&](void *t, size_t &b) {
        static const std::vector<int> bounds = { 0, 10, n };
        static int *const offsets = on_device(bounds);
        return cub::DeviceSegmentedRadixSort::SortPairs(t, b, k, other, p, q, n, 2, offsets,
                                                        offsets + 1, 31, 32, cudaStream_t());
    });
    /* By the sign alone: those with an odd place first, in their order. */
    CHECK(on_host(q, 10) == (std::vector<int>{ 1, 3, 5, 7, 9, 0, 2, 4, 6, 8 }));
    cub::DoubleBuffer<float> keyed(k, other);
    cub::DoubleBuffer<int> placed(p, q);
    run([&](void *t, size_t &b) {
        static const std::vector<int> bounds = { 0, 10, n };
        static int *const offsets = on_device(bounds);
        return cub::DeviceSegmentedSort::StableSortPairs(t, b, keyed, placed, n, 2, offsets,
                                                         offsets + 1);
    });
    CHECK(placed.Current() == q &&
          on_host(keyed.Current(), 1)[0] == *std::min_element(keys.begin(), keys.begin() + 10));
    run([&](void *t, size_t &b) {
        return cub::DeviceMergeSort::SortKeys(t, b, p, n,
                                              [d] __device__(int a, int c) { return d[a] < d[c]; });
    });
    std::sort(sorted.begin(), sorted.end());
    CHECK(x[on_host(p, n)[500]] == sorted[500]);
    for (void *memory : { (void *)k, (void *)other, (void *)p, (void *)q })
        CHECK(cudaFree(memory) == cudaSuccess);
}

int main()
{
    std::vector<int> x(n);

    for (int i = 0; i < n; i++)
        x[i] = (i * 7919) % 1009;
    int *const d = on_device(x);
    int *const out = on_device(x);
    int *const number = on_device(std::vector<int>(1));
    check_elements(x, d, out);
    check_sums(x, d, out, number);
    check_choices(x, d, out, number);
    check_sorting(x, d);
    cub::CachingDeviceAllocator allocator(true);
    void *memory = nullptr;

    CubDebugExit(allocator.DeviceAllocate(&memory, 100));
    CHECK(memory != nullptr && allocator.DeviceFree(memory) == cudaSuccess);
    CHECK(CubDebug(cudaMemset(nullptr, 0, 1)) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int *used : { d, out, number })
        CubDebugExit(cudaFree(used));
    return failures > 0;
}

// SPDX-License-Identifier: MIT
