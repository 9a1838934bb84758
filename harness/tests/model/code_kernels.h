/* SPDX-License-Identifier: MIT */
/* Launches of code_kernels.cu, by the numbers that it has for them. */
#pragma once

#include "tests/model/watch_kernels.h"

BEGIN_C

/* Launches a kernel of a file; returns what cudaGetLastError() does. */
cudaError_t start_of_first(watch_data data, int form, int n);
cudaError_t start_of_second(watch_data data, int form, int n);

END_C
