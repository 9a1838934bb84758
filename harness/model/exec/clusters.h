/* SPDX-License-Identifier: MIT */
/* Clusters: blocks that run together and access each other's shared memory. Internal to the model.
 *
 * Only the running block's data is at the addresses of the shared arrays. The data of the other
 * blocks is in copies, through which other blocks access it. Threads cannot tell copies from
 * originals. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest cluster of any device, and the largest that all devices accept. */
#define KG__CLUSTER_MAXIMUM 16
#define KG__CLUSTER_PORTABLE 8

/* A shared array of a block of the cluster: its address while that block runs, and that of its
 * copy. */
typedef struct kg__cluster_array {
    unsigned char *home, *copy;
    size_t bytes;
    unsigned int rank; /* of the block in its cluster */
} kg__cluster_array;

/* Returns the number of shared arrays of a block of the running kernel, the dynamic one
 * included. */
size_t kg__exec_cluster_arrays(void);
/* Returns the i-th of these arrays, of the block of a rank. */
kg__cluster_array kg__exec_cluster_array(size_t i, unsigned int rank);
/* Returns whether an address is in shared memory of the running cluster that the launch is known to
 * use: dynamic, or of the arrays of its kernel. */
bool kg__exec_is_shared(const void *address);

/* Fills in the array whose copy, or the gap after it, contains an address; false if there is
 * none. */
bool kg__exec_cluster_array_at(uintptr_t address, kg__cluster_array *array);

/* Sets *mapped to the address, as the running block sees it, of the shared memory at a pointer in
 * the block of a rank. Returns what is wrong; NULL: nothing. */
const char *kg__exec_map_shared(const void *pointer, unsigned int rank, void **mapped);
/* Maps the copies of the launch; false when there is no memory. */
bool kg__begin_clusters(void);
/* Begins a cluster: fills its copies with poison. */
void kg__begin_cluster(void);
/* Copies the shared memory of the running block to its copies, or back. */
void kg__keep_shared(bool back);
/* Discards the copies of the running block, which has ended. */
void kg__drop_shared(void);
