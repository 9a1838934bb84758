/* Kernels whose blocks take turns, as a serial split-K does. */
#include "tests/model/wait_kernels.h"

#include <cuda/atomic>
#include <cuda_runtime.h>

using word = cuda::atomic_ref<int, cuda::thread_scope_device>;

template <way_to_wait How>
static __device__ bool is_turn(int *turn, int mine)
{
    if (How == BY_COMPARISONS)
        return atomicCAS(turn, mine, mine) == mine; // TURN: BY_COMPARISONS
    if (How == BY_SUMS)
        return atomicAdd(turn, 0) == mine; // TURN: BY_SUMS
    if (How == BY_CUDA_ATOMIC || How == BY_BARRIERS)
        return word(*turn).load(cuda::memory_order_acquire) == mine; // TURN: BY_CUDA_ATOMIC
    if (How == BY_VOLATILE_AND_NAPS)
        __nanosleep(100); // TURN: BY_VOLATILE_AND_NAPS
    return *static_cast<volatile int *>(turn) == mine;
}

template <way_to_wait How>
static __global__ void take_turns(bool falling, int *turn, int *sum)
{
    const int mine = (int)(falling ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
    bool comes = false;

    if (How == BY_BARRIERS) {
        while (!__syncthreads_or(comes))
            comes = threadIdx.x == 0 && is_turn<How>(turn, mine);
    } else if (threadIdx.x == 0) {
        while (!is_turn<How>(turn, mine))
            ;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *sum = 10 * *sum + (int)blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(turn, mine + 1);
    }
}

cudaError_t launch_take_turns(const cudaLaunchConfig_t *config, way_to_wait how, bool falling,
                              int *turn, int *sum)
{
    static void (*const kernels[WAYS_TO_WAIT])(bool, int *, int *) = {
        take_turns<BY_CUDA_ATOMIC>, take_turns<BY_VOLATILE>, take_turns<BY_VOLATILE_AND_NAPS>,
        take_turns<BY_COMPARISONS>, take_turns<BY_SUMS>,     take_turns<BY_BARRIERS>
    };

    return cudaLaunchKernelEx(config, kernels[how], falling, turn, sum);
}

// SPDX-License-Identifier: MIT
