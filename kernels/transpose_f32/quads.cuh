// What transposes by float4 share. A square tile of x lies turned in shared memory:
//
//     turned[column][row]    at    TILE column + 4 ((row / 4) ^ (column / 4)) + row % 4
//
// A float4 of y is one of `turned`, and the permutation of these leaves no bank conflict on either
// side. Where rows of x or of y are no multiple of 4 elements, they are accessed by element.
#ifndef TRANSPOSE_F32_QUADS_CUH
#define TRANSPOSE_F32_QUADS_CUH

#include "tile.cuh"

template <int TILE>
static __device__ float *place(float *turned, int column, int row)
{
    return turned + column * TILE + 4 * ((row / 4) ^ (column / 4)) + row % 4;
}

// Up to `left` elements are there; IS_ALIGNED: all or none.
template <bool IS_ALIGNED>
static __device__ float4 load(const float *at, int left)
{
    if (IS_ALIGNED)
        return left > 0 ? *(const float4 *)at : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    return make_float4(left > 0 ? at[0] : 0.0f, left > 1 ? at[1] : 0.0f, left > 2 ? at[2] : 0.0f,
                       left > 3 ? at[3] : 0.0f);
}

template <bool IS_ALIGNED>
static __device__ void store(float *at, int left, float4 value)
{
    if (IS_ALIGNED) {
        if (left > 0)
            *(float4 *)at = value;
        return;
    }
    if (left > 0)
        at[0] = value.x;
    if (left > 1)
        at[1] = value.y;
    if (left > 2)
        at[2] = value.z;
    if (left > 3)
        at[3] = value.w;
}

#endif
