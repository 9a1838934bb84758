/* SPDX-License-Identifier: MIT */
/* CUB's warps: the common parts of the stand-ins for its headers, WarpReduce and WarpScan. They
 * behave as CUB's documentation says; their numbers of accesses to shared memory differ from
 * CUB's. */
#pragma once

#include "cooperative_groups.h"
#include "cuda/functional"
#include "cuda_bf16.h"

#define KG__CUB __attribute__((always_inline, unused)) inline
/* The constructor of a class on its temporary storage. */
#define KG__CUB_ON(name, member)                                                                   \
    KG__CUB explicit name(TempStorage &storage) : member(storage)                                  \
    {                                                                                              \
    }                                                                                              \
                                                                                                   \
  private:                                                                                         \
    TempStorage &member;                                                                           \
                                                                                                   \
  public:

namespace cub
{

struct NullType {
};

template <typename Key_, typename Value_>
struct KeyValuePair {
    using Key = Key_;
    using Value = Value_;
    Key key;
    Value value;
};

#define KG__CUB_OPERATION(name, result)                                                            \
    struct name {                                                                                  \
        template <typename T>                                                                      \
        KG__CUB T operator()(const T &a, const T &b) const                                         \
        {                                                                                          \
            return result;                                                                         \
        }                                                                                          \
    };
KG__CUB_OPERATION(Sum, static_cast<T>(a + b))
KG__CUB_OPERATION(Max, a < b ? b : a)
KG__CUB_OPERATION(Min, b < a ? b : a)
KG__CUB_OPERATION(Difference, static_cast<T>(a - b))
KG__CUB_OPERATION(Division, static_cast<T>(a / b))
/* The lower key among equal values. */
KG__CUB_OPERATION(ArgMax, b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a)
KG__CUB_OPERATION(ArgMin, b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a)
#undef KG__CUB_OPERATION

struct Equality {
    template <typename A, typename B>
    KG__CUB bool operator()(const A &a, const B &b) const
    {
        return a == b;
    }
};
struct Inequality {
    template <typename A, typename B>
    KG__CUB bool operator()(const A &a, const B &b) const
    {
        return a != b;
    }
};
template <typename Operation>
struct InequalityWrapper {
    Operation op;
    KG__CUB explicit InequalityWrapper(Operation operation) : op(operation)
    {
    }
    template <typename A, typename B>
    KG__CUB bool operator()(const A &a, const B &b)
    {
        return !op(a, b);
    }
};
template <typename To>
struct CastOp {
    template <typename From>
    KG__CUB To operator()(From &&from) const
    {
        return static_cast<To>(from);
    }
};
template <typename Operation>
struct SwizzleScanOp {
    Operation op;
    template <typename T>
    KG__CUB T operator()(const T &a, const T &b)
    {
        return op(b, a);
    }
};

KG__CUB unsigned int LaneId()
{
    return cooperative_groups::kg__model::lane();
}
KG__CUB unsigned int WarpId()
{
    return cooperative_groups::kg__model::thread_in_block() / KG__MODEL_WARP;
}
KG__CUB int RowMajorTid(int x, int y, int)
{
    return (static_cast<int>(threadIdx.z) * y + static_cast<int>(threadIdx.y)) * x +
           static_cast<int>(threadIdx.x);
}
template <typename A, typename B>
KG__CUB constexpr A DivideAndRoundUp(A a, B b)
{
    return static_cast<A>((a + static_cast<A>(b) - 1) / static_cast<A>(b));
}
template <int N, int = N, int = 0>
struct Log2 {
    enum { VALUE = N <= 1 ? 0 : 32 - __builtin_clz(static_cast<unsigned int>(N - 1)) };
};
template <int N>
struct PowerOfTwo {
    enum { VALUE = (N & (N - 1)) == 0 };
};

namespace kg__model
{

namespace groups = cooperative_groups::kg__model;

/* Two uses of one TempStorage need a barrier in between, whatever they access. To check this,
 * each use begins with a write by the first thread and ends with a read of it by all threads. */
class use
{
    const volatile unsigned int &word_;
    const unsigned int readers_;

  public:
    /* `in_warps`: warps synchronize only within themselves, so only the writer's warp reads. */
    KG__CUB explicit use(volatile unsigned int &word, bool in_warps = false)
        : word_(word), readers_(in_warps ? KG__MODEL_WARP : groups::threads_in_block())
    {
        if (groups::thread_in_block() == 0)
            word = 1;
    }
    KG__CUB ~use()
    {
        if (groups::thread_in_block() < readers_) {
            const unsigned int seen = word_;

            static_cast<void>(seen);
        }
    }
    use(const use &) = delete;
    use &operator=(const use &) = delete;
};

/* Space for values without running a constructor in shared memory. Aligned as CUB's, since
 * kernels put vectors of their own after it in dynamic shared memory. */
template <typename T, unsigned int Count>
struct alignas(16) room {
    unsigned int used;
    alignas(alignof(T) < 4 ? 4 : alignof(T)) unsigned char bytes[Count * sizeof(T)];
    KG__CUB T &operator[](unsigned int i)
    {
        return reinterpret_cast<T *>(bytes)[i];
    }
};

/* The lanes of a logical warp that a block has: `rank` is the calling lane's. */
struct lanes {
    unsigned int mask, first, count, rank;
    KG__CUB explicit lanes(unsigned int size)
    {
        const unsigned int lane = groups::lane();
        const unsigned int all = groups::threads_in_block() - (groups::thread_in_block() - lane);

        first = lane / size * size;
        rank = lane - first;
        count = (all < KG__MODEL_WARP ? all : KG__MODEL_WARP) - first;
        count = count < size ? count : size;
        mask = static_cast<unsigned int>((1ull << count) - 1) << first;
    }
    template <typename T>
    KG__CUB T from(const T &value, unsigned int of_rank) const
    {
        return groups::shuffle(KG__MODEL_SHUFFLE, mask, value, first + of_rank, KG__MODEL_WARP);
    }
    /* The first lane gets the combined value of the first `valid` ones. */
    template <typename T, typename Operation>
    KG__CUB T reduce(T value, Operation &operation, unsigned int valid) const
    {
        for (unsigned int by = 1; by < count; by *= 2) {
            const bool has_other = rank + by < valid && rank + by < count;
            const T other = from(value, has_other ? rank + by : rank);

            if (has_other)
                value = operation(value, other);
        }
        return value;
    }
    /* Each lane gets the combination of its own value and all before it. */
    template <typename T, typename Operation>
    KG__CUB T scan(T value, Operation &operation) const
    {
        for (unsigned int by = 1; by < count; by *= 2) {
            const T other = from(value, rank >= by ? rank - by : rank);

            if (rank >= by)
                value = operation(other, value);
        }
        return value;
    }
    /* The first lane of each segment gets its combined value. The flags are on the segments'
     * first lanes (`heads`), or on their last. */
    template <typename T, typename Operation>
    KG__CUB T reduce_segment(T value, bool flag, bool heads, Operation &operation) const
    {
        const unsigned int flags = __ballot_sync(mask, flag) >> first;
        const unsigned int ends = (heads ? flags >> 1 : flags) | 1u << (count - 1);
        const unsigned int last =
            rank + static_cast<unsigned int>(__ffs(static_cast<int>(ends >> rank))) - 1;

        for (unsigned int by = 1; by < count; by *= 2) {
            const bool has_other = rank + by <= last;
            const T other = from(value, has_other ? rank + by : rank);

            if (has_other)
                value = operation(value, other);
        }
        return value;
    }
    template <typename T>
    KG__CUB T before(const T &value) const
    {
        return from(value, rank > 0 ? rank - 1 : 0);
    }
};

} // namespace kg__model

template <typename T, int Lanes = KG__MODEL_WARP, int = 0>
class WarpReduce
{
  public:
    struct TempStorage {
    };
    KG__CUB explicit WarpReduce(TempStorage &)
    {
    }
    template <typename Operation>
    KG__CUB T Reduce(T value, Operation operation, int valid = Lanes)
    {
        return kg__model::lanes(Lanes).reduce(value, operation, static_cast<unsigned int>(valid));
    }
    template <int Items, typename Operation>
    KG__CUB T Reduce(const T (&values)[Items], Operation operation)
    {
        T own = values[0];

        for (int i = 1; i < Items; i++)
            own = operation(own, values[i]);
        return Reduce(own, operation);
    }
#define KG__CUB_NAMED(name)                                                                        \
    KG__CUB T name(T value, int valid = Lanes)                                                     \
    {                                                                                              \
        return Reduce(value, cub::name(), valid);                                                  \
    }                                                                                              \
    template <int Items>                                                                           \
    KG__CUB T name(const T(&values)[Items])                                                        \
    {                                                                                              \
        return Reduce(values, cub::name());                                                        \
    }
    KG__CUB_NAMED(Sum)
    KG__CUB_NAMED(Max)
    KG__CUB_NAMED(Min)
#undef KG__CUB_NAMED
#define KG__CUB_SEGMENTED(name, heads)                                                             \
    template <typename Flag, typename Operation>                                                   \
    KG__CUB T name##SegmentedReduce(T value, Flag flag, Operation operation)                       \
    {                                                                                              \
        return kg__model::lanes(Lanes).reduce_segment(value, static_cast<bool>(flag), heads,       \
                                                      operation);                                  \
    }                                                                                              \
    template <typename Flag>                                                                       \
    KG__CUB T name##SegmentedSum(T value, Flag flag)                                               \
    {                                                                                              \
        return name##SegmentedReduce(value, flag, cub::Sum());                                     \
    }
    KG__CUB_SEGMENTED(Head, true)
    KG__CUB_SEGMENTED(Tail, false)
#undef KG__CUB_SEGMENTED
};

template <typename T, int Lanes = KG__MODEL_WARP, int = 0>
class WarpScan
{
  public:
    struct TempStorage {
    };
    KG__CUB explicit WarpScan(TempStorage &)
    {
    }
    template <typename Operation>
    KG__CUB void InclusiveScan(T value, T &result, Operation operation)
    {
        result = kg__model::lanes(Lanes).scan(value, operation);
    }
    template <typename Operation>
    KG__CUB void InclusiveScan(T value, T &result, Operation operation, T &all)
    {
        const kg__model::lanes warp(Lanes);

        result = warp.scan(value, operation);
        all = warp.from(result, warp.count - 1);
    }
    template <typename Operation>
    KG__CUB void ExclusiveScan(T value, T &result, T initial, Operation operation, T &all)
    {
        const kg__model::lanes warp(Lanes);
        const T own = warp.scan(value, operation);
        const T before = warp.before(own);

        result = warp.rank == 0 ? initial : operation(initial, before);
        all = warp.from(own, warp.count - 1);
    }
    template <typename Operation>
    KG__CUB void ExclusiveScan(T value, T &result, T initial, Operation operation)
    {
        T all;

        ExclusiveScan(value, result, initial, operation, all);
    }
    /* Without an initial value, the first lane's result is undefined. */
    template <typename Operation, typename = decltype(::std::declval<Operation>()(T(), T()))>
    KG__CUB void ExclusiveScan(T value, T &result, Operation operation)
    {
        const kg__model::lanes warp(Lanes);

        result = warp.before(warp.scan(value, operation));
    }
    template <typename Operation, typename = decltype(::std::declval<Operation>()(T(), T()))>
    KG__CUB void ExclusiveScan(T value, T &result, Operation operation, T &all)
    {
        const kg__model::lanes warp(Lanes);
        const T own = warp.scan(value, operation);

        result = warp.before(own);
        all = warp.from(own, warp.count - 1);
    }
    template <typename Operation>
    KG__CUB void InclusiveScan(T value, T &result, T initial, Operation operation)
    {
        result = operation(initial, kg__model::lanes(Lanes).scan(value, operation));
    }
    template <typename Operation>
    KG__CUB void InclusiveScan(T value, T &result, T initial, Operation operation, T &all)
    {
        InclusiveScan(value, result, operation, all);
        result = operation(initial, result);
    }
    template <typename Operation>
    KG__CUB void Scan(T value, T &inclusive, T &exclusive, Operation operation)
    {
        const kg__model::lanes warp(Lanes);

        inclusive = warp.scan(value, operation);
        exclusive = warp.before(inclusive);
    }
    template <typename Operation>
    KG__CUB void Scan(T value, T &inclusive, T &exclusive, T initial, Operation operation)
    {
        ExclusiveScan(value, exclusive, initial, operation);
        inclusive = operation(exclusive, value);
    }
    KG__CUB void InclusiveSum(T value, T &result)
    {
        InclusiveScan(value, result, cub::Sum());
    }
    KG__CUB void InclusiveSum(T value, T &result, T &all)
    {
        InclusiveScan(value, result, cub::Sum(), all);
    }
    KG__CUB void ExclusiveSum(T value, T &result)
    {
        ExclusiveScan(value, result, T(), cub::Sum());
    }
    KG__CUB void ExclusiveSum(T value, T &result, T &all)
    {
        ExclusiveScan(value, result, T(), cub::Sum(), all);
    }
    KG__CUB T Broadcast(T value, unsigned int rank)
    {
        return kg__model::lanes(Lanes).from(value, rank);
    }
};

} // namespace cub
