/* SPDX-License-Identifier: MIT */
/* What the kernels of known duration and their table share. A size is the microseconds that a
 * launch is to take on an H200. */
#pragma once

/* What starting a kernel in a graph and waiting for its end takes of each launch, measured with an
 * empty kernel. The body takes the rest; an extra is of the whole launch, since that is timed. */
#define SELFTEST_LAUNCH_US 0.7

/* How many float4 are copied within device memory in a microsecond, at 4 TB/s
 * read and written. */
#define SELFTEST_QUADS_PER_US 125000

/* The length of both arrays, in float4: together beyond the L2 cache, and copied whole by the
 * shortest launch of the table, of 20 us. */
#define SELFTEST_ARRAY_QUADS 2400000

/* The elements that the spin writes: so many threads, few enough to run at once on any GPU. */
#define SELFTEST_SPIN_ELEMENTS 1024
