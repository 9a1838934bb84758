// Host to device, from page-locked memory, which the card reads by itself.
#include <kernelgate/kernelgate.h>

KG_LAUNCHER(transfers_h2d_pinned)
{
    size_t count = (size_t)(kg_extent(call->size, 0) * kg_extent(call->size, 1));

    return cudaMemcpyAsync(call->argument[1], call->argument[0], count * sizeof(int),
                           cudaMemcpyHostToDevice, call->stream);
}
