/* SPDX-License-Identifier: MIT */
/* Source files as messages and baselines name them. */
#pragma once

/* The part of `file` below the folder `home`: "kernels/matmul_f32/naive.cu"; all of it when it is
 * elsewhere. */
const char *kg__source_name(const char *home, const char *file);
