// The gate's adapter: the library's kernels by its own API.
#include <kernelgate/kernelgate.h>

#include <own_kernels/row_sums.h>

static own_kernels::Matrix matrix_of(const kg_call *call)
{
    return { KG_ARG(call, const float, 0), KG_EXTENT(call, 0), KG_EXTENT(call, 1) };
}

KG_LAUNCHER(row_sums_thread_each)
{
    return own_kernels::row_sums_by_threads(matrix_of(call), KG_ARG(call, float, 1),
                                            (unsigned)KG_AXIS(call, 0), call->stream);
}

KG_LAUNCHER(row_sums_warp_each)
{
    return own_kernels::row_sums_by_warps(matrix_of(call), KG_ARG(call, float, 1),
                                          (unsigned)KG_AXIS(call, 0), call->stream);
}
