/* Small kernels with one defect each. Plain CUDA C++ but for the defects: nvcc takes it too. */
#include <cuda_runtime.h>

#include "tests/model/defect_kernels.h"

#ifndef KG_DYNAMIC_SHARED
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    extern __shared__ __align__(16) unsigned char kg__dynamic_shared[];                            \
    type *const name = reinterpret_cast<type *>(kg__dynamic_shared)
#endif

const char *const defect_source = __FILE__;

static unsigned int divide_up(int n, int by)
{
    return static_cast<unsigned int>((n + by - 1) / by);
}

/* A thread an element. */
static cudaLaunchConfig_t thread_each(const defect_call *call)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3(divide_up(call->n, call->block));
    config.blockDim = dim3(static_cast<unsigned int>(call->block));
    return config;
}

template <typename... Expected, typename... Actual>
static cudaError_t launch(const defect_call *call, const cudaLaunchConfig_t &config,
                          void (*clean)(Expected...), void (*defective)(Expected...),
                          Actual... arguments)
{
    return cudaLaunchKernelEx(&config, call->defective ? defective : clean, arguments...);
}

static __device__ int index_in_grid()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

// Reverses each block's part.
template <bool DEFECTIVE>
static __global__ void reverse(const float *in, float *out, int n)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int begin = (int)(blockIdx.x * blockDim.x);
    int count = min((int)blockDim.x, n - begin);
    int own = (int)threadIdx.x;

    if (own < count)
        staged[own] = in[begin + own]; /* defect: missing_first_barrier */
    if (!DEFECTIVE)
        __syncthreads();
    if (own < count)
        out[begin + own] = staged[count - 1 - own]; /* defect: missing_first_barrier */
}

cudaError_t launch_missing_first_barrier(const defect_call *call)
{
    return launch(call, thread_each(call), reverse<false>, reverse<true>, call->in, call->out,
                  call->n);
}

// Each output is a weighted sum of all inputs, which a block stages tile by tile.
template <bool DEFECTIVE>
static __global__ void weigh_all(const float *in, float *out, int n)
{
    __shared__ float tile[DEFECT_MAX_BLOCK];
    int width = (int)blockDim.x;
    int i = index_in_grid();
    float sum = 0.0f;

    for (int begin = 0; begin < n; begin += width) {
        int own = begin + (int)threadIdx.x;

        tile[threadIdx.x] = own < n ? in[own] : 0.0f; /* defect: missing_second_barrier */
        __syncthreads();
        for (int k = 0; k < width; k++)
            sum += tile[k] * (float)((i + begin + k) % 3); /* defect: missing_second_barrier */
        if (!DEFECTIVE)
            __syncthreads();
    }
    if (i < n)
        out[i] = sum;
}

cudaError_t launch_missing_second_barrier(const defect_call *call)
{
    return launch(call, thread_each(call), weigh_all<false>, weigh_all<true>, call->in, call->out,
                  call->n);
}

// Swaps neighbours, which are lanes of one warp.
template <bool DEFECTIVE>
static __global__ void swap_neighbours(const float *in, float *out, int n)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int i = index_in_grid();

    staged[threadIdx.x] = i < n ? in[i] : 0.0f; /* defect: missing_warp_barrier */
    if (!DEFECTIVE)
        __syncwarp();
    if (i < n)
        out[i] = staged[threadIdx.x ^ 1]; /* defect: missing_warp_barrier */
}

cudaError_t launch_missing_warp_barrier(const defect_call *call)
{
    return launch(call, thread_each(call), swap_neighbours<false>, swap_neighbours<true>, call->in,
                  call->out, call->n);
}

// Half of the threads meet the other half at a barrier that is not theirs.
template <bool DEFECTIVE>
static __global__ void double_by_way_of_shared(const float *in, float *out, int n)
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

cudaError_t launch_barrier_in_a_divergent_branch(const defect_call *call)
{
    return launch(call, thread_each(call), double_by_way_of_shared<false>,
                  double_by_way_of_shared<true>, call->in, call->out, call->n);
}

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

template <bool DEFECTIVE>
static __global__ void sum_over_blocks(const float *in, float *out, int n)
{
    if (threadIdx.x != 0)
        return;

    float sum = sum_of_block(in, n);

    if (DEFECTIVE)
        *out += sum; /* defect: cross_block_race */
    else
        atomicAdd(out, sum);
}

cudaError_t launch_cross_block_race(const defect_call *call)
{
    return launch(call, thread_each(call), sum_over_blocks<false>, sum_over_blocks<true>, call->in,
                  call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void count_values(const float *in, float *bins, int n)
{
    int i = index_in_grid();

    if (i >= n)
        return;

    float *bin = &bins[(int)in[i] + DEFECT_GREATEST];

    if (DEFECTIVE)
        *bin += 1.0f; /* defect: histogram_without_atomics */
    else
        atomicAdd(bin, 1.0f);
}

cudaError_t launch_histogram_without_atomics(const defect_call *call)
{
    return launch(call, thread_each(call), count_values<false>, count_values<true>, call->in,
                  call->out, call->n);
}

// The block that draws the last ticket sums what all blocks have left behind. A block must have
// its part in memory before it draws.
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
    return launch(call, thread_each(call), sum_by_last_block<false>, sum_by_last_block<true>,
                  call->in, call->scratch, call->ticket, call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void double_up_to(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (DEFECTIVE ? i <= n : i < n)
        out[i] = 2.0f * in[i]; /* defect: off_by_one_guard */
}

cudaError_t launch_off_by_one_guard(const defect_call *call)
{
    return launch(call, thread_each(call), double_up_to<false>, double_up_to<true>, call->in,
                  call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void double_each(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (DEFECTIVE || i < n)
        out[i] = 2.0f * in[i]; /* defect: no_guard */
}

cudaError_t launch_no_guard(const defect_call *call)
{
    return launch(call, thread_each(call), double_each<false>, double_each<true>, call->in,
                  call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void subtract_previous(const float *in, float *out, int n)
{
    int i = index_in_grid();
    float previous = 0.0f;

    if (i >= n)
        return;
    if (DEFECTIVE || i > 0)
        previous = in[i - 1]; /* defect: before_the_beginning */
    out[i] = in[i] - previous;
}

cudaError_t launch_before_the_beginning(const defect_call *call)
{
    return launch(call, thread_each(call), subtract_previous<false>, subtract_previous<true>,
                  call->in, call->out, call->n);
}

// Sums each row of an n x 7 matrix.
template <bool DEFECTIVE>
static __global__ void sum_rows(const float *in, float *out, int n)
{
    const int columns = 7;
    int stride = DEFECTIVE ? columns + 1 : columns;
    int row = index_in_grid();
    float sum = 0.0f;

    if (row >= n)
        return;
    for (int column = 0; column < columns; column++)
        sum += in[row * stride + column]; /* defect: wrong_stride */
    out[row] = sum;
}

cudaError_t launch_wrong_stride(const defect_call *call)
{
    return launch(call, thread_each(call), sum_rows<false>, sum_rows<true>, call->in, call->out,
                  call->n);
}

template <bool DEFECTIVE>
static __global__ void count_values_from(const float *in, float *bins, int n)
{
    int i = index_in_grid();
    int zero = DEFECT_GREATEST + (DEFECTIVE ? 1 : 0);

    if (i < n)
        atomicAdd(&bins[(int)in[i] + zero], 1.0f); /* defect: atomic_beyond */
}

cudaError_t launch_atomic_beyond(const defect_call *call)
{
    return launch(call, thread_each(call), count_values_from<false>, count_values_from<true>,
                  call->in, call->out, call->n);
}

// Each element's successor minus itself, by way of shared memory; 0 follows the last.
template <bool DEFECTIVE>
static __global__ void subtract_from_next(const float *in, float *out, int n)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int own = (int)threadIdx.x;
    int i = index_in_grid();
    float next = 0.0f;

    staged[own] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (DEFECTIVE || own + 1 < (int)blockDim.x)
        next = staged[own + 1]; /* defect: shared_index_beyond */
    else if (i + 1 < n)
        next = in[i + 1];
    if (i < n)
        out[i] = next - staged[own];
}

cudaError_t launch_shared_index_beyond(const defect_call *call)
{
    return launch(call, thread_each(call), subtract_from_next<false>, subtract_from_next<true>,
                  call->in, call->out, call->n);
}

// The same in rows of a warp's width: what is behind a row is the next one, and behind the last
// row nothing.
template <bool DEFECTIVE>
static __global__ void subtract_from_next_in_rows(const float *in, float *out, int n)
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

cudaError_t launch_shared_row_overrun(const defect_call *call)
{
    return launch(call, thread_each(call), subtract_from_next_in_rows<false>,
                  subtract_from_next_in_rows<true>, call->in, call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void subtract_from_next_dynamic(const float *in, float *out, int n)
{
    KG_DYNAMIC_SHARED(float, staged);
    int own = (int)threadIdx.x;
    int i = index_in_grid();
    float next = 0.0f;

    staged[own] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (DEFECTIVE || own + 1 < (int)blockDim.x)
        next = staged[own + 1]; /* defect: dynamic_shared_overrun */
    else if (i + 1 < n)
        next = in[i + 1];
    if (i < n)
        out[i] = next - staged[own];
}

cudaError_t launch_dynamic_shared_overrun(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    config.dynamicSmemBytes = call->block * sizeof(float);
    return launch(call, config, subtract_from_next_dynamic<false>, subtract_from_next_dynamic<true>,
                  call->in, call->out, call->n);
}

#define WEIGHTS 3
static __constant__ float weights[WEIGHTS];

template <bool DEFECTIVE>
static __global__ void weigh_in_turn(const float *in, float *out, int n)
{
    int i = index_in_grid();
    int turn = i % (DEFECTIVE ? WEIGHTS + 1 : WEIGHTS);

    if (i < n)
        out[i] = in[i] * weights[turn]; /* defect: constant_index_beyond */
}

cudaError_t launch_constant_index_beyond(const defect_call *call)
{
    const float values[WEIGHTS] = { 1.0f, 2.0f, 3.0f };
    cudaError_t error = cudaMemcpyToSymbol(weights, values, sizeof values);

    if (error != cudaSuccess)
        return error;
    return launch(call, thread_each(call), weigh_in_turn<false>, weigh_in_turn<true>, call->in,
                  call->out, call->n);
}

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
    return launch(call, thread_each(call), sum_windows<false>, sum_windows<true>, call->in,
                  call->out, call->n, 4);
}

// Four elements a thread. The twin's fours begin at element 0, which is aligned.
template <bool DEFECTIVE>
static __global__ void double_fours(const float *in, float *out, int n)
{
    const int first = DEFECTIVE ? 1 : 0;
    int i = first + 4 * index_in_grid();

    if (DEFECTIVE && i == first)
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

cudaError_t launch_misaligned_vector(const defect_call *call)
{
    return launch(call, thread_each(call), double_fours<false>, double_fours<true>, call->in,
                  call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void sum_staged(const float *in, float *out, int n)
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
            sum += staged[k]; /* defect: uninitialised_shared */
        atomicAdd(out, sum);
    }
}

cudaError_t launch_uninitialised_shared(const defect_call *call)
{
    return launch(call, thread_each(call), sum_staged<false>, sum_staged<true>, call->in, call->out,
                  call->n);
}

static __global__ void accumulate(const float *in, float *sums, float *out, int n)
{
    int i = index_in_grid();

    if (i < n) {
        sums[i] += in[i]; /* defect: uninitialised_global */
        out[i] = 2.0f * sums[i];
    }
}

cudaError_t launch_uninitialised_global(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    if (!call->defective) {
        cudaError_t error = cudaMemset(call->scratch, 0, call->n * sizeof(float));

        if (error != cudaSuccess)
            return error;
    }
    return cudaLaunchKernelEx(&config, accumulate, call->in, call->scratch, call->out, call->n);
}

cudaError_t launch_host_dereference(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    if (call->defective && call->in[0] > 1e6f) /* defect: host_dereference */
        return cudaErrorInvalidValue;
    return cudaLaunchKernelEx(&config, double_each<false>, call->in, call->out, call->n);
}

static __global__ void double_from(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (i < n)
        out[i] = 2.0f * in[i]; /* defect: kernel_dereferences_host */
}

cudaError_t launch_kernel_dereferences_host(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    return cudaLaunchKernelEx(&config, double_from, call->defective ? call->host : call->in,
                              call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void move_doubled(float *in, float *out, int n)
{
    int i = index_in_grid();

    if (i >= n)
        return;
    out[i] = 2.0f * in[i];
    if (DEFECTIVE)
        in[i] = 0.0f; /* defect: write_to_input */
}

cudaError_t launch_write_to_input(const defect_call *call)
{
    return launch(call, thread_each(call), move_doubled<false>, move_doubled<true>,
                  const_cast<float *>(call->in), call->out, call->n);
}

// Four elements a thread, and what is left of them.
template <bool DEFECTIVE>
static __global__ void double_whole_fours(const float *in, float *out, int n)
{
    int i = 4 * index_in_grid();
    int end = min(n, i + 4);

    if (DEFECTIVE && i + 4 > n)
        return;
    for (; i < end; i++)
        out[i] = 2.0f * in[i];
}

cudaError_t launch_unwritten_tail(const defect_call *call)
{
    return launch(call, thread_each(call), double_whole_fours<false>, double_whole_fours<true>,
                  call->in, call->out, call->n);
}

cudaError_t launch_floor_of_blocks(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    if (call->defective)
        config.gridDim = dim3(static_cast<unsigned int>(call->n / call->block));
    return cudaLaunchKernelEx(&config, double_each<false>, call->in, call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void weigh_tiles(const float *in, float *out, int n)
{
    __shared__ float tile[DEFECT_MAX_BLOCK];
    int width = (int)blockDim.x;
    int i = index_in_grid();
    int tiles = DEFECTIVE ? n / width : (n + width - 1) / width;
    float sum = 0.0f;

    for (int t = 0; t < tiles; t++) {
        int own = t * width + (int)threadIdx.x;

        tile[threadIdx.x] = own < n ? in[own] : 0.0f;
        __syncthreads();
        for (int k = 0; k < width; k++)
            sum += tile[k] * (float)((i + t * width + k) % 3);
        __syncthreads();
    }
    if (i < n)
        out[i] = sum;
}

cudaError_t launch_floor_of_tiles(const defect_call *call)
{
    return launch(call, thread_each(call), weigh_tiles<false>, weigh_tiles<true>, call->in,
                  call->out, call->n);
}

#define TILE 32

// Transposes an n x n matrix, tile by tile. A row more than banks puts a column's elements into
// banks of their own.
template <bool DEFECTIVE>
static __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][DEFECTIVE ? TILE : TILE + 1];

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
    return launch(call, config, transpose<false>, transpose<true>, call->in, call->out, call->n);
}

#define EACH 8

// Sums eight elements a thread: a run of them, or every so manieth.
template <bool DEFECTIVE>
static __global__ void sum_eight_each(const float *in, float *out, int n)
{
    int threads = (int)(gridDim.x * blockDim.x);
    int own = index_in_grid();
    float sum = 0.0f;

    for (int k = 0; k < EACH; k++) {
        int i = DEFECTIVE ? own * EACH + k : k * threads + own;

        if (i < n)
            sum += in[i]; /* defect: lost_coalescing */
    }
    atomicAdd(out, sum);
}

cudaError_t launch_lost_coalescing(const defect_call *call)
{
    cudaLaunchConfig_t config = thread_each(call);

    config.gridDim = dim3(divide_up(call->n, EACH * call->block));
    return launch(call, config, sum_eight_each<false>, sum_eight_each<true>, call->in, call->out,
                  call->n);
}

// Eight multiples of each element. The compiler must load it again after each store, which may
// have changed it for all that it knows; the twin keeps it.
template <bool DEFECTIVE>
static __global__ void multiply(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (i >= n)
        return;

    float kept = DEFECTIVE ? 0.0f : in[i];

    for (int k = 0; k < EACH; k++)
        out[k * n + i] = (float)k * (DEFECTIVE ? in[i] : kept); /* defect: redundant_reload */
}

cudaError_t launch_redundant_reload(const defect_call *call)
{
    return launch(call, thread_each(call), multiply<false>, multiply<true>, call->in, call->out,
                  call->n);
}

#define SHARES 32
static __constant__ float shares[SHARES];

// Every lane reads the whole table: all lanes the same element at a time, or each another.
template <bool DEFECTIVE>
static __global__ void double_by_shares(const float *in, float *out, int n)
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

    for (int i = 0; i < SHARES; i++)
        values[i] = 2.0f / SHARES;
    error = cudaMemcpyToSymbol(shares, values, sizeof values);
    if (error != cudaSuccess)
        return error;
    return launch(call, thread_each(call), double_by_shares<false>, double_by_shares<true>,
                  call->in, call->out, call->n);
}

template <bool DEFECTIVE>
static __global__ void reverse_patiently(const float *in, float *out, int n)
{
    __shared__ float staged[DEFECT_MAX_BLOCK];
    int begin = (int)(blockIdx.x * blockDim.x);
    int count = min((int)blockDim.x, n - begin);
    int own = (int)threadIdx.x;

    if (own < count)
        staged[own] = in[begin + own];
    __syncthreads();
    if (DEFECTIVE)
        __syncthreads(); /* defect: redundant_barrier */
    if (own < count)
        out[begin + own] = staged[count - 1 - own];
}

cudaError_t launch_redundant_barrier(const defect_call *call)
{
    return launch(call, thread_each(call), reverse_patiently<false>, reverse_patiently<true>,
                  call->in, call->out, call->n);
}

static __global__ void do_nothing()
{
}

cudaError_t launch_empty_launch(const defect_call *call)
{
    const cudaLaunchConfig_t config = thread_each(call);
    cudaError_t error = call->defective ? cudaLaunchKernelEx(&config, do_nothing) : cudaSuccess;

    if (error != cudaSuccess)
        return error;
    return launch(call, config, double_up_to<false>, double_up_to<false>, call->in, call->out,
                  call->n);
}

// Reads beyond the end, and never ends.
static __global__ void overrun_for_ever(const float *in, volatile float *out, int n)
{
    for (;;)
        out[0] = in[n + (int)threadIdx.x]; /* defect: endless_overrun */
}

cudaError_t launch_endless_overrun(const defect_call *call)
{
    return launch(call, thread_each(call), overrun_for_ever, overrun_for_ever, call->in, call->out,
                  call->n);
}
