/* SPDX-License-Identifier: MIT */
/* Kernels whose requests can be counted by hand, pairs of accesses with and without an order
 * between them, and kernels that fail. */
#pragma once

#include <cuda_runtime_api.h>

#include "tests/model/c_linkage.h"

BEGIN_C

#define WATCH_MAX_BLOCK 1024 /* threads per block, for all of these kernels */

/* 12 bytes, and 7 bytes of which the number is aligned to nothing. */
typedef struct watch_triple {
    float x, y, z;
} watch_triple;

typedef struct __attribute__((packed)) watch_packed {
    unsigned char tag;
    int number;
    short rest;
} watch_packed;

/* What a kernel works on; what each kernel needs of it is at its source. */
typedef struct watch_data {
    float *a, *b;
    int *numbers;
    unsigned char *bytes;
    int n; /* elements; of a matrix, its width */
    int rows, layers;
    int k; /* how often, how far or how many */
} watch_data;

typedef cudaError_t launcher(const cudaLaunchConfig_t *config, watch_data data);

/* A kernel by its name in the source: LAUNCHER() of watch_start.h puts it among the program's. */
typedef struct named_kernel {
    const char *name;
    launcher *launch;
} named_kernel;

/* An element of an array of four on the host, which four more follow. */
int read_beyond_on_host(int index);

/* Copies 32 floats of __constant__ memory to `to`, on the device. */
cudaError_t fetch_constants(float *to);

END_C
