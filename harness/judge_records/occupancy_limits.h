/* Occupancy: how many blocks of a kernel fit on a multiprocessor, and what limits them. Pure: a
 * kernel's figures in, blocks out, for any GPU. Registers, shared memory and warps are allocated as
 * the CUDA Toolkit's cuda_occupancy.h says, which CMake finds; without it nothing is known. */
#ifndef KG__JUDGE_RECORDS_OCCUPANCY_LIMITS_H
#define KG__JUDGE_RECORDS_OCCUPANCY_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* How many limits there are: threads, registers, shared memory, blocks. */
#define KG__OCCUPANCY_LIMITS 4

/* What a launch of a kernel needs. */
typedef struct kg__kernel_needs {
    size_t static_shared;  /* bytes per block, without what the system reserves */
    size_t dynamic_shared; /* bytes per block, as launched */
    int registers;         /* per thread */
    int threads;           /* per block, as launched */
} kg__kernel_needs;

typedef struct kg__occupancy {
    int blocks;      /* on a multiprocessor; 0: the launch cannot run */
    int warps;       /* on a multiprocessor */
    double fraction; /* of a multiprocessor's warps, 0 to 1 */
    /* What keeps more blocks from it, which may be several: "shared memory". */
    const char *limits[KG__OCCUPANCY_LIMITS];
    size_t limit_count;
} kg__occupancy;

/* Whether this was built with the toolkit's header. */
bool kg__has_occupancy_calculator(void);

/* Calculates the occupancy on a GPU of a compute capability (90 is 9.0), for a kernel without a
 * shared memory preference. False with `error` if the compute capability is unknown, which then
 * lists the known ones, or no kernel can have these figures. */
bool kg__calculate_occupancy(int capability, const kg__kernel_needs *needs,
                             kg__occupancy *occupancy, kg__error *error);

#endif
