// Interleaved image, RGBRGB...: a warp's 32 threads read every third of 96 bytes, three sectors.
#include <kernelgate/kernelgate.h>

static __global__ void uncoalesced(unsigned char *image, size_t pixels)
{
    size_t pixel = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (pixel < pixels)
        image[3 * pixel] = 255 - image[3 * pixel];
}

KG_LAUNCHER(invert_red_uncoalesced)
{
    size_t pixels = (size_t)kg_extent(call->size, 0) * (size_t)kg_extent(call->size, 1) *
                    (size_t)kg_extent(call->size, 2);
    unsigned block = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)((pixels + block - 1) / block));
    config.blockDim = dim3(block);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, uncoalesced, (unsigned char *)call->argument[0], pixels);
}
