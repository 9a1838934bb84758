/* SPDX-License-Identifier: MIT */
/* What lies behind the arrays of an image: included by one source of each program or library that
 * has kernels, which is linked after them. Internal to watching. */
#pragma once

/* The alignment that __shared__ and __constant__ give to arrays. */
#define SHARED_ALIGNMENT 65536
#define CONSTANT_ALIGNMENT 131072

/* Each array has a gap behind it that catches overruns. These give the last shared array and the
 * last constant theirs: libraries are linked after the kernels. */
static unsigned char behind_shared[SHARED_ALIGNMENT]
    __attribute__((used, aligned(SHARED_ALIGNMENT), section(".bss.kg_behind_shared")));
static unsigned char behind_constants
    __attribute__((used, aligned(CONSTANT_ALIGNMENT), section("kg_constant"))) = 0;
/* The same for arrays outside of functions (harness/model/rewrite/object_file.py), in memory
 * that takes no room in the file. */
__asm__(".pushsection kg_shared,\"aw\",%nobits\n"
        ".balign 65536\n"
        ".skip 65536\n"
        ".popsection\n");
