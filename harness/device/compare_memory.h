/* SPDX-License-Identifier: MIT */
/* Comparing device memory on the device. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lowers `*first`, on the device, to the index of the first byte in which `a` and `b` differ. */
cudaError_t kg__launch_compare(const void *a, const void *b, size_t bytes,
                               unsigned long long *first, int multiprocessors);

#ifdef __cplusplus
}
#endif
