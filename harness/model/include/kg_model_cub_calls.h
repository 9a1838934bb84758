/* SPDX-License-Identifier: MIT */
/* The calls of CUB's algorithms for the whole device. Part of kg_model_cub_device.h. */
#pragma once

namespace kernels
{
// clang-format off
#define KG__CUB_NAMES(X)                                                                           \
    X(ArgMax) X(ArgMin) X(Batched) X(Bulk) X(Encode) X(ExclusiveScan) X(ExclusiveScanByKey)        \
    X(ExclusiveSum) X(ExclusiveSumByKey) X(Flagged) X(ForEach) X(HistogramEven)                    \
    X(HistogramRange) X(If) X(InclusiveScan) X(InclusiveScanByKey) X(InclusiveSum)                 \
    X(InclusiveSumByKey) X(Max) X(Min) X(MultiHistogramEven) X(NonTrivialRuns) X(Reduce)           \
    X(ReduceByKey) X(SortKeys) X(SortPairs) X(SubtractLeft) X(SubtractRight) X(Sum) X(Transform)   \
    X(TransformReduce) X(Unique) X(UniqueByKey)
// clang-format on
#define KG__CUB_NAMED(name)                                                                        \
    static __attribute__((noinline, used)) void name()                                             \
    {                                                                                              \
    }
KG__CUB_NAMES(KG__CUB_NAMED)
#undef KG__CUB_NAMED
#undef KG__CUB_NAMES
} // namespace kernels

namespace kg__device
{
/* Of the parameters behind the segments: the bits of a radix sort, and the stream. */
template <typename Key>
struct bits_and_stream {
    cudaStream_t stream = nullptr;
    int first = 0;
    int end = 8 * sizeof(Key);
    bits_and_stream(cudaStream_t of = nullptr) : stream(of)
    {
    }
    bits_and_stream(int from, int to, cudaStream_t of = nullptr) : stream(of), first(from), end(to)
    {
    }
};
} // namespace kg__device

/* Reductions by an operation of their name, and from where. */
#define KG__CUB_SIMPLE_REDUCTIONS(X)                                                               \
    X(Sum, kg__device::element<In>())                                                              \
    X(Max, ::std::numeric_limits<kg__device::element<In>>::lowest())                               \
    X(Min, ::std::numeric_limits<kg__device::element<In>>::max())
struct DeviceReduce {
    template <typename In, typename Out, typename Size, typename Operation, typename Value,
              typename... Rest>
    static cudaError_t Reduce(KG__CUB_STORAGE, In in, Out out, Size n, Operation operation,
                              Value first, Rest... rest)
    {
        KG__CUB_REDUCE(Reduce, reduce, in, out, n, operation, first);
    }
#define KG__CUB_REDUCES(name, first)                                                               \
    template <typename In, typename Out, typename Size, typename... Rest>                          \
    static cudaError_t name(KG__CUB_STORAGE, In in, Out out, Size n, Rest... rest)                 \
    {                                                                                              \
        KG__CUB_REDUCE(name, reduce, in, out, n, cub::name(), first);                              \
    }
    KG__CUB_SIMPLE_REDUCTIONS(KG__CUB_REDUCES)
#undef KG__CUB_REDUCES
    template <typename In, typename Out, typename Size, typename... Rest>
    static cudaError_t ArgMax(KG__CUB_STORAGE, In in, Out out, Size n, Rest... rest)
    {
        KG__CUB_REDUCE(ArgMax, reduce_place, in, out, n, false);
    }
    template <typename In, typename Out, typename Size, typename... Rest>
    static cudaError_t ArgMin(KG__CUB_STORAGE, In in, Out out, Size n, Rest... rest)
    {
        KG__CUB_REDUCE(ArgMin, reduce_place, in, out, n, true);
    }
    template <typename In, typename Out, typename Size, typename Operation, typename Change,
              typename Value, typename... Rest>
    static cudaError_t TransformReduce(KG__CUB_STORAGE, In in, Out out, Size n, Operation operation,
                                       Change change, Value first, Rest... rest)
    {
        KG__CUB_REDUCE(TransformReduce, transform_reduce, in, out, n, operation, change, first);
    }
    template <typename Keys, typename Unique, typename In, typename Out, typename Runs,
              typename Operation, typename Size, typename... Rest>
    static cudaError_t ReduceByKey(KG__CUB_STORAGE, Keys keys, Unique unique, In in, Out out,
                                   Runs runs, Operation operation, Size n, Rest... rest)
    {
        KG__CUB_RUN(ReduceByKey, reduce_by_key, keys, unique, in, out, runs, operation, n);
    }
};

struct DeviceScan {
#define KG__CUB_SUMS(name, is_inclusive)                                                           \
    template <typename In, typename Out, typename Size, typename... Rest>                          \
    static auto name##Sum(KG__CUB_STORAGE, In in, Out out, Size n, Rest... rest)                   \
        ->::std::enable_if_t<::std::is_integral_v<Size>, cudaError_t>                              \
    {                                                                                              \
        KG__CUB_RUN(name##Sum, scan<is_inclusive>, in, out, cub::Sum(), kg__device::element<In>(), \
                    !is_inclusive, n);                                                             \
    }                                                                                              \
    template <typename In, typename Size>                                                          \
    static auto name##Sum(KG__CUB_STORAGE, In in, Size n, cudaStream_t stream = nullptr)           \
        ->::std::enable_if_t<::std::is_integral_v<Size>, cudaError_t>                              \
    {                                                                                              \
        return name##Sum(storage, bytes, in, in, n, stream);                                       \
    }                                                                                              \
    template <typename Keys, typename In, typename Out, typename Size>                             \
    static cudaError_t name##SumByKey(KG__CUB_STORAGE, Keys keys, In in, Out out, Size n)          \
    {                                                                                              \
        return kg__device::with_storage<kg__device::scan_by_key<is_inclusive>>(                    \
            kernels::name##SumByKey, storage, bytes, kg__device::tiles<In>(n), nullptr, keys, in,  \
            out, cub::Sum(), kg__device::element<In>(), !is_inclusive, n);                         \
    }
    KG__CUB_SUMS(Inclusive, true)
    KG__CUB_SUMS(Exclusive, false)
#undef KG__CUB_SUMS
    template <typename In, typename Out, typename Operation, typename Size, typename... Rest>
    static auto InclusiveScan(KG__CUB_STORAGE, In in, Out out, Operation operation, Size n,
                              Rest... rest)
        -> ::std::enable_if_t<::std::is_integral_v<Size>, cudaError_t>
    {
        KG__CUB_RUN(InclusiveScan, scan<true>, in, out, operation, kg__device::element<In>(), false,
                    n);
    }
#define KG__CUB_SCAN_FROM(name, kernel, is_inclusive)                                              \
    template <typename In, typename Out, typename Operation, typename Value, typename Size,        \
              typename... Rest>                                                                    \
    static auto name(KG__CUB_STORAGE, In in, Out out, Operation operation, Value first, Size n,    \
                     Rest... rest)                                                                 \
        ->::std::enable_if_t<::std::is_integral_v<Size>, cudaError_t>                              \
    {                                                                                              \
        KG__CUB_RUN(kernel, scan<is_inclusive>, in, out, operation, first, true, n);               \
    }
    KG__CUB_SCAN_FROM(InclusiveScanInit, InclusiveScan, true)
    KG__CUB_SCAN_FROM(ExclusiveScan, ExclusiveScan, false)
#undef KG__CUB_SCAN_FROM
    template <typename Keys, typename In, typename Out, typename Operation, typename Size>
    static cudaError_t InclusiveScanByKey(KG__CUB_STORAGE, Keys keys, In in, Out out,
                                          Operation operation, Size n)
    {
        return kg__device::with_storage<kg__device::scan_by_key<true>>(
            kernels::InclusiveScanByKey, storage, bytes, kg__device::tiles<In>(n), nullptr, keys,
            in, out, operation, kg__device::element<In>(), false, n);
    }
    template <typename Keys, typename In, typename Out, typename Operation, typename Value,
              typename Size>
    static cudaError_t ExclusiveScanByKey(KG__CUB_STORAGE, Keys keys, In in, Out out,
                                          Operation operation, Value first, Size n)
    {
        return kg__device::with_storage<kg__device::scan_by_key<false>>(
            kernels::ExclusiveScanByKey, storage, bytes, kg__device::tiles<In>(n), nullptr, keys,
            in, out, operation, first, true, n);
    }
};

#define KG__CUB_CHOICES(splits)                                                                    \
    template <typename In, typename Flags, typename Out, typename Number, typename Size,           \
              typename... Rest>                                                                    \
    static cudaError_t Flagged(KG__CUB_STORAGE, In in, Flags flags, Out out, Number number,        \
                               Size n, Rest... rest)                                               \
    {                                                                                              \
        KG__CUB_RUN(Flagged, choose, in, kg__device::by_flags<Flags>{ flags }, out, number, n,     \
                    splits);                                                                       \
    }                                                                                              \
    template <typename In, typename Out, typename Number, typename Size, typename Predicate,       \
              typename... Rest>                                                                    \
    static cudaError_t If(KG__CUB_STORAGE, In in, Out out, Number number, Size n,                  \
                          Predicate predicate, Rest... rest)                                       \
    {                                                                                              \
        KG__CUB_RUN(If, choose, in, kg__device::by_value<Predicate>{ predicate }, out, number, n,  \
                    splits);                                                                       \
    }
struct DeviceSelect {
    KG__CUB_CHOICES(false)
    template <typename In, typename Out, typename Number, typename Size, typename... Rest>
    static cudaError_t Unique(KG__CUB_STORAGE, In in, Out out, Number number, Size n, Rest... rest)
    {
        KG__CUB_RUN(Unique, choose, in, kg__device::by_change<In>{ in }, out, number, n, false);
    }
    template <typename Keys, typename In, typename KeysOut, typename Out, typename Number,
              typename Size, typename... Rest>
    static cudaError_t UniqueByKey(KG__CUB_STORAGE, Keys keys, In in, KeysOut keys_out, Out out,
                                   Number number, Size n, Rest... rest)
    {
        KG__CUB_RUN(UniqueByKey, unique_by_key, keys, in, keys_out, out, number, n);
    }
};

struct DevicePartition {
    KG__CUB_CHOICES(true)
};
#undef KG__CUB_CHOICES

/* Sorts with buffers that change places. */
#define KG__CUB_BUFFERED(sort_keys, sort_pairs)                                                    \
    template <typename Key, typename... Rest>                                                      \
    static cudaError_t sort_keys(KG__CUB_STORAGE, DoubleBuffer<Key> &keys, Rest... rest)           \
    {                                                                                              \
        const cudaError_t error =                                                                  \
            sort_keys(storage, bytes, keys.Current(), keys.Alternate(), rest...);                  \
                                                                                                   \
        keys.selector ^= storage != nullptr;                                                       \
        return error;                                                                              \
    }                                                                                              \
    template <typename Key, typename Value, typename... Rest>                                      \
    static cudaError_t sort_pairs(KG__CUB_STORAGE, DoubleBuffer<Key> &keys,                        \
                                  DoubleBuffer<Value> &values, Rest... rest)                       \
    {                                                                                              \
        const cudaError_t error = sort_pairs(storage, bytes, keys.Current(), keys.Alternate(),     \
                                             values.Current(), values.Alternate(), rest...);       \
                                                                                                   \
        keys.selector ^= storage != nullptr;                                                       \
        values.selector ^= storage != nullptr;                                                     \
        return error;                                                                              \
    }

#define KG__CUB_SORTS(suffix, descends)                                                            \
    template <typename Key, typename Size>                                                         \
    static cudaError_t SortKeys##suffix(KG__CUB_STORAGE, const Key *in, Key *out, Size n,          \
                                        int first = 0, int end = 8 * sizeof(Key),                  \
                                        cudaStream_t stream = nullptr)                             \
    {                                                                                              \
        return kg__device::with_storage<kg__device::radix_sort>(                                   \
            kernels::SortKeys, storage, bytes, kg__device::elements<Key *>(n), stream, in, out,    \
            static_cast<const NullType *>(nullptr), static_cast<NullType *>(nullptr),              \
            static_cast<size_t>(n), first, end, descends);                                         \
    }                                                                                              \
    template <typename Key, typename Value, typename Size>                                         \
    static cudaError_t SortPairs##suffix(                                                          \
        KG__CUB_STORAGE, const Key *in, Key *out, const Value *values, Value *values_out, Size n,  \
        int first = 0, int end = 8 * sizeof(Key), cudaStream_t stream = nullptr)                   \
    {                                                                                              \
        return kg__device::with_storage<kg__device::radix_sort>(                                   \
            kernels::SortPairs, storage, bytes, kg__device::elements<Key *, Value *>(n), stream,   \
            in, out, values, values_out, static_cast<size_t>(n), first, end, descends);            \
    }                                                                                              \
    KG__CUB_BUFFERED(SortKeys##suffix, SortPairs##suffix)
struct DeviceRadixSort {
    KG__CUB_SORTS(, false)
    KG__CUB_SORTS(Descending, true)
};
#undef KG__CUB_SORTS

#define KG__CUB_SORTS(prefix, suffix, descends)                                                    \
    template <typename Key, typename Begins, typename Ends, typename... Rest>                      \
    static cudaError_t prefix##SortKeys##suffix(KG__CUB_STORAGE, const Key *in, Key *out,          \
                                                long long n, int segments, Begins begins,          \
                                                Ends ends, Rest... rest)                           \
    {                                                                                              \
        return prefix##SortPairs##suffix(                                                          \
            storage, bytes, in, out, static_cast<const NullType *>(nullptr),                       \
            static_cast<NullType *>(nullptr), n, segments, begins, ends, rest...);                 \
    }                                                                                              \
    template <typename Key, typename Value, typename Begins, typename Ends, typename... Rest>      \
    static cudaError_t prefix##SortPairs##suffix(                                                  \
        KG__CUB_STORAGE, const Key *in, Key *out, const Value *values, Value *values_out,          \
        long long n, int segments, Begins begins, Ends ends, Rest... rest)                         \
    {                                                                                              \
        const kg__device::bits_and_stream<Key> bits(rest...);                                      \
                                                                                                   \
        return kg__device::with_storage<kg__device::radix_sort_segments>(                          \
            ::std::is_same_v<Value, NullType> ? kernels::SortKeys : kernels::SortPairs, storage,   \
            bytes, kg__device::elements<Key *, Value *>(n), bits.stream, in, out, values,          \
            values_out, segments, begins, ends, bits.first, bits.end, descends);                   \
    }                                                                                              \
    KG__CUB_BUFFERED(prefix##SortKeys##suffix, prefix##SortPairs##suffix)
struct DeviceSegmentedSort {
    KG__CUB_SORTS(, , false)
    KG__CUB_SORTS(, Descending, true)
    KG__CUB_SORTS(Stable, , false)
    KG__CUB_SORTS(Stable, Descending, true)
};
struct DeviceSegmentedRadixSort {
    KG__CUB_SORTS(, , false)
    KG__CUB_SORTS(, Descending, true)
};
#undef KG__CUB_SORTS
#undef KG__CUB_BUFFERED

struct DeviceMergeSort {
    template <typename Keys, typename Size, typename Compare, typename... Rest>
    static cudaError_t SortKeys(KG__CUB_STORAGE, Keys keys, Size n, Compare compare, Rest... rest)
    {
        KG__CUB_RUN_ASKING(kg__device::elements<Keys>(n), SortKeys, merge_sort, keys,
                           static_cast<NullType *>(nullptr), static_cast<size_t>(n), compare);
    }
    template <typename Keys, typename Values, typename Size, typename Compare, typename... Rest>
    static cudaError_t SortPairs(KG__CUB_STORAGE, Keys keys, Values values, Size n, Compare compare,
                                 Rest... rest)
    {
        KG__CUB_RUN_ASKING((kg__device::elements<Keys, Values>(n)), SortPairs, merge_sort, keys,
                           values, static_cast<size_t>(n), compare);
    }
    template <typename... Arguments>
    static cudaError_t StableSortKeys(KG__CUB_STORAGE, Arguments... arguments)
    {
        return SortKeys(storage, bytes, arguments...);
    }
    template <typename... Arguments>
    static cudaError_t StableSortPairs(KG__CUB_STORAGE, Arguments... arguments)
    {
        return SortPairs(storage, bytes, arguments...);
    }
};

struct DeviceSegmentedReduce {
    template <typename In, typename Out, typename Begins, typename Ends, typename Operation,
              typename Value, typename... Rest>
    static cudaError_t Reduce(KG__CUB_STORAGE, In in, Out out, int segments, Begins begins,
                              Ends ends, Operation operation, Value first, Rest... rest)
    {
        KG__CUB_RUN_ASKING(kg__device::least, Reduce, reduce_segments, in, out, segments, begins,
                           ends, operation, first);
    }
#define KG__CUB_REDUCES(name, first)                                                               \
    template <typename In, typename Out, typename Begins, typename Ends, typename... Rest>         \
    static cudaError_t name(KG__CUB_STORAGE, In in, Out out, int segments, Begins begins,          \
                            Ends ends, Rest... rest)                                               \
    {                                                                                              \
        KG__CUB_RUN_ASKING(kg__device::least, name, reduce_segments, in, out, segments, begins,    \
                           ends, cub::name(), first);                                              \
    }
    KG__CUB_SIMPLE_REDUCTIONS(KG__CUB_REDUCES)
#undef KG__CUB_REDUCES
};
#undef KG__CUB_SIMPLE_REDUCTIONS

struct DeviceHistogram {
    template <typename In, typename Counter, typename Level, typename Size, typename... Rest>
    static cudaError_t HistogramEven(KG__CUB_STORAGE, In in, Counter *counters, int levels,
                                     Level lower, Level upper, Size n, Rest... rest)
    {
        KG__CUB_RUN_ASKING(levels * kg__device::few_tiles<In>(n), HistogramEven, histogram_even, in,
                           counters, levels, lower, upper, n);
    }
    template <typename In, typename Counter, typename Level, typename Size, typename... Rest>
    static cudaError_t HistogramRange(KG__CUB_STORAGE, In in, Counter *counters, int levels,
                                      const Level *bounds, Size n, Rest... rest)
    {
        KG__CUB_RUN_ASKING(levels * kg__device::few_tiles<In>(n), HistogramRange, histogram_range,
                           in, counters, levels, bounds, n);
    }
    /* Of each of the first channels of n pixels. */
    template <int Channels, int Active, typename In, typename Counters, typename Levels,
              typename Bounds, typename Size, typename... Rest>
    static cudaError_t MultiHistogramEven(KG__CUB_STORAGE, In in, Counters counters, Levels levels,
                                          Bounds lower, Bounds upper, Size n, Rest... rest)
    {
        using Counter = ::std::remove_reference_t<decltype(*counters[0])>;
        using Level = ::std::decay_t<decltype(lower[0])>;
        kg__device::active_channels<Active, Counter, Level> channels;
        int bins = 0;

        for (int c = 0; c < Active; c++) {
            channels.of[c] = { counters[c], levels[c], lower[c], upper[c] };
            bins += levels[c];
        }
        KG__CUB_RUN_ASKING(bins * kg__device::few_tiles<In>(n), MultiHistogramEven,
                           histograms_even<Channels>, in, channels, n);
    }
};

struct DeviceRunLengthEncode {
    template <typename In, typename Unique, typename Counts, typename Runs, typename Size,
              typename... Rest>
    static cudaError_t Encode(KG__CUB_STORAGE, In in, Unique unique, Counts counts, Runs runs,
                              Size n, Rest... rest)
    {
        KG__CUB_RUN(Encode, encode, in, unique, counts, runs, n);
    }
    template <typename In, typename Places, typename Lengths, typename Runs, typename Size,
              typename... Rest>
    static cudaError_t NonTrivialRuns(KG__CUB_STORAGE, In in, Places places, Lengths lengths,
                                      Runs runs, Size n, Rest... rest)
    {
        KG__CUB_RUN(NonTrivialRuns, encode_runs, in, places, lengths, runs, n);
    }
};

struct DeviceAdjacentDifference {
#define KG__CUB_SUBTRACTS(name, is_left)                                                           \
    template <typename In, typename Out, typename Size, typename Operation = cub::Difference,      \
              typename... Rest>                                                                    \
    static cudaError_t name##Copy(KG__CUB_STORAGE, In in, Out out, Size n,                         \
                                  Operation operation = {}, Rest... rest)                          \
    {                                                                                              \
        KG__CUB_RUN_ASKING(kg__device::least, name, subtract, in, out, n, operation, is_left);     \
    }                                                                                              \
    template <typename In, typename Size, typename... Rest>                                        \
    static cudaError_t name(KG__CUB_STORAGE, In in, Size n, Rest... rest)                          \
    {                                                                                              \
        return name##Copy(storage, bytes, in, in, n, rest...);                                     \
    }
    KG__CUB_SUBTRACTS(SubtractLeft, true)
    KG__CUB_SUBTRACTS(SubtractRight, false)
#undef KG__CUB_SUBTRACTS
};

#define KG__CUB_BATCHED(name, of_bytes)                                                            \
    struct name {                                                                                  \
        template <typename Froms, typename Tos, typename Sizes, typename... Rest>                  \
        static cudaError_t Batched(KG__CUB_STORAGE, Froms froms, Tos tos, Sizes sizes,             \
                                   unsigned int count, Rest... rest)                               \
        {                                                                                          \
            KG__CUB_RUN_ASKING(kg__device::least + 24 * count, Batched, copy_batch<of_bytes>,      \
                               froms, tos, sizes, count);                                          \
        }                                                                                          \
    };
KG__CUB_BATCHED(DeviceMemcpy, true)
KG__CUB_BATCHED(DeviceCopy, false)
#undef KG__CUB_BATCHED

/* Without temporary storage. */
struct DeviceFor {
    template <typename Size, typename Visit>
    static cudaError_t Bulk(Size n, Visit visit, cudaStream_t stream = nullptr)
    {
        return kg__device::run<kg__device::bulk>(kernels::Bulk, stream, n, visit);
    }
    template <typename In, typename Size, typename Visit>
    static cudaError_t ForEachN(In first, Size n, Visit visit, cudaStream_t stream = nullptr)
    {
        return kg__device::run<kg__device::for_each>(kernels::ForEach, stream, first, n, visit);
    }
    template <typename In, typename Visit>
    static cudaError_t ForEach(In first, In last, Visit visit, cudaStream_t stream = nullptr)
    {
        return ForEachN(first, last - first, visit, stream);
    }
};
struct DeviceTransform {
    template <typename In, typename Out, typename Size, typename Change>
    static cudaError_t Transform(In in, Out out, Size n, Change change,
                                 cudaStream_t stream = nullptr)
    {
        return kg__device::run<kg__device::transform>(kernels::Transform, stream, in, out, n,
                                                      change);
    }
};
