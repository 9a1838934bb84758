/* SPDX-License-Identifier: MIT */
/* CUB's BlockRadixSort, bit by bit; and the device-wide algorithms, which suites refuse. */
#pragma once

#include "kg_model_cub_block.h"

namespace cub
{

namespace kg__model
{

/* The bits of a key, transformed so that they order as its values. */
template <typename Key>
KG__CUB uint64_t ordered_bits(Key key)
{
    uint64_t bits = 0;
    const uint64_t sign = 1ull << (8 * sizeof key - 1);

    __builtin_memcpy(&bits, &key, sizeof key);
    if (::std::is_unsigned_v<Key>)
        return bits;
    if (::std::is_integral_v<Key> || (bits & sign) == 0)
        return bits ^ sign;
    return ~bits & (sign | (sign - 1));
}

} // namespace kg__model

template <typename T>
struct DoubleBuffer {
    T *d_buffers[2];
    int selector = 0;
    DoubleBuffer() : d_buffers{ nullptr, nullptr }
    {
    }
    DoubleBuffer(T *current, T *alternate) : d_buffers{ current, alternate }
    {
    }
    T *Current() const
    {
        return d_buffers[selector];
    }
    T *Alternate() const
    {
        return d_buffers[selector ^ 1];
    }
};

template <typename Key, int X, int Items, typename Value = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort
{
    static constexpr int threads = X * Y * Z;
    static constexpr int bits = 8 * sizeof(Key);
    using scan = BlockScan<unsigned int, X, BLOCK_SCAN_WARP_SCANS, Y, Z>;
    using key_exchange = BlockExchange<Key, X, Items, false, Y, Z>;
    using value_exchange = BlockExchange<Value, X, Items, false, Y, Z>;

  public:
    struct TempStorage {
        unsigned int used;
        typename scan::TempStorage sums;
        typename key_exchange::TempStorage keys;
        typename value_exchange::TempStorage values;
    };
    KG__CUB_ON(BlockRadixSort, storage_)
#define KG__CUB_SORT(name, descends, striped)                                                      \
    KG__CUB void name(Key(&keys)[Items], int first = 0, int end = bits)                            \
    {                                                                                              \
        NullType none[Items];                                                                      \
                                                                                                   \
        sort(keys, none, first, end, descends, striped);                                           \
    }                                                                                              \
    template <typename Other>                                                                      \
    KG__CUB void name(Key(&keys)[Items], Other(&values)[Items], int first = 0, int end = bits)     \
    {                                                                                              \
        sort(keys, values, first, end, descends, striped);                                         \
    }
    KG__CUB_SORT(Sort, false, false)
    KG__CUB_SORT(SortDescending, true, false)
    KG__CUB_SORT(SortBlockedToStriped, false, true)
    KG__CUB_SORT(SortDescendingBlockedToStriped, true, true)
#undef KG__CUB_SORT

  private:
    /* Sorts by one bit, 0 first, keeping the order of equal ones. */
    template <typename Other>
    KG__CUB void split(Key (&keys)[Items], Other (&values)[Items], int bit, bool descends)
    {
        unsigned int is_first[Items], ranks[Items];
        unsigned int firsts;

        for (int i = 0; i < Items; i++)
            is_first[i] = (kg__model::ordered_bits(keys[i]) >> bit & 1) == descends;
        scan(storage_.sums).ExclusiveSum(is_first, ranks, firsts);
        for (int i = 0; i < Items; i++) {
            if (is_first[i] == 0)
                ranks[i] =
                    firsts + kg__model::position<kg__model::BLOCKED, threads, Items>(i) - ranks[i];
        }
        key_exchange(storage_.keys).ScatterToBlocked(keys, keys, ranks);
        if constexpr (!::std::is_same_v<Other, NullType>)
            value_exchange(storage_.values).ScatterToBlocked(values, values, ranks);
    }
    template <typename Other>
    KG__CUB void sort(Key (&keys)[Items], Other (&values)[Items], int first, int end, bool descends,
                      bool striped)
    {
        const kg__model::use using_it(storage_.used);

        for (int bit = first; bit < end; bit++)
            split(keys, values, bit, descends);
        if (!striped)
            return;
        __syncthreads();
        key_exchange(storage_.keys).BlockedToStriped(keys);
        if constexpr (!::std::is_same_v<Other, NullType>)
            value_exchange(storage_.values).BlockedToStriped(values);
    }
};

#ifndef KG__PROGRAM_WATCH
// clang-format off
#define KG__CUB_DEVICE_WIDE(X)                                                                     \
    X(Sum) X(Reduce) X(Min) X(Max) X(ArgMin) X(ArgMax) X(ReduceByKey) X(TransformReduce)           \
    X(InclusiveSum) X(ExclusiveSum) X(InclusiveScan) X(ExclusiveScan) X(SortKeys)                  \
    X(SortKeysDescending) X(SortPairs) X(SortPairsDescending) X(If) X(Flagged) X(Unique)           \
    X(HistogramEven) X(Encode) X(NonTrivialRuns) X(SubtractLeft) X(SubtractLeftCopy)               \
    X(SubtractRight) X(SubtractRightCopy) X(Batched) X(Bulk) X(ForEach) X(ForEachN) X(Transform)   \
    X(StableSortKeys) X(StableSortPairs) X(MaxKeys) X(MinKeys) X(InclusiveSumByKey)                \
    X(ExclusiveSumByKey) X(InclusiveScanByKey) X(ExclusiveScanByKey) X(UniqueByKey)                \
    X(HistogramRange) X(MultiHistogramEven) X(LowerBound) X(UpperBound)
#define KG__CUB_DEVICE_CLASSES(X)                                                                  \
    X(DeviceAdjacentDifference) X(DeviceCopy) X(DeviceFor) X(DeviceHistogram) X(DeviceMemcpy)      \
    X(DeviceSegmentedSort) X(DeviceTopK) X(DeviceTransform) X(DeviceMergeSort)                     \
    X(DevicePartition) X(DeviceRadixSort) X(DeviceReduce) X(DeviceRunLengthEncode) X(DeviceScan)   \
    X(DeviceSegmentedRadixSort) X(DeviceSegmentedReduce) X(DeviceSelect)
// clang-format on

/* They are refused when called, so that kernels in the same file compile. */
struct kg__device_wide {
#define KG__CUB_REFUSED(name)                                                                      \
    template <typename... Arguments>                                                               \
    static cudaError_t name(Arguments &&...)                                                       \
    {                                                                                              \
        return kg__model_refuse("CUB's algorithms for the whole device", #name);                   \
    }
    KG__CUB_DEVICE_WIDE(KG__CUB_REFUSED)
#undef KG__CUB_DEVICE_WIDE
#undef KG__CUB_REFUSED
};
#define KG__CUB_CLASS(name) using name = kg__device_wide;
KG__CUB_DEVICE_CLASSES(KG__CUB_CLASS)
#undef KG__CUB_DEVICE_CLASSES
#undef KG__CUB_CLASS

#endif

} // namespace cub

#ifdef KG__PROGRAM_WATCH
#include "kg_model_cub_device.h"
#endif
