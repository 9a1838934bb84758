/* Occupancy: how many blocks of a kernel fit on a multiprocessor, and what limits them. Pure: a
 * kernel's figures in, blocks out, for any GPU. Registers, shared memory and warps are allocated as
 * the CUDA Toolkit's cuda_occupancy.h says, which CMake finds; without it nothing is known. */
#ifndef KG__CLI_OCCUPANCY_LIMITS_H
#define KG__CLI_OCCUPANCY_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* What limits the blocks on a multiprocessor; several may at once. */
typedef enum kg__occupancy_limit {
    KG__LIMITED_BY_THREADS = 1, /* no more warps fit */
    KG__LIMITED_BY_REGISTERS = 2,
    KG__LIMITED_BY_SHARED = 4,
    KG__LIMITED_BY_BLOCKS = 8 /* no more blocks fit, whatever they need */
} kg__occupancy_limit;

/* The size of the text of any limits. */
#define KG__LIMITS_SIZE 96

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
    unsigned limits; /* of kg__occupancy_limit */
} kg__occupancy;

/* Whether this was built with the toolkit's header. */
bool kg__has_occupancy_calculator(void);

/* Whether the multiprocessors of a compute capability (90 is 9.0) are known; else false with
 * `error`, which lists the known ones. */
bool kg__occupancy_knows(int capability, kg__error *error);

/* Calculates the occupancy on a GPU of a compute capability (90 is 9.0), for a kernel without a
 * shared memory preference. False with `error` if the compute capability is unknown or no kernel
 * can have these figures. */
bool kg__calculate_occupancy(int capability, const kg__kernel_needs *needs,
                             kg__occupancy *occupancy, kg__error *error);

/* Names limits: "threads", "threads, registers and blocks". */
void kg__name_occupancy_limits(unsigned limits, char *words, size_t size);

#endif
