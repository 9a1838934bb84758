/* SPDX-License-Identifier: MIT */
/* Products of a warp group: four consecutive warps. The first one's number is a multiple of 4. */
#pragma once

#include "kg_model_matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KG__WARP_GROUP (4 * KG__MODEL_WARP)

/* A thread's part of sums (+)= a b, as wgmma.mma_async has its operands. Those of all threads
 * agree, but for registers. a has 64 rows, both have 32 bytes of k. */
typedef struct kg__model_wgmma {
    kg__model_element elements[2], sum; /* of a and b, and of the sums */
    unsigned int columns;
    bool saturates;          /* for integers */
    bool adds;               /* false: the sums begin with 0 */
    int scales[2];           /* of a and b: 1 or -1 */
    bool turned[2];          /* rows of a, or columns of b, are contiguous in memory; not k */
    const uint32_t *a;       /* its four registers; NULL: a descriptor */
    uint64_t descriptors[2]; /* of a and b in shared memory */
    uint32_t *registers;     /* of the sums, before and after */
    const char *wrong; /* set where the group computed nothing: what is wrong with the operands */
    uintptr_t code;    /* the instruction's */
    const char *origins[2]; /* of 32-bit addresses: by the dynamic shared memory, and the program */
} kg__model_wgmma;

/* Begins the calling thread's part, whose instruction reads shared memory until the wait for its
 * group. */
void kg__model_begin_wgmma(kg__model_wgmma *part);
/* Ends it, when all threads of the group have taken part. */
void kg__model_end_wgmma(const kg__model_wgmma *part);
/* Notes that the calling thread orders its accesses to registers. */
void kg__model_fence_wgmma(void);
/* Ends the calling thread's group of products, and begins the next. */
void kg__model_commit_wgmma(void);
/* Notes that all groups of the calling thread have completed but the `newest`. */
void kg__model_wait_for_wgmma(unsigned int newest);

#ifdef __cplusplus
}
#endif
