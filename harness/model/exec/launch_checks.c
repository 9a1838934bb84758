/* SPDX-License-Identifier: MIT */
/* Checks of a launch, with the errors of CUDA 13.0, whose earlier releases have others for grids
 * and blocks that are empty or too large. */
#include "model/exec/launch.h"

#include "base/message.h"
#include "model/exec/clusters.h"

#include <string.h>

/* Returns whether an attribute changes nothing in the model. */
static bool is_harmless(const cudaLaunchAttribute *attribute)
{
    switch (attribute->id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeAccessPolicyWindow:
    /* Kernels never overlap in the model; queue.c finds what relies on that. */
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        return true;
    default:
        return false;
    }
}

static bool is_grid(const dim3 *grid)
{
    return grid->x > 0 && grid->y > 0 && grid->z > 0 && grid->x <= INT32_MAX && grid->y <= 65535 &&
           grid->z <= 65535;
}

static bool is_block(const dim3 *block)
{
    return block->x > 0 && block->y > 0 && block->z > 0 && block->x <= 1024 && block->y <= 1024 &&
           block->z <= 64 && (uint64_t)block->x * block->y * block->z <= KG__MODEL_MAX_THREADS;
}

/* Returns whether a launch has an attribute whose value is a flag, set. The flags are ints of one
 * union. */
static bool has_flag(const cudaLaunchConfig_t *config, enum cudaLaunchAttributeID flag)
{
    for (unsigned int i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id == flag && config->attrs[i].val.cooperative != 0)
            return true;
    }
    return false;
}

bool kg__exec_is_cooperative(const cudaLaunchConfig_t *config)
{
    return has_flag(config, cudaLaunchAttributeCooperative);
}

bool kg__exec_is_dependent(const cudaLaunchConfig_t *config)
{
    return has_flag(config, cudaLaunchAttributeProgrammaticStreamSerialization);
}

dim3 kg__exec_cluster_of(const cudaLaunchConfig_t *config, const kg__model_kernel *kernel)
{
    dim3 cluster = kernel->cluster.x > 0 ? kernel->cluster : (dim3){ 1, 1, 1 };

    for (unsigned int i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];

        if (attribute->id == cudaLaunchAttributeClusterDimension)
            cluster = (dim3){ attribute->val.clusterDim.x, attribute->val.clusterDim.y,
                              attribute->val.clusterDim.z };
    }
    return cluster;
}

static bool is_same(dim3 a, dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Checks the launch's clusters; result as kg__exec_check_launch(). */
static cudaError_t check_clusters(const cudaLaunchConfig_t *config, const kg__model_kernel *kernel,
                                  char *text, size_t size)
{
    const dim3 cluster = kg__exec_cluster_of(config, kernel);
    const dim3 *grid = &config->gridDim;
    const uint64_t blocks = (uint64_t)cluster.x * cluster.y * cluster.z;
    const unsigned int most = kernel->any_cluster_size ? KG__CLUSTER_MAXIMUM : KG__CLUSTER_PORTABLE;

    if (blocks == 0 || blocks > most || cluster.x > most || cluster.y > most || cluster.z > most ||
        (kernel->cluster.x > 0 && !is_same(cluster, kernel->cluster))) {
        kg__format(text, size,
                   "kernel " KG__SHORT_NAME
                   ": a cluster of %u x %u x %u blocks: allowed are 1 to %u, or the "
                   "kernel's __cluster_dims__; up to %d with "
                   "cudaFuncAttributeNonPortableClusterSizeAllowed",
                   KG__SHORTENED(kernel->name), cluster.x, cluster.y, cluster.z, most,
                   KG__CLUSTER_MAXIMUM);
        return cudaErrorInvalidClusterSize;
    }
    if (grid->x % cluster.x != 0 || grid->y % cluster.y != 0 || grid->z % cluster.z != 0) {
        kg__format(text, size,
                   "kernel " KG__SHORT_NAME
                   ": a grid of %u x %u x %u blocks is not a multiple of its clusters of "
                   "%u x %u x %u",
                   KG__SHORTENED(kernel->name), grid->x, grid->y, grid->z, cluster.x, cluster.y,
                   cluster.z);
        return cudaErrorInvalidClusterSize;
    }
    if (blocks > 1 && kg__exec_is_cooperative(config)) {
        kg__format(text, size,
                   "kernel " KG__SHORT_NAME
                   ": the CPU model does not support clusters in a cooperative launch",
                   KG__SHORTENED(kernel->name));
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

unsigned int kg__exec_blocks_per_multiprocessor(unsigned int threads, size_t shared_bytes)
{
    unsigned int warps = (threads + KG__MODEL_WARP - 1) / KG__MODEL_WARP;
    unsigned int by_threads = 2048 / KG__MODEL_WARP / (warps > 0 ? warps : 1);
    size_t by_shared = 233472 / (shared_bytes + 1024);
    unsigned int least = by_threads < 32 ? by_threads : 32;

    return by_shared < least ? (unsigned int)by_shared : least;
}

/* Returns whether all blocks of a cooperative launch fit the device at once. */
static bool fits_at_once(const cudaLaunchConfig_t *config, const kg__model_kernel *kernel)
{
    const dim3 *grid = &config->gridDim;
    const dim3 *block = &config->blockDim;

    return (uint64_t)grid->x * grid->y * grid->z <=
           (uint64_t)KG__MODEL_MULTIPROCESSORS *
               kg__exec_blocks_per_multiprocessor(block->x * block->y * block->z,
                                                  kernel->shared_bytes + config->dynamicSmemBytes);
}

/* Checks the sizes of grid and blocks, and the attributes. */
static cudaError_t check_shape(const cudaLaunchConfig_t *config, char *text, size_t size)
{
    const dim3 *grid = &config->gridDim;
    const dim3 *block = &config->blockDim;

    if (!is_grid(grid)) {
        kg__format(text, size,
                   "a grid of %u x %u x %u blocks: each is at least 1, the first at most %d, the "
                   "others 65535",
                   grid->x, grid->y, grid->z, INT32_MAX);
        return cudaErrorInvalidValue;
    }
    if (!is_block(block)) {
        kg__format(text, size,
                   "a block of %u x %u x %u threads: each is at least 1, the first two at most "
                   "1024, the third 64, their product %d",
                   block->x, block->y, block->z, KG__MODEL_MAX_THREADS);
        return cudaErrorInvalidValue;
    }
    if (config->numAttrs > 0 && config->attrs == NULL)
        return cudaErrorInvalidValue;
    for (unsigned int i = 0; i < config->numAttrs; i++) {
        if (!is_harmless(&config->attrs[i]))
            return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

/* Checks a block's threads and shared memory against the kernel's limits. */
static cudaError_t check_block(const cudaLaunchConfig_t *config, const kg__model_kernel *kernel,
                               char *text, size_t size)
{
    const dim3 *block = &config->blockDim;

    if (kernel->shared_bytes > KG__MODEL_SHARED_DEFAULT) {
        kg__format(text, size,
                   "kernel " KG__SHORT_NAME
                   ": its shared arrays take %zu bytes, above the limit of %d: nvcc "
                   "would not build it; use dynamic shared memory",
                   KG__SHORTENED(kernel->name), kernel->shared_bytes, KG__MODEL_SHARED_DEFAULT);
        return cudaErrorInvalidKernelImage;
    }
    if (block->x * block->y * block->z > kernel->most_threads) {
        kg__format(
            text, size,
            "kernel " KG__SHORT_NAME ": %u threads per block, and its __launch_bounds__ allow %u",
            KG__SHORTENED(kernel->name), block->x * block->y * block->z, kernel->most_threads);
        return cudaErrorInvalidValue;
    }
    if (config->dynamicSmemBytes > kernel->dynamic_limit) {
        kg__format(text, size,
                   "kernel " KG__SHORT_NAME
                   ": %zu bytes of dynamic shared memory, above the limit of %zu: "
                   "raise it, up to %d, with cudaFuncSetAttribute()",
                   KG__SHORTENED(kernel->name), config->dynamicSmemBytes, kernel->dynamic_limit,
                   KG__MODEL_SHARED_OPTIN - (int)kernel->shared_bytes);
        return kg__exec_is_cooperative(config) ? cudaErrorCooperativeLaunchTooLarge
                                               : cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t kg__exec_check_launch(const cudaLaunchConfig_t *config, const kg__model_kernel *kernel,
                                  char *text, size_t size)
{
    const dim3 *grid = &config->gridDim;
    cudaError_t error = check_shape(config, text, size);

    if (error == cudaSuccess)
        error = check_block(config, kernel, text, size);
    if (error == cudaSuccess)
        error = check_clusters(config, kernel, text, size);
    if (error != cudaSuccess)
        return error;
    if (kg__exec_is_cooperative(config) && !fits_at_once(config, kernel)) {
        kg__format(text, size,
                   "kernel " KG__SHORT_NAME
                   ": %u x %u x %u blocks do not fit the device's %d multiprocessors at "
                   "once: launch what cudaOccupancyMaxActiveBlocksPerMultiprocessor() allows",
                   KG__SHORTENED(kernel->name), grid->x, grid->y, grid->z,
                   KG__MODEL_MULTIPROCESSORS);
        return cudaErrorCooperativeLaunchTooLarge;
    }
    return cudaSuccess;
}
