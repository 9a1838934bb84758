/* Pairs of accesses with and without an order between them, and kernels that fail. */
#include "tests/model/watch_start.h"

// What follows is between lanes of one warp.

THREAD(half_warp_meets)
{
    __shared__ float staged[32];

    if (i >= 16)
        return;
    staged[i] = d.a[i];
    __syncwarp(0xffffu);
    d.b[i] = staged[15 - i];
}

THREAD(half_warp_meets_without_the_other)
{
    __shared__ float staged[32];

    staged[i] = d.a[i];
    if (i < 16) {
        __syncwarp(0xffffu);
        d.b[i] = staged[31 - i];
    }
}

// The first lane writes before it meets the second one, which then meets the third, or has met it.
template <bool ORDERED>
static __device__ void pass_by_a_third(watch_data d, int i)
{
    __shared__ float staged[32];

    if (!ORDERED && (i == 1 || i == 2))
        __syncwarp(0x6u);
    if (i == 0)
        staged[0] = d.a[0];
    if (i < 2)
        __syncwarp(0x3u);
    if (ORDERED && (i == 1 || i == 2))
        __syncwarp(0x6u);
    if (i == 2)
        d.b[0] = staged[0];
}

THREAD(order_by_way_of_a_third)
{
    pass_by_a_third<true>(d, i);
}

THREAD(no_order_by_way_of_a_third)
{
    pass_by_a_third<false>(d, i);
}

// Each lane reads its left neighbors, meets them, and adds to its own.
KERNEL(scan_of_a_warp)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    int lane = (int)threadIdx.x % 32;
    float *mine = staged + (threadIdx.x - (unsigned int)lane);

    mine[lane] = d.a[threadIdx.x];
    __syncwarp();
    for (int offset = 1; offset < 32; offset *= 2) {
        float left = lane >= offset ? mine[lane - offset] : 0.0f;

        __syncwarp();
        mine[lane] += left;
        __syncwarp();
    }
    d.b[threadIdx.x] = mine[lane];
}

THREAD(butterfly_of_a_warp)
{
    __shared__ volatile float staged[WATCH_MAX_BLOCK];

    staged[i] = d.a[i];
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        float sum = staged[i] + staged[i ^ offset];

        __syncwarp();
        staged[i] = sum;
        __syncwarp();
    }
    d.b[i] = staged[i];
}

THREAD(tree_of_a_warp)
{
    __shared__ float staged[WATCH_MAX_BLOCK];

    staged[i] = d.a[i];
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        if (i % 32 < offset)
            staged[i] += staged[i + offset];
        __syncwarp();
    }
    d.b[i] = staged[i / 32 * 32];
}

THREAD(broadcast_in_a_warp)
{
    __shared__ float word;

    for (int j = 0; j < 4; j++) {
        if (i == j)
            word = d.a[j];
        __syncwarp();
        d.b[i] = word;
        __syncwarp();
    }
}

THREAD(broadcast_without_second_meeting)
{
    __shared__ float word;
    float sum;

    if (i == 0)
        word = d.a[0];
    __syncwarp();
    sum = word;
    __syncwarp();
    if (i == 0)
        word = d.a[1];
    d.b[i] = sum + word;
}

THREAD(half_warp_reads)
{
    __shared__ float word;

    if (i == 0)
        word = d.a[0];
    __syncwarp();
    if (i < 16) {
        d.b[i] = word;
        __syncwarp(0xffffu);
        if (i == 0)
            word = 1.0f;
    }
}

THREAD(whole_warp_reads_half_meets)
{
    __shared__ float word;

    if (i == 0)
        word = d.a[0];
    __syncwarp();
    d.b[i] = word;
    if (i < 16) {
        __syncwarp(0xffffu);
        if (i == 0)
            word = 1.0f;
    }
}

// What follows is between warps.

KERNEL(write_after_write)
{
    __shared__ float staged[32];

    staged[threadIdx.x % 32] = d.a[threadIdx.x];
    __syncthreads();
    d.b[threadIdx.x] = staged[threadIdx.x % 32];
}

KERNEL(barriers_between)
{
    __shared__ float word;

    for (unsigned int j = 0; j < blockDim.x; j += 32) {
        if (threadIdx.x == j)
            word = d.a[j];
        __syncthreads();
        d.b[threadIdx.x] = word;
        __syncthreads();
    }
}

KERNEL(atomic_and_plain_read)
{
    if (threadIdx.x == 0)
        atomicAdd(&d.numbers[0], 1);
    if (threadIdx.x == 32)
        d.numbers[1] = d.numbers[0];
}

KERNEL(atomic_and_plain_write)
{
    if (threadIdx.x == 0)
        d.numbers[0] = 1;
    if (threadIdx.x == 32)
        atomicAdd(&d.numbers[0], 1);
}

// Numbers next to each other belong to different threads, in shared and in global memory.
template <typename Number>
static __device__ void write_neighbors(Number *to, int i)
{
    __shared__ Number staged[WATCH_MAX_BLOCK];

    staged[threadIdx.x] = (Number)i;
    to[i] = staged[threadIdx.x];
    __syncthreads();
    to[i] = staged[blockDim.x - 1 - threadIdx.x];
}

EACH_DOES(neighboring_bytes, write_neighbors(d.bytes, i))
EACH_DOES(neighboring_halves, write_neighbors((short *)d.bytes, i))

// Written by words, read and written by bytes, read by words.
THREAD(bytes_of_words)
{
    __shared__ unsigned int words[WATCH_MAX_BLOCK];
    unsigned char *bytes = (unsigned char *)words;

    words[i] = 0x01020304u * i;
    __syncthreads();
    for (unsigned int j = i; j < 4 * blockDim.x; j += blockDim.x)
        bytes[j] = (unsigned char)(bytes[j] + 1);
    __syncthreads();
    d.numbers[i] = (int)words[blockDim.x - 1 - i];
}

THREAD(byte_and_word)
{
    __shared__ unsigned int words[WATCH_MAX_BLOCK];
    unsigned char *bytes = (unsigned char *)words;

    words[i] = i;
    __syncthreads();
    bytes[i] = 1;
    d.numbers[i] = (int)words[i];
}

KERNEL(quads_never_written)
{
    __shared__ float4 staged[WATCH_MAX_BLOCK];

    if (threadIdx.x < 8)
        ((float4 *)d.b)[threadIdx.x] = staged[threadIdx.x];
}

THREAD(quads_in_shared)
{
    __shared__ float4 staged[WATCH_MAX_BLOCK];

    staged[i] = ((const float4 *)d.a)[i];
    __syncthreads();
    ((float4 *)d.b)[i] = staged[blockDim.x - 1 - i];
    __syncthreads();
    ((float *)staged)[i] = 0.0f;
    __syncthreads();
    ((float2 *)d.b)[i] = ((const float2 *)staged)[i];
}

THREAD(quads_in_shared_unordered)
{
    __shared__ float4 staged[WATCH_MAX_BLOCK];

    staged[i] = ((const float4 *)d.a)[i];
    d.b[i] = ((const float *)staged)[4 * (i ^ 32) + 3];
}

THREAD(doubles_in_shared)
{
    __shared__ double staged[WATCH_MAX_BLOCK];

    staged[i] = d.a[i];
    __syncthreads();
    d.b[i] = (float)staged[i ^ 1];
}

EACH(in_place_shifted)
{
    if (i + 1 < d.n)
        d.a[i] = d.a[i + 1];
}

// Lanes read whole rows of the shadow (KG__ROW), their own words' first.
EACH(in_place_shifted_by_rows)
{
    float sum = d.a[i];

    sum += d.a[i + 8];
    d.a[i] = sum;
}

// Lanes read rows of the shadow in part. Of the three that read a[5], two then update it.
EACH(two_of_three_readers_update)
{
    float sum = d.a[i + 1];

    sum += d.a[i + 2];
    sum += d.a[i + 3];
    d.b[i] = sum;
    if (i == 3 || i == 4)
        atomicAdd(&d.a[5], sum);
}

// Reads what the launch before has written to b, by other threads of other blocks.
EACH(add_backwards)
{
    if (i < d.n)
        d.a[i] = d.a[i] + d.b[d.n - 1 - i];
}

THREAD(reverse_in_dynamic_shared)
{
    KG_DYNAMIC_SHARED(float, staged);

    staged[i] = d.a[i];
    __syncthreads();
    d.b[i] = staged[blockDim.x - 1 - i];
}

KERNEL(read_dynamic_shared)
{
    KG_DYNAMIC_SHARED(float, staged);

    d.b[threadIdx.x] = staged[threadIdx.x];
}

static __device__ float variable[64];

KERNEL_DOES(keep_in_variable, variable[threadIdx.x] = d.a[threadIdx.x])
KERNEL_DOES(fetch_from_variable, d.b[threadIdx.x] = variable[threadIdx.x ^ 1])

static __constant__ float constants[32];

KERNEL(write_to_constant)
{
    const_cast<volatile float *>(constants)[threadIdx.x % 32] = d.a[threadIdx.x];
    d.b[threadIdx.x] = constants[threadIdx.x % 32];
}

KERNEL_DOES(load_constant_words, d.b[threadIdx.x] = constants[(int)threadIdx.x % d.k])

cudaError_t fetch_constants(float *to)
{
    return cudaMemcpyFromSymbolAsync(to, constants, sizeof constants, 0, cudaMemcpyDeviceToDevice);
}

// What follows fails, or never ends.

KERNEL(endless)
{
    volatile float *a = d.a;

    for (unsigned int i = threadIdx.x;; i++) {
        a[threadIdx.x] = a[threadIdx.x] + 1.0f;
        if (i % 1000 == threadIdx.x)
            a[threadIdx.x] = 0.0f;
    }
}

// Touches none of the device's memory.
KERNEL(spin)
{
    volatile int spins = d.n;

    while (spins >= 0)
        spins = spins % 7;
}

static __attribute__((noinline)) int recurse(volatile int *numbers, int depth)
{
    volatile int kept[64];

    kept[depth % 64] = numbers[0];
    if (depth == 0)
        return kept[0];
    return recurse(numbers, depth - 1) + kept[depth % 64];
}

KERNEL_DOES(deep_recursion, d.numbers[1] = recurse(d.numbers, d.k))

KERNEL(trap)
{
    d.b[threadIdx.x] = d.a[threadIdx.x];
    if ((int)threadIdx.x == d.k)
        __trap();
}

// `numbers` holds a pointer.
KERNEL(follow_pointer)
{
    const float *const *pointers = (const float *const *)d.numbers;

    d.b[threadIdx.x] = d.a[threadIdx.x];
    d.b[threadIdx.x] = pointers[0][threadIdx.x];
}

// An image of n columns of 4 bytes each, in `rows`.
KERNEL(image_in_place)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);

    if (x < d.n && y < d.rows) {
        unsigned char *pixel = d.bytes + ((size_t)y * (size_t)d.n + (size_t)x) * 4;

        pixel[0] = (unsigned char)(255 - pixel[0]);
        pixel[1] = (unsigned char)(255 - pixel[1]);
        pixel[2] = (unsigned char)(255 - pixel[2]);
    }
}

// A lane reads what another one writes later, in order: nobody has written it.
THREAD(read_before_an_ordered_write)
{
    __shared__ float word;

    if (i == 0)
        d.b[0] = word;
    __syncwarp();
    if (i == 1)
        word = 1.0f;
}

// SPDX-License-Identifier: MIT
