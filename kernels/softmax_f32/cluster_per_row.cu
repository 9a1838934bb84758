// A long row is kept in the registers of a cluster of blocks, which exchange their parts through
// distributed shared memory. It is still read once, and its blocks are small enough that a
// multiprocessor holds several: some load while others wait or store.
#include "exponentials.cuh"

// At most 64 registers: a multiprocessor holds 128 KiB of rows in half of its registers.
template <int QUADS, bool ALIGNED>
static __global__ void __launch_bounds__(128, 8)
    cluster_per_row(const float *x, float *y, int columns, int blocks)
{
    begin_cluster();
    softmax_in_registers<merge_cluster<part>, QUADS>(
        x, y, row_at<4, ALIGNED>(blockIdx.x / blocks, columns),
        blockIdx.x % blocks * blockDim.x + threadIdx.x, blocks * blockDim.x);
}

template <int QUADS>
static cudaError_t start(const kg_call *call)
{
    int columns = (int)KG_EXTENT(call, 1), blocks = KG_AXIS(call, 1);
    auto kernel = columns % 4 == 0 ? cluster_per_row<QUADS, true> : cluster_per_row<QUADS, false>;

    return start_clusters(call, kernel, KG_EXTENT(call, 0), blocks, KG_AXIS(call, 0),
                          KG_ARG(call, const float, 0), KG_ARG(call, float, 1), columns, blocks);
}

KG_LAUNCHER(softmax_f32_cluster_per_row)
{
    int64_t threads = (int64_t)KG_AXIS(call, 0) * KG_AXIS(call, 1);
    int64_t quads = (packets_of(KG_EXTENT(call, 1), 4) + threads - 1) / threads;

    return quads <= 4 ? start<4>(call) : quads <= 8 ? start<8>(call) : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
