// The sums of a matrix's rows on a GPU: what the rest of this project calls.
#ifndef OWN_KERNELS_ROW_SUMS_H
#define OWN_KERNELS_ROW_SUMS_H

#include <cstdint>

#include <cuda_runtime.h>

namespace own_kernels
{

// Row after row, in memory of the device.
struct Matrix {
    const float *elements;
    std::int64_t rows;
    std::int64_t columns;
};

// Writes the sum of each row to `sums`, on `stream`, in blocks of `threads` threads: one thread per
// row, or one warp.
cudaError_t row_sums_by_threads(const Matrix &matrix, float *sums, unsigned threads,
                                cudaStream_t stream);
cudaError_t row_sums_by_warps(const Matrix &matrix, float *sums, unsigned threads,
                              cudaStream_t stream);

} // namespace own_kernels

#endif
