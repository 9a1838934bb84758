// Device to host, into page-locked memory, which the card writes by itself.
#include <kernelgate/kernelgate.h>

KG_LAUNCHER(transfers_d2h_pinned)
{
    size_t count = (size_t)(kg_extent(call->size, 0) * kg_extent(call->size, 1));

    return cudaMemcpyAsync(call->argument[1], call->argument[0], count * sizeof(int),
                           cudaMemcpyDeviceToHost, call->stream);
}
