/* SPDX-License-Identifier: MIT */
/* CUB's block operations on neighboring threads, and histograms. */
#pragma once

#include "kg_model_cub_move.h"

namespace cub
{

namespace kg__model
{

/* A thread's items and those adjacent to them in neighboring threads. */
template <typename T, int X, int Y, int Z>
struct neighbors {
    using block = kg__model::block<X * Y * Z>;
    struct TempStorage {
        unsigned int used;
        room<T, X * Y * Z> first, last;
    };
    /* Returns the last item of the thread before, if there is one. */
    template <int Items>
    static KG__CUB void share(TempStorage &storage, const T (&items)[Items], T &before, T &after)
    {
        const unsigned int own = block::thread();

        storage.first[own] = items[0];
        storage.last[own] = items[Items - 1];
        __syncthreads();
        if (own > 0)
            before = storage.last[own - 1];
        if (own + 1 < X * Y * Z)
            after = storage.first[own + 1];
    }
    /* The optional item that a caller may give. */
    static KG__CUB const T *item()
    {
        return nullptr;
    }
    static KG__CUB const T *item(const T &given)
    {
        return &given;
    }
    static KG__CUB bool is_first()
    {
        return block::thread() == 0;
    }
    static KG__CUB bool is_last()
    {
        return block::thread() == X * Y * Z - 1;
    }
};

} // namespace kg__model

template <typename T, int X, int Y = 1, int Z = 1>
class BlockAdjacentDifference
{
    using next = kg__model::neighbors<T, X, Y, Z>;

  public:
    using TempStorage = typename next::TempStorage;
    KG__CUB_ON(BlockAdjacentDifference, storage_)
    /* `outer`: the item before the first or after the last, if there is one. */
#define KG__CUB_SUBTRACT(name, parameters, way, valid)                                             \
    template <int Items, typename Output, typename Operation, typename... Outer>                   \
    KG__CUB void name(T(&items)[Items], Output(&results)[Items], Operation operation parameters,   \
                      const Outer &...outer)                                                       \
    {                                                                                              \
        way(items, results, operation, valid, next::item(outer...));                               \
    }
#define KG__CUB_VALID , int valid
    KG__CUB_SUBTRACT(SubtractLeft, , left, Items *X *Y *Z)
    KG__CUB_SUBTRACT(SubtractRight, , right, Items *X *Y *Z)
    KG__CUB_SUBTRACT(SubtractLeftPartialTile, KG__CUB_VALID, left, valid)
    KG__CUB_SUBTRACT(SubtractRightPartialTile, KG__CUB_VALID, right, valid)
#undef KG__CUB_VALID
#undef KG__CUB_SUBTRACT

  private:
    /* Invalid items, and the end without a neighbor, stay unchanged. */
    template <int Items, typename Output, typename Operation>
    KG__CUB void left(T (&items)[Items], Output (&results)[Items], Operation &operation, int valid,
                      const T *outer)
    {
        const kg__model::use using_it(storage_.used);
        const int first = static_cast<int>(next::block::thread()) * Items;
        T before = outer != nullptr ? *outer : items[0], after = items[0];

        next::share(storage_, items, before, after);
        for (int i = Items - 1; i >= 0; i--) {
            const bool has_one = i > 0 || !next::is_first() || outer != nullptr;

            results[i] =
                first + i < valid && has_one
                    ? static_cast<Output>(operation(items[i], i > 0 ? items[i - 1] : before))
                    : static_cast<Output>(items[i]);
        }
    }
    template <int Items, typename Output, typename Operation>
    KG__CUB void right(T (&items)[Items], Output (&results)[Items], Operation &operation, int valid,
                       const T *outer)
    {
        const kg__model::use using_it(storage_.used);
        const int first = static_cast<int>(next::block::thread()) * Items;
        T before = items[0], after = outer != nullptr ? *outer : items[0];

        next::share(storage_, items, before, after);
        for (int i = 0; i < Items; i++) {
            const bool has_one = (i < Items - 1 || !next::is_last()) && first + i + 1 < valid;

            results[i] =
                has_one || (first + i + 1 == valid && outer != nullptr)
                    ? static_cast<Output>(operation(items[i], i < Items - 1 ? items[i + 1] : after))
                    : static_cast<Output>(items[i]);
        }
    }
};

template <typename T, int X, int Y = 1, int Z = 1, int = 0>
class BlockDiscontinuity
{
    using next = kg__model::neighbors<T, X, Y, Z>;

  public:
    using TempStorage = typename next::TempStorage;
    KG__CUB_ON(BlockDiscontinuity, storage_)
    template <int Items, typename Flag, typename Operation, typename... Before>
    KG__CUB void FlagHeads(Flag (&heads)[Items], T (&items)[Items], Operation operation,
                           const Before &...before)
    {
        flag(&heads, static_cast<Flag(*)[Items]>(nullptr), items, operation, next::item(before...),
             nullptr);
    }
    template <int Items, typename Flag, typename Operation, typename... After>
    KG__CUB void FlagTails(Flag (&tails)[Items], T (&items)[Items], Operation operation,
                           const After &...after)
    {
        flag(static_cast<Flag(*)[Items]>(nullptr), &tails, items, operation, nullptr,
             next::item(after...));
    }
    template <int Items, typename Flag, typename Operation>
    KG__CUB void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T (&items)[Items],
                                   Operation operation)
    {
        flag(&heads, &tails, items, operation, nullptr, nullptr);
    }
    template <int Items, typename Flag, typename Operation>
    KG__CUB void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T after,
                                   T (&items)[Items], Operation operation)
    {
        flag(&heads, &tails, items, operation, nullptr, &after);
    }
    template <int Items, typename Flag, typename Operation>
    KG__CUB void FlagHeadsAndTails(Flag (&heads)[Items], T before, Flag (&tails)[Items],
                                   T (&items)[Items], Operation operation)
    {
        flag(&heads, &tails, items, operation, &before, nullptr);
    }
    template <int Items, typename Flag, typename Operation>
    KG__CUB void FlagHeadsAndTails(Flag (&heads)[Items], T before, Flag (&tails)[Items], T after,
                                   T (&items)[Items], Operation operation)
    {
        flag(&heads, &tails, items, operation, &before, &after);
    }

  private:
    /* An operation may take the second one's index, too. */
    template <typename Flag, typename Operation>
    static KG__CUB Flag differ(Operation &operation, const T &a, const T &b, int index)
    {
        if constexpr (::std::is_invocable_v<Operation, const T &, const T &, int>)
            return static_cast<Flag>(operation(a, b, index));
        else
            return static_cast<Flag>(operation(a, b));
    }
    template <int Items, typename Flag, typename Operation>
    KG__CUB void flag(Flag (*heads)[Items], Flag (*tails)[Items], T (&items)[Items],
                      Operation &operation, const T *outer_before, const T *outer_after)
    {
        const kg__model::use using_it(storage_.used);
        const int first = static_cast<int>(next::block::thread()) * Items;
        T before = outer_before != nullptr ? *outer_before : items[0];
        T after = outer_after != nullptr ? *outer_after : items[0];

        next::share(storage_, items, before, after);
        for (int i = 0; i < Items && heads != nullptr; i++) {
            if (i == 0 && next::is_first() && outer_before == nullptr)
                (*heads)[i] = static_cast<Flag>(1);
            else
                (*heads)[i] =
                    differ<Flag>(operation, i > 0 ? items[i - 1] : before, items[i], first + i);
        }
        for (int i = 0; i < Items && tails != nullptr; i++) {
            if (i == Items - 1 && next::is_last() && outer_after == nullptr)
                (*tails)[i] = static_cast<Flag>(1);
            else
                (*tails)[i] = differ<Flag>(operation, items[i],
                                           i < Items - 1 ? items[i + 1] : after, first + i + 1);
        }
    }
};

template <typename T, int X, int Y = 1, int Z = 1, int = 0>
class BlockShuffle
{
    static constexpr int threads = X * Y * Z;
    using block = kg__model::block<threads>;

  public:
    using TempStorage = kg__model::room<T, threads>;
    KG__CUB_ON(BlockShuffle, room_)
    /* Without such a thread, `result` stays unchanged. */
    KG__CUB void Offset(T value, T &result, int distance = 1)
    {
        const int from = static_cast<int>(block::thread()) + distance;

        share(value, [&] {
            if (from >= 0 && from < threads)
                result = room_[static_cast<unsigned int>(from)];
        });
    }
    KG__CUB void Rotate(T value, T &result, unsigned int distance = 1)
    {
        share(value, [&] { result = room_[(block::thread() + distance) % threads]; });
    }
    template <int Items>
    KG__CUB void Up(T (&values)[Items], T (&results)[Items])
    {
        T last;

        Up(values, results, last);
    }
    template <int Items>
    KG__CUB void Up(T (&values)[Items], T (&results)[Items], T &last)
    {
        share(values[Items - 1], [&] {
            for (int i = Items - 1; i > 0; i--)
                results[i] = values[i - 1];
            if (block::thread() > 0)
                results[0] = room_[block::thread() - 1];
            last = room_[threads - 1];
        });
    }
    template <int Items>
    KG__CUB void Down(T (&values)[Items], T (&results)[Items])
    {
        T first;

        Down(values, results, first);
    }
    template <int Items>
    KG__CUB void Down(T (&values)[Items], T (&results)[Items], T &first)
    {
        share(values[0], [&] {
            for (int i = 0; i < Items - 1; i++)
                results[i] = values[i + 1];
            if (block::thread() + 1 < threads)
                results[Items - 1] = room_[block::thread() + 1];
            first = room_[0];
        });
    }

  private:
    template <typename Then>
    KG__CUB void share(const T &value, const Then &then)
    {
        const kg__model::use using_it(room_.used);

        room_[block::thread()] = value;
        __syncthreads();
        then();
    }
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <typename T, int X, int Items, int Bins,
          BlockHistogramAlgorithm Algorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int = 0>
class BlockHistogram
{
    static constexpr unsigned int threads = X * Y * Z;
    using block = kg__model::block<X * Y * Z>;

  public:
    struct TempStorage {
        unsigned int used;
        unsigned int counts[Algorithm == BLOCK_HISTO_SORT ? Bins : 1];
    };
    KG__CUB_ON(BlockHistogram, storage_)
    template <typename Counter>
    KG__CUB void InitHistogram(Counter histogram[Bins])
    {
        for (unsigned int bin = block::thread(); bin < Bins; bin += threads)
            histogram[bin] = 0;
    }
    template <typename Counter>
    KG__CUB void Histogram(T (&items)[Items], Counter histogram[Bins])
    {
        InitHistogram(histogram);
        __syncthreads();
        Composite(items, histogram);
    }
    /* By atomics, or with a thread for each bin. */
    template <typename Counter>
    KG__CUB void Composite(T (&items)[Items], Counter histogram[Bins])
    {
        if constexpr (Algorithm == BLOCK_HISTO_ATOMIC) {
            for (int i = 0; i < Items; i++)
                atomicAdd(histogram + items[i], static_cast<Counter>(1));
        } else {
            const kg__model::use using_it(storage_.used);

            InitHistogram(storage_.counts);
            __syncthreads();
            for (int i = 0; i < Items; i++)
                atomicAdd(storage_.counts + items[i], 1u);
            __syncthreads();
            for (unsigned int bin = block::thread(); bin < Bins; bin += threads) {
                if (storage_.counts[bin] > 0)
                    histogram[bin] = static_cast<Counter>(histogram[bin] + storage_.counts[bin]);
            }
        }
    }
};

} // namespace cub
