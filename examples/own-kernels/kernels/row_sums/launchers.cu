// The gate's adapter: the library's kernels by its own API.
#include <kernelgate/kernelgate.h>

#include <own_kernels/row_sums.h>

static own_kernels::Matrix matrix_of(const kg_call *call)
{
    return { (const float *)call->argument[0], kg_extent(call->size, 0), kg_extent(call->size, 1) };
}

KG_LAUNCHER(row_sums_thread_each)
{
    return own_kernels::row_sums_by_threads(matrix_of(call), (float *)call->argument[1],
                                            (unsigned)call->launch.block, call->stream);
}

KG_LAUNCHER(row_sums_warp_each)
{
    return own_kernels::row_sums_by_warps(matrix_of(call), (float *)call->argument[1],
                                          (unsigned)call->launch.block, call->stream);
}
