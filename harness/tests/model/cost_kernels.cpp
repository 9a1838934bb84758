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

LAUNCHER(redundant_reload, multiply<false>, multiply<true>)

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

    for (float &value : values)
        value = 2.0f / SHARES;
    error = cudaMemcpyToSymbol(shares, values, sizeof values);
    return error != cudaSuccess
               ? error
               : start(call, thread_each(call), double_by_shares<false>, double_by_shares<true>);
}
