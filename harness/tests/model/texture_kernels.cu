// Kernels that read textures and surfaces.
#include <cuda_runtime.h>

#include "tests/model/texture_kernels.h"

static __device__ float fetch_one(texture_fetch how, cudaTextureObject_t texture, const float *x,
                                  int i)
{
    float value = 0.0f;

    switch (how) {
    case FETCH_LINEAR:
        return tex1Dfetch<float>(texture, (int)x[i]);
    case FETCH_1D:
        tex1D(&value, texture, x[i]);
        return value;
    case FETCH_2D:
        return tex2D<float>(texture, x[3 * i], x[3 * i + 1]);
    case FETCH_3D:
        return tex3D<float>(texture, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    case FETCH_LAYERED:
        return tex2DLayered<float>(texture, x[3 * i], x[3 * i + 1], (int)x[3 * i + 2]);
    case FETCH_CUBE:
        return texCubemap<float>(texture, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    case FETCH_LAYERED_CUBE:
        texCubemapLayered(&value, texture, x[3 * i], x[3 * i + 1], x[3 * i + 2], 1);
        return value;
    case FETCH_LINEAR_CHAR:
        return (float)tex1Dfetch<char>(texture, (int)x[i]);
    case FETCH_2D_SHORT2: {
        short2 pair = tex2D<short2>(texture, x[3 * i], x[3 * i + 1]);

        return (float)(pair.x + 1000 * pair.y);
    }
    case FETCH_2D_FLOAT4: {
        float4 four = tex2D<float4>(texture, x[3 * i], x[3 * i + 1]);

        return four.x + 10.0f * four.y + 100.0f * four.z + 1000.0f * four.w;
    }
    case FETCH_LINEAR_UINT:
        return (float)tex1Dfetch<unsigned int>(texture, (int)x[i]);
    }
    return value;
}

static __global__ void fetch(texture_fetch how, cudaTextureObject_t texture, const float *x, int n,
                             float *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        out[i] = fetch_one(how, texture, x, i);
}

static cudaLaunchConfig_t shape(dim3 grid, dim3 block)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = grid;
    config.blockDim = block;
    return config;
}

cudaError_t launch_fetch(texture_fetch how, cudaTextureObject_t texture, const float *x, int n,
                         float *out)
{
    cudaLaunchConfig_t config = shape((n + 31) / 32, 32);

    return cudaLaunchKernelEx(&config, fetch, how, texture, x, n, out);
}

static __global__ void transpose_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int k,
                                         cudaSurfaceBoundaryMode mode)
{
    int x = (int)threadIdx.x;
    int y = (int)threadIdx.y;
    int bytes = k == 1 ? 1 : (int)sizeof(float);
    float value = surf2Dread<float>(from, x * bytes, y + (k == 2), mode);

    surf2Dwrite(value, to, y * bytes, x, mode);
}

cudaError_t launch_transpose_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int k,
                                     cudaSurfaceBoundaryMode mode)
{
    cudaLaunchConfig_t config = shape(1, dim3(16, 16));

    return cudaLaunchKernelEx(&config, transpose_surface, from, to, k, mode);
}

static __global__ void blur(cudaTextureObject_t texture, int k, float *out)
{
    float x = (float)threadIdx.x;
    float y = (float)threadIdx.y;

    if (k == 0) {
        x += 0.5f;
        y += 0.5f;
    }
    out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(texture, x + 0.5f, y);
}

cudaError_t launch_blur(cudaTextureObject_t texture, int k, float *out)
{
    cudaLaunchConfig_t config = shape(1, dim3(16, 16));

    return cudaLaunchKernelEx(&config, blur, texture, k, out);
}

cudaChannelFormatDesc describe_element(int which)
{
    return which == 0   ? cudaCreateChannelDesc<float>()
           : which == 1 ? cudaCreateChannelDesc<uchar4>()
                        : cudaCreateChannelDesc<short2>();
}

// SPDX-License-Identifier: MIT
