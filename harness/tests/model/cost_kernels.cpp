/* Small kernels with one needless cost each. */
#include "tests/model/defect_start.h"

const char *const cost_source = __FILE__;

#define TILE 32

// Transposes an n x n matrix, tile by tile. A row longer than the banks puts a column's elements
// into different banks.
template <int PITCH>
static __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][PITCH];

    for (int row = (int)threadIdx.y; row < TILE; row += (int)blockDim.y) {
        int x = (int)(blockIdx.x * TILE + threadIdx.x);
        int y = (int)blockIdx.y * TILE + row;

        if (x < n && y < n)
            tile[row][threadIdx.x] = in[y * n + x];
    }
    __syncthreads();
    for (int row = (int)threadIdx.y; row < TILE; row += (int)blockDim.y) {
        int x = (int)(blockIdx.y * TILE + threadIdx.x);
        int y = (int)blockIdx.x * TILE + row;

        if (x < n && y < n)
            out[y * n + x] = tile[threadIdx.x][row]; /* defect: bank_conflict */
    }
}

cudaError_t launch_bank_conflict(const defect_call *call)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3(divide_up(call->n, TILE), divide_up(call->n, TILE));
    config.blockDim = dim3(TILE, static_cast<unsigned int>(call->block / TILE));
    return start(call, config, transpose<TILE + 1>, transpose<TILE>);
}

#define EACH 8

// Sums eight elements per thread: adjacent ones, or those a grid's threads apart.
template <bool ADJACENT>
static __global__ void sum_eight_each(const float *in, float *out, int n)
{
    int threads = (int)(gridDim.x * blockDim.x);
    int own = index_in_grid();
    float sum = 0.0f;

    for (int k = 0; k < EACH; k++) {
        int i = ADJACENT ? own * EACH + k : k * threads + own;

        if (i < n)
            sum += in[i]; /* defect: lost_coalescing */
    }
    atomicAdd(out, sum);
}

cudaError_t launch_lost_coalescing(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    config.gridDim = dim3(divide_up(call->n, EACH * call->block));
    return start(call, config, sum_eight_each<false>, sum_eight_each<true>);
}

// Eight multiples of each element. The compiler must load it again after each store, which may
// have changed it; the twin keeps it.
TWINS(multiply)
{
    int i = index_in_grid();

    if (i >= n)
        return;

    float kept = DEFECTIVE ? 0.0f : in[i];

    for (int k = 0; k < EACH; k++)
        out[k * n + i] = (float)k * (DEFECTIVE ? in[i] : kept); /* defect: redundant_reload */
}

LAUNCHER(redundant_reload, multiply<false>, multiply<true>)

#define SHARES 32
static __constant__ float shares[SHARES];

// Every lane reads the whole table: all lanes the same element at a time, or each another.
TWINS(double_by_shares)
{
    int i = index_in_grid();
    float sum = 0.0f;

    if (i >= n)
        return;
    for (int k = 0; k < SHARES; k++)
        sum += shares[DEFECTIVE ? (i + k) % SHARES : k]; /* defect: scattered_constants */
    out[i] = in[i] * sum;
}

cudaError_t launch_scattered_constants(const defect_call *call)
{
    float values[SHARES];
    cudaError_t error;

    for (float &value : values)
        value = 2.0f / SHARES;
    error = cudaMemcpyToSymbol(shares, values, sizeof values);
    return error != cudaSuccess
               ? error
               : start(call, thread_each(call), double_by_shares<false>, double_by_shares<true>);
}

// Doubles each element, by a thread of its own.
static __global__ void double_each(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (i < n)
        out[i] = 2.0f * in[i];
}

// Nearly all blocks have nothing to do.
cudaError_t launch_excess_blocks(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    config.gridDim.x *= call->defective ? 128 : 1;
    return start(call, config, double_each, double_each);
}

// `WORKERS` threads of each block double as many elements; the others leave.
template <int WORKERS>
static __global__ void double_by_few(const float *in, float *out, int n)
{
    int i = (int)blockIdx.x * WORKERS + (int)threadIdx.x;

    if (threadIdx.x < WORKERS && i < n)
        out[i] = 2.0f * in[i];
}

cudaError_t launch_idle_threads(const defect_call *call)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3(divide_up(call->n, 32));
    config.blockDim = dim3(call->defective ? 256 : 32);
    return start(call, config, double_by_few<32>, double_by_few<32>);
}

// The first warp doubles all of its block's elements; the others wait.
static __global__ void double_by_first_warp(const float *in, float *out, int n)
{
    int first = (int)(blockIdx.x * blockDim.x);

    for (int k = (int)threadIdx.x; threadIdx.x < 32 && k < (int)blockDim.x; k += 32) {
        if (first + k < n)
            out[first + k] = 2.0f * in[first + k];
    }
    __syncthreads();
}

static __global__ void double_by_all_warps(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (i < n)
        out[i] = 2.0f * in[i];
    __syncthreads();
}

LAUNCHER(work_of_one_warp, double_by_all_warps, double_by_first_warp)

// Leaves something in a loop that is done for each element.
template <bool FENCE, bool PRINT>
static __global__ void double_in_a_loop(const float *in, float *out, int n)
{
    for (int i = index_in_grid(); i < n; i += (int)(gridDim.x * blockDim.x)) {
        out[i] = 2.0f * in[i];
        if (FENCE)
            __threadfence(); /* defect: fence_in_a_loop */
        if (PRINT)
            printf("%s", ""); /* defect: printf_in_a_loop */
    }
}

using loop = element_kernel *;
static const loop plain_loop = double_in_a_loop<false, false>;
static const loop fenced_loop = double_in_a_loop<true, false>;
static const loop printing_loop = double_in_a_loop<false, true>;
LAUNCHER(fence_in_a_loop, plain_loop, fenced_loop)
LAUNCHER(printf_in_a_loop, plain_loop, printing_loop)

// Sums up by warps, where one lane adds the sum, or every lane its own value: to the result, or to
// a block's sum first.
template <bool SHARED, bool BY_LANE>
static __global__ void add_up(const float *in, float *out, int n)
{
    __shared__ float sum;
    int i = index_in_grid();
    float value = i < n ? in[i] : 0.0f;

    if (threadIdx.x == 0)
        sum = 0.0f;
    __syncthreads();
    for (int step = BY_LANE ? 0 : 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffffu, value, (unsigned int)step);
    if (BY_LANE || threadIdx.x % 32 == 0)
        atomicAdd(SHARED ? &sum : out, value); /* defect: global_contention shared_contention */
    __syncthreads();
    if (SHARED && threadIdx.x == 0)
        atomicAdd(out, sum);
}

static cudaLaunchConfig_t whole_warps(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    config.blockDim.x = 32 * divide_up(call->block, 32);
    return config;
}

cudaError_t launch_global_contention(const defect_call *call)
{
    return start(call, whole_warps(call), add_up<false, false>, add_up<false, true>);
}

cudaError_t launch_shared_contention(const defect_call *call)
{
    return start(call, whole_warps(call), add_up<true, false>, add_up<true, true>);
}

// SPDX-License-Identifier: MIT
