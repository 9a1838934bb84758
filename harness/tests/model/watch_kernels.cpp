/* Small kernels for the tests of watching. Plain CUDA C++: nvcc takes it too. */
#include <cuda_runtime.h>

#include "tests/model/watch_kernels.h"

// A kernel here asserts whatever the build type says.
#undef NDEBUG
#include <assert.h>

#ifndef KG_DYNAMIC_SHARED
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    extern __shared__ __align__(16) unsigned char kg__dynamic_shared[];                            \
    type *const name = reinterpret_cast<type *>(kg__dynamic_shared)
#endif

static __device__ int index_in_grid()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __global__ void copy(watch_data d)
{
    int i = index_in_grid();

    if (i < d.n)
        d.b[i] = d.a[i];
}

// Of a block of any shape.
static __global__ void copy_by_linear_thread(watch_data d)
{
    unsigned int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;

    d.b[i] = d.a[i];
}

static __global__ void copy_grid_stride(watch_data d)
{
    for (int i = index_in_grid(); i < d.n; i += (int)(gridDim.x * blockDim.x))
        d.b[i] = d.a[i];
}

static __global__ void either_branch(watch_data d)
{
    int i = index_in_grid();

    if (i % 2 == 0) {
        float x = d.a[i];

        d.b[i] = x * x;
    } else {
        d.b[i] = d.a[i] + 1.0f;
    }
    d.b[i] = d.b[i] + d.a[i];
}

static __global__ void nested_branches(watch_data d)
{
    int i = index_in_grid();
    float sum = d.a[i];

    if (i % 2 == 0) {
        sum += d.a[i + 1];
        if (i % 4 == 0)
            sum += d.a[i + 2] * 2.0f;
        else
            sum -= d.a[i + 3] * 3.0f;
        sum += d.a[i + 4];
    } else if (i % 3 == 0) {
        sum += d.a[i + 5];
    }
    d.b[i] = sum;
}

// Lane i goes k * i times round.
static __global__ void loops_of_unequal_length(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    for (int j = 0; j < d.k * i; j++)
        sum += d.a[j];
    d.b[i] = sum;
}

static __global__ void loops_of_unequal_length_downward(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    for (int j = d.k * (31 - i) - 1; j >= 0; j--)
        sum += d.a[j];
    d.b[i] = sum;
}

static __global__ void loop_with_break(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        sum += d.a[j * 32 + i];
        if (j == 3 * i)
            break;
        sum += d.a[j * 32 + i + 1] * 2.0f;
    }
    d.b[i] = sum;
}

static __global__ void loop_with_continue(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        if ((i + j) % 2 == 0)
            continue;
        sum += d.a[j * 32 + i];
    }
    d.b[i] = sum;
}

static __global__ void loop_with_branches(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        if ((i + j) % 3 == 0)
            sum += d.a[j] * 2.0f;
        else
            sum -= d.a[j + 1];
        sum *= d.a[j + 2];
    }
    d.b[i] = sum;
}

// Lane i goes i % 4 times round, k times.
static __global__ void nested_loops(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        for (int l = 0; l < i % 4; l++)
            sum += d.a[j * 4 + l];
        sum *= d.a[j];
    }
    d.b[i] = sum;
}

static __global__ void switch_of_four(watch_data d)
{
    int i = index_in_grid();
    float x;

    switch (i % 4) {
    case 0:
        x = d.a[i] * 2.0f;
        break;
    case 1:
        x = d.a[i + 1] + 3.0f;
        break;
    case 2:
        x = d.a[i + 2] - 4.0f;
        break;
    default:
        x = 5.0f;
        break;
    }
    d.b[i] = x + d.a[i + 3];
}

static __global__ void early_return(watch_data d)
{
    int i = index_in_grid();

    if (i % 5 == 0)
        return;
    d.b[i] = d.a[i];
    if (i % 5 == 1)
        return;
    d.b[i] = d.a[i + 1];
}

static __device__ int find_from(const float *a, int begin, int end)
{
    for (int j = begin; j < end; j++) {
        if (a[j] < 0.0f)
            return j;
    }
    return -1;
}

// Of a row of k for each lane; the first negative one is at lane i's place i.
static __global__ void return_from_a_loop(watch_data d)
{
    int i = index_in_grid();

    d.numbers[i] = find_from(d.a, i * d.k, (i + 1) * d.k) - i * d.k;
}

static __global__ void either_value(watch_data d)
{
    int i = index_in_grid();

    d.b[i] = i % 2 == 0 ? d.a[i] : d.a[i + 64] + 1.0f;
}

static __global__ void lambda_called_twice(watch_data d)
{
    int i = index_in_grid();
    auto load = [&](int j) { return d.a[i + j] * 2.0f; };
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        if ((i + j) % 2 == 0)
            sum += load(j);
        else
            sum -= load(j + 1);
    }
    d.b[i] = sum;
}

// The lanes come to the meeting with traces of very unequal length.
static __global__ void meet_after_long_work(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    for (int j = 0; j < (i % 2) * d.k * i; j++)
        sum += d.a[j];
    __syncwarp();
    sum += d.a[i];
    __syncwarp();
    for (int j = 0; j < (1 - i % 2) * d.k * i; j++)
        sum += d.a[j];
    __syncwarp();
    d.b[i] = sum;
}

// Half of each warp, and all of the last warp, end while the others wait for the block.
static __global__ void leave_before_barrier(watch_data d)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    if (i % 2 == 0 || i / 32 == (blockDim.x - 1) / 32)
        return;
    __syncthreads();
    d.b[i] = staged[i ^ 1];
}

static __global__ void short_circuit(watch_data d)
{
    int i = index_in_grid();

    if (d.a[i] > 0.0f && d.a[i + 32] > 0.0f)
        d.b[i] = 1.0f;
}

static __global__ void pointer_of_two(watch_data d)
{
    int i = index_in_grid();
    float *from = i % 2 == 0 ? d.a : d.b;

    from[i] = from[i] + 1.0f;
}

static __global__ void pointer_to_shared_or_global(watch_data d)
{
    __shared__ float staged[32];
    int i = index_in_grid();
    float *from = i % 2 == 0 ? staged : d.a;

    staged[i] = 0.0f;
    from[i] = from[i] + 1.0f;
}

// k accesses of lane 0 while the others wait for it at what they do together.
static __global__ void one_lane_works(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    if (i % 32 == 0) {
        for (int j = 0; j < d.k; j++)
            sum += d.a[j];
    }
    d.b[i] = d.a[i] + sum;
}

static __global__ void warp_sync_in_a_loop(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        if (i % 2 == 0)
            sum += d.a[j];
        __syncwarp();
        sum += d.a[j + 1];
    }
    d.b[i] = sum;
}

static __global__ void shuffle_between(watch_data d)
{
    int i = index_in_grid();
    float x = d.a[i];

    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffffu, x, offset);
    if (i % 32 == 0)
        d.b[i / 32] = x;
}

static __global__ void copy_triples(watch_data d)
{
    int i = index_in_grid();

    ((watch_triple *)d.b)[i] = ((const watch_triple *)d.a)[i];
}

static __global__ void copy_dozens(watch_data d)
{
    int i = index_in_grid();

    ((watch_dozen *)d.b)[i] = ((const watch_dozen *)d.a)[i];
}

static __global__ void copy_packed(watch_data d)
{
    int i = index_in_grid();
    const watch_packed *from = (const watch_packed *)d.bytes;

    d.numbers[i] = from[i].number;
}

static __global__ void copy_sixteen_bytes(watch_data d)
{
    int i = index_in_grid();

    memcpy(&d.b[4 * i], &d.a[4 * i], 16);
}

static __global__ void copy_some_bytes(watch_data d)
{
    int i = index_in_grid();

    memcpy(&d.b[i * d.k], &d.a[i * d.k], (size_t)d.k * sizeof(float));
}

static __global__ void move_some_bytes(watch_data d)
{
    int i = index_in_grid();

    memmove(&d.b[i * d.k], &d.a[i * d.k], (size_t)d.k * sizeof(float));
}

static __global__ void set_some_bytes(watch_data d)
{
    int i = index_in_grid();

    memset(&d.b[i * d.k], 0, (size_t)d.k * sizeof(float));
}

static __global__ void copy_volatile(watch_data d)
{
    int i = index_in_grid();
    const volatile float *from = d.a;
    volatile float *to = d.b;

    to[i] = from[i] + from[i];
}

static __global__ void copy_hinted(watch_data d)
{
    int i = index_in_grid();

    __stcs(&d.b[i], __ldg(&d.a[i]));
}

static __global__ void copy_pairs(watch_data d)
{
    int i = index_in_grid();

    ((float2 *)d.b)[i] = ((const float2 *)d.a)[i];
}

static __global__ void copy_quads(watch_data d)
{
    int i = index_in_grid();

    ((float4 *)d.b)[i] = ((const float4 *)d.a)[i];
}

static __global__ void copy_doubles(watch_data d)
{
    int i = index_in_grid();

    ((double *)d.b)[i] = ((const double *)d.a)[i];
}

// To the second half of `bytes`.
static __global__ void copy_bytes(watch_data d)
{
    int i = index_in_grid();

    d.bytes[d.n + i] = d.bytes[i];
}

static __global__ void negate_bools(watch_data d)
{
    int i = index_in_grid();
    bool *bools = (bool *)d.bytes;

    bools[i] = !bools[i];
}

static __global__ void copy_by_way_of_local(watch_data d)
{
    int i = index_in_grid();
    float kept[8];

    for (int j = 0; j < 8; j++)
        kept[(i + j) % 8] = d.a[8 * i + j];
    for (int j = 0; j < 8; j++)
        d.b[8 * i + j] = kept[(j * 3 + d.k) % 8];
}

static __global__ void compare_and_swap_halves(watch_data d)
{
    unsigned short *halves = (unsigned short *)d.bytes;

    atomicCAS(&halves[index_in_grid()], (unsigned short)0, (unsigned short)7);
}

// The neighbours of what lies at the edge of the grid are left out.
static __global__ void smooth_line(watch_data d)
{
    int i = index_in_grid();
    float sum = 0.0f;

    if (i >= d.n)
        return;
    for (int j = i - d.k; j <= i + d.k; j++) {
        if (j >= 0 && j < d.n)
            sum += d.a[j];
    }
    d.b[i] = sum;
}

static __global__ void smooth_plane(watch_data d)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float sum = 0.0f;

    if (x >= d.n || y >= d.rows)
        return;
    for (int v = y - d.k; v <= y + d.k; v++) {
        for (int u = x - d.k; u <= x + d.k; u++) {
            if (u >= 0 && v >= 0 && u < d.n && v < d.rows)
                sum += d.a[v * d.n + u];
        }
    }
    d.b[y * d.n + x] = sum;
}

static __global__ void smooth_volume(watch_data d)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int z = (int)(blockIdx.z * blockDim.z + threadIdx.z);
    float sum = 0.0f;

    if (x >= d.n || y >= d.rows || z >= d.layers)
        return;
    for (int w = z - 1; w <= z + 1; w++) {
        for (int u = x - d.k; u <= x + d.k; u++) {
            if (u >= 0 && w >= 0 && u < d.n && w < d.layers)
                sum += d.a[(w * d.rows + y) * d.n + u];
        }
    }
    d.b[(z * d.rows + y) * d.n + x] = sum;
}

static __global__ void copy_with_barriers(watch_data d)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    int i = index_in_grid();

    for (int j = 0; j < d.k; j++) {
        staged[threadIdx.x] = i < d.n ? d.a[i] : 0.0f;
        __syncthreads();
        if (i < d.n)
            d.b[i] = __shfl_xor_sync(__ballot_sync(0xffffffffu, i < d.n), staged[threadIdx.x], 0);
        else
            __ballot_sync(0xffffffffu, 0);
        __syncthreads();
    }
}

static __global__ void copy_beyond_in_the_last_block(watch_data d)
{
    int i = index_in_grid();

    for (int j = 0; j < d.k; j++)
        d.b[i] = d.a[i];
}

// What follows is between lanes of one warp.

static __global__ void half_warp_meets(watch_data d)
{
    __shared__ float staged[32];
    int lane = (int)threadIdx.x;

    if (lane >= 16)
        return;
    staged[lane] = d.a[lane];
    __syncwarp(0xffffu);
    d.b[lane] = staged[15 - lane];
}

static __global__ void half_warp_meets_without_the_other(watch_data d)
{
    __shared__ float staged[32];
    int lane = (int)threadIdx.x;

    staged[lane] = d.a[lane];
    if (lane < 16) {
        __syncwarp(0xffffu);
        d.b[lane] = staged[31 - lane];
    }
}

static __global__ void order_by_way_of_a_third(watch_data d)
{
    __shared__ float staged[32];
    int lane = (int)threadIdx.x;

    if (lane == 0)
        staged[0] = d.a[0];
    if (lane < 2)
        __syncwarp(0x3u);
    if (lane == 1 || lane == 2)
        __syncwarp(0x6u);
    if (lane == 2)
        d.b[0] = staged[0];
}

static __global__ void no_order_by_way_of_a_third(watch_data d)
{
    __shared__ float staged[32];
    int lane = (int)threadIdx.x;

    if (lane == 1 || lane == 2)
        __syncwarp(0x6u);
    if (lane == 0)
        staged[0] = d.a[0];
    if (lane < 2)
        __syncwarp(0x3u);
    if (lane == 2)
        d.b[0] = staged[0];
}

// Each lane reads its left neighbours, meets them, and adds to its own.
static __global__ void scan_of_a_warp(watch_data d)
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

static __global__ void butterfly_of_a_warp(watch_data d)
{
    __shared__ volatile float staged[WATCH_MAX_BLOCK];
    unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    __syncwarp();
    for (unsigned int offset = 16; offset > 0; offset /= 2) {
        float sum = staged[i] + staged[i ^ offset];

        __syncwarp();
        staged[i] = sum;
        __syncwarp();
    }
    d.b[i] = staged[i];
}

static __global__ void tree_of_a_warp(watch_data d)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    __syncwarp();
    for (unsigned int offset = 16; offset > 0; offset /= 2) {
        if (i % 32 < offset)
            staged[i] += staged[i + offset];
        __syncwarp();
    }
    d.b[i] = staged[i / 32 * 32];
}

static __global__ void broadcast_in_a_warp(watch_data d)
{
    __shared__ float word;
    int lane = (int)threadIdx.x;

    for (int j = 0; j < 4; j++) {
        if (lane == j)
            word = d.a[j];
        __syncwarp();
        d.b[lane] = word;
        __syncwarp();
    }
}

static __global__ void broadcast_without_second_meeting(watch_data d)
{
    __shared__ float word;
    int lane = (int)threadIdx.x;
    float sum;

    if (lane == 0)
        word = d.a[0];
    __syncwarp();
    sum = word;
    __syncwarp();
    if (lane == 0)
        word = d.a[1];
    d.b[lane] = sum + word;
}

static __global__ void half_warp_reads(watch_data d)
{
    __shared__ float word;
    int lane = (int)threadIdx.x;

    if (lane == 0)
        word = d.a[0];
    __syncwarp();
    if (lane < 16) {
        d.b[lane] = word;
        __syncwarp(0xffffu);
        if (lane == 0)
            word = 1.0f;
    }
}

static __global__ void whole_warp_reads_half_meets(watch_data d)
{
    __shared__ float word;
    int lane = (int)threadIdx.x;

    if (lane == 0)
        word = d.a[0];
    __syncwarp();
    d.b[lane] = word;
    if (lane < 16) {
        __syncwarp(0xffffu);
        if (lane == 0)
            word = 1.0f;
    }
}

// What follows is between warps.

static __global__ void write_after_write(watch_data d)
{
    __shared__ float staged[32];

    staged[threadIdx.x % 32] = d.a[threadIdx.x];
    __syncthreads();
    d.b[threadIdx.x] = staged[threadIdx.x % 32];
}

static __global__ void read_after_write(watch_data d)
{
    __shared__ float word;

    if (threadIdx.x == 0)
        word = d.a[0];
    if (threadIdx.x == 32)
        d.b[0] = word;
}

static __global__ void write_after_read(watch_data d)
{
    __shared__ float word;

    if (threadIdx.x == 32)
        word = d.a[0];
    __syncthreads();
    if (threadIdx.x == 0)
        d.b[0] = word;
    if (threadIdx.x == 32)
        word = d.a[1];
}

static __global__ void barriers_between(watch_data d)
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

static __global__ void atomics_of_all(watch_data d)
{
    atomicAdd(&d.numbers[threadIdx.x % 2], 1);
}

static __global__ void atomics_in_shared(watch_data d)
{
    __shared__ int sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        d.numbers[blockIdx.x] = sum;
}

static __global__ void atomic_and_plain_read(watch_data d)
{
    if (threadIdx.x == 0)
        atomicAdd(&d.numbers[0], 1);
    if (threadIdx.x == 32)
        d.numbers[1] = d.numbers[0];
}

static __global__ void atomic_and_plain_write(watch_data d)
{
    if (threadIdx.x == 0)
        d.numbers[0] = 1;
    if (threadIdx.x == 32)
        atomicAdd(&d.numbers[0], 1);
}

// Bytes next to each other are their threads' own, in shared and in global memory.
static __global__ void neighbouring_bytes(watch_data d)
{
    __shared__ unsigned char staged[WATCH_MAX_BLOCK];
    int i = index_in_grid();

    staged[threadIdx.x] = (unsigned char)i;
    d.bytes[i] = staged[threadIdx.x];
    __syncthreads();
    d.bytes[i] = staged[blockDim.x - 1 - threadIdx.x];
}

static __global__ void neighbouring_halves(watch_data d)
{
    __shared__ short staged[WATCH_MAX_BLOCK];
    int i = index_in_grid();

    staged[threadIdx.x] = (short)i;
    ((short *)d.bytes)[i] = staged[threadIdx.x];
    __syncthreads();
    ((short *)d.bytes)[i] = staged[blockDim.x - 1 - threadIdx.x];
}

// Written by words, read and written by bytes, read by words.
static __global__ void bytes_of_words(watch_data d)
{
    __shared__ unsigned int words[WATCH_MAX_BLOCK];
    unsigned char *bytes = (unsigned char *)words;
    unsigned int i = threadIdx.x;

    words[i] = 0x01020304u * i;
    __syncthreads();
    for (unsigned int j = i; j < 4 * blockDim.x; j += blockDim.x)
        bytes[j] = (unsigned char)(bytes[j] + 1);
    __syncthreads();
    d.numbers[i] = (int)words[blockDim.x - 1 - i];
}

static __global__ void byte_and_word(watch_data d)
{
    __shared__ unsigned int words[WATCH_MAX_BLOCK];
    unsigned char *bytes = (unsigned char *)words;
    unsigned int i = threadIdx.x;

    words[i] = i;
    __syncthreads();
    bytes[i] = 1;
    d.numbers[i] = (int)words[i];
}

static __global__ void quads_never_written(watch_data d)
{
    __shared__ float4 staged[WATCH_MAX_BLOCK];

    if (threadIdx.x < 8)
        ((float4 *)d.b)[threadIdx.x] = staged[threadIdx.x];
}

static __global__ void quads_in_shared(watch_data d)
{
    __shared__ float4 staged[WATCH_MAX_BLOCK];
    unsigned int i = threadIdx.x;

    staged[i] = ((const float4 *)d.a)[i];
    __syncthreads();
    ((float4 *)d.b)[i] = staged[blockDim.x - 1 - i];
    __syncthreads();
    ((float *)staged)[i] = 0.0f;
    __syncthreads();
    ((float2 *)d.b)[i] = ((const float2 *)staged)[i];
}

static __global__ void quads_in_shared_unordered(watch_data d)
{
    __shared__ float4 staged[WATCH_MAX_BLOCK];
    unsigned int i = threadIdx.x;

    staged[i] = ((const float4 *)d.a)[i];
    d.b[i] = ((const float *)staged)[4 * (i ^ 32) + 3];
}

static __global__ void doubles_in_shared(watch_data d)
{
    __shared__ double staged[WATCH_MAX_BLOCK];
    unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    __syncthreads();
    d.b[i] = (float)staged[i ^ 1];
}

static __global__ void in_place(watch_data d)
{
    int i = index_in_grid();

    if (i < d.n)
        d.a[i] = d.a[i] * 2.0f;
}

static __global__ void in_place_shifted(watch_data d)
{
    int i = index_in_grid();

    if (i + 1 < d.n)
        d.a[i] = d.a[i + 1];
}

static __global__ void read_before_writing(watch_data d)
{
    int i = index_in_grid();

    d.b[i] = d.b[i] + d.a[i];
}

static __global__ void write_first_half(watch_data d)
{
    int i = index_in_grid();

    if (i < d.n / 2)
        d.b[i] = 1.0f;
}

// Reads what the launch before has written to b, by other threads of other blocks.
static __global__ void add_backwards(watch_data d)
{
    int i = index_in_grid();

    if (i < d.n)
        d.a[i] = d.a[i] + d.b[d.n - 1 - i];
}

static __global__ void reverse_in_dynamic_shared(watch_data d)
{
    KG_DYNAMIC_SHARED(float, staged);
    unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    __syncthreads();
    d.b[i] = staged[blockDim.x - 1 - i];
}

static __global__ void read_dynamic_shared(watch_data d)
{
    KG_DYNAMIC_SHARED(float, staged);

    d.b[threadIdx.x] = staged[threadIdx.x];
}

static __device__ float variable[64];

static __global__ void keep_in_variable(watch_data d)
{
    variable[threadIdx.x] = d.a[threadIdx.x];
}

static __global__ void fetch_from_variable(watch_data d)
{
    d.b[threadIdx.x] = variable[threadIdx.x ^ 1];
}

static __constant__ float constants[32];

static __global__ void write_to_constant(watch_data d)
{
    const_cast<volatile float *>(constants)[threadIdx.x % 32] = d.a[threadIdx.x];
    d.b[threadIdx.x] = constants[threadIdx.x % 32];
}

/* An attribute of the system's headers. */
static __attribute__((__no_sanitize_thread__, __no_sanitize__("coverage"))) __global__ void
copy_unsanitized(watch_data d)
{
    d.b[threadIdx.x] = d.a[threadIdx.x];
}

static __constant__ float4 constant_quads[8];
static __constant__ double constant_doubles[8];

static __global__ void load_constant_quads(watch_data d)
{
    const float4 quad = constant_quads[(int)threadIdx.x % d.k];

    d.b[threadIdx.x] = quad.x + quad.w;
}

static __global__ void load_constant_doubles(watch_data d)
{
    d.b[threadIdx.x] = (float)constant_doubles[(int)threadIdx.x % d.k];
}

static __global__ void load_constant_words(watch_data d)
{
    d.b[threadIdx.x] = constants[(int)threadIdx.x % d.k];
}

cudaError_t fetch_constants(float *to)
{
    return cudaMemcpyFromSymbolAsync(to, constants, sizeof constants, 0, cudaMemcpyDeviceToDevice);
}

// What follows fails, or never ends.

static __global__ void endless(watch_data d)
{
    volatile float *a = d.a;

    for (unsigned int i = threadIdx.x;; i++) {
        a[threadIdx.x] = a[threadIdx.x] + 1.0f;
        if (i % 1000 == threadIdx.x)
            a[threadIdx.x] = 0.0f;
    }
}

// Touches none of the device's memory.
static __global__ void spin(watch_data d)
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

static __global__ void deep_recursion(watch_data d)
{
    d.numbers[1] = recurse(d.numbers, d.k);
}

static __global__ void huge_local_array(watch_data d)
{
    volatile float kept[1 << 20];

    kept[d.k] = 0.0f;
    for (int j = 0; j < d.n; j++)
        kept[j * 1024] = d.a[j];
    d.b[0] = kept[d.k];
}

static __global__ void too_much_static_shared(watch_data d)
{
    __shared__ float staged[12289];

    staged[threadIdx.x] = d.a[threadIdx.x];
    d.b[threadIdx.x] = staged[threadIdx.x];
}

static __global__ void trap(watch_data d)
{
    d.b[threadIdx.x] = d.a[threadIdx.x];
    if ((int)threadIdx.x == d.k)
        __trap();
}

static __global__ void failed_assert(watch_data d)
{
    d.b[threadIdx.x] = d.a[threadIdx.x];
    assert((int)threadIdx.x != d.k);
}

static __global__ void divide_by_zero(watch_data d)
{
    d.numbers[1] = d.numbers[0] / d.k;
}

// `numbers` holds a pointer.
static __global__ void follow_pointer(watch_data d)
{
    const float *const *pointers = (const float *const *)d.numbers;

    d.b[threadIdx.x] = d.a[threadIdx.x];
    d.b[threadIdx.x] = pointers[0][threadIdx.x];
}

// An image of n columns of 4 bytes each, in `rows`.
static __global__ void image_in_place(watch_data d)
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

#define WATCH_LAUNCHER(name)                                                                       \
    cudaError_t launch_##name(const cudaLaunchConfig_t *config, watch_data data)                   \
    {                                                                                              \
        return cudaLaunchKernelEx(config, name, data);                                             \
    }
WATCH_KERNELS(WATCH_LAUNCHER)
