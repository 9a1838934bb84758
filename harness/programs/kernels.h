/* The counters of each kernel of a program. */
#ifndef KG__PROGRAMS_KERNELS_H
#define KG__PROGRAMS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* Counts each launch that follows for its kernel. */
void kg__program_kernels_begin(void);

/* The kernels that were launched. */
size_t kg__program_kernel_count(void);
/* All their launches. */
size_t kg__program_launch_count(void);

/* Writes the counters to a file, for `kernelgate run`: {"kernels": [{"name", "counters":
 * {"launches": 3, ...}, "accesses"}]} with the kernels in the order of their first launch; a
 * counter that is 0 is left out. False with `error` where the file cannot be written. */
bool kg__program_kernels_write(const char *path, kg__error *error);

#endif
