/* What lies behind the arrays of an image: included by one source of each program or library that
 * has kernels, which is linked after them. Internal to watching. */
#ifndef KG__MODEL_BEHIND_H
#define KG__MODEL_BEHIND_H

/* The alignments that __shared__ and __constant__ give to an array. */
#define SHARED_ALIGNMENT 65536
#define CONSTANT_ALIGNMENT 131072

/* What lies behind a program's last shared array and its last constant, each of which has a hole
 * behind it for the others' sake: linked after the kernels, since libraries are. */
static unsigned char behind_shared[SHARED_ALIGNMENT]
    __attribute__((used, aligned(SHARED_ALIGNMENT), section(".bss.kg_behind_shared")));
static unsigned char behind_constants
    __attribute__((used, aligned(CONSTANT_ALIGNMENT), section("kg_constant"))) = 0;
/* The same of arrays outside of any function (harness/model/rewrite/object_file.py), in memory that
 * takes no room in the file. */
__asm__(".pushsection kg_shared,\"aw\",%nobits\n"
        ".balign 65536\n"
        ".skip 65536\n"
        ".popsection\n");

#endif
