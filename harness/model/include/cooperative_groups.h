/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cooperative_groups.h: blocks, grids, tiles of a warp and
 * coalesced groups. */
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups
{

namespace kg__model
{

#define KG__GROUP __attribute__((always_inline, unused)) inline
/* Query members without arguments, static or const. */
#define KG__GROUP_STATIC(type, name, value)                                                        \
    static KG__GROUP type name()                                                                   \
    {                                                                                              \
        return value;                                                                              \
    }
#define KG__GROUP_CONST(type, name, value)                                                         \
    KG__GROUP type name() const                                                                    \
    {                                                                                              \
        return value;                                                                              \
    }

KG__GROUP unsigned int thread_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

KG__GROUP unsigned int lane()
{
    return thread_in_block() % KG__MODEL_WARP;
}

KG__GROUP unsigned int threads_in_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

KG__GROUP unsigned int block_in_grid()
{
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

/* Returns the number of lanes of `mask` below a lane. */
KG__GROUP unsigned int lanes_below(unsigned int mask, unsigned int lane)
{
    return static_cast<unsigned int>(__builtin_popcount(mask & ((1u << lane) - 1)));
}

/* Returns the lane of `mask` with `rank` others below it; 32 if it has no such lane. */
KG__GROUP unsigned int lane_of_rank(unsigned int mask, unsigned int rank)
{
    for (; rank > 0; rank--)
        mask &= mask - 1;
    return mask != 0 ? static_cast<unsigned int>(__builtin_ctz(mask)) : KG__MODEL_WARP;
}

/* Converts `mask`, a set of lanes, to ranks among the lanes of `group`. */
KG__GROUP unsigned int ranks_of(unsigned int mask, unsigned int group)
{
    unsigned int ranks = 0;
    unsigned int rank = 0;

    for (unsigned int rest = group; rest != 0; rest &= rest - 1, rank++)
        ranks |= (mask >> __builtin_ctz(rest) & 1) << rank;
    return ranks;
}

/* Shuffles any type that can be copied byte by byte, eight bytes at a time. */
template <typename Value>
KG__GROUP Value shuffle(kg__model_warp_operation operation, unsigned int mask, const Value &value,
                        unsigned int argument, unsigned int width)
{
    static_assert(std::is_trivially_copyable<Value>::value && sizeof(Value) <= 32,
                  "a group's shuffle takes trivially copyable types of at most 32 bytes");
    Value result;

    for (size_t at = 0; at < sizeof value; at += sizeof(uint64_t)) {
        const size_t bytes =
            sizeof value - at < sizeof(uint64_t) ? sizeof value - at : sizeof(uint64_t);
        uint64_t bits = 0;

        __builtin_memcpy(&bits, reinterpret_cast<const char *>(&value) + at, bytes);
        bits = kg__model_run_warp_operation(operation, mask, bits, argument, width);
        __builtin_memcpy(reinterpret_cast<char *>(&result) + at, &bits, bytes);
    }
    return result;
}

template <typename Value>
KG__GROUP uint64_t bits_of(const Value &value)
{
    static_assert(std::is_trivially_copyable<Value>::value && sizeof(Value) <= sizeof(uint64_t),
                  "a group's match takes trivially copyable types of at most 8 bytes");
    uint64_t bits = 0;

    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

} // namespace kg__model

class thread_block;
class coalesced_group;

/* A group of any kind, as returned by tiled_partition() with a size at run time. */
class thread_group
{
  public:
    KG__GROUP_CONST(unsigned long long, size, size_)
    KG__GROUP_CONST(unsigned long long, num_threads, size_)
    KG__GROUP_CONST(unsigned long long, thread_rank, rank_)
    KG__GROUP_CONST(bool, is_valid, true)
    KG__GROUP void sync() const
    {
        if (mask_ != 0)
            __syncwarp(mask_);
        else
            __syncthreads();
    }

  protected:
    /* `mask` 0: the whole block. */
    KG__GROUP thread_group(unsigned int mask, unsigned int size, unsigned int rank)
        : mask_(mask), size_(size), rank_(rank)
    {
    }
    unsigned int mask_, size_, rank_;
    friend class coalesced_group;
    friend thread_group tiled_partition(const thread_group &, unsigned int);
};

class thread_block : public thread_group
{
  public:
    KG__GROUP thread_block()
        : thread_group(0, kg__model::threads_in_block(), kg__model::thread_in_block())
    {
    }
    struct arrival_token {
    };

    static KG__GROUP void sync()
    {
        __syncthreads();
    }
    /* All threads synchronize at the wait: actions between arrival and wait count as before the
     * barrier. */
    KG__GROUP_STATIC(arrival_token, barrier_arrive, arrival_token{})
    static KG__GROUP void barrier_wait(arrival_token &&)
    {
        __syncthreads();
    }
    KG__GROUP_STATIC(unsigned int, thread_rank, kg__model::thread_in_block())
    KG__GROUP_STATIC(unsigned int, size, kg__model::threads_in_block())
    KG__GROUP_STATIC(unsigned int, num_threads, kg__model::threads_in_block())
    KG__GROUP_STATIC(dim3, group_index, dim3(blockIdx))
    KG__GROUP_STATIC(dim3, thread_index, dim3(threadIdx))
    KG__GROUP_STATIC(dim3, dim_threads, dim3(blockDim))
    KG__GROUP_STATIC(dim3, group_dim, dim3(blockDim))
};

class grid_group
{
  public:
    struct arrival_token {
    };

    KG__GROUP_CONST(bool, is_valid, kg__model_is_cooperative() != 0)
    /* Two barriers of the block around the wait for the other blocks, as on hardware. */
    KG__GROUP void sync() const
    {
        kg__model_require_cooperative();
        kg__model_barrier();
        kg__model_pass(kg__model_arrive_at_blocks());
        kg__model_barrier();
    }
    KG__GROUP_CONST(arrival_token, barrier_arrive, arrival_token{})
    KG__GROUP void barrier_wait(arrival_token &&) const
    {
        sync();
    }
    KG__GROUP_STATIC(unsigned long long, size,
                     static_cast<unsigned long long>(num_blocks()) * kg__model::threads_in_block())
    KG__GROUP_STATIC(unsigned long long, num_threads, size())
    static KG__GROUP unsigned long long thread_rank()
    {
        return static_cast<unsigned long long>(kg__model::block_in_grid()) *
                   kg__model::threads_in_block() +
               kg__model::thread_in_block();
    }
    KG__GROUP_STATIC(unsigned long long, num_blocks,
                     static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z)
    KG__GROUP_STATIC(unsigned long long, block_rank, kg__model::block_in_grid())
    KG__GROUP_STATIC(dim3, block_index, dim3(blockIdx))
    KG__GROUP_STATIC(dim3, dim_blocks, dim3(gridDim))
    KG__GROUP_STATIC(dim3, group_dim, dim3(gridDim))
};

/* Lanes of a warp, one of several such parts of a parent group. */
class kg__lanes : public thread_group
{
  public:
    KG__GROUP_CONST(unsigned int, size, size_)
    KG__GROUP_CONST(unsigned int, num_threads, size_)
    KG__GROUP_CONST(unsigned int, thread_rank, rank_)
    KG__GROUP_CONST(unsigned long long, meta_group_size, meta_size_)
    KG__GROUP_CONST(unsigned long long, meta_group_rank, meta_rank_)
    KG__GROUP void sync() const
    {
        __syncwarp(mask_);
    }
    KG__GROUP int any(int predicate) const
    {
        return __any_sync(mask_, predicate);
    }
    KG__GROUP int all(int predicate) const
    {
        return __all_sync(mask_, predicate);
    }
    /* Used by the model's own functions of groups. */
    KG__GROUP_CONST(unsigned int, kg__mask, mask_)

  protected:
    KG__GROUP kg__lanes(unsigned int mask, unsigned int size, unsigned int rank,
                        unsigned int meta_size, unsigned int meta_rank)
        : thread_group(mask, size, rank), meta_size_(meta_size), meta_rank_(meta_rank)
    {
    }
    template <typename Value>
    KG__GROUP unsigned int equal_lanes(const Value &value) const
    {
        return static_cast<unsigned int>(kg__model_run_warp_operation(
            KG__MODEL_MATCH_ANY, mask_, kg__model::bits_of(value), 0, KG__MODEL_WARP));
    }

  private:
    unsigned int meta_size_, meta_rank_;
};

/* Lanes of a warp that are at one place together, or a part of them, by rank. */
class coalesced_group : public kg__lanes
{
  public:
    template <typename Value>
    KG__GROUP Value shfl(Value value, unsigned int rank) const
    {
        return from_lane(value, kg__model::lane_of_rank(mask_, rank % size_));
    }
    template <typename Value>
    KG__GROUP Value shfl_down(Value value, unsigned int by) const
    {
        return from_lane(value, rank_ + by < size_ ? kg__model::lane_of_rank(mask_, rank_ + by)
                                                   : kg__model::lane());
    }
    template <typename Value>
    KG__GROUP Value shfl_up(Value value, unsigned int by) const
    {
        return from_lane(value, rank_ >= by ? kg__model::lane_of_rank(mask_, rank_ - by)
                                            : kg__model::lane());
    }
    KG__GROUP unsigned int ballot(int predicate) const
    {
        return kg__model::ranks_of(__ballot_sync(mask_, predicate), mask_);
    }
    template <typename Value>
    KG__GROUP unsigned int match_any(Value value) const
    {
        return kg__model::ranks_of(equal_lanes(value), mask_);
    }
    template <typename Value>
    KG__GROUP unsigned int match_all(Value value, int &predicate) const
    {
        predicate = equal_lanes(value) == mask_;
        return predicate ? kg__model::ranks_of(mask_, mask_) : 0;
    }

    KG__GROUP coalesced_group(unsigned int mask, unsigned int meta_size, unsigned int meta_rank)
        : kg__lanes(mask, static_cast<unsigned int>(__builtin_popcount(mask)),
                    kg__model::lanes_below(mask, kg__model::lane()), meta_size, meta_rank)
    {
    }

  private:
    template <typename Value>
    KG__GROUP Value from_lane(const Value &value, unsigned int lane) const
    {
        return kg__model::shuffle(KG__MODEL_SHUFFLE, mask_, value, lane, KG__MODEL_WARP);
    }
};

/* A tile of a power of two of lanes. */
template <unsigned int Size, typename Parent = void>
class thread_block_tile : public kg__lanes
{
    static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");
    static_assert(Size <= KG__MODEL_WARP, "a tile has at most 1024 threads");

  public:
    KG__GROUP thread_block_tile(unsigned int meta_size, unsigned int meta_rank)
        : kg__lanes(static_cast<unsigned int>((1ull << Size) - 1)
                        << (kg__model::lane() & ~(Size - 1)),
                    Size, kg__model::lane() % Size, meta_size, meta_rank)
    {
    }
    KG__GROUP thread_block_tile(const thread_block &)
        : thread_block_tile((kg__model::threads_in_block() + Size - 1) / Size,
                            kg__model::thread_in_block() / Size)
    {
    }
    /* A tile of any parent. */
    template <typename Other>
    KG__GROUP thread_block_tile(const thread_block_tile<Size, Other> &other)
        : thread_block_tile(static_cast<unsigned int>(other.meta_group_size()),
                            static_cast<unsigned int>(other.meta_group_rank()))
    {
    }
    KG__GROUP_STATIC(constexpr unsigned int, size, Size)
    KG__GROUP_STATIC(constexpr unsigned int, num_threads, Size)
    template <typename Value>
    KG__GROUP Value shfl(Value value, int rank) const
    {
        return kg__model::shuffle(KG__MODEL_SHUFFLE, mask_, value, static_cast<unsigned int>(rank),
                                  Size);
    }
    template <typename Value>
    KG__GROUP Value shfl_down(Value value, unsigned int by) const
    {
        return kg__model::shuffle(KG__MODEL_SHUFFLE_DOWN, mask_, value, by, Size);
    }
    template <typename Value>
    KG__GROUP Value shfl_up(Value value, unsigned int by) const
    {
        return kg__model::shuffle(KG__MODEL_SHUFFLE_UP, mask_, value, by, Size);
    }
    template <typename Value>
    KG__GROUP Value shfl_xor(Value value, unsigned int by) const
    {
        return kg__model::shuffle(KG__MODEL_SHUFFLE_XOR, mask_, value, by, Size);
    }
    KG__GROUP unsigned int ballot(int predicate) const
    {
        return __ballot_sync(mask_, predicate) >> first_lane();
    }
    template <typename Value>
    KG__GROUP unsigned int match_any(Value value) const
    {
        return equal_lanes(value) >> first_lane();
    }
    template <typename Value>
    KG__GROUP unsigned int match_all(Value value, int &predicate) const
    {
        const unsigned int equal = equal_lanes(value);

        predicate = equal == __ballot_sync(mask_, 1);
        return predicate ? equal >> first_lane() : 0;
    }

  private:
    KG__GROUP_STATIC(unsigned int, first_lane, kg__model::lane() & ~(Size - 1))
};

/* A tile of several warps, which exchange values outside of shared memory, like those of devices
 * from compute capability 8.0 on. */
template <unsigned int Size>
class kg__wide_tile
{
  public:
    KG__GROUP kg__wide_tile(unsigned int meta_size, unsigned int meta_rank)
        : meta_size_(meta_size), meta_rank_(meta_rank)
    {
    }
    KG__GROUP kg__wide_tile(const thread_block &)
        : kg__wide_tile((kg__model::threads_in_block() + Size - 1) / Size,
                        kg__model::thread_in_block() / Size)
    {
    }
    KG__GROUP_STATIC(constexpr unsigned int, size, Size)
    KG__GROUP_STATIC(constexpr unsigned int, num_threads, Size)
    KG__GROUP_STATIC(unsigned int, thread_rank, kg__model::thread_in_block() % Size)
    KG__GROUP_CONST(unsigned int, meta_group_size, meta_size_)
    KG__GROUP_CONST(unsigned int, meta_group_rank, meta_rank_)
    /* Each tile of each size has a barrier of its own. */
    static KG__GROUP void sync()
    {
        const unsigned int tile = kg__model::thread_in_block() / Size;
        const unsigned int left = kg__model::threads_in_block() - tile * Size;

        kg__model_pass(kg__model_wait_at_numbered(KG__MODEL_NAMED_BARRIERS + 1024 / Size - 1 + tile,
                                                  left < Size ? left : Size));
    }
    template <typename Value>
    KG__GROUP Value shfl(Value value, unsigned int rank) const
    {
        if (thread_rank() == rank % Size)
            kg__put(value);
        sync();
        value = kg__take<Value>(rank % Size / KG__MODEL_WARP);
        sync();
        return value;
    }
    KG__GROUP int any(int predicate) const
    {
        return kg__combine(kg__warp().any(predicate), [](int a, int b) { return a | b; });
    }
    KG__GROUP int all(int predicate) const
    {
        return kg__combine(kg__warp().all(predicate), [](int a, int b) { return a & b; });
    }

    /* Used by the model's own functions of groups: */
    static KG__GROUP thread_block_tile<KG__MODEL_WARP> kg__warp()
    {
        return thread_block_tile<KG__MODEL_WARP>(Size / KG__MODEL_WARP,
                                                 thread_rank() / KG__MODEL_WARP);
    }
    /* Gives a value of the thread's warp to the tile, until its next barrier but one. */
    template <typename Value>
    static KG__GROUP void kg__put(Value value)
    {
        static_assert(std::is_trivially_copyable<Value>::value && sizeof(Value) <= 32,
                      "a tile's warps exchange trivially copyable types of at most 32 bytes");
        kg__model_exchange(kg__model::thread_in_block() / KG__MODEL_WARP, &value, sizeof value, 1);
    }
    /* Takes that of a warp, by its number in the tile. */
    template <typename Value>
    static KG__GROUP Value kg__take(unsigned int warp)
    {
        Value value;

        kg__model_exchange(kg__model::thread_in_block() / Size * (Size / KG__MODEL_WARP) + warp,
                           &value, sizeof value, 0);
        return value;
    }
    /* Combines one value per warp over all warps of the tile. */
    template <typename Value, typename Operation>
    static KG__GROUP Value kg__combine(Value value, Operation &&operation)
    {
        if (thread_rank() % KG__MODEL_WARP == 0)
            kg__put(value);
        sync();
        value = kg__take<Value>(0);
        for (unsigned int warp = 1; warp < Size / KG__MODEL_WARP; warp++)
            value = operation(value, kg__take<Value>(warp));
        sync();
        return value;
    }

  private:
    unsigned int meta_size_, meta_rank_;
};

#define KG__WIDE_TILE(size)                                                                        \
    template <typename Parent>                                                                     \
    class thread_block_tile<size, Parent> : public kg__wide_tile<size>                             \
    {                                                                                              \
      public:                                                                                      \
        using kg__wide_tile<size>::kg__wide_tile;                                                  \
        KG__GROUP thread_block_tile(const kg__wide_tile<size> &other) : kg__wide_tile<size>(other) \
        {                                                                                          \
        }                                                                                          \
    };
KG__WIDE_TILE(64)
KG__WIDE_TILE(128)
KG__WIDE_TILE(256)
KG__WIDE_TILE(512)
KG__WIDE_TILE(1024)
#undef KG__WIDE_TILE

} // namespace cooperative_groups

#include "kg_model_groups.h"
