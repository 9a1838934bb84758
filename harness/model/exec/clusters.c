/* SPDX-License-Identifier: MIT */
/* Clusters: shared memory of blocks that run together. */
#include "model/exec/clusters.h"

#include "model/exec/allocations.h"
#include "model/exec/grid.h"

#include <string.h>
#include <sys/mman.h>

/* Bytes of addresses for a copy of an array; most are the gap after it. */
#define STRIDE ((size_t)2 * KG__MODEL_SHARED_PAGES)

static unsigned char *copies; /* by rank, then by array */
static size_t mapped;         /* bytes */

size_t kg__exec_cluster_arrays(void)
{
    return 1 + kg__running.launch.kernel->kept_count;
}

kg__cluster_array kg__exec_cluster_array(size_t i, unsigned int rank)
{
    const kg__model_kernel *kernel = kg__running.launch.kernel;
    kg__cluster_array array = { kg__running.dynamic_shared, NULL, kg__running.launch.dynamic_bytes,
                                rank };

    if (copies != NULL)
        array.copy = copies + (rank * kg__exec_cluster_arrays() + i) * STRIDE;
    if (i > 0) {
        array.home = kg__own_array(&kernel->shared[i - 1]);
        array.bytes = kernel->shared[i - 1].size;
    }
    return array;
}

bool kg__exec_cluster_array_at(uintptr_t address, kg__cluster_array *array)
{
    size_t arrays = kg__exec_cluster_size() > 1 ? kg__exec_cluster_arrays() : 0;
    size_t number = (address - (uintptr_t)copies) / STRIDE;

    if (copies == NULL || address < (uintptr_t)copies || number >= arrays * kg__exec_cluster_size())
        return false;
    *array = kg__exec_cluster_array(number % arrays, (unsigned int)(number / arrays));
    return true;
}

/* Maps memory within reach of 32-bit addresses (kg_model_warp.h), where it is free: hints that the
 * system does not take lead elsewhere. */
static unsigned char *map_near(size_t size)
{
    static const int distances[] = { -64, -256, -512, 64, 256, 512 }; /* MiB */
    const uintptr_t origin = (uintptr_t)kg__running.dynamic_shared;

    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        const uintptr_t hint = origin + (uintptr_t)(distances[i] * ((intptr_t)1 << 20));
        void *found = mmap((void *)hint, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if ((uintptr_t)found == (hint & ~(uintptr_t)4095))
            return found;
        if (found != MAP_FAILED)
            munmap(found, size);
    }
    return kg__model_map_addresses(size, PROT_READ | PROT_WRITE, 0);
}

bool kg__begin_clusters(void)
{
    size_t size = kg__exec_cluster_size() * kg__exec_cluster_arrays() * STRIDE;

    if (kg__exec_cluster_size() == 1 || size <= mapped)
        return true;
    if (mapped > 0)
        munmap(copies, mapped);
    copies = map_near(size);
    mapped = copies != NULL ? size : 0;
    return copies != NULL;
}

static void drop(unsigned int rank)
{
    for (size_t i = 0; copies != NULL && i < kg__exec_cluster_arrays(); i++) {
        kg__cluster_array array = kg__exec_cluster_array(i, rank);

        memset(array.copy, KG__MODEL_POISON, array.bytes);
    }
}

void kg__begin_cluster(void)
{
    for (unsigned int rank = 0; rank < kg__exec_cluster_size(); rank++)
        drop(rank);
}

void kg__drop_shared(void)
{
    drop(kg__exec_cluster_rank());
}

void kg__keep_shared(bool back)
{
    for (size_t i = 0; i < kg__exec_cluster_arrays(); i++) {
        kg__cluster_array array = kg__exec_cluster_array(i, kg__exec_cluster_rank());

        if (array.home != NULL && array.copy != NULL)
            memcpy(back ? array.home : array.copy, back ? array.copy : array.home, array.bytes);
    }
}

/* Finds the array that a pointer of the running block points into, and the offset in it. */
static bool find_shared(const void *pointer, kg__cluster_array *array, size_t *byte)
{
    unsigned int rank = kg__exec_cluster_rank();

    if (kg__exec_cluster_array_at((uintptr_t)pointer, array)) {
        *byte = (size_t)((uintptr_t)pointer - (uintptr_t)array->copy);
        return true;
    }
    for (size_t i = 0; i < kg__exec_cluster_arrays(); i++) {
        *array = kg__exec_cluster_array(i, rank);
        *byte = (size_t)((uintptr_t)pointer - (uintptr_t)array->home);
        if (*byte < array->bytes)
            return true;
    }
    return false;
}

bool kg__exec_is_shared(const void *address)
{
    kg__cluster_array array;
    size_t byte;

    return kg__running.launch.kernel != NULL && find_shared(address, &array, &byte);
}

const char *kg__exec_map_shared(const void *pointer, unsigned int rank, void **mapped)
{
    size_t block = kg__exec_cluster_arrays() * STRIDE;
    kg__cluster_array array;
    size_t byte;

    if (rank >= kg__exec_cluster_size())
        return "map_shared_rank(), mapa or a multicast: the cluster has no block of that rank";
    if (!find_shared(pointer, &array, &byte))
        return "map_shared_rank(), mapa or a multicast: the pointer is not to the block's shared "
               "memory";
    *mapped = rank == kg__exec_cluster_rank()
                  ? array.home + byte
                  : array.copy + byte + (rank * block - array.rank * block);
    return NULL;
}

unsigned int kg__model_shared_rank(const void *pointer)
{
    kg__cluster_array array;
    size_t byte;

    return find_shared(pointer, &array, &byte) ? array.rank : UINT32_MAX;
}
