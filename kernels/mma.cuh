// Instructions of tensor cores on bfloat16, and how tiles come to them: asynchronous copies to
// swizzled rows in shared memory, from where ldmatrix loads a warp's operands.
#ifndef MMA_CUH
#define MMA_CUH

#include <cuda_bf16.h>
#include <kernelgate/kernelgate.h>

typedef __nv_bfloat16 bf16;

enum class layout { plain, swizzled };

// The index of an element in a tile of rows of PITCH. Swizzled, the 16-byte chunks of a row change
// places by the row: chunk i of 8 successive rows is in 8 different groups of 4 banks.
//
//     row 0: 0 1 2 3 4 5 6 7
//     row 1: 1 0 3 2 5 4 7 6
//     row 2: 2 3 0 1 6 7 4 5   ...
template <int PITCH, layout LAYOUT>
static __device__ __forceinline__ int place(int row, int column)
{
    return row * PITCH + (LAYOUT == layout::swizzled ? column ^ (row % 8 * 8) : column);
}

static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Copies WIDTH bytes, or zeros. Asynchronous copies take at least 4 bytes, so that of 2 is plain.
template <int WIDTH, bool ASYNC>
static __device__ __forceinline__ void copy_piece(bf16 *to, const bf16 *from, bool inside)
{
    if constexpr (WIDTH == 2)
        *to = inside ? *from : __float2bfloat16(0.0f);
    else if constexpr (ASYNC && WIDTH == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(inside ? 4 : 0)
                     : "memory");
    else if constexpr (ASYNC)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(inside ? 16 : 0)
                     : "memory");
    else if constexpr (WIDTH == 4)
        *reinterpret_cast<unsigned *>(to) = inside ? *reinterpret_cast<const unsigned *>(from) : 0u;
    else
        *reinterpret_cast<uint4 *>(to) =
            inside ? *reinterpret_cast<const uint4 *>(from) : make_uint4(0, 0, 0, 0);
}

template <int NEWER>
static __device__ __forceinline__ void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(NEWER) : "memory");
}

static __device__ __forceinline__ void commit_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Four 8 x 8 matrices, a row's address from each lane. What a lane gets is its part of A for
// mma.sync, and of B after a transposition.
static __device__ __forceinline__ void load_matrices(unsigned (&to)[4], const bf16 *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

static __device__ __forceinline__ void load_matrices_transposed(unsigned (&to)[4], const bf16 *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// sum += a b, 16 x 8 x 16: a lane has rows lane / 4 and that + 8, columns 2 (lane % 4) and that
// + 1.
static __device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4],
                                                unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#endif

// SPDX-License-Identifier: MIT
