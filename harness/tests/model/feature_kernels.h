/* SPDX-License-Identifier: MIT */
/* Launchers of the kernels of what people write besides plain accesses. */
#pragma once

#include "tests/model/watch_kernels.h"

BEGIN_C

/* The value of its first call. */
int keep_first(int value);
/* Lets reverse_in_a_kernel have so much. */
cudaError_t allow_reverse(int bytes);

/* A generator's first eight words, then of the same: a uniform number, three normal ones, and a
 * uniform and two normal ones in double precision. `seed` is the seed's halves, the subsequence and
 * the offset. */
cudaError_t launch_generator(const cudaLaunchConfig_t *config, int xorwow, uint4 seed,
                             unsigned int *words, double *numbers);

END_C
