// Bulk copies of a tensor's boxes: y(i, j) = x(i + 3, j - 4), 0 outside of x. Both have rows of a
// multiple of four floats.
#include <kernelgate/kernelgate.h>

#include <cuda.h>

#include "bulk.cuh"

#define ROWS 16
#define WIDTH 32 /* floats of a row of a box */
#define DOWN 3
#define LEFT 4

// A thread fetches a box, all copy it in shared memory, and a thread writes it.
template <int Swizzled>
static __global__ void shift(const __grid_constant__ CUtensorMap x,
                             const __grid_constant__ CUtensorMap y)
{
    __shared__ __align__(1024) float box[ROWS * WIDTH], moved[ROWS * WIDTH];
    __shared__ uint64_t word;
    const int left = blockIdx.x * WIDTH, top = blockIdx.y * ROWS;

    if (threadIdx.x == 0) {
        begin_mbarrier(&word, 1);
        arrive_expecting(&word, sizeof box);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(at_shared(box)),
                     "l"(&x), "r"(left - LEFT), "r"(top + DOWN), "r"(at_shared(&word))
                     : "memory");
    }
    __syncthreads();
    wait_for(&word, 0);
    for (int i = threadIdx.x; i < ROWS * WIDTH; i += blockDim.x) {
        const int row = i / WIDTH, chunk = i % WIDTH / 4;
        const int place = row * WIDTH + 4 * (Swizzled ? chunk ^ row % 8 : chunk) + i % 4;

        moved[i] = box[place];
    }
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], "
                     "[%3];" ::"l"(&y),
                     "r"(left), "r"(top), "r"(at_shared(moved))
                     : "memory");
        commit_bulk();
        wait_for_reads();
    }
}

static cudaError_t map_boxes(CUtensorMap *map, const float *matrix, int64_t rows, int64_t columns,
                             bool swizzled)
{
    cuuint64_t extent[2] = { (cuuint64_t)columns, (cuuint64_t)rows };
    cuuint64_t pitch[1] = { (cuuint64_t)columns * sizeof(float) };
    cuuint32_t box[2] = { WIDTH, ROWS }, steps[2] = { 1, 1 };
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    void *encode = nullptr;
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                                         cudaEnableDefault, &found);

    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess)
        return error != cudaSuccess ? error : cudaErrorNotSupported;
    return ((decltype(&cuTensorMapEncodeTiled))encode)(
               map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float *>(matrix), extent, pitch,
               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

template <int Swizzled>
static cudaError_t launch_boxes(const kg_call *call)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);
    CUtensorMap x, y;
    cudaError_t error = map_boxes(&x, KG_ARG(call, const float, 0), rows, columns, Swizzled);

    if (error == cudaSuccess)
        error = map_boxes(&y, KG_ARG(call, float, 1), rows, columns, false);
    if (error != cudaSuccess)
        return error;
    return kg_start(call, shift<Swizzled>, kg_grid(columns, WIDTH, rows, ROWS), WIDTH, x, y);
}

KG_LAUNCHER(hardware_bulk_boxes)
{
    return launch_boxes<0>(call);
}

KG_LAUNCHER(hardware_bulk_swizzled)
{
    return launch_boxes<1>(call);
}

// SPDX-License-Identifier: MIT
