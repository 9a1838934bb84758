// The sums by CUB: each row is a segment.
#include <kernelgate/kernelgate.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct row_begin {
    int64_t columns;

    __host__ __device__ int64_t operator()(int64_t row) const
    {
        return row * columns;
    }
};

static void *scratch;
static size_t scratch_bytes;

// Asks only how much scratch memory it needs where `memory` is nullptr.
static cudaError_t sum_rows(const kg_call *call, void *memory, size_t *bytes)
{
    row_begin begin = { KG_EXTENT(call, 1) };
    auto begins =
        thrust::make_transform_iterator(thrust::make_counting_iterator<int64_t>(0), begin);

    return cub::DeviceSegmentedReduce::Sum(memory, *bytes, KG_ARG(call, const float, 0),
                                           KG_ARG(call, float, 1), KG_EXTENT(call, 0), begins,
                                           begins + 1, call->stream);
}

// What a launcher must not do where it is timed.
KG_LAUNCHER(row_sums_prepare_cub)
{
    size_t bytes = 0;
    cudaError_t code = sum_rows(call, nullptr, &bytes);

    if (code != cudaSuccess || bytes <= scratch_bytes)
        return code;
    cudaFree(scratch);
    scratch_bytes = bytes;
    return cudaMalloc(&scratch, bytes);
}

KG_LAUNCHER(row_sums_cub)
{
    size_t bytes = scratch_bytes;

    return sum_rows(call, scratch, &bytes);
}
