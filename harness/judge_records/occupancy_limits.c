#include "judge_records/occupancy_limits.h"

#include <limits.h>
#include <string.h>

#ifdef KG__CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

#define KIB(n) ((size_t)(n)*1024)

/* A multiprocessor: the figures that cuda_occupancy.h needs. */
typedef struct multiprocessor {
    int capability;          /* 90 is 9.0 */
    int threads;             /* the maximum on it */
    size_t shared;           /* bytes on it */
    size_t shared_per_block; /* bytes, the maximum of a block */
    int registers_per_block;
} multiprocessor;

/* Figures of all architectures. */
enum { WARP = 32, THREADS_PER_BLOCK = 1024, REGISTERS = 65536 };

/* The default shared memory of a block, and what the system reserves per block from compute
 * capability 8.0 on. */
#define SHARED_BY_DEFAULT KIB(48)
#define RESERVED_SHARED KIB(1)
#define FIRST_RESERVING 80

/* Source: the CUDA Programming Guide, "Compute Capabilities", its tables of technical
 * specifications and of shared memory capacities; up to 7.2, which it no longer has, the CUDA C++
 * Programming Guide 12.9, "Technical Specifications per Compute Capability". */
static const multiprocessor multiprocessors[] = {
    { 50, 2048, KIB(64), KIB(48), REGISTERS },     { 52, 2048, KIB(96), KIB(48), REGISTERS },
    { 53, 2048, KIB(64), KIB(48), REGISTERS / 2 }, { 60, 2048, KIB(64), KIB(48), REGISTERS },
    { 61, 2048, KIB(96), KIB(48), REGISTERS },     { 62, 2048, KIB(64), KIB(48), REGISTERS / 2 },
    { 70, 2048, KIB(96), KIB(96), REGISTERS },     { 72, 2048, KIB(96), KIB(96), REGISTERS },
    { 75, 1024, KIB(64), KIB(64), REGISTERS },     { 80, 2048, KIB(164), KIB(163), REGISTERS },
    { 86, 1536, KIB(100), KIB(99), REGISTERS },    { 87, 1536, KIB(164), KIB(163), REGISTERS },
    { 89, 1536, KIB(100), KIB(99), REGISTERS },    { 90, 2048, KIB(228), KIB(227), REGISTERS },
    { 100, 2048, KIB(228), KIB(227), REGISTERS },  { 103, 2048, KIB(228), KIB(227), REGISTERS },
    { 110, 1536, KIB(228), KIB(227), REGISTERS },  { 120, 1536, KIB(100), KIB(99), REGISTERS },
    { 121, 1536, KIB(100), KIB(99), REGISTERS },
};

#define MULTIPROCESSORS (sizeof multiprocessors / sizeof *multiprocessors)

static const multiprocessor *find_multiprocessor(int capability)
{
    for (size_t i = 0; i < MULTIPROCESSORS; i++) {
        if (multiprocessors[i].capability == capability)
            return &multiprocessors[i];
    }
    return NULL;
}

bool kg__has_occupancy_calculator(void)
{
#ifdef KG__CUDA_OCCUPANCY
    return true;
#else
    return false;
#endif
}

static bool is_known(int capability, kg__error *error)
{
    char capabilities[KG__MESSAGE_SIZE / 2] = "";

    if (find_multiprocessor(capability) != NULL)
        return true;
    for (size_t i = 0; i < MULTIPROCESSORS; i++) {
        size_t used = strlen(capabilities);

        kg__format(capabilities + used, sizeof capabilities - used, "%s%d", i > 0 ? ", " : "",
                   multiprocessors[i].capability);
    }
    return kg__fail(error, "the multiprocessors of architecture %d are not known: use one of %s",
                    capability, capabilities);
}

static bool check_needs(const kg__kernel_needs *needs, kg__error *error)
{
    return (needs->threads >= 1 && needs->threads <= THREADS_PER_BLOCK && needs->registers >= 0 &&
            needs->registers <= UCHAR_MAX && needs->static_shared <= INT_MAX / 2 &&
            needs->dynamic_shared <= INT_MAX / 2) ||
           kg__fail(error,
                    "%d threads per block, %d registers, %zu and %zu bytes of shared memory: no "
                    "kernel can be launched like this: use less",
                    needs->threads, needs->registers, needs->static_shared, needs->dynamic_shared);
}

#ifdef KG__CUDA_OCCUPANCY
/* Names what limits the blocks. Barriers are left out: a kernel counts as using one, and there are
 * never fewer of them than blocks. */
static void name_limits(unsigned factors, kg__occupancy *occupancy)
{
    static const struct {
        unsigned factor;
        const char *name;
    } limits[KG__OCCUPANCY_LIMITS] = {
        { OCC_LIMIT_WARPS, "threads" },
        { OCC_LIMIT_REGISTERS, "registers" },
        { OCC_LIMIT_SHARED_MEMORY, "shared memory" },
        { OCC_LIMIT_BLOCKS, "blocks" },
    };

    for (size_t i = 0; i < KG__OCCUPANCY_LIMITS; i++) {
        if ((factors & limits[i].factor) != 0)
            occupancy->limits[occupancy->limit_count++] = limits[i].name;
    }
}

static cudaOccDeviceProp describe_device(const multiprocessor *sm)
{
    const int ten = 10;

    return (cudaOccDeviceProp){
        .computeMajor = sm->capability / ten,
        .computeMinor = sm->capability % ten,
        .maxThreadsPerBlock = THREADS_PER_BLOCK,
        .maxThreadsPerMultiprocessor = sm->threads,
        .regsPerBlock = sm->registers_per_block,
        .regsPerMultiprocessor = REGISTERS,
        .warpSize = WARP,
        .sharedMemPerBlock = SHARED_BY_DEFAULT,
        .sharedMemPerMultiprocessor = sm->shared,
        .numSms = 1, /* irrelevant for one multiprocessor */
        .sharedMemPerBlockOptin = sm->shared_per_block,
        .reservedSharedMemPerBlock = sm->capability >= FIRST_RESERVING ? RESERVED_SHARED : 0,
    };
}

static bool calculate(const multiprocessor *sm, const kg__kernel_needs *needs,
                      kg__occupancy *occupancy, kg__error *error)
{
    cudaOccDeviceProp device = describe_device(sm);
    cudaOccFuncAttributes kernel = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = needs->registers,
        .sharedSizeBytes = needs->static_shared,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = needs->dynamic_shared,
        .numBlockBarriers = 1, /* what the runtime assumes for every kernel */
    };
    cudaOccDeviceState state = { .cacheConfig = CACHE_PREFER_NONE,
                                 .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT };
    cudaOccResult result = { 0 };
    cudaOccError code = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &device, &kernel, &state, needs->threads, needs->dynamic_shared);

    if (code != CUDA_OCC_SUCCESS)
        return kg__fail(error,
                        "cuda_occupancy.h of the CUDA Toolkit refuses architecture %d (%s): "
                        "configure with a newer toolkit",
                        sm->capability,
                        code == CUDA_OCC_ERROR_UNKNOWN_DEVICE ? "it does not know it"
                                                              : "invalid input");
    *occupancy = (kg__occupancy){
        .blocks = result.activeBlocksPerMultiprocessor,
        .warps = result.activeBlocksPerMultiprocessor * ((needs->threads + WARP - 1) / WARP),
    };
    name_limits(result.limitingFactors, occupancy);
    occupancy->fraction = (double)(WARP * occupancy->warps) / (double)sm->threads;
    return true;
}
#else
static bool calculate(const multiprocessor *sm, const kg__kernel_needs *needs,
                      kg__occupancy *occupancy, kg__error *error)
{
    (void)sm;
    (void)needs;
    (void)occupancy;
    return kg__fail(error, "this was built without cuda_occupancy.h of the CUDA Toolkit: install "
                           "the toolkit, then configure and build again");
}
#endif

bool kg__calculate_occupancy(int capability, const kg__kernel_needs *needs,
                             kg__occupancy *occupancy, kg__error *error)
{
    *occupancy = (kg__occupancy){ 0 };
    return is_known(capability, error) && check_needs(needs, error) &&
           calculate(find_multiprocessor(capability), needs, occupancy, error);
}
