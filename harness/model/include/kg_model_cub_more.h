/* SPDX-License-Identifier: MIT */
/* The rest of CUB's blocks and warps: merge sort, ranks and runs. */
#pragma once

#include "kg_model_cub_next.h"
#include "kg_model_cub_sort.h"

namespace cub
{

namespace kg__model
{

/* Sorts the items of `count` threads, of which `own` is the calling one: first each thread's
 * own, then pairs of runs. `meet` is their barrier. */
template <typename Key, typename Value, int Items, typename Keys, typename Values, typename Less,
          typename Meet>
KG__CUB void merge_sort(Keys &keys, Values &values, Key (&key)[Items], Value (&value)[Items],
                        unsigned int own, unsigned int count, Less less, const Meet &meet)
{
    constexpr bool pairs = !::std::is_same_v<Value, NullType>;
    const unsigned int all = count * Items;

    for (int i = 1; i < Items; i++) {
        for (int j = i; j > 0 && less(key[j], key[j - 1]); j--) {
            const Key one = key[j];
            const Value with_it = value[j];

            key[j] = key[j - 1];
            key[j - 1] = one;
            value[j] = value[j - 1];
            value[j - 1] = with_it;
        }
    }
    for (unsigned int run = Items; run < all; run *= 2) {
        const unsigned int start = own * Items / (2 * run) * (2 * run);
        const unsigned int middle = start + run < all ? start + run : all;
        const unsigned int end = start + 2 * run < all ? start + 2 * run : all;
        const bool is_left = own * Items < middle;

        for (int i = 0; i < Items; i++)
            keys[own * Items + static_cast<unsigned int>(i)] = key[i];
        meet();
        unsigned int to[Items];
        for (int i = 0; i < Items; i++) {
            unsigned int low = is_left ? middle : start;
            unsigned int high = is_left ? end : middle;
            const unsigned int first = low;

            while (low < high) {
                const unsigned int half = (low + high) / 2;

                if (is_left ? less(keys[half], key[i]) : !less(key[i], keys[half]))
                    low = half + 1;
                else
                    high = half;
            }
            to[i] = own * Items + static_cast<unsigned int>(i) + (low - first) -
                    (is_left ? 0 : middle - start);
        }
        meet();
        for (int i = 0; i < Items; i++) {
            keys[to[i]] = key[i];
            if constexpr (pairs)
                values[to[i]] = value[i];
        }
        meet();
        for (int i = 0; i < Items; i++) {
            key[i] = keys[own * Items + static_cast<unsigned int>(i)];
            if constexpr (pairs)
                value[i] = values[own * Items + static_cast<unsigned int>(i)];
        }
        meet();
    }
}

} // namespace kg__model

/* Sort() and StableSort() of keys, with or without values, and with a number of valid ones. */
#define KG__CUB_MERGE_SORT(name)                                                                   \
    template <typename Less>                                                                       \
    KG__CUB void name(Key(&keys)[Items], Less less)                                                \
    {                                                                                              \
        NullType none[Items];                                                                      \
                                                                                                   \
        sort(keys, none, less);                                                                    \
    }                                                                                              \
    template <typename Less>                                                                       \
    KG__CUB void name(Key(&keys)[Items], Less less, int valid, Key beyond)                         \
    {                                                                                              \
        fill(keys, valid, beyond);                                                                 \
        name(keys, less);                                                                          \
    }                                                                                              \
    template <typename Less>                                                                       \
    KG__CUB void name(Key(&keys)[Items], Value(&values)[Items], Less less)                         \
    {                                                                                              \
        sort(keys, values, less);                                                                  \
    }                                                                                              \
    template <typename Less>                                                                       \
    KG__CUB void name(Key(&keys)[Items], Value(&values)[Items], Less less, int valid, Key beyond)  \
    {                                                                                              \
        fill(keys, valid, beyond);                                                                 \
        name(keys, values, less);                                                                  \
    }

template <typename Key, int X, int Items, typename Value = NullType, int Y = 1, int Z = 1>
class BlockMergeSort
{
    using block = kg__model::block<X * Y * Z>;

  public:
    struct TempStorage {
        unsigned int used;
        kg__model::room<Key, X * Y * Z * Items> keys;
        kg__model::room<Value, X * Y * Z * Items> values;
    };
    KG__CUB_ON(BlockMergeSort, storage_)
    KG__CUB_MERGE_SORT(Sort)
    KG__CUB_MERGE_SORT(StableSort)

  private:
    KG__CUB void fill(Key (&keys)[Items], int valid, const Key &beyond)
    {
        for (int i = 0; i < Items; i++) {
            if (static_cast<int>(block::thread()) * Items + i >= valid)
                keys[i] = beyond;
        }
    }
    template <typename Other, typename Less>
    KG__CUB void sort(Key (&keys)[Items], Other (&values)[Items], Less less)
    {
        const kg__model::use using_it(storage_.used);

        kg__model::merge_sort(storage_.keys, storage_.values, keys, values, block::thread(),
                              X * Y * Z, less, [] { __syncthreads(); });
    }
};

template <typename Key, int Items, int Lanes = KG__MODEL_WARP, typename Value = NullType>
class WarpMergeSort
{
  public:
    struct TempStorage {
        kg__model::room<Key, Lanes * Items> keys;
        kg__model::room<Value, Lanes * Items> values;
    };
    KG__CUB explicit WarpMergeSort(TempStorage &storage) : storage_(storage), warp_(Lanes)
    {
    }
    KG__CUB_MERGE_SORT(Sort)
    KG__CUB_MERGE_SORT(StableSort)

  private:
    KG__CUB void fill(Key (&keys)[Items], int valid, const Key &beyond)
    {
        for (int i = 0; i < Items; i++) {
            if (static_cast<int>(warp_.rank) * Items + i >= valid)
                keys[i] = beyond;
        }
    }
    template <typename Other, typename Less>
    KG__CUB void sort(Key (&keys)[Items], Other (&values)[Items], Less less)
    {
        kg__model::merge_sort(storage_.keys, storage_.values, keys, values, warp_.rank, warp_.count,
                              less, [&] { __syncwarp(warp_.mask); });
    }
    TempStorage &storage_;
    const kg__model::lanes warp_;
};
#undef KG__CUB_MERGE_SORT

/* Returns a digit of a key. */
template <typename Key>
struct BFEDigitExtractor {
    unsigned int bit_start, num_bits;
    KG__CUB explicit BFEDigitExtractor(unsigned int start = 0, unsigned int bits = 0)
        : bit_start(start), num_bits(bits)
    {
    }
    template <typename Bits>
    KG__CUB unsigned int Digit(Bits key) const
    {
        return static_cast<unsigned int>(key >> bit_start) & ((1u << num_bits) - 1);
    }
};

/* The ranks of keys sorted by a digit; equal keys keep their order. */
template <int X, int RadixBits, bool IsDescending, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1>
class BlockRadixRank
{
    static constexpr int threads = X * Y * Z;
    using block = kg__model::block<threads>;
    using scan = BlockScan<unsigned int, X, BLOCK_SCAN_WARP_SCANS, Y, Z>;

  public:
    struct TempStorage {
        unsigned int used;
        typename scan::TempStorage sums;
    };
    KG__CUB_ON(BlockRadixRank, storage_)
    template <typename Bits, int Items, typename Extractor>
    KG__CUB void RankKeys(Bits (&keys)[Items], int (&ranks)[Items], Extractor extractor)
    {
        const kg__model::use using_it(storage_.used);
        unsigned int before = 0;

        for (unsigned int i = 0; i < 1u << RadixBits; i++) {
            const unsigned int digit = IsDescending ? (1u << RadixBits) - 1 - i : i;
            unsigned int own[Items], places[Items], all;

            for (int item = 0; item < Items; item++)
                own[item] = extractor.Digit(keys[item]) == digit;
            scan(storage_.sums).ExclusiveSum(own, places, all);
            for (int item = 0; item < Items; item++) {
                if (own[item] != 0)
                    ranks[item] = static_cast<int>(before + places[item]);
            }
            before += all;
            __syncthreads();
        }
    }
};

/* Runs of values, by their lengths or by their beginnings. */
template <typename T, int X, int Runs, int Decoded, typename Offset = uint32_t, int Y = 1,
          int Z = 1>
class BlockRunLengthDecode
{
    static constexpr int threads = X * Y * Z;
    using block = kg__model::block<threads>;
    using scan = BlockScan<Offset, X, BLOCK_SCAN_WARP_SCANS, Y, Z>;

  public:
    struct TempStorage {
        typename scan::TempStorage sums;
        kg__model::room<T, threads * Runs> values;
        kg__model::room<Offset, threads * Runs> starts;
    };
    template <typename Length, typename Total>
    KG__CUB BlockRunLengthDecode(TempStorage &storage, T (&values)[Runs], Length (&lengths)[Runs],
                                 Total &total)
        : storage_(storage)
    {
        Offset own[Runs], starts[Runs], all;

        for (int i = 0; i < Runs; i++)
            own[i] = static_cast<Offset>(lengths[i]);
        scan(storage.sums).ExclusiveSum(own, starts, all);
        total = static_cast<Total>(all);
        keep(values, starts);
    }
    template <typename Start>
    KG__CUB BlockRunLengthDecode(TempStorage &storage, T (&values)[Runs], Start (&starts)[Runs])
        : storage_(storage)
    {
        keep(values, starts);
    }
    /* Decodes items from `from` on, each with its position in its run. */
    template <typename Place>
    KG__CUB void RunLengthDecode(T (&items)[Decoded], Place (&places)[Decoded], Offset from = 0)
    {
        for (int i = 0; i < Decoded; i++) {
            const Offset at = static_cast<Offset>(
                from + kg__model::position<kg__model::BLOCKED, threads, Decoded>(i));
            unsigned int low = 0, high = threads * Runs;

            /* The last run that begins at the item or before it. */
            while (low + 1 < high) {
                const unsigned int half = (low + high) / 2;

                if (storage_.starts[half] <= at)
                    low = half;
                else
                    high = half;
            }
            items[i] = storage_.values[low];
            places[i] = static_cast<Place>(at - storage_.starts[low]);
        }
    }
    KG__CUB void RunLengthDecode(T (&items)[Decoded], Offset from = 0)
    {
        Offset places[Decoded];

        RunLengthDecode(items, places, from);
    }

  private:
    template <typename Start>
    KG__CUB void keep(const T (&values)[Runs], const Start (&starts)[Runs])
    {
        for (int i = 0; i < Runs; i++) {
            const unsigned int at = kg__model::position<kg__model::BLOCKED, threads, Runs>(i);

            storage_.values[at] = values[i];
            storage_.starts[at] = static_cast<Offset>(starts[i]);
        }
        __syncthreads();
    }
    TempStorage &storage_;
};

} // namespace cub
