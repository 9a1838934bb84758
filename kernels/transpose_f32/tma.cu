// The tensor memory accelerator fetches a tile of 64 x 64, and writes it back turned: whoever lies
// beyond an edge is cut off by it, and no thread computes an address in memory. In shared memory a
// tile is two boxes of 64 rows of 128 bytes, whose 16-byte chunks change places by the row:
//
//     chunk c of row r    at    128 r + 16 (c ^ r % 8)
//
// A thread turns 4 x 4 elements at a time in registers: 4 chunks of a column of chunks of x, 4 of
// one of y. Threads l = 0 ... 7 take chunk l ^ s of rows 4 l and on, a diagonal: 8 chunks that lie
// in different banks both where they are read and where they are written.
#include "tile.cuh"

#include <cuda.h>

#if CUDART_VERSION < 12050
#define cudaGetDriverEntryPointByVersion(symbol, pointer, version, flags, found)                   \
    cudaGetDriverEntryPoint(symbol, pointer, flags, found)
#endif

#define TILE 64
#define THREADS 256
#define WIDTH 32 /* elements of a row of a box */
#define BOX (TILE * WIDTH)

static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

[[maybe_unused]] static __device__ __forceinline__ float4 *chunk_at(float *box, int row, int chunk)
{
    return (float4 *)(box + row * WIDTH + 4 * (chunk ^ row % 8));
}

// One thread: fetches a tile, and waits for it.
[[maybe_unused]] static __device__ void fetch_tile(float *to, const CUtensorMap *x, int left,
                                                   int top)
{
    __shared__ uint64_t full;
    unsigned barrier = shared_address(&full), done;

    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster; "
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "n"(TILE * TILE * sizeof(float))
                 : "memory");
    for (int i = 0; i < TILE / WIDTH; i++)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to + i * BOX)),
                     "l"(x), "r"(left + i * WIDTH), "r"(top), "r"(barrier)
                     : "memory");
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
    } while (!done);
}

// One thread: writes a tile, and waits until shared memory is read.
[[maybe_unused]] static __device__ void write_tile(const float *from, const CUtensorMap *y,
                                                   int left, int top)
{
    for (int i = 0; i < TILE / WIDTH; i++)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], "
                     "[%3];" ::"l"(y),
                     "r"(top + i * WIDTH), "r"(left), "r"(shared_address(from + i * BOX))
                     : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
}

static __global__ void __launch_bounds__(THREADS)
    by_accelerator(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y)
{
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(1024) float tile[TILE * TILE], turned[TILE * TILE];
    int top = blockIdx.x * TILE, left = blockIdx.y * TILE;
    int turn = threadIdx.x % 8, step = threadIdx.x / 8 % 8, part = threadIdx.x / 64;
    float *from = tile + part % 2 * BOX, *to = turned + part / 2 * BOX;
    int row = part / 2 * WIDTH + 4 * turn, chunk = turn ^ step;
    int column = part % 2 * WIDTH + 4 * chunk;
    float4 quad[4];

    if (threadIdx.x == 0)
        fetch_tile(tile, &x, left, top);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++)
        quad[i] = *chunk_at(from, row + i, chunk);
    *chunk_at(to, column, turn) = make_float4(quad[0].x, quad[1].x, quad[2].x, quad[3].x);
    *chunk_at(to, column + 1, turn) = make_float4(quad[0].y, quad[1].y, quad[2].y, quad[3].y);
    *chunk_at(to, column + 2, turn) = make_float4(quad[0].z, quad[1].z, quad[2].z, quad[3].z);
    *chunk_at(to, column + 3, turn) = make_float4(quad[0].w, quad[1].w, quad[2].w, quad[3].w);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        write_tile(turned, &y, left, top);
#else
    __trap(); // Older architectures have no such accelerator.
#endif
}

// A map of a row-major matrix for boxes of TILE rows. L2 fetches 256 bytes, as in l2_prefetch.cu.
static cudaError_t map_matrix(CUtensorMap *map, const float *matrix, int64_t rows, int64_t columns)
{
    cuuint64_t extent[2] = { (cuuint64_t)columns, (cuuint64_t)rows };
    cuuint64_t pitch[1] = { (cuuint64_t)columns * sizeof(float) };
    cuuint32_t box[2] = { WIDTH, TILE }, steps[2] = { 1, 1 };
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    void *encode = nullptr;
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                                         cudaEnableDefault, &found);

    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess)
        return error != cudaSuccess ? error : cudaErrorNotSupported;
    return ((decltype(&cuTensorMapEncodeTiled))encode)(
               map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float *>(matrix), extent, pitch,
               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

KG_LAUNCHER(transpose_f32_tma)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);
    CUtensorMap x, y;
    cudaError_t error = map_matrix(&x, KG_ARG(call, const float, 0), rows, columns);

    if (error == cudaSuccess)
        error = map_matrix(&y, KG_ARG(call, float, 1), columns, rows);
    if (error != cudaSuccess)
        return error;
    return kg_start(call, by_accelerator, kg_grid(rows, TILE, columns, TILE), THREADS, x, y);
}

// SPDX-License-Identifier: MIT
