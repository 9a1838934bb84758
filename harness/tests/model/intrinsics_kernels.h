/* SPDX-License-Identifier: MIT */
/* Launchers of the kernels that try CUDA's intrinsics. Pointers are device memory. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "tests/model/c_linkage.h"

BEGIN_C

/* What an expression gave, as bits, and what it is to give. */
typedef struct tried {
    const char *expression;
    uint64_t value, expected;
    double error;   /* of a number that is only to be close: relative, in units of its roundoff */
    double allowed; /* 0: the bits are to be equal */
} tried;

/* A kernel of one thread that tries expressions: writes how many to `count`. */
typedef cudaError_t trier(const cudaLaunchConfig_t *config, tried *out, int *count);
#define TRIED_MAXIMUM 160
trier launch_conversions, launch_arithmetic, launch_integers, launch_lanes, launch_mathematics_more,
    launch_small_things;

END_C
