/* CUB's BlockRadixSort, bit by bit; and what runs on the whole device, which the model refuses. */
#ifndef KG__MODEL_CUB_SORT_H
#define KG__MODEL_CUB_SORT_H

#include "kg_model_cub_block.h"

namespace cub
{

namespace kg__model
{

/* The bits of a key in the order of its values. */
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
    KG__CUB explicit BlockRadixSort(TempStorage &storage) : storage_(storage)
    {
    }
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
    /* By one bit: those without it first, in the order that they have. */
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
    TempStorage &storage_;
};

/* They say so when they are called, so that kernels in the same file compile. */
struct kg__device_wide {
#define KG__CUB_REFUSED(name)                                                                      \
    template <typename... Arguments>                                                               \
    static cudaError_t name(Arguments &&...)                                                       \
    {                                                                                              \
        return kg__model_refuse("CUB's algorithms for the whole device", #name);                   \
    }
    KG__CUB_REFUSED(Sum)
    KG__CUB_REFUSED(Reduce)
    KG__CUB_REFUSED(Min)
    KG__CUB_REFUSED(Max)
    KG__CUB_REFUSED(ArgMin)
    KG__CUB_REFUSED(ArgMax)
    KG__CUB_REFUSED(ReduceByKey)
    KG__CUB_REFUSED(TransformReduce)
    KG__CUB_REFUSED(InclusiveSum)
    KG__CUB_REFUSED(ExclusiveSum)
    KG__CUB_REFUSED(InclusiveScan)
    KG__CUB_REFUSED(ExclusiveScan)
    KG__CUB_REFUSED(SortKeys)
    KG__CUB_REFUSED(SortKeysDescending)
    KG__CUB_REFUSED(SortPairs)
    KG__CUB_REFUSED(SortPairsDescending)
    KG__CUB_REFUSED(If)
    KG__CUB_REFUSED(Flagged)
    KG__CUB_REFUSED(Unique)
    KG__CUB_REFUSED(HistogramEven)
    KG__CUB_REFUSED(Encode)
    KG__CUB_REFUSED(NonTrivialRuns)
    KG__CUB_REFUSED(SubtractLeft)
    KG__CUB_REFUSED(SubtractLeftCopy)
    KG__CUB_REFUSED(SubtractRight)
    KG__CUB_REFUSED(SubtractRightCopy)
    KG__CUB_REFUSED(Batched)
    KG__CUB_REFUSED(Bulk)
    KG__CUB_REFUSED(ForEach)
    KG__CUB_REFUSED(ForEachN)
    KG__CUB_REFUSED(Transform)
    KG__CUB_REFUSED(StableSortKeys)
    KG__CUB_REFUSED(StableSortPairs)
    KG__CUB_REFUSED(MaxKeys)
    KG__CUB_REFUSED(MinKeys)
    KG__CUB_REFUSED(InclusiveSumByKey)
    KG__CUB_REFUSED(ExclusiveSumByKey)
    KG__CUB_REFUSED(InclusiveScanByKey)
    KG__CUB_REFUSED(ExclusiveScanByKey)
    KG__CUB_REFUSED(UniqueByKey)
    KG__CUB_REFUSED(HistogramRange)
    KG__CUB_REFUSED(MultiHistogramEven)
    KG__CUB_REFUSED(LowerBound)
    KG__CUB_REFUSED(UpperBound)
#undef KG__CUB_REFUSED
};
using DeviceAdjacentDifference = kg__device_wide;
using DeviceCopy = kg__device_wide;
using DeviceFor = kg__device_wide;
using DeviceHistogram = kg__device_wide;
using DeviceMemcpy = kg__device_wide;
using DeviceSegmentedSort = kg__device_wide;
using DeviceTopK = kg__device_wide;
using DeviceTransform = kg__device_wide;
using DeviceMergeSort = kg__device_wide;
using DevicePartition = kg__device_wide;
using DeviceRadixSort = kg__device_wide;
using DeviceReduce = kg__device_wide;
using DeviceRunLengthEncode = kg__device_wide;
using DeviceScan = kg__device_wide;
using DeviceSegmentedRadixSort = kg__device_wide;
using DeviceSegmentedReduce = kg__device_wide;
using DeviceSelect = kg__device_wide;

} // namespace cub

#endif
