/* A kernel that is compiled without debug information. */
#include "tests/model/defect_start.h"

static __global__ void double_each(const float *in, float *out, int n)
{
    int i = index_in_grid();

    if (i < n)
        out[i] = 2.0f * in[i];
}

LAUNCHER(without_lines, double_each, double_each)

// SPDX-License-Identifier: MIT
