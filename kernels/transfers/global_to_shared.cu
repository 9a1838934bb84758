// Global to shared memory: each block stages its part of the input, 16 bytes a thread. What must
// leave a block for the staging not to be optimized away, or to be checked, is up to an argument:
// one word of every part where it is timed, every word where its results are collected. It is the
// same kernel.
#include <kernelgate/kernelgate.h>

#define THREADS 256
#define WORDS_A_THREAD 4
#define PART (THREADS * WORDS_A_THREAD)

static __global__ void global_to_shared(const int *from, int *to, int count, int step)
{
    __shared__ __align__(16) int part[PART];
    int first = blockIdx.x * PART;
    int length = count - first < PART ? count - first : PART;
    int word = threadIdx.x * WORDS_A_THREAD;

    if (word + WORDS_A_THREAD <= length) {
        *reinterpret_cast<int4 *>(&part[word]) =
            *reinterpret_cast<const int4 *>(&from[first + word]);
    } else {
        for (; word < length; word++)
            part[word] = from[first + word];
    }
    __syncthreads();
    for (int i = threadIdx.x * step; i < length; i += THREADS * step)
        to[first + i] = part[i];
}

static cudaError_t stage(const kg_call *call, int step)
{
    int64_t count = KG_EXTENT(call, 0) * KG_EXTENT(call, 1);

    return kg_start(call, global_to_shared, kg_grid(count, PART), THREADS,
                    KG_ARG(call, const int, 0), KG_ARG(call, int, 1), count, step);
}

KG_LAUNCHER(transfers_global_to_shared)
{
    return stage(call, PART);
}

KG_LAUNCHER(transfers_global_to_shared_collect)
{
    return stage(call, 1);
}

// SPDX-License-Identifier: MIT
