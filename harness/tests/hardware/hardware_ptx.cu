// c = a b^T of float16 with float32 sums, by inline PTX: a is m x k, b n x k, with m and k
// multiples of 16 and n of 8.
#include <kernelgate/kernelgate.h>

#define MAX_WARPS 4 /* per block */

static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

static __device__ __forceinline__ void copy_row(void *to, const unsigned short *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
}

// One warp per 16 x 8 outputs, a step of 16 at a time: copied to shared memory, loaded as matrices,
// multiplied. Rows of `Stride` halves there: 24 keep the banks of eight rows apart, 16 do not.
template <int Stride>
static __global__ void tensor(const unsigned short *a, const unsigned short *b, float *c, int n,
                              int k)
{
    __shared__ __align__(16) unsigned short tile_a[MAX_WARPS][16][Stride];
    __shared__ __align__(16) unsigned short tile_b[MAX_WARPS][8][Stride];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int tile = blockIdx.x * (blockDim.x / 32) + warp;
    int row = tile / (n / 8) * 16, column = tile % (n / 8) * 8;
    float sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    float *out = c + (row + lane / 4) * n + column + lane % 4 * 2;

    for (int i = 0; i < k; i += 16) {
        unsigned x[4], y[2];

        copy_row(&tile_a[warp][lane / 2][lane % 2 * 8],
                 a + (row + lane / 2) * k + i + lane % 2 * 8);
        if (lane < 16)
            copy_row(&tile_b[warp][lane / 2][lane % 2 * 8],
                     b + (column + lane / 2) * k + i + lane % 2 * 8);
        asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
        __syncwarp();
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(shared_address(&tile_a[warp][lane % 16][lane / 16 * 8]))
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"(shared_address(&tile_b[warp][lane % 8][lane / 8 % 2 * 8]))
                     : "memory");
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        __syncwarp();
    }
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(out), "f"(sum[0]), "f"(sum[1])
                 : "memory");
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(out + 8 * n), "f"(sum[2]), "f"(sum[3])
                 : "memory");
}

// Adds the product of two pairs of halves.
static __device__ __forceinline__ float add_pair(unsigned x, unsigned y, float sum)
{
    asm("{ .reg .b16 a, b, c, d;\n"
        "  .reg .f32 p, q;\n"
        "  mov.b32 {a, b}, %1;\n"
        "  mov.b32 {c, d}, %2;\n"
        "  cvt.f32.f16 p, a;\n"
        "  cvt.f32.f16 q, c;\n"
        "  fma.rn.f32 %0, p, q, %0;\n"
        "  cvt.f32.f16 p, b;\n"
        "  cvt.f32.f16 q, d;\n"
        "  fma.rn.f32 %0, p, q, %0; }"
        : "+f"(sum)
        : "r"(x), "r"(y));
    return sum;
}

static __device__ __forceinline__ uint4 load_eight(const unsigned short *from)
{
    uint4 words;

    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(from));
    return words;
}

// One thread per output, eight halves of each row at a time.
static __global__ void vectors(const unsigned short *a, const unsigned short *b, float *c, int n,
                               int k, int outputs)
{
    int output = blockIdx.x * blockDim.x + threadIdx.x;

    if (output < outputs) {
        float sum = 0.0f;

        for (int i = 0; i < k; i += 8) {
            uint4 x = load_eight(a + output / n * k + i);
            uint4 y = load_eight(b + output % n * k + i);

            sum = add_pair(x.x, y.x, sum);
            sum = add_pair(x.y, y.y, sum);
            sum = add_pair(x.z, y.z, sum);
            sum = add_pair(x.w, y.w, sum);
        }
        asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(c + output), "f"(sum) : "memory");
    }
}

#define M ((int)kg_extent(call->size, 0))
#define N ((int)kg_extent(call->size, 1))
#define K ((int)kg_extent(call->size, 2))
#define BLOCK ((unsigned)KG_AXIS(call, 0))
#define ARGUMENTS                                                                                  \
    (const unsigned short *)call->argument[0], (const unsigned short *)call->argument[1],          \
        (float *)call->argument[2], N, K

KG_LAUNCHER(hardware_ptx_padded)
{
    tensor<24><<<M / 16 * (N / 8) / (BLOCK / 32), BLOCK, 0, call->stream>>>(ARGUMENTS);
    return cudaGetLastError();
}

KG_LAUNCHER(hardware_ptx_packed)
{
    tensor<16><<<M / 16 * (N / 8) / (BLOCK / 32), BLOCK, 0, call->stream>>>(ARGUMENTS);
    return cudaGetLastError();
}

KG_LAUNCHER(hardware_ptx_vectors)
{
    vectors<<<(M * N + BLOCK - 1) / BLOCK, BLOCK, 0, call->stream>>>(ARGUMENTS, M * N);
    return cudaGetLastError();
}

// SPDX-License-Identifier: MIT
