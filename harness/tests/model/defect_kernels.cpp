/* Small kernels with one defect each. */
#include "tests/model/defect_start.h"

const char *const defect_source = __FILE__;

// Reverses each block's part.
template <int BARRIERS>
static __global__ void reverse(const float *in, float *out, int n)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int begin = (int)(blockIdx.x * blockDim.x);
    int count = min((int)blockDim.x, n - begin);
    int own = (int)threadIdx.x;

    if (own < count)
        staged[own] = in[begin + own]; /* defect: missing_first_barrier */
    if (BARRIERS > 0)
        __syncthreads();
    if (BARRIERS > 1)
        __syncthreads(); /* defect: redundant_barrier */
    if (own < count)
        out[begin + own] = staged[count - 1 - own]; /* defect: missing_first_barrier */
}

LAUNCHER(missing_first_barrier, reverse<1>, reverse<0>)
LAUNCHER(redundant_barrier, reverse<1>, reverse<2>)

// Each output is a weighted sum of all inputs, which a block stages tile by tile.
template <bool SECOND_BARRIER, bool LAST_TILE>
static __global__ void weigh_all(const float *in, float *out, int n)
{
    __shared__ float tile[DEFECT_MAX_BLOCK];
    int width = (int)blockDim.x;
    int i = index_in_grid();
    int end = LAST_TILE ? n : n / width * width;
    float sum = 0.0f;

    for (int begin = 0; begin < end; begin += width) {
        int own = begin + (int)threadIdx.x;

        tile[threadIdx.x] = own < n ? in[own] : 0.0f; /* defect: missing_second_barrier */
        __syncthreads();
        for (int k = 0; k < width; k++)
            sum += tile[k] * (float)((i + begin + k) % 3); /* defect: missing_second_barrier */
        if (SECOND_BARRIER)
            __syncthreads();
    }
    if (i < n)
        out[i] = sum;
}

LAUNCHER(missing_second_barrier, (weigh_all<true, true>), (weigh_all<false, true>))
LAUNCHER(floor_of_tiles, (weigh_all<true, true>), (weigh_all<true, false>))

// Swaps neighbors, which are lanes of one warp.
TWINS(swap_neighbors)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int i = index_in_grid();

    staged[threadIdx.x] = i < n ? in[i] : 0.0f; /* defect: missing_warp_barrier */
    if (!DEFECTIVE)
        __syncwarp();
    if (i < n)
        out[i] = staged[threadIdx.x ^ 1]; /* defect: missing_warp_barrier */
}

LAUNCHER(missing_warp_barrier, swap_neighbors<false>, swap_neighbors<true>)

// Half of the threads meet the other half at another barrier.
TWINS(double_through_shared)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int i = index_in_grid();

    staged[threadIdx.x] = i < n ? in[i] : 0.0f;
    if (!DEFECTIVE || threadIdx.x % 2 == 0)
        __syncthreads(); /* defect: barrier_in_a_divergent_branch */
    staged[threadIdx.x] *= 2.0f;
    __syncthreads(); /* defect: barrier_in_a_divergent_branch */
    if (i < n)
        out[i] = staged[threadIdx.x];
}

LAUNCHER(barrier_in_a_divergent_branch, double_through_shared<false>, double_through_shared<true>)

// One thread sums its block's part.
static __device__ float sum_of_block(const float *in, int n)
{
    int begin = (int)(blockIdx.x * blockDim.x);
    int end = min(n, begin + (int)blockDim.x);
    float sum = 0.0f;

    for (int i = begin; i < end; i++)
        sum += in[i];
    return sum;
}

TWINS(sum_over_blocks)
{
    if (threadIdx.x != 0)
        return;

    float sum = sum_of_block(in, n);

    if (DEFECTIVE)
        *out += sum; /* defect: cross_block_race */
    else
        atomicAdd(out, sum);
}

LAUNCHER(cross_block_race, sum_over_blocks<false>, sum_over_blocks<true>)

template <bool ATOMIC, int ZERO>
static __global__ void count_values(const float *in, float *bins, int n)
{
    int i = index_in_grid();

    if (i >= n)
        return;

    float *bin = &bins[(int)in[i] + ZERO];

    if (ATOMIC)
        atomicAdd(bin, 1.0f); /* defect: atomic_beyond */
    else
        *bin += 1.0f; /* defect: histogram_without_atomics */
}

LAUNCHER(histogram_without_atomics, (count_values<true, DEFECT_GREATEST>),
         (count_values<false, DEFECT_GREATEST>))
LAUNCHER(atomic_beyond, (count_values<true, DEFECT_GREATEST>),
         (count_values<true, DEFECT_GREATEST + 1>))

// The block that draws the last ticket sums the parts of all blocks. A block must have its part in
// memory before it draws.
template <bool DEFECTIVE>
static __global__ void sum_by_last_block(const float *in, volatile float *parts,
                                         unsigned int *ticket, float *out, int n)
{
    __shared__ bool is_last;

    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum_of_block(in, n); /* defect: last_block_without_fence */
        if (!DEFECTIVE)
            __threadfence();
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float sum = 0.0f;

        for (unsigned int k = 0; k < gridDim.x; k++)
            sum += parts[k]; /* defect: last_block_without_fence */
        *out = sum;
    }
}

cudaError_t launch_last_block_without_fence(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    return cudaLaunchKernelEx(&config,
                              call->defective ? sum_by_last_block<true> : sum_by_last_block<false>,
                              call->in, call->scratch, call->ticket, call->out, call->n);
}

#define EVERYWHERE (1 << 20)

// Doubles each element up to n + BEYOND.
template <int BEYOND>
static __global__ void double_up_to(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (BEYOND == EVERYWHERE || i < n + BEYOND)
        out[i] = 2.0f * in[i]; /* defect: off_by_one_guard no_guard kernel_dereferences_host */
}

LAUNCHER(off_by_one_guard, double_up_to<0>, double_up_to<1>)
LAUNCHER(no_guard, double_up_to<0>, double_up_to<EVERYWHERE>)

cudaError_t launch_kernel_dereferences_host(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    return cudaLaunchKernelEx(&config, double_up_to<0>, call->defective ? call->host : call->in,
                              call->out, call->n);
}

cudaError_t launch_host_dereference(const defect_call *call)
{
    if (call->defective && call->in[0] > 1e6f) /* defect: host_dereference */
        return cudaErrorInvalidValue;
    return start(call, thread_each(call), double_up_to<0>, double_up_to<0>);
}

static __constant__ float factor = 2.0f;

static __global__ void multiply(const float *in, float *out, int n)
{
    const int i = index_in_grid();

    if (i < n)
        out[i] = factor * in[i];
}

cudaError_t launch_host_names_variable(const defect_call *call)
{
    if (call->defective)
        factor = 2.0f; /* defect: host_names_variable */
    return start(call, thread_each(call), multiply, multiply);
}

cudaError_t launch_floor_of_blocks(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    if (call->defective)
        config.gridDim = dim3(static_cast<unsigned int>(call->n / call->block));
    return start(call, config, double_up_to<0>, double_up_to<0>);
}

static __global__ void do_nothing()
{
}

cudaError_t launch_empty_launch(const defect_call *call)
{
    const cudaLaunchConfig_t config = thread_each(call);
    cudaError_t error = call->defective ? cudaLaunchKernelEx(&config, do_nothing) : cudaSuccess;

    return error != cudaSuccess ? error : start(call, config, double_up_to<0>, double_up_to<0>);
}

TWINS(subtract_previous)
{
    int i = index_in_grid();
    float previous = 0.0f;

    if (i >= n)
        return;
    if (DEFECTIVE || i > 0)
        previous = in[i - 1]; /* defect: before_the_beginning */
    out[i] = in[i] - previous;
}

LAUNCHER(before_the_beginning, subtract_previous<false>, subtract_previous<true>)

// Sums each row of an n x 7 matrix.
template <int STRIDE>
static __global__ void sum_rows(const float *in, float *out, int n)
{
    int row = index_in_grid();
    float sum = 0.0f;

    if (row >= n)
        return;
    for (int column = 0; column < 7; column++)
        sum += in[row * STRIDE + column]; /* defect: wrong_stride */
    out[row] = sum;
}

LAUNCHER(wrong_stride, sum_rows<7>, sum_rows<8>)

// Each element's successor minus itself, through shared memory; 0 follows the last.
template <bool DEFECTIVE, typename Staged>
static inline __device__ void subtract_staged(Staged &staged, const float *in, float *out, int n)
{
    int own = (int)threadIdx.x;
    int i = index_in_grid();
    float next = 0.0f;

    staged[own] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (DEFECTIVE || own + 1 < (int)blockDim.x)
        next = staged[own + 1]; /* defect: shared_index_beyond dynamic_shared_overrun */
    else if (i + 1 < n)
        next = in[i + 1];
    if (i < n)
        out[i] = next - staged[own];
}

TWINS(subtract_from_next)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];

    subtract_staged<DEFECTIVE>(staged, in, out, n);
}

LAUNCHER(shared_index_beyond, subtract_from_next<false>, subtract_from_next<true>)

// The same in rows of a warp's width: the next row follows a row, and nothing the last.
TWINS(subtract_from_next_in_rows)
{
    __shared__ float staged[DEFECT_MAX_BLOCK / 32][32];
    int row = (int)threadIdx.x / 32;
    int column = (int)threadIdx.x % 32;
    int i = index_in_grid();
    float next = 0.0f;

    staged[row][column] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (DEFECTIVE || (column + 1 < 32 && threadIdx.x + 1 < blockDim.x))
        next = staged[row][column + 1]; /* defect: shared_row_overrun */
    else if (i + 1 < n)
        next = in[i + 1];
    if (i < n)
        out[i] = next - staged[row][column];
}

LAUNCHER(shared_row_overrun, subtract_from_next_in_rows<false>, subtract_from_next_in_rows<true>)

TWINS(subtract_from_next_dynamic)
{
    KG_DYNAMIC_SHARED(float, staged);

    subtract_staged<DEFECTIVE>(staged, in, out, n);
}

cudaError_t launch_dynamic_shared_overrun(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    config.dynamicSmemBytes = call->block * sizeof(float);
    return start(call, config, subtract_from_next_dynamic<false>, subtract_from_next_dynamic<true>);
}

#define WEIGHTS 3
static __constant__ float weights[WEIGHTS] = { 1.0f, 2.0f, 3.0f };

template <int TURNS>
static __global__ void weigh_in_turn(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (i < n)
        out[i] = in[i] * weights[i % TURNS]; /* defect: constant_index_beyond */
}

LAUNCHER(constant_index_beyond, weigh_in_turn<WEIGHTS>, weigh_in_turn<WEIGHTS + 1>)

// Sums of windows of four elements, cut off at the end.
template <bool DEFECTIVE>
static __global__ void sum_windows(const float *in, float *out, int n, int taps)
{
    float window[4] = {};
    int i = index_in_grid();
    float sum = 0.0f;

    for (int k = 0; k < taps; k++)
        window[k] = i + k < n ? in[i + k] : 0.0f;
    for (int k = 0; k < taps + (DEFECTIVE ? 1 : 0); k++)
        sum += window[k]; /* defect: local_index_beyond */
    if (i < n)
        out[i] = sum;
}

cudaError_t launch_local_index_beyond(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    return cudaLaunchKernelEx(&config, call->defective ? sum_windows<true> : sum_windows<false>,
                              call->in, call->out, call->n, 4);
}

// Four elements per thread, from FIRST on: only those from element 0 on are aligned.
template <int FIRST>
static __global__ void double_fours(const float *in, float *out, int n)
{
    int i = FIRST + 4 * index_in_grid();

    if (FIRST > 0 && i == FIRST)
        out[0] = 2.0f * in[0];
    if (i + 3 < n) {
        float4 four = *reinterpret_cast<const float4 *>(in + i); /* defect: misaligned_vector */

        out[i] = 2.0f * four.x;
        out[i + 1] = 2.0f * four.y;
        out[i + 2] = 2.0f * four.z;
        out[i + 3] = 2.0f * four.w;
    } else {
        for (; i < n; i++)
            out[i] = 2.0f * in[i];
    }
}

LAUNCHER(misaligned_vector, double_fours<0>, double_fours<1>)

TWINS(sum_staged)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int i = index_in_grid();

    if (i < n)
        staged[threadIdx.x] = in[i];
    else if (!DEFECTIVE)
        staged[threadIdx.x] = 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;

        for (unsigned int k = 0; k < blockDim.x; k++)
            sum += staged[k]; /* defect: uninitialized_shared */
        atomicAdd(out, sum);
    }
}

LAUNCHER(uninitialized_shared, sum_staged<false>, sum_staged<true>)

static __global__ void accumulate(const float *in, float *sums, float *out, int n)
{
    int i = index_in_grid();

    if (i < n) {
        sums[i] += in[i]; /* defect: uninitialized_global */
        out[i] = 2.0f * sums[i];
    }
}

cudaError_t launch_uninitialized_global(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);
    cudaError_t error = cudaSuccess;

    if (!call->defective)
        error = cudaMemset(call->scratch, 0, call->n * sizeof(float));
    return error != cudaSuccess ? error
                                : cudaLaunchKernelEx(&config, accumulate, call->in, call->scratch,
                                                     call->out, call->n);
}

TWINS(move_doubled)
{
    int i = index_in_grid();

    if (i >= n)
        return;
    out[i] = 2.0f * in[i];
    if (DEFECTIVE)
        const_cast<float *>(in)[i] = 0.0f; /* defect: write_to_input */
}

LAUNCHER(write_to_input, move_doubled<false>, move_doubled<true>)

// Four elements per thread, and the rest of fewer than four.
TWINS(double_whole_fours)
{
    int i = 4 * index_in_grid();
    int end = min(n, i + 4);

    if (DEFECTIVE && i + 4 > n)
        return;
    for (; i < end; i++)
        out[i] = 2.0f * in[i];
}

LAUNCHER(unwritten_tail, double_whole_fours<false>, double_whole_fours<true>)

// Reads past the end, and never ends.
static __global__ void overrun_for_ever(const float *in, float *out, int n)
{
    for (;;)
        *(volatile float *)out = in[n + (int)threadIdx.x]; /* defect: endless_overrun */
}

LAUNCHER(endless_overrun, overrun_for_ever, overrun_for_ever)

// SPDX-License-Identifier: MIT
