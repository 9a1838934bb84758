/* SPDX-License-Identifier: MIT */
/* Launchers of kernels that read textures and surfaces. */
#pragma once

#include <cuda_runtime_api.h>

#include "tests/model/c_linkage.h"

BEGIN_C

/* out[i] of each thread i of n: a fetch at x[i], or of several dimensions at x[3 i …], of the first
 * field of an element. */
typedef enum texture_fetch {
    FETCH_LINEAR, /* tex1Dfetch<float> */
    FETCH_1D,
    FETCH_2D,
    FETCH_3D,
    FETCH_LAYERED,
    FETCH_CUBE,
    FETCH_LAYERED_CUBE, /* of the layer 1 */
    FETCH_LINEAR_CHAR,  /* tex1Dfetch<char>, as a float */
    FETCH_2D_SHORT2,    /* x + 1000 y of tex2D<short2> */
    FETCH_2D_FLOAT4,    /* x + 10 y + 100 z + 1000 w */
    FETCH_LINEAR_UINT
} texture_fetch;

cudaError_t launch_fetch(texture_fetch how, cudaTextureObject_t texture, const float *x, int n,
                         float *out);

/* Transposes 16 x 16 floats of a surface into another. With k == 1 x is in elements, not in bytes;
 * with k == 2 it reads one row beyond. */
cudaError_t launch_transpose_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int k,
                                     enum cudaSurfaceBoundaryMode mode);

/* The mean of an element and its right neighbor, from a texture of 16 x 16 floats; right with k ==
 * 0, else without the halves that lead to the middles of elements. */
cudaError_t launch_blur(cudaTextureObject_t texture, int k, float *out);

/* A description by the element's type: of float, uchar4, short2. */
struct cudaChannelFormatDesc describe_element(int which);

END_C
