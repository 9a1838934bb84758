// Planar image, all red values first: a warp's 32 threads read 32 neighbouring bytes, one sector.
#include <kernelgate/kernelgate.h>

static __global__ void coalesced(unsigned char *image, size_t pixels)
{
    size_t pixel = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (pixel < pixels)
        image[pixel] = 255 - image[pixel];
}

KG_LAUNCHER(invert_red_coalesced)
{
    size_t pixels = (size_t)kg_extent(call->size, 0) * (size_t)kg_extent(call->size, 1) *
                    (size_t)kg_extent(call->size, 2);
    unsigned block = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((pixels + block - 1) / block));
    config.blockDim = dim3(block);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, coalesced, (unsigned char *)call->argument[0], pixels);
}
