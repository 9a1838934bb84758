/* Kernels whose requests can be counted by hand. */
#include "tests/model/watch_start.h"

EACH(copy)
{
    if (i < d.n)
        d.b[i] = d.a[i];
}

// Of a block of any shape.
KERNEL(copy_by_linear_thread)
{
    unsigned int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;

    d.b[i] = d.a[i];
}

KERNEL(copy_grid_stride)
{
    for (int i = index_in_grid(); i < d.n; i += (int)(gridDim.x * blockDim.x))
        d.b[i] = d.a[i];
}

EACH(either_branch)
{
    if (i % 2 == 0) {
        float x = d.a[i];

        d.b[i] = x * x;
    } else {
        d.b[i] = d.a[i] + 1.0f;
    }
    d.b[i] = d.b[i] + d.a[i];
}

EACH(nested_branches)
{
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
EACH(loops_of_unequal_length)
{
    float sum = 0.0f;

    for (int j = 0; j < d.k * i; j++)
        sum += d.a[j];
    d.b[i] = sum;
}

EACH(loop_with_break)
{
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        sum += d.a[j * 32 + i];
        if (j == 3 * i)
            break;
        sum += d.a[j * 32 + i + 1] * 2.0f;
    }
    d.b[i] = sum;
}

EACH(loop_with_continue)
{
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        if ((i + j) % 2 == 0)
            continue;
        sum += d.a[j * 32 + i];
    }
    d.b[i] = sum;
}

EACH(loop_with_branches)
{
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
EACH(nested_loops)
{
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        for (int l = 0; l < i % 4; l++)
            sum += d.a[j * 4 + l];
        sum *= d.a[j];
    }
    d.b[i] = sum;
}

EACH(switch_of_four)
{
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

static __device__ int find_from(const float *a, int begin, int end)
{
    for (int j = begin; j < end; j++) {
        if (a[j] < 0.0f)
            return j;
    }
    return -1;
}

// Of a row of k for each lane; the first negative one is at lane i's place i.
EACH_DOES(return_from_a_loop, d.numbers[i] = find_from(d.a, i *d.k, (i + 1) * d.k) - i * d.k)

EACH(lambda_called_twice)
{
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
EACH(meet_after_long_work)
{
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
KERNEL(leave_before_barrier)
{
    __shared__ float staged[WATCH_MAX_BLOCK];
    unsigned int i = threadIdx.x;

    staged[i] = d.a[i];
    if (i % 2 == 0 || i / 32 == (blockDim.x - 1) / 32)
        return;
    __syncthreads();
    d.b[i] = staged[i ^ 1];
}

EACH(short_circuit)
{
    if (d.a[i] > 0.0f && d.a[i + 32] > 0.0f)
        d.b[i] = 1.0f;
}

EACH(pointer_of_two)
{
    float *from = i % 2 == 0 ? d.a : d.b;

    from[i] = from[i] + 1.0f;
}

KERNEL(pointer_to_shared_or_global)
{
    __shared__ float staged[32];
    int i = index_in_grid();
    float *from = i % 2 == 0 ? staged : d.a;

    staged[i] = 0.0f;
    from[i] = from[i] + 1.0f;
}

// k accesses of lane 0 while the others wait for it at what they do together.
EACH(one_lane_works)
{
    float sum = 0.0f;

    if (i % 32 == 0) {
        for (int j = 0; j < d.k; j++)
            sum += d.a[j];
    }
    d.b[i] = d.a[i] + sum;
}

EACH(warp_sync_in_a_loop)
{
    float sum = 0.0f;

    for (int j = 0; j < d.k; j++) {
        if (i % 2 == 0)
            sum += d.a[j];
        __syncwarp();
        sum += d.a[j + 1];
    }
    d.b[i] = sum;
}

template <typename Element>
static __device__ void copy_as(watch_data d, int i)
{
    ((Element *)d.b)[i] = ((const Element *)d.a)[i];
}

EACH_DOES(copy_triples, copy_as<watch_triple>(d, i))
EACH_DOES(copy_quads, copy_as<float4>(d, i))

EACH(copy_packed)
{
    const watch_packed *from = (const watch_packed *)d.bytes;

    d.numbers[i] = from[i].number;
}

EACH_DOES(copy_sixteen_bytes, memcpy(&d.b[4 * i], &d.a[4 * i], 16))

// Sizes that the compiler knows, and would expand behind the hooks' back.
EACH_DOES(copy_four_bytes, memcpy(&d.b[i], &d.a[i], 4))
EACH_DOES(copy_twenty_bytes, memcpy(&d.b[5 * i], &d.a[5 * i], 20))

EACH(fill_shared_bytes)
{
    __shared__ float own[1024 * 3];

    memset(&own[3 * threadIdx.x], 0, 12);
    d.b[i] = own[3 * threadIdx.x + 2];
}

EACH_DOES(copy_some_bytes, memcpy(&d.b[i * d.k], &d.a[i * d.k], (size_t)d.k * sizeof(float)))
EACH_DOES(move_some_bytes, memmove(&d.b[i * d.k], &d.a[i * d.k], (size_t)d.k * sizeof(float)))
EACH_DOES(set_some_bytes, memset(&d.b[i * d.k], 0, (size_t)d.k * sizeof(float)))

// Six stores of one global request each, and one of what lanes then read in shared memory.
EACH(store_by_math_functions)
{
    __shared__ float whole[1024];
    const float x = d.a[i];
    float sum = modff(x, &whole[threadIdx.x]) + std::modf(x, &d.b[32 + i]);

    sum += frexpf(x, &d.numbers[i]) + remquof(x, 3.0f, &d.numbers[32 + i]);
    sincosf(x, &d.b[64 + i], &d.b[96 + i]);
    d.b[i] = sum + whole[threadIdx.x] + sinf(x) * cosf(x);
}

EACH(copy_volatile)
{
    const volatile float *from = d.a;
    volatile float *to = d.b;

    to[i] = from[i] + from[i];
}

EACH_DOES(copy_hinted, __stcs(&d.b[i], __ldg(&d.a[i])))

// To the second half of `bytes`.
EACH_DOES(copy_bytes, d.bytes[d.n + i] = d.bytes[i])

EACH(negate_bools)
{
    bool *bools = (bool *)d.bytes;

    bools[i] = !bools[i];
}

EACH(copy_by_way_of_local)
{
    float kept[8];

    for (int j = 0; j < 8; j++)
        kept[(i + j) % 8] = d.a[8 * i + j];
    for (int j = 0; j < 8; j++)
        d.b[8 * i + j] = kept[(j * 3 + d.k) % 8];
}

KERNEL(compare_and_swap_halves)
{
    unsigned short *halves = (unsigned short *)d.bytes;

    atomicCAS(&halves[index_in_grid()], (unsigned short)0, (unsigned short)7);
}

// With attributes that have no effect in the system's headers or in the source.
#define UNSANITIZED                                                                                \
    __attribute__((__no_sanitize_thread__, __no_sanitize__("coverage"), no_sanitize_thread,        \
                   no_sanitize("thread"), no_sanitize_coverage))
LAUNCHER(copy_unsanitized)
static UNSANITIZED __global__ void copy_unsanitized(watch_data d)
{
    d.b[threadIdx.x] = d.a[threadIdx.x];
}

static __constant__ float4 constant_quads[8];
static __constant__ double constant_doubles[8];

KERNEL(load_constant_quads)
{
    const float4 quad = constant_quads[(int)threadIdx.x % d.k];

    d.b[threadIdx.x] = quad.x + quad.w;
}

KERNEL_DOES(load_constant_doubles,
            d.b[threadIdx.x] = (float)constant_doubles[(int)threadIdx.x % d.k])

// The sum of the neighbors, as many dimensions as there are: those outside of the grid are left
// out.
KERNEL(smooth)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int z = (int)(blockIdx.z * blockDim.z + threadIdx.z);
    int along_y = d.rows > 1 ? d.k : 0;
    int along_z = d.layers > 1 ? d.k : 0;
    float sum = 0.0f;

    if (x >= d.n || y >= d.rows || z >= d.layers)
        return;
    for (int w = z - along_z; w <= z + along_z; w++) {
        for (int v = y - along_y; v <= y + along_y; v++) {
            for (int u = x - d.k; u <= x + d.k; u++) {
                if (u >= 0 && v >= 0 && w >= 0 && u < d.n && v < d.rows && w < d.layers)
                    sum += d.a[(w * d.rows + v) * d.n + u];
            }
        }
    }
    d.b[(z * d.rows + y) * d.n + x] = sum;
}

KERNEL(copy_with_barriers)
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

EACH(copy_beyond_in_the_last_block)
{
    for (int j = 0; j < d.k; j++)
        d.b[i] = d.a[i];
}

EACH(in_place)
{
    if (i < d.n)
        d.a[i] = d.a[i] * 2.0f;
}

EACH_DOES(read_before_writing, d.b[i] = d.b[i] + d.a[i])

EACH(write_first_half)
{
    if (i < d.n / 2)
        d.b[i] = 1.0f;
}

int read_beyond_on_host(int index)
{
    static const struct {
        int values[4];
        int beyond[4];
    } memory = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };

    return memory.values[index];
}

// SPDX-License-Identifier: MIT
