// Every load has L2 fetch the aligned 256 bytes around it, so that memory is read in larger pieces
// than rows of a tile. Two tiles of 32 x 32 lie side by side in x, one below the other in y, and
// each warp has 4 rows of both. Blocks that run at the same time are neighbors down the rows of x:
// they write whole rows of y, and the rest of the 256 bytes waits for the next ones in L2. Neither
// the order nor the wider fetch pays alone.
#include "quads.cuh"

#define PARTS 2
#define THREADS 256

template <bool IS_ALIGNED>
static __device__ float4 load_wide(const float *at, int left)
{
    float4 value = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

    if (!IS_ALIGNED)
        return load<false>(at, left);
    if (left > 0)
        asm volatile("ld.global.nc.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                     : "l"(at));
    return value;
}

template <bool IS_ALIGNED_X, bool IS_ALIGNED_Y>
static __global__ void __launch_bounds__(THREADS)
    prefetch(const float *__restrict__ x, float *__restrict__ y, int rows, int columns)
{
    __shared__ __align__(16) float turned[PARTS][LANES * LANES];
    int top = blockIdx.x * LANES, left = blockIdx.y * PARTS * LANES;
    int down = threadIdx.y * 4 + threadIdx.x / 8, across = threadIdx.x % 8 * 4;
    float4 part[PARTS];

    x += (int64_t)(top + down) * columns + left + across;
    y += (int64_t)(left + down) * rows + top + across;
#pragma unroll
    for (int i = 0; i < PARTS; i++)
        part[i] = load_wide<IS_ALIGNED_X>(
            x + i * LANES, top + down < rows ? columns - left - across - i * LANES : 0);
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
        *place<LANES>(turned[i], across, down) = part[i].x;
        *place<LANES>(turned[i], across + 1, down) = part[i].y;
        *place<LANES>(turned[i], across + 2, down) = part[i].z;
        *place<LANES>(turned[i], across + 3, down) = part[i].w;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < PARTS; i++)
        store<IS_ALIGNED_Y>(y + (int64_t)i * LANES * rows,
                            left + down + i * LANES < columns ? rows - top - across : 0,
                            *(const float4 *)place<LANES>(turned[i], down, across));
}

KG_LAUNCHER(transpose_f32_l2_prefetch)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);
    transpose *kernel;

    if (KG_AXIS(call, 0) != THREADS)
        return cudaErrorInvalidValue;
    if (columns % 4 == 0)
        kernel = rows % 4 == 0 ? prefetch<true, true> : prefetch<true, false>;
    else
        kernel = rows % 4 == 0 ? prefetch<false, true> : prefetch<false, false>;
    return kg_start(call, kernel, kg_grid(rows, LANES, columns, PARTS * LANES),
                    dim3(LANES, THREADS / LANES), KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), rows, columns);
}
