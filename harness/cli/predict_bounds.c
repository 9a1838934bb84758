#include "cli/predict_bounds.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/statistics.h"

/* The smallest transfer of a memory request. */
#define SECTOR_BYTES 32.0
/* The bytes that L1 cache and shared memory of a multiprocessor move per wavefront. */
#define WAVEFRONT_BYTES 128.0
#define SECTORS_PER_WAVEFRONT (WAVEFRONT_BYTES / SECTOR_BYTES)
/* A compiler may make one 128-bit load of four neighbouring ones. */
#define LOADS_MERGED 4.0
/* One 32-bit operation may work on four bytes. */
#define BYTES_PER_WORD 4.0
#define BYTES_PER_MIB 1048576.0
#define NS_PER_US 1000.0
#define MHZ_PER_GHZ 1000.0

static const char *const resource_names[KG__RESOURCES] = {
    [KG__COMPUTE] = "compute", [KG__DRAM] = "DRAM",     [KG__L2] = "L2",
    [KG__L1] = "L1/shared",    [KG__BLOCKS] = "blocks", [KG__BUS] = "bus",
};

kg__job kg__job_unknown(void)
{
    kg__job job = { .operations = (double)NAN,
                    .operand = KG__OPERAND_FLOAT32,
                    .bytes = (double)NAN,
                    .blocks = (double)NAN };

    for (int i = 0; i < KG__COUNTERS; i++)
        job.count[i] = (double)NAN;
    return job;
}

const char *kg__resource_name(kg__resource resource)
{
    return resource_names[resource];
}

/* Sets a bound, or why it is absent. */
static void set_bound(kg__prediction *prediction, kg__resource resource, double bound,
                      const char *absent)
{
    prediction->bound_ns[resource] = absent == NULL ? bound : (double)NAN;
    prediction->absent[resource] = absent;
}

/* Multiprocessor clocks per nanosecond: of all multiprocessors, or of as many as there are blocks.
 */
static double count_clocks_per_ns(const kg__gpu_spec *gpu, const kg__job *job)
{
    double multiprocessors = gpu->value[KG__GPU_MULTIPROCESSORS];

    if (job->blocks >= 1)
        multiprocessors = fmin(multiprocessors, job->blocks);
    return multiprocessors * gpu->value[KG__GPU_CLOCK] / MHZ_PER_GHZ;
}

static void bound_compute(const kg__gpu_spec *gpu, const kg__job *job, kg__prediction *prediction)
{
    bool floats = job->operand == KG__OPERAND_FLOAT32;
    double rate = gpu->value[floats ? KG__GPU_FLOAT32 : KG__GPU_INT32];
    const char *absent = NULL;

    if (job->operand == KG__OPERAND_UINT8)
        rate *= BYTES_PER_WORD;
    if (isnan(job->operations))
        absent = "the suite states no work";
    else if (isnan(rate) && job->operations > 0)
        absent = "the GPU has no int32_operations_per_clock";
    set_bound(prediction, KG__COMPUTE,
              job->operations > 0 ? job->operations / (rate * count_clocks_per_ns(gpu, job)) : 0,
              absent);
}

/* The unique bytes of a job: as counted, else the suite's minimum. */
static double count_unique_bytes(const kg__job *job)
{
    double counted = job->count[KG__UNIQUE_BYTES_READ] + job->count[KG__UNIQUE_BYTES_WRITTEN];

    return isnan(counted) ? job->bytes : counted;
}

static void bound_dram(const kg__gpu_spec *gpu, const kg__job *job, bool hot,
                       kg__prediction *prediction)
{
    double bytes = count_unique_bytes(job);
    const char *absent = NULL;

    /* L2 keeps at most its size from launch to launch. */
    if (hot)
        bytes = fmax(0, bytes - gpu->value[KG__GPU_L2_SIZE] * BYTES_PER_MIB);
    if (isnan(count_unique_bytes(job)))
        absent = "the suite states no work";
    else if (hot && isnan(gpu->value[KG__GPU_L2_SIZE]))
        absent = "the GPU has no l2_mib";
    set_bound(prediction, KG__DRAM, bytes / gpu->value[KG__GPU_DRAM], absent);
}

static void bound_l2(const kg__gpu_spec *gpu, const kg__job *job, kg__prediction *prediction)
{
    /* An L1 cache may serve repeated reads; each store goes through, per sector. */
    double bytes =
        job->count[KG__UNIQUE_BYTES_READ] + SECTOR_BYTES * job->count[KG__GLOBAL_STORE_SECTORS];
    const char *absent = NULL;

    if (isnan(bytes))
        bytes = count_unique_bytes(job);
    if (isnan(bytes))
        absent = "the suite states no work";
    else if (isnan(gpu->value[KG__GPU_L2]))
        absent = "the GPU has no l2_gb_per_s";
    set_bound(prediction, KG__L2, bytes / gpu->value[KG__GPU_L2], absent);
}

/* Wavefronts of one kind of global request: at least one each, of up to four sectors. */
static double count_global_wavefronts(double requests, double sectors)
{
    return isnan(requests) || isnan(sectors) ? (double)NAN
                                             : fmax(requests, sectors / SECTORS_PER_WAVEFRONT);
}

static void bound_l1(const kg__gpu_spec *gpu, const kg__job *job, kg__prediction *prediction)
{
    const double *count = job->count;
    double wavefronts =
        count_global_wavefronts(count[KG__GLOBAL_LOAD_REQUESTS], count[KG__GLOBAL_LOAD_SECTORS]) +
        count_global_wavefronts(count[KG__GLOBAL_STORE_REQUESTS], count[KG__GLOBAL_STORE_SECTORS]) +
        count[KG__SHARED_LOAD_WAVEFRONTS] / LOADS_MERGED + count[KG__SHARED_STORE_WAVEFRONTS];
    double rate = gpu->value[KG__GPU_SHARED];
    const char *absent = NULL;

    if (isnan(wavefronts))
        absent = "its accesses are not counted";
    else if (isnan(rate))
        absent = "the GPU has no shared_bytes_per_clock";
    set_bound(prediction, KG__L1,
              WAVEFRONT_BYTES * wavefronts / (rate * count_clocks_per_ns(gpu, job)), absent);
}

static void bound_blocks(const kg__gpu_spec *gpu, const kg__job *job, kg__prediction *prediction)
{
    const char *absent = NULL;

    if (isnan(job->blocks))
        absent = "its blocks are not known";
    else if (isnan(gpu->value[KG__GPU_BLOCKS]))
        absent = "the GPU has no blocks_per_us";
    set_bound(prediction, KG__BLOCKS, NS_PER_US * job->blocks / gpu->value[KG__GPU_BLOCKS], absent);
}

static void bound_bus(const kg__gpu_spec *gpu, const kg__job *job, kg__prediction *prediction)
{
    /* Both directions at once. */
    double bytes = fmax(job->bytes_to_device, job->bytes_to_host);
    bool known = !isnan(gpu->value[KG__GPU_BUS]) || !(bytes > 0);

    set_bound(prediction, KG__BUS, bytes > 0 ? bytes / gpu->value[KG__GPU_BUS] : 0,
              known ? NULL : "the GPU has no bus_gb_per_s");
}

kg__prediction kg__predict(const kg__gpu_spec *gpu, const kg__job *job, bool hot, double launch_ns)
{
    kg__prediction prediction = { .body_ns = (double)NAN, .launch_ns = launch_ns };

    bound_compute(gpu, job, &prediction);
    bound_dram(gpu, job, hot, &prediction);
    bound_l2(gpu, job, &prediction);
    bound_l1(gpu, job, &prediction);
    bound_blocks(gpu, job, &prediction);
    bound_bus(gpu, job, &prediction);
    for (int i = 0; i < KG__RESOURCES; i++) {
        double bound = prediction.bound_ns[i];

        if (isnan(bound) || bound <= prediction.body_ns)
            continue;
        prediction.body_ns = bound;
        prediction.binding = (kg__resource)i;
    }
    prediction.total_ns = prediction.body_ns + launch_ns;
    return prediction;
}

bool kg__is_memory_bound(const kg__prediction *prediction)
{
    return !isnan(prediction->body_ns) &&
           (prediction->binding == KG__DRAM || prediction->binding == KG__L2);
}

bool kg__is_violated(const kg__measured_bound *bound)
{
    return bound->body_ns > bound->measured_ns * (1 + KG__BOUND_TOLERANCE);
}

kg__bounds_report kg__compare_bounds(const kg__measured_bound *bounds, size_t count)
{
    kg__bounds_report report = { .nearest = count, .median = (double)NAN };
    double *ratios = kg__allocate(count + 1, sizeof *ratios);
    double most = -1;

    for (size_t i = 0; i < count; i++) {
        const kg__measured_bound *bound = &bounds[i];
        double reached = bound->body_ns / bound->measured_ns;

        report.violated += kg__is_violated(bound);
        if (reached > most) {
            most = reached;
            report.nearest = i;
        }
        if (bound->memory_bound && bound->measured_ns > KG__MEMORY_BOUND_FROM_NS)
            ratios[report.memory_bound++] = 1 / reached;
    }
    if (report.memory_bound > 0)
        report.median = kg__median(ratios, report.memory_bound);
    free(ratios);
    return report;
}
