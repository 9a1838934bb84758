/* SPDX-License-Identifier: MIT */
/* A GPU that is not there, for the rooms that sample by CUDA graphs: what they take of cudart, on a
 * clock that launches alone move. A launch in a graph has two costs: the cheaper one until copies
 * have been made on a stream, and again from launches on that the test names. Included before
 * everything else by those rooms. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum cudaStreamCaptureMode cudaStreamCaptureMode;

/* What the GPU is like, and what it has done. */
typedef struct fake_graphs {
    double low_ns;  /* what a launch costs in a fresh context */
    double high_ns; /* and in one that is warmed up */
    bool warms;     /* copies warm the context up */
    bool warm;
    size_t fall_every; /* replays after which a launch costs the less again; 0: never */
    size_t replays;    /* since the last fall, or warm-up */
    size_t warm_ups;   /* copies that warmed the context up, or would have */
    double now_ns;
    size_t calls;   /* of what may fail */
    size_t fail_at; /* the call that fails, and all after it; 0: none does */
} fake_graphs;

extern fake_graphs fake;

/* Launches a kernel that takes `ns` besides what its launch costs. */
cudaError_t fake_launch(double ns);
