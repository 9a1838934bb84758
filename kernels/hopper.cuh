// Instructions of Hopper: barriers that count bytes, the tensor memory accelerator, wgmma.
#ifndef HOPPER_CUH
#define HOPPER_CUH

#include <cuda.h>

#include "mma.cuh"

#if CUDART_VERSION < 12050
#define cudaGetDriverEntryPointByVersion(symbol, pointer, version, flags, found)                   \
    cudaGetDriverEntryPoint(symbol, pointer, flags, found)
#endif

#define GROUP 128 /* threads of a warp group */

// A place in a ring of slots, and which time around it is.
template <int SLOTS>
struct position {
    int slot = 0, parity = 0;

    __device__ void advance()
    {
        slot = slot + 1 == SLOTS ? 0 : slot + 1;
        parity ^= slot == 0;
    }
};

static __device__ __forceinline__ void start_barrier(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

static __device__ __forceinline__ void wait(uint64_t *barrier, int parity)
{
    unsigned done;

    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (!done);
}

static __device__ __forceinline__ void arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

// Arrives at the barrier, and adds `bytes` to those that it waits for.
static __device__ __forceinline__ void expect_bytes(uint64_t *barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

// How wgmma finds an operand: its address, two distances in bytes, swizzled by 128 bytes. Along k a
// tile of A is 8 rows after `next` bytes; panels of B, which runs along n, are `leading` apart.
static __device__ __forceinline__ uint64_t describe(const bf16 *tile, int leading, int next)
{
    return (uint64_t)1 << 62 | (uint64_t)(next >> 4) << 32 | (uint64_t)(leading >> 4) << 16 |
           (shared_address(tile) & 0x3ffff) >> 4;
}

#define SUMS_4(i) "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 1), SUMS_4(i + 2), SUMS_4(i + 3)
#define SUMS_64(i) SUMS_16(i), SUMS_16(i + 4), SUMS_16(i + 8), SUMS_16(i + 12)

// Waits for all but the newest group of products.
static __device__ __forceinline__ void wait_for_older_products()
{
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}

// Makes a map of an array of `rank` dimensions, the first one contiguous, whose boxes are swizzled
// as wgmma reads them. Pitches are bytes, from the second dimension on.
static cudaError_t map_boxes(CUtensorMap *map, const bf16 *array, int rank,
                             const cuuint64_t *extent, const cuuint64_t *pitch,
                             const cuuint32_t *box)
{
    static void *encode;
    cuuint32_t steps[4] = { 1, 1, 1, 1 };
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;

    if (encode == nullptr) {
        cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode,
                                                             12000, cudaEnableDefault, &found);

        if (error != cudaSuccess || found != cudaDriverEntryPointSuccess)
            return error != cudaSuccess ? error : cudaErrorNotSupported;
    }
    return ((decltype(&cuTensorMapEncodeTiled))encode)(
               map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rank, const_cast<bf16 *>(array), extent,
               pitch, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

#endif

// SPDX-License-Identifier: MIT
