// Kernels for the tests of places: the words that a line accesses are named at its end.
#include <cuda_runtime.h>

#include "places_kernels.h"

namespace own
{
namespace
{
__device__ int counter = 5;
}
__device__ double pair[2] = { 1.0, 2.0 };

struct tag {
    int value;
};
template <typename Value>
__device__ Value of_type = Value();
} // namespace own

static __constant__ float weights[40] = { 1.0f };
static __constant__ int offsets[3];

static const int table[4] = { 1, 2, 3, 4 };
static const char *const sealed[2] = { "first", "second" };

// Two names of one memory, of different sizes.
extern "C" {
__device__ int places_first[4] = { 1, 2, 3, 4 };
extern __device__ int places_alias __attribute__((alias("places_first")));
}

#ifdef PLACES_MOVED
// Moves all other code, which keeps its lines.
__attribute__((used)) static double move(double x)
{
    return x * x * (x + 1.0) / (x - 5.0) + 7.0 * (x * 3.0 + 9.0) - 1.0 / (x * x - 2.0);
}
#endif

static __global__ void plain(int *words)
{
    words[0] = 3;             // word 0
    words[1] = words[2]       // word 1 2
               + 5 * words[3] // word 3
        ;
    words[4]++; // word 4
}

__device__ static int twice(const int *word)
{
    return *word * 2; // word 5
}

__device__ static inline void store_twice(int *to, const int *from)
{
    *to = twice(from); // word 6
}

static __global__ void nested(int *words)
{
    store_twice(&words[6], &words[5]);
    if (words[7] == 0)       // word 7
        words[8] = words[9]; // word 8 9
    else
        words[10] = words[27];
    for (int i = 0; i < words[11] + 2; i++) // word 11
        words[28 + i] += i;                 // word 28 29
}

__device__ static void count_up(int *word)
{
    atomicAdd(word, 1); // word 12
}

namespace own
{
static __global__ void atomics(int *words)
{
    count_up(&words[12]);
    atomicCAS(&words[13], 0, 7);           // word 13
    words[15] = places_add_one(&words[14]) // word 15
                + __ldg(&words[16]);       // word 16
    // What is inlined into an argument of an inlined call is at that call.
    atomicMax(&words[17], // word 17 18
              __ldg(&words[18]));
}

} // namespace own

template <int EDGE>
static __global__ void holder(int *words, int column)
{
    __shared__ float tile_a[EDGE][EDGE];
    __shared__ int tile_b[EDGE];

    tile_a[column][column] = (float)words[19];                // word 19
    tile_b[column] = words[20] + (int)tile_a[column][column]; // word 20
    words[21] = tile_b[column];                               // word 21
    places_note("tile_a", tile_a, sizeof tile_a, PLACES_SHARED);
    places_note("tile_b", tile_b, sizeof tile_b, PLACES_SHARED);
}

template <typename Value>
__device__ static Value through_shared(Value value)
{
    __shared__ Value staged[33];

    staged[32] = value;
    places_note("staged", staged, sizeof staged, PLACES_SHARED);
    return staged[32];
}

extern "C" __global__ void c_kernel(int *words)
{
    __shared__ unsigned char bytes[5];
    static int remembered = 9;

    bytes[4] = 1;
    remembered++;
    words[22] = through_shared<int>(bytes[4]);     // word 22
    words[23] = (int)through_shared<double>(2.75); // word 23
    places_note("bytes", bytes, sizeof bytes, PLACES_SHARED);
    places_note("remembered", &remembered, sizeof remembered, PLACES_GLOBAL);
}

static __global__ void with_constants(int *words)
{
    words[25] = (int)weights[words[26]] + offsets[2]; // word 25 26
    own::counter++;
    own::of_type<own::tag>.value++;
    places_note("weights", weights, sizeof weights, PLACES_CONSTANT);
    places_note("offsets", offsets, sizeof offsets, PLACES_CONSTANT);
    places_note("counter", &own::counter, sizeof own::counter, PLACES_GLOBAL);
    places_note("pair", own::pair, sizeof own::pair, PLACES_GLOBAL);
    places_note("of_type<own::tag>", &own::of_type<own::tag>, sizeof(own::tag), PLACES_GLOBAL);
}

void places_run(places_seen *seen, int *words)
{
    cudaLaunchConfig_t config = {};

    places_now = seen;
    plain(words);
    nested(words);
    own::atomics(words);
    holder<7>(words, 3);
    holder<16>(words, 15);
    c_kernel(words);
    with_constants(words);
    cudaLaunchKernelEx(&config, plain, words);
    places_now = nullptr;
    seen->kernel = reinterpret_cast<const void *>(holder<7>);
    seen->aliased[0] = places_first;
    seen->aliased[1] = &places_alias;
    seen->literal = sealed[words[0] % 2];
    seen->table = &table[words[0] % 4];
    seen->sealed = &sealed[words[0] % 2];
}

// SPDX-License-Identifier: MIT
