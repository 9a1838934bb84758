/* Predicts the minimum time of a job on any GPU from its work and the GPU's rates. Pure: figures
 * in, figures out.
 *
 * Each resource is a bound, in the manner of S. Williams, A. Waterman and D. Patterson, Roofline:
 * an insightful visual performance model for multicore architectures, 2009: what the job needs of
 * it, at the resource's peak rate. The largest is the body's; the launch overhead is added to it.
 * docs/predicting.md says what each assumes. */
#ifndef KG__CLI_PREDICT_BOUNDS_H
#define KG__CLI_PREDICT_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/counters.h"
#include "suite/gpu_specs.h"

typedef enum kg__resource {
    KG__COMPUTE, /* arithmetic of the multiprocessors */
    KG__DRAM,    /* the device's memory */
    KG__L2,      /* the L2 cache's throughput */
    KG__L1,      /* that of the multiprocessors' L1 caches and shared memory */
    KG__BLOCKS,  /* handing blocks to multiprocessors */
    KG__BUS,     /* to and from the host */
    KG__RESOURCES
} kg__resource;

/* The type of the operands. */
typedef enum kg__operand { KG__OPERAND_FLOAT32, KG__OPERAND_INT32, KG__OPERAND_UINT8 } kg__operand;

/* The work of a job. NaN: not known. */
typedef struct kg__job {
    double operations; /* the minimum, whatever the kernel does; a multiply-add is two */
    kg__operand operand;
    double bytes;               /* the minimum, read once and written once */
    double bytes_to_device;     /* over the bus */
    double bytes_to_host;       /* over the bus */
    double blocks;              /* of all its kernels */
    double count[KG__COUNTERS]; /* the CPU model's */
} kg__job;

typedef struct kg__prediction {
    double bound_ns[KG__RESOURCES]; /* NaN: absent */
    /* Why a bound is absent: "the GPU has no l2_gb_per_s"; NULL: it is present. */
    const char *absent[KG__RESOURCES];
    double body_ns; /* the largest bound; NaN if none is known */
    kg__resource binding;
    double launch_ns;
    double total_ns; /* the body and the launch */
} kg__prediction;

/* The overhead of a single launch, ns, if none was measured; and that of a launch in a CUDA graph,
 * an empty kernel's time on an NVIDIA H200. */
#define KG__LAUNCH_NS 5000.0
#define KG__GRAPH_LAUNCH_NS 550.0

/* A job without any known figure. */
kg__job kg__job_unknown(void);

/* The name of a resource: "DRAM". */
const char *kg__resource_name(kg__resource resource);

/* Predicts a job. `hot`: the L2 cache may hold data of the launch before; otherwise all data come
 * from DRAM and go there. `launch_ns` is the launch overhead. */
kg__prediction kg__predict(const kg__gpu_spec *gpu, const kg__job *job, bool hot, double launch_ns);

/* Whether a prediction is bound by DRAM or the L2 cache. */
bool kg__is_memory_bound(const kg__prediction *prediction);

/* A prediction with the measured time. */
typedef struct kg__measured_bound {
    double body_ns;
    double measured_ns;
    bool memory_bound;
} kg__measured_bound;

/* A summary of predictions and measured times. */
typedef struct kg__bounds_report {
    size_t violated;     /* bodies longer than the measured time, beyond the tolerance */
    size_t nearest;      /* the one with the largest body over measured; `count` if there is none */
    size_t memory_bound; /* memory-bound ones measured above KG__MEMORY_BOUND_FROM_NS */
    double median;       /* measured over predicted of those; NaN if there is none */
} kg__bounds_report;

/* A bound may exceed the measured time by this fraction: a measurement has noise. */
#define KG__BOUND_TOLERANCE 0.05
#define KG__MEMORY_BOUND_FROM_NS 10000.0

/* Whether a body is longer than the measured time, beyond the tolerance. */
bool kg__is_violated(const kg__measured_bound *bound);

/* Compares `count` predictions with their measured times. */
kg__bounds_report kg__compare_bounds(const kg__measured_bound *bounds, size_t count);

#endif
