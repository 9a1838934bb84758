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

// The word of every part that the timed launch wrote is checked as it left it.
KG_LAUNCHER(transfers_global_to_shared_collect)
{
    const size_t word = sizeof(int);
    const size_t parts = kg_grid(KG_EXTENT(call, 0) * KG_EXTENT(call, 1), PART).x;
    int *to = KG_ARG(call, int, 1);
    void *timed = nullptr;
    cudaError_t code = cudaMalloc(&timed, parts * word);

    if (code == cudaSuccess)
        code = cudaMemcpy2D(timed, word, to, PART * word, word, parts, cudaMemcpyDeviceToDevice);
    if (code == cudaSuccess)
        code = stage(call, 1);
    if (code == cudaSuccess)
        code = cudaMemcpy2D(to, PART * word, timed, word, word, parts, cudaMemcpyDeviceToDevice);
    cudaFree(timed);
    return code;
}

// SPDX-License-Identifier: MIT
