/* SPDX-License-Identifier: MIT */
/* What the tests of the CPU model share. */
#pragma once

#include <criterion/criterion.h>
#include <stddef.h>

#include "model/model.h"
#include "tests/model/model_kernels.h"

/* Calls that succeed, and calls whose arguments are refused. */
#define OK(call) cr_assert((call) == cudaSuccess)
#define REFUSED(call) cr_assert((call) == cudaErrorInvalidValue)
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A launch of this shape; and one of one dimension, good until the next call. */
cudaLaunchConfig_t shape(dim3 grid, dim3 block);
const cudaLaunchConfig_t *line(unsigned int blocks, unsigned int threads);

/* Device memory of `size` bytes, all `fill`. */
void *device(size_t size, int fill);

/* The bytes of this process's addresses that are mapped. */
size_t mapped_bytes(void);

/* Lets the process map so many bytes more than it has. */
void limit_addresses(size_t more);

/* What was written to the standard error, which the test has redirected; good until the next call.
 */
const char *complaints(void);
