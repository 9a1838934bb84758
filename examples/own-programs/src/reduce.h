// Sums on the GPU.
#pragma once

#include <cuda_runtime.h>

// Writes the sum of `count` floats in device memory to `*sum`, also in device memory. Returns the
// launch's error.
cudaError_t reduce_sum(const float *values, int count, float *sum);
