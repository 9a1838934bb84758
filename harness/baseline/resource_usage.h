/* What the compiler gave kernels: registers, shared and local memory, by architecture, from what
 * the CUDA Toolkit's `cuobjdump -res-usage` prints of a program, or ptxas -v while it compiles.
 * Pure: text in, figures out. */
#ifndef KG__BASELINE_RESOURCE_USAGE_H
#define KG__BASELINE_RESOURCE_USAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What a kernel was given. */
typedef struct kg__resources {
    int registers;        /* a thread */
    size_t static_shared; /* bytes per block, without what the system reserves */
    size_t local_bytes;   /* bytes per thread: its stack, arrays and spills */
} kg__resources;

/* Adds the kernels of a text to `usage`, an object of architectures ("90") of which each holds a
 * list {"kernel", "file", "registers", "static_shared", "local_bytes"}. A file is the name of the
 * kernel's source without folder and end, "tiled"; where the text names none it is `file`.
 *
 * cuobjdump counts what the system reserves of a block's shared memory from sm_90 on, of kernels
 * that have any; that is taken away. */
void kg__resource_usage_add(json_t *usage, const char *text, const char *file);

/* Finds a kernel on an architecture by its name, as nvcc or as g++ mangles it: they differ in how
 * they mark what is static or in an unnamed namespace. Where several files have one of that name,
 * `file` decides. False where there is none, or where several are left that differ; `*ambiguous`
 * says which. */
bool kg__resource_usage_find(const json_t *usage, int architecture, const char *kernel,
                             const char *file, kg__resources *resources, bool *ambiguous);

/* Writes a mangled name as both compilers would agree on it: without the mark of what is static,
 * and with one name for every unnamed namespace. */
void kg__resource_usage_plain_name(const char *mangled, char *name, size_t size);

#endif
