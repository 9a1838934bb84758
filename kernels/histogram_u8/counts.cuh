// What the histograms have in common: how a block walks over its bytes, and how it adds what its
// lanes have counted to the result.
#ifndef HISTOGRAM_U8_COUNTS_CUH
#define HISTOGRAM_U8_COUNTS_CUH

#include <kernelgate/kernelgate.h>

#define BINS 256
#define LANES 32
#define ALL_LANES 0xffffffffu
#define VECTOR 16
#define AHEAD 2

// Zeroes `bytes` of shared memory, a multiple of 16, by all threads of the block.
static inline __device__ void zero(void *memory, int bytes)
{
    for (int i = threadIdx.x; i < bytes / VECTOR; i += blockDim.x)
        ((uint4 *)memory)[i] = make_uint4(0, 0, 0, 0);
}

// Loads a thread's next AHEAD vectors of 16 bytes, those that exist.
static inline __device__ void load_vectors(const uint4 *x, int64_t first, int64_t stride,
                                           int64_t vectors, uint4 (&loaded)[AHEAD])
{
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        loaded[i] = first + i * stride < vectors ? x[first + i * stride] : make_uint4(0, 0, 0, 0);
}

// Calls `count` with the four bytes of a word. PRMT takes out one at a time, where nvcc would shift
// and mask.
template <typename COUNT>
static inline __device__ void count_word(unsigned word, COUNT count)
{
    unsigned bytes[] = { __byte_perm(word, 0, 0x4440), __byte_perm(word, 0, 0x4441),
                         __byte_perm(word, 0, 0x4442), __byte_perm(word, 0, 0x4443) };

    count(bytes);
}

// Calls `count` with arrays of four bytes, or one, that together are the thread's of the grid's n.
// The next vectors are always on their way while bytes are counted; the first, while `prepare`
// zeroes shared memory.
template <typename PREPARE, typename COUNT>
static inline __device__ void count_vectors(const uint8_t *x, int64_t n, PREPARE prepare,
                                            COUNT count)
{
    int64_t vectors = n / VECTOR, stride = (int64_t)gridDim.x * blockDim.x;
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint4 next[AHEAD];

    load_vectors((const uint4 *)x, first, stride, vectors, next);
    prepare();
    __syncthreads();
    for (; first < vectors; first += AHEAD * stride) {
        uint4 now[AHEAD];

#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            now[i] = next[i];
        load_vectors((const uint4 *)x, first + AHEAD * stride, stride, vectors, next);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (first + i * stride >= vectors)
                break;
            count_word(now[i].x, count);
            count_word(now[i].y, count);
            count_word(now[i].z, count);
            count_word(now[i].w, count);
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < n % VECTOR) {
        unsigned bytes[] = { x[n / VECTOR * VECTOR + threadIdx.x] };

        count(bytes);
    }
    __syncthreads();
}

// Adds to the result what the lanes have of each bin, of_lane(bin). A warp sums up to 32
// neighboring bins, one in each lane, so that the block updates them by few requests.
template <typename OF_LANE>
static inline __device__ void add_lanes(int *counts, OF_LANE of_lane)
{
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    int share = min(LANES, (BINS + warps - 1) / warps);

    for (int first = warp * share; first < BINS; first += warps * share) {
        int own = 0;

#pragma unroll 4
        for (int i = 0; i < min(share, BINS - first); i++) {
            int sum = __reduce_add_sync(ALL_LANES, of_lane(first + i));

            own = lane == i ? sum : own;
        }
        if (own != 0)
            atomicAdd(&counts[first + lane], own);
    }
}

// Zeroes the result and starts a grid of KG_AXIS 1 blocks; of fewer where these would have less
// than 16 bytes per thread.
template <typename... Shared>
static inline cudaError_t start_counting(const kg_call *call,
                                         void (*kernel)(const uint8_t *, int *, int64_t),
                                         Shared... shared)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);
    unsigned most = KG_AXIS(call, 1), needed = kg_grid(n, VECTOR * block).x;
    int *counts = KG_ARG(call, int, 1);
    cudaError_t code = cudaMemsetAsync(counts, 0, BINS * sizeof *counts, call->stream);

    if (code != cudaSuccess)
        return code;
    return kg_start(call, kernel, needed < most ? needed : most, block, shared...,
                    KG_ARG(call, const uint8_t, 0), counts, n);
}

#endif

// SPDX-License-Identifier: MIT
