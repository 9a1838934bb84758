/* Predicting: how long a job takes at the least on a GPU that need not be here, by what it asks for
 * and what the GPU can do. Pure: figures in, figures out.
 *
 * Each resource is a bound, in the manner of S. Williams, A. Waterman and D. Patterson, Roofline:
 * an insightful visual performance model for multicore architectures, 2009: what the job needs of
 * it, at the resource's highest rate. The largest is the body's; a launch costs its own time
 * besides. docs/predicting.md says what each assumes. */
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

/* What operations are on. */
typedef enum kg__operand { KG__OPERAND_FLOAT32, KG__OPERAND_INT32, KG__OPERAND_UINT8 } kg__operand;

/* What a job asks for. NaN: not known. */
typedef struct kg__job {
    double operations; /* the fewest, whatever the kernel does; a multiply-add is two */
    kg__operand operand;
    double bytes;               /* the fewest, read once and written once */
    double bytes_to_device;     /* of what crosses the bus */
    double bytes_to_host;       /* likewise */
    double blocks;              /* of all kernels that it starts */
    double count[KG__COUNTERS]; /* the CPU model's */
} kg__job;

typedef struct kg__prediction {
    double bound_ns[KG__RESOURCES]; /* NaN: absent */
    /* Why a bound is absent, a sentence's end: "the GPU has no l2_gb_per_s"; NULL: it is there. */
    const char *absent[KG__RESOURCES];
    double body_ns; /* the largest bound; NaN where none is known */
    kg__resource binding;
    double launch_ns;
    double total_ns; /* the body and the launch */
} kg__prediction;

/* A lone launch, ns, where none was measured; and a launch in a CUDA graph, as an empty kernel
 * takes on an NVIDIA H200. */
#define KG__LAUNCH_NS 5000.0
#define KG__GRAPH_LAUNCH_NS 550.0

/* A job of which nothing is known. */
kg__job kg__job_unknown(void);

/* A resource in words: "DRAM". */
const char *kg__resource_name(kg__resource resource);

/* Predicts a job. `hot`: what the L2 cache can hold may be there from the launch before; otherwise
 * everything comes from the device's memory and goes there. `launch_ns` is what a launch costs. */
kg__prediction kg__predict(const kg__gpu_spec *gpu, const kg__job *job, bool hot, double launch_ns);

/* Whether a prediction is bound by DRAM or the L2 cache. */
bool kg__is_memory_bound(const kg__prediction *prediction);

/* A prediction beside what was measured. */
typedef struct kg__measured_bound {
    double body_ns;
    double measured_ns;
    bool memory_bound;
} kg__measured_bound;

/* How predictions did. */
typedef struct kg__bounds_report {
    size_t violated; /* bodies longer than what was measured, by more than the tolerance */
    size_t nearest;  /* the one with the largest body over measured; `count` where there is none */
    size_t
        memory_bound; /* how many such were measured to last longer than KG__MEMORY_BOUND_FROM_NS */
    double median;    /* measured over predicted of those; NaN where there is none */
} kg__bounds_report;

/* A bound may be beyond what was measured by this fraction: a measurement has noise. */
#define KG__BOUND_TOLERANCE 0.05
#define KG__MEMORY_BOUND_FROM_NS 10000.0

/* Whether a body is longer than what was measured, beyond the tolerance. */
bool kg__is_violated(const kg__measured_bound *bound);

/* Holds `count` predictions against what was measured of them. */
kg__bounds_report kg__compare_bounds(const kg__measured_bound *bounds, size_t count);

#endif
