/* The machine code of a program, by the CUDA Toolkit's disassembler where it is installed. */
#ifndef KG__BASELINE_CUOBJDUMP_H
#define KG__BASELINE_CUOBJDUMP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Longer than this is not waited for. */
#define KG__CUOBJDUMP_SECONDS 20.0

/* Finds a tool of the CUDA Toolkit: along PATH, in the folder of CUDACXX, in CUDA_HOME/bin, in
 * /usr/local/cuda/bin below `root` ("" for this machine's). False, with an empty path, where it is
 * in none of them. */
bool kg__find_cuda_tool(const char *root, const char *tool, char *path, size_t size);

/* The same of cuobjdump. */
bool kg__find_cuobjdump(const char *root, char *path, size_t size);

/* The fingerprints of a program's kernels, as kg__machine_code_parse() has them, owned by the
 * caller; NULL where there is no cuobjdump, or it fails. `program` NULL is this program. */
json_t *kg__program_machine_code(const char *program, const char *compute_capability);

#endif
