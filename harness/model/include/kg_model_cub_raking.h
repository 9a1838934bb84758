/* SPDX-License-Identifier: MIT */
/* The parts that CUB's own scans and reductions of a block are made of, which kernels make others
 * of. */
#pragma once

#include "kg_model_cub.h"

#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_WARP_THREADS(unused) 32

namespace cub
{

template <typename T>
struct Uninitialized {
    alignas(T) unsigned char storage[sizeof(T)];
    KG__CUB T &Alias()
    {
        return reinterpret_cast<T &>(*this);
    }
};

/* The lanes of a logical warp. */
template <int Threads>
KG__CUB unsigned int WarpMask(unsigned int warp)
{
    return (Threads < 32 ? (1u << (Threads & 31)) - 1 : ~0u) << (Threads < 32 ? warp * Threads : 0);
}
template <int Threads, typename T>
KG__CUB T ShuffleIndex(T input, int from, unsigned int mask)
{
    return kg__model::groups::shuffle(KG__MODEL_SHUFFLE, mask, input,
                                      static_cast<unsigned int>(from), Threads);
}
/* Lanes beyond the last, or before the first, get their own values. */
template <int Threads, typename T>
KG__CUB T ShuffleDown(T input, int offset, int last, unsigned int mask)
{
    const int rank = static_cast<int>(LaneId()) % Threads;

    return ShuffleIndex<Threads>(input, rank + offset > last ? rank : rank + offset, mask);
}
template <int Threads, typename T>
KG__CUB T ShuffleUp(T input, int offset, int first, unsigned int mask)
{
    const int rank = static_cast<int>(LaneId()) % Threads;

    return ShuffleIndex<Threads>(input, rank - offset < first ? rank : rank - offset, mask);
}

/* One element for each thread of a block, in segments, one for each raking thread. */
template <typename T, int BlockThreads>
struct BlockRakingLayout {
    static constexpr int SHARED_ELEMENTS = BlockThreads;
    static constexpr int MAX_RAKING_THREADS = BlockThreads < 32 ? BlockThreads : 32;
    static constexpr int SEGMENT_LENGTH =
        (SHARED_ELEMENTS + MAX_RAKING_THREADS - 1) / MAX_RAKING_THREADS;
    static constexpr int RAKING_THREADS = (SHARED_ELEMENTS + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH;
    static constexpr bool UNGUARDED = SHARED_ELEMENTS % RAKING_THREADS == 0;

    struct alignas(16) _TempStorage {
        T buff[RAKING_THREADS * SEGMENT_LENGTH];
    };
    struct TempStorage : Uninitialized<_TempStorage> {
    };
    KG__CUB static T *PlacementPtr(TempStorage &storage, unsigned int thread)
    {
        return storage.Alias().buff + thread;
    }
    KG__CUB static T *RakingPtr(TempStorage &storage, unsigned int thread)
    {
        return storage.Alias().buff + thread * SEGMENT_LENGTH;
    }
};

} // namespace cub
