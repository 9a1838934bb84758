/* SPDX-License-Identifier: MIT */
/* CUB's loads, stores and exchanges of threads and warps, its iterators, and the traits of
 * types. */
#pragma once

#include "kg_model_cub_block.h"

#include <iterator>
#include <limits>

namespace cub
{

enum CacheLoadModifier {
    LOAD_DEFAULT,
    LOAD_CA,
    LOAD_CG,
    LOAD_CS,
    LOAD_CV,
    LOAD_LDG,
    LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
enum WarpLoadAlgorithm {
    WARP_LOAD_DIRECT,
    WARP_LOAD_STRIPED,
    WARP_LOAD_VECTORIZE,
    WARP_LOAD_TRANSPOSE
};
enum WarpStoreAlgorithm {
    WARP_STORE_DIRECT,
    WARP_STORE_STRIPED,
    WARP_STORE_VECTORIZE,
    WARP_STORE_TRANSPOSE
};

/* The model has no caches that a modifier could select. */
template <CacheLoadModifier = LOAD_DEFAULT, typename Iterator>
KG__CUB auto ThreadLoad(Iterator from)
{
    return *from;
}
template <CacheStoreModifier = STORE_DEFAULT, typename Iterator, typename T>
KG__CUB void ThreadStore(Iterator to, const T &value)
{
    *to = value;
}

/* Item i of thread `tid` is at where(i), if below `valid`. */
#define KG__CUB_DIRECT(name, threads, where)                                                       \
    template <threads typename T, int Items, typename Iterator>                                    \
    KG__CUB void Load##name(int tid, Iterator block, T(&items)[Items],                             \
                            int valid = ::std::numeric_limits<int>::max())                         \
    {                                                                                              \
        for (int i = 0; i < Items; i++) {                                                          \
            if (where < valid)                                                                     \
                items[i] = block[where];                                                           \
        }                                                                                          \
    }                                                                                              \
    template <threads typename T, int Items, typename Iterator, typename Default>                  \
    KG__CUB void Load##name(int tid, Iterator block, T(&items)[Items], int valid,                  \
                            Default otherwise)                                                     \
    {                                                                                              \
        for (int i = 0; i < Items; i++)                                                            \
            items[i] = where < valid ? static_cast<T>(block[where]) : static_cast<T>(otherwise);   \
    }                                                                                              \
    template <threads typename T, int Items, typename Iterator>                                    \
    KG__CUB void Store##name(int tid, Iterator block, T(&items)[Items],                            \
                             int valid = ::std::numeric_limits<int>::max())                        \
    {                                                                                              \
        for (int i = 0; i < Items; i++) {                                                          \
            if (where < valid)                                                                     \
                block[where] = items[i];                                                           \
        }                                                                                          \
    }
#define KG__CUB_THREADS int Threads,
#define KG__CUB_IN_WARP (tid / KG__MODEL_WARP * Items + i) * KG__MODEL_WARP + tid % KG__MODEL_WARP
KG__CUB_DIRECT(DirectBlocked, , (tid * Items + i))
KG__CUB_DIRECT(DirectStriped, KG__CUB_THREADS, (i * Threads + tid))
KG__CUB_DIRECT(DirectWarpStriped, , (KG__CUB_IN_WARP))
#undef KG__CUB_IN_WARP
#undef KG__CUB_THREADS
#undef KG__CUB_DIRECT
template <typename T, int Items>
KG__CUB void LoadDirectBlockedVectorized(int tid, const T *block, T (&items)[Items])
{
    LoadDirectBlocked(tid, block, items);
}
template <typename T, int Items>
KG__CUB void StoreDirectBlockedVectorized(int tid, T *block, T (&items)[Items])
{
    StoreDirectBlocked(tid, block, items);
}

/* Through shared memory, among the lanes of a logical warp. */
template <typename T, int Items, int Lanes = KG__MODEL_WARP,
          WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange
{
  public:
    using TempStorage = kg__model::room<T, Items * Lanes>;
    KG__CUB_ON(WarpExchange, room_)
    KG__CUB void BlockedToStriped(const T (&values)[Items], T (&results)[Items])
    {
        const kg__model::lanes warp(Lanes);

        move(
            values, results, warp, [&](unsigned int i) { return warp.rank * Items + i; },
            [&](unsigned int i) { return i * Lanes + warp.rank; });
    }
    KG__CUB void StripedToBlocked(const T (&values)[Items], T (&results)[Items])
    {
        const kg__model::lanes warp(Lanes);

        move(
            values, results, warp, [&](unsigned int i) { return i * Lanes + warp.rank; },
            [&](unsigned int i) { return warp.rank * Items + i; });
    }
    template <typename Rank>
    KG__CUB void ScatterToStriped(const T (&values)[Items], T (&results)[Items],
                                  const Rank (&ranks)[Items])
    {
        const kg__model::lanes warp(Lanes);

        move(
            values, results, warp,
            [&](unsigned int i) { return static_cast<unsigned int>(ranks[i]); },
            [&](unsigned int i) { return i * Lanes + warp.rank; });
    }
    template <typename Rank>
    KG__CUB void ScatterToStriped(T (&items)[Items], const Rank (&ranks)[Items])
    {
        ScatterToStriped(items, items, ranks);
    }

  private:
    template <typename From, typename To>
    KG__CUB void move(const T (&values)[Items], T (&results)[Items], const kg__model::lanes &warp,
                      const From &from, const To &to)
    {
        for (unsigned int i = 0; i < Items; i++)
            room_[from(i)] = values[i];
        __syncwarp(warp.mask);
        for (unsigned int i = 0; i < Items; i++)
            results[i] = room_[to(i)];
    }
};

/* The common part of warps' loads and stores. */
#define KG__CUB_WARP(what)                                                                         \
    using exchange = WarpExchange<T, Items, Lanes>;                                                \
    static constexpr bool moves = Algorithm == what##_TRANSPOSE;                                   \
    static constexpr bool striped = moves || Algorithm == what##_STRIPED;                          \
    static KG__CUB unsigned int place(const kg__model::lanes &warp, int i)                         \
    {                                                                                              \
        const unsigned int item = static_cast<unsigned int>(i);                                    \
                                                                                                   \
        return striped ? item * Lanes + warp.rank : warp.rank * Items + item;                      \
    }                                                                                              \
                                                                                                   \
  public:                                                                                          \
    struct TempStorage {                                                                           \
        ::std::conditional_t<moves, typename exchange::TempStorage, NullType> room;                \
    };

template <typename T, int Items, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT,
          int Lanes = KG__MODEL_WARP>
class WarpLoad
{
    KG__CUB_WARP(WARP_LOAD)
    KG__CUB_ON(WarpLoad, storage_)
    template <typename From>
    KG__CUB void Load(From from, T (&items)[Items], int valid = Items * Lanes)
    {
        const kg__model::lanes warp(Lanes);

        for (int i = 0; i < Items; i++) {
            if (static_cast<int>(place(warp, i)) < valid)
                items[i] = from[place(warp, i)];
        }
        if constexpr (moves)
            exchange(storage_.room).StripedToBlocked(items, items);
    }
    template <typename From, typename Default>
    KG__CUB void Load(From from, T (&items)[Items], int valid, Default otherwise)
    {
        for (int i = 0; i < Items; i++)
            items[i] = otherwise;
        Load(from, items, valid);
    }
};

template <typename T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT,
          int Lanes = KG__MODEL_WARP>
class WarpStore
{
    KG__CUB_WARP(WARP_STORE)
    KG__CUB_ON(WarpStore, storage_)
    template <typename To>
    KG__CUB void Store(To to, T (&items)[Items], int valid = Items * Lanes)
    {
        const kg__model::lanes warp(Lanes);

        if constexpr (moves)
            exchange(storage_.room).BlockedToStriped(items, items);
        for (int i = 0; i < Items; i++) {
            if (static_cast<int>(place(warp, i)) < valid)
                to[place(warp, i)] = items[i];
        }
    }
};
#undef KG__CUB_WARP

/* Iterators: the value for a position. */
#define KG__CUB_ITERATOR(name, type, result)                                                       \
    using iterator_category = ::std::random_access_iterator_tag;                                   \
    using difference_type = ptrdiff_t;                                                             \
    using value_type = type;                                                                       \
    using reference = type;                                                                        \
    using pointer = type *;                                                                        \
    KG__CUB type operator*() const                                                                 \
    {                                                                                              \
        return result;                                                                             \
    }                                                                                              \
    template <typename Distance>                                                                   \
    KG__CUB type operator[](Distance by) const                                                     \
    {                                                                                              \
        return *(*this + static_cast<ptrdiff_t>(by));                                              \
    }                                                                                              \
    KG__CUB name &operator+=(ptrdiff_t by)                                                         \
    {                                                                                              \
        return *this = *this + by;                                                                 \
    }                                                                                              \
    KG__CUB name &operator++()                                                                     \
    {                                                                                              \
        return *this += 1;                                                                         \
    }

template <CacheLoadModifier, typename T, typename = ptrdiff_t>
struct CacheModifiedInputIterator {
    const T *kg__at;
    KG__CUB CacheModifiedInputIterator(const T *at) : kg__at(at)
    {
    }
    KG__CUB CacheModifiedInputIterator operator+(ptrdiff_t by) const
    {
        return { kg__at + by };
    }
    KG__CUB_ITERATOR(CacheModifiedInputIterator, T, *kg__at)
};
template <CacheStoreModifier, typename T, typename = ptrdiff_t>
struct CacheModifiedOutputIterator {
    T *kg__at;
    KG__CUB CacheModifiedOutputIterator(T *at) : kg__at(at)
    {
    }
    KG__CUB CacheModifiedOutputIterator operator+(ptrdiff_t by) const
    {
        return { kg__at + by };
    }
    KG__CUB T &operator*() const
    {
        return *kg__at;
    }
    template <typename Distance>
    KG__CUB T &operator[](Distance by) const
    {
        return kg__at[by];
    }
};
template <typename T, typename = ptrdiff_t>
struct CountingInputIterator {
    T kg__at;
    KG__CUB CountingInputIterator(T at) : kg__at(at)
    {
    }
    KG__CUB CountingInputIterator operator+(ptrdiff_t by) const
    {
        return { static_cast<T>(kg__at + static_cast<T>(by)) };
    }
    KG__CUB_ITERATOR(CountingInputIterator, T, kg__at)
};
template <typename T, typename = ptrdiff_t>
struct ConstantInputIterator {
    T kg__value;
    KG__CUB ConstantInputIterator(T value, ptrdiff_t = 0) : kg__value(value)
    {
    }
    KG__CUB ConstantInputIterator operator+(ptrdiff_t) const
    {
        return *this;
    }
    KG__CUB_ITERATOR(ConstantInputIterator, T, kg__value)
};
template <typename T, typename Operation, typename Iterator, typename = ptrdiff_t>
struct TransformInputIterator {
    Iterator kg__at;
    Operation kg__operation;
    KG__CUB TransformInputIterator(Iterator at, Operation operation)
        : kg__at(at), kg__operation(operation)
    {
    }
    KG__CUB TransformInputIterator operator+(ptrdiff_t by) const
    {
        return { kg__at + by, kg__operation };
    }
    KG__CUB_ITERATOR(TransformInputIterator, T, kg__operation(*kg__at))
};
template <typename Iterator, typename Offset = ptrdiff_t,
          typename T = typename ::std::iterator_traits<Iterator>::value_type>
struct ArgIndexInputIterator {
    Iterator kg__at;
    Offset kg__offset;
    using kg__pair = KeyValuePair<Offset, T>;
    KG__CUB ArgIndexInputIterator(Iterator at, Offset offset = 0) : kg__at(at), kg__offset(offset)
    {
    }
    KG__CUB ArgIndexInputIterator operator+(ptrdiff_t by) const
    {
        return { kg__at, static_cast<Offset>(kg__offset + static_cast<Offset>(by)) };
    }
    KG__CUB_ITERATOR(ArgIndexInputIterator, kg__pair, (kg__pair{ kg__offset, kg__at[kg__offset] }))
};
#undef KG__CUB_ITERATOR

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

/* The traits of a numeric type: its unsigned bits, transformed so that they order as its values. */
template <typename T>
struct Traits {
    static constexpr bool kg__is_real =
        ::std::is_floating_point_v<T> ||
        (::std::is_class_v<T> && ::std::is_convertible_v<T, float> && sizeof(T) == 2);
    static constexpr Category CATEGORY = kg__is_real                ? FLOATING_POINT
                                         : !::std::is_integral_v<T> ? NOT_A_NUMBER
                                         : ::std::is_unsigned_v<T>  ? UNSIGNED_INTEGER
                                                                    : SIGNED_INTEGER;
    static constexpr bool PRIMITIVE = CATEGORY != NOT_A_NUMBER;
    using UnsignedBits =
        ::std::conditional_t<sizeof(T) == 1, unsigned char,
                             ::std::conditional_t<sizeof(T) == 2, unsigned short,
                                                  ::std::conditional_t<sizeof(T) == 4, unsigned int,
                                                                       unsigned long long>>>;
    static constexpr UnsignedBits HIGH_BIT =
        static_cast<UnsignedBits>(UnsignedBits(1) << (8 * sizeof(T) - 1));
    static KG__CUB UnsignedBits TwiddleIn(UnsignedBits bits)
    {
        return static_cast<UnsignedBits>(CATEGORY == UNSIGNED_INTEGER ? bits
                                         : CATEGORY == FLOATING_POINT && (bits & HIGH_BIT)
                                             ? ~bits
                                             : bits ^ HIGH_BIT);
    }
    static KG__CUB UnsignedBits TwiddleOut(UnsignedBits bits)
    {
        return static_cast<UnsignedBits>(CATEGORY == UNSIGNED_INTEGER ? bits
                                         : CATEGORY == FLOATING_POINT && !(bits & HIGH_BIT)
                                             ? ~bits
                                             : bits ^ HIGH_BIT);
    }
    static KG__CUB T Max()
    {
        return ::std::numeric_limits<T>::max();
    }
    static KG__CUB T Lowest()
    {
        return ::std::numeric_limits<T>::lowest();
    }
};
template <typename T>
using NumericTraits = Traits<T>;
template <typename T>
using FpLimits = Traits<T>;

} // namespace cub
