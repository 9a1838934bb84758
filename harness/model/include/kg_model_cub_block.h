/* SPDX-License-Identifier: MIT */
/* CUB's blocks: BlockReduce, BlockScan, BlockLoad, BlockStore, BlockExchange and BlockRadixSort.
 * Each call has its own barriers, but none before or after: a second use of TempStorage needs
 * one in between. */
#pragma once

#include "kg_model_cub.h"

namespace cub
{

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
    BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

namespace kg__model
{

template <int Threads>
struct block {
    static constexpr unsigned int warps = (Threads + KG__MODEL_WARP - 1) / KG__MODEL_WARP;
    static KG__CUB unsigned int thread()
    {
        return groups::thread_in_block();
    }
};

/* How a thread's items are placed among those of all. */
enum layout { BLOCKED, STRIPED, WARP_STRIPED };
template <layout Layout, int Threads, int Items>
KG__CUB unsigned int position(int item)
{
    const unsigned int thread = groups::thread_in_block();
    const unsigned int i = static_cast<unsigned int>(item);

    if (Layout == BLOCKED)
        return thread * Items + i;
    if (Layout == STRIPED)
        return i * Threads + thread;
    return (thread / KG__MODEL_WARP * Items + i) * KG__MODEL_WARP + thread % KG__MODEL_WARP;
}

/* Moves items through shared memory, by the positions from `from` and `to`. */
template <typename Room, typename T, int Items, typename From, typename To>
KG__CUB void move(Room &room, const T (&values)[Items], T (&results)[Items], const From &from,
                  const To &to, bool in_warps = false)
{
    const use using_it(room.used, in_warps);

    for (int i = 0; i < Items; i++)
        room[from(i)] = values[i];
    if (in_warps)
        __syncwarp(lanes(KG__MODEL_WARP).mask);
    else
        __syncthreads();
    for (int i = 0; i < Items; i++)
        results[i] = room[to(i)];
}

} // namespace kg__model

template <typename T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1,
          int Z = 1, int = 0>
class BlockReduce
{
    static constexpr int threads = X * Y * Z;
    using block = kg__model::block<threads>;

  public:
    using TempStorage = kg__model::room<T, block::warps>;
    KG__CUB_ON(BlockReduce, of_warp_)
    /* The first thread gets the combined value of the first `valid` ones. */
    template <typename Operation>
    KG__CUB T Reduce(T value, Operation operation, int valid = threads)
    {
        const kg__model::use using_it(of_warp_.used);
        const kg__model::lanes warp(KG__MODEL_WARP);
        const unsigned int number = block::thread() / KG__MODEL_WARP;
        int rest;

        valid = valid < threads ? valid : threads;
        rest = valid - static_cast<int>(number * KG__MODEL_WARP);
        value = warp.reduce(value, operation, rest > 0 ? static_cast<unsigned int>(rest) : 0);
        if (warp.rank == 0 && rest > 0)
            of_warp_[number] = value;
        __syncthreads();
        if (block::thread() == 0) {
            for (int i = 1; i * KG__MODEL_WARP < valid; i++)
                value = operation(value, of_warp_[static_cast<unsigned int>(i)]);
        }
        return value;
    }
    template <int Items, typename Operation>
    KG__CUB T Reduce(T (&values)[Items], Operation operation)
    {
        T own = values[0];

        for (int i = 1; i < Items; i++)
            own = operation(own, values[i]);
        return Reduce(own, operation);
    }
    KG__CUB T Sum(T value, int valid = threads)
    {
        return Reduce(value, cub::Sum(), valid);
    }
    template <int Items>
    KG__CUB T Sum(T (&values)[Items])
    {
        return Reduce(values, cub::Sum());
    }
};

template <typename T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan
{
    using block = kg__model::block<X * Y * Z>;

  public:
    /* The last is a prefix that one thread gets for all. */
    using TempStorage = kg__model::room<T, block::warps + 1>;
    KG__CUB_ON(BlockScan, of_warp_)

    /* Each scans one value per thread, or arrays. After the operation there may be a variable
     * for the block's total, or a function that the first warp calls with the total and that
     * returns the prefix of all; before the operation, the initial value. */
#define KG__CUB_SCAN(name, is_inclusive, initial)                                                  \
    template <int Items, typename... Last>                                                         \
    KG__CUB void name##Sum(T(&values)[Items], T(&results)[Items], Last &...last)                   \
    {                                                                                              \
        const T zero = T();                                                                        \
                                                                                                   \
        finish(values, results, is_inclusive, initial, cub::Sum(), last...);                       \
    }                                                                                              \
    template <int Items, typename First, typename... Rest>                                         \
    KG__CUB void name##Scan(T(&values)[Items], T(&results)[Items], First first, Rest &&...rest)    \
    {                                                                                              \
        if constexpr (::std::is_convertible_v<First, T>) {                                         \
            const T before = static_cast<T>(first);                                                \
                                                                                                   \
            finish(values, results, is_inclusive, &before, rest...);                               \
        } else {                                                                                   \
            finish(values, results, is_inclusive, nullptr, first, rest...);                        \
        }                                                                                          \
    }                                                                                              \
    KG__CUB_SCAN_OF_ONE(name##Sum)                                                                 \
    KG__CUB_SCAN_OF_ONE(name##Scan)
#define KG__CUB_SCAN_OF_ONE(name)                                                                  \
    template <typename... Rest>                                                                    \
    KG__CUB void name(T value, T &result, Rest &&...rest)                                          \
    {                                                                                              \
        T values[1] = { value };                                                                   \
        T results[1];                                                                              \
                                                                                                   \
        name(values, results, rest...);                                                            \
        result = results[0];                                                                       \
    }
    KG__CUB_SCAN(Inclusive, true, (static_cast<void>(zero), nullptr))
    KG__CUB_SCAN(Exclusive, false, &zero)
#undef KG__CUB_SCAN
#undef KG__CUB_SCAN_OF_ONE

  private:
    template <int Items, typename Operation>
    KG__CUB void finish(T (&values)[Items], T (&results)[Items], bool is_inclusive,
                        const T *initial, Operation operation)
    {
        T all;

        finish(values, results, is_inclusive, initial, operation, all);
    }
    /* `last` receives the total, or is a function. */
    template <int Items, typename Operation, typename Last>
    KG__CUB void finish(T (&values)[Items], T (&results)[Items], bool is_inclusive,
                        const T *initial, Operation operation, Last &last)
    {
        const kg__model::use using_it(of_warp_.used);
        T own = values[0];
        T before = own;
        T all;
        bool any_before = block::thread() > 0;

        for (int i = 1; i < Items; i++)
            own = operation(own, values[i]);
        scan_threads(own, before, operation, all);
        if constexpr (::std::is_same_v<Last, T>) {
            last = all;
        } else {
            own = share_prefix(all, last);
            initial = &own;
        }
        if (initial != nullptr)
            before = any_before ? operation(*initial, before) : *initial;
        any_before = any_before || initial != nullptr;
        for (int i = 0; i < Items; i++) {
            const T with_own = any_before ? operation(before, values[i]) : values[i];

            results[i] = is_inclusive ? with_own : before;
            before = with_own;
            any_before = true;
        }
    }
    /* Returns to each thread the combination of all threads before it, and the total. */
    template <typename Operation>
    KG__CUB void scan_threads(T own, T &before, Operation &operation, T &all)
    {
        const kg__model::lanes warp(KG__MODEL_WARP);
        const unsigned int number = block::thread() / KG__MODEL_WARP;
        const T with_own = warp.scan(own, operation);
        const T of_lanes = warp.before(with_own);

        if (warp.rank == warp.count - 1)
            of_warp_[number] = with_own;
        __syncthreads();
        all = of_warp_[0];
        for (unsigned int i = 1; i < block::warps; i++) {
            if (i == number)
                before = all;
            all = operation(all, of_warp_[i]);
        }
        if (warp.rank > 0)
            before = number > 0 ? operation(before, of_lanes) : of_lanes;
    }
    template <typename Prefix>
    KG__CUB T share_prefix(const T &all, Prefix &prefix)
    {
        if (block::thread() < KG__MODEL_WARP) {
            const T given = prefix(all);

            if (block::thread() == 0)
                of_warp_[block::warps] = given;
        }
        __syncthreads();
        return of_warp_[block::warps];
    }
};

template <typename T, int X, int Items, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange
{
    static constexpr int threads = X * Y * Z;
    template <kg__model::layout Layout>
    static KG__CUB auto at()
    {
        return [](int i) __attribute__((always_inline))
        {
            return kg__model::position<Layout, threads, Items>(i);
        };
    }

  public:
    using TempStorage = kg__model::room<T, threads * Items>;
    KG__CUB_ON(BlockExchange, room_)
#define KG__CUB_EXCHANGE(name, from, to, in_warps)                                                 \
    KG__CUB void name(const T(&values)[Items], T(&results)[Items])                                 \
    {                                                                                              \
        kg__model::move(room_, values, results, at<kg__model::from>(), at<kg__model::to>(),        \
                        in_warps);                                                                 \
    }                                                                                              \
    KG__CUB void name(T(&items)[Items])                                                            \
    {                                                                                              \
        name(items, items);                                                                        \
    }
    KG__CUB_EXCHANGE(StripedToBlocked, STRIPED, BLOCKED, false)
    KG__CUB_EXCHANGE(BlockedToStriped, BLOCKED, STRIPED, false)
    KG__CUB_EXCHANGE(WarpStripedToBlocked, WARP_STRIPED, BLOCKED, true)
    KG__CUB_EXCHANGE(BlockedToWarpStriped, BLOCKED, WARP_STRIPED, true)
#undef KG__CUB_EXCHANGE
#define KG__CUB_SCATTER(name, to)                                                                  \
    template <typename Rank>                                                                       \
    KG__CUB void name(const T(&values)[Items], T(&results)[Items], const Rank(&ranks)[Items])      \
    {                                                                                              \
        kg__model::move(                                                                           \
            room_, values, results,                                                                \
            [&](int i)                                                                             \
                __attribute__((always_inline)) { return static_cast<unsigned int>(ranks[i]); },    \
            at<kg__model::to>());                                                                  \
    }                                                                                              \
    template <typename Rank>                                                                       \
    KG__CUB void name(T(&items)[Items], const Rank(&ranks)[Items])                                 \
    {                                                                                              \
        name(items, items, ranks);                                                                 \
    }
    KG__CUB_SCATTER(ScatterToBlocked, BLOCKED)
    KG__CUB_SCATTER(ScatterToStriped, STRIPED)
#undef KG__CUB_SCATTER
    /* Invalid items are not moved, and positions that receive none keep their value. */
    template <typename Rank, typename Flag>
    KG__CUB void ScatterToStripedFlagged(const T (&values)[Items], T (&results)[Items],
                                         const Rank (&ranks)[Items], const Flag (&valid)[Items])
    {
        const kg__model::use using_it(room_.used);

        for (int i = 0; i < Items; i++) {
            if (valid[i])
                room_[static_cast<unsigned int>(ranks[i])] = values[i];
        }
        __syncthreads();
        for (int i = 0; i < Items; i++)
            results[i] = room_[kg__model::position<kg__model::STRIPED, threads, Items>(i)];
    }
    template <typename Rank>
    KG__CUB void ScatterToStripedGuarded(const T (&values)[Items], T (&results)[Items],
                                         const Rank (&ranks)[Items])
    {
        bool valid[Items];

        for (int i = 0; i < Items; i++)
            valid[i] = ranks[i] >= 0;
        ScatterToStripedFlagged(values, results, ranks, valid);
    }
};

/* The common part of loads and stores: DIRECT and VECTORIZE access memory where the items
 * belong. */
#define KG__CUB_LAYOUT(what)                                                                       \
    static constexpr int threads = X * Y * Z;                                                      \
    static constexpr bool in_warps = Algorithm >= what##_WARP_TRANSPOSE;                           \
    static constexpr bool moves = Algorithm >= what##_TRANSPOSE;                                   \
    static constexpr kg__model::layout layout =                                                    \
        in_warps                                                      ? kg__model::WARP_STRIPED    \
        : Algorithm == what##_DIRECT || Algorithm == what##_VECTORIZE ? kg__model::BLOCKED         \
                                                                      : kg__model::STRIPED;        \
    using exchange = BlockExchange<T, X, Items, false, Y, Z>;                                      \
                                                                                                   \
  public:                                                                                          \
    struct TempStorage {                                                                           \
        ::std::conditional_t<moves, typename exchange::TempStorage, NullType> room;                \
    };

template <typename T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockLoad
{
    KG__CUB_LAYOUT(BLOCK_LOAD)
    KG__CUB_ON(BlockLoad, storage_)
    template <typename From>
    KG__CUB void Load(From from, T (&items)[Items], int valid = threads * Items)
    {
        for (int i = 0; i < Items; i++) {
            const unsigned int at = kg__model::position<layout, threads, Items>(i);

            if (static_cast<int>(at) < valid)
                items[i] = from[at];
        }
        if constexpr (in_warps)
            exchange(storage_.room).WarpStripedToBlocked(items);
        else if constexpr (moves)
            exchange(storage_.room).StripedToBlocked(items);
    }
    template <typename From, typename Default>
    KG__CUB void Load(From from, T (&items)[Items], int valid, Default otherwise)
    {
        for (int i = 0; i < Items; i++)
            items[i] = otherwise;
        Load(from, items, valid);
    }
};

template <typename T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT,
          int Y = 1, int Z = 1, int = 0>
class BlockStore
{
    KG__CUB_LAYOUT(BLOCK_STORE)
    KG__CUB_ON(BlockStore, storage_)
    template <typename To>
    KG__CUB void Store(To to, T (&items)[Items], int valid = threads * Items)
    {
        if constexpr (in_warps)
            exchange(storage_.room).BlockedToWarpStriped(items);
        else if constexpr (moves)
            exchange(storage_.room).BlockedToStriped(items);
        for (int i = 0; i < Items; i++) {
            const unsigned int at = kg__model::position<layout, threads, Items>(i);

            if (static_cast<int>(at) < valid)
                to[at] = items[i];
        }
    }
};
#undef KG__CUB_LAYOUT

} // namespace cub
