/* Clusters: blocks that run together and reach each other's shared memory. Internal to the model.
 *
 * One block is at the addresses of the shared arrays at a time; what the others have is in copies,
 * which their neighbors reach, and which are the same memory as far as any thread can tell. */
#ifndef KG__MODEL_EXEC_CLUSTERS_H
#define KG__MODEL_EXEC_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most blocks of a cluster that any device takes, and those that all take. */
#define KG__CLUSTER_MAXIMUM 16
#define KG__CLUSTER_PORTABLE 8

/* A shared array of a block of the cluster: where it is while that block runs, and where its copy
 * is. */
typedef struct kg__cluster_array {
    unsigned char *home, *copy;
    size_t bytes;
    unsigned int rank; /* of the block in its cluster */
} kg__cluster_array;

/* The shared arrays of a block of the running kernel, the dynamic one among them. */
size_t kg__exec_cluster_arrays(void);
/* The i-th of them, of the block of a rank. */
kg__cluster_array kg__exec_cluster_array(size_t i, unsigned int rank);
/* Fills in the array whose copy, or the hole after it, contains an address; false if there is
 * none. */
bool kg__exec_cluster_array_at(uintptr_t address, kg__cluster_array *array);

/* Maps the copies of the launch; false where there is no memory. */
bool kg__begin_clusters(void);
/* A cluster begins: its copies hold poison. */
void kg__begin_cluster(void);
/* Copies the shared memory of the running block to its copies, or back. */
void kg__keep_shared(bool back);
/* The running block has ended: nothing of it is left. */
void kg__drop_shared(void);

#endif
