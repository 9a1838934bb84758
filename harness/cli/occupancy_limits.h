/* Occupancy: how many blocks of a kernel a multiprocessor holds, and what keeps it from holding
 * more. Pure: a kernel's figures in, blocks out, for GPUs that need not be here. How registers,
 * shared memory and warps are handed out is the CUDA Toolkit's own word, its cuda_occupancy.h,
 * which is found when this is configured; without one nothing is known. */
#ifndef KG__CLI_OCCUPANCY_LIMITS_H
#define KG__CLI_OCCUPANCY_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* What keeps a multiprocessor from holding one more block; several may at once. */
typedef enum kg__occupancy_limit {
    KG__LIMITED_BY_THREADS = 1, /* it holds no more warps */
    KG__LIMITED_BY_REGISTERS = 2,
    KG__LIMITED_BY_SHARED = 4,
    KG__LIMITED_BY_BLOCKS = 8 /* it holds no more blocks, whatever they take */
} kg__occupancy_limit;

/* Room for the words of any limits. */
#define KG__LIMITS_SIZE 96

/* What a launch of a kernel takes. */
typedef struct kg__kernel_needs {
    size_t static_shared;  /* bytes a block, without what the system reserves */
    size_t dynamic_shared; /* bytes a block, as launched */
    int registers;         /* a thread */
    int threads;           /* a block, as launched */
} kg__kernel_needs;

typedef struct kg__occupancy {
    int blocks;      /* on a multiprocessor; 0: the launch cannot run */
    int warps;       /* on a multiprocessor */
    double fraction; /* of a multiprocessor's warps, 0 to 1 */
    unsigned limits; /* of kg__occupancy_limit */
} kg__occupancy;

/* The compute capability of a text "9.0" as the number that stands for it here, 90; 0 for a text
 * that is none. */
int kg__parse_capability(const char *text);

/* Whether this was built with the toolkit's header. */
bool kg__has_occupancy_calculator(void);

/* Whether the multiprocessors of a compute capability (90 is 9.0) are known; false with `error`,
 * which names those that are. */
bool kg__occupancy_knows(int capability, kg__error *error);

/* Asks for the occupancy on a GPU of a compute capability (90 is 9.0), with the shared memory that
 * the driver gives a kernel that states no preference. False with `error` where the compute
 * capability is not known or the figures are none of a kernel. */
bool kg__calculate_occupancy(int capability, const kg__kernel_needs *needs,
                             kg__occupancy *occupancy, kg__error *error);

/* Names limits: "threads", "threads, registers and blocks". */
void kg__name_occupancy_limits(unsigned limits, char *words, size_t size);

#endif
