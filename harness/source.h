/* Source files as messages and baselines name them. */
#ifndef KG__SOURCE_H
#define KG__SOURCE_H

/* The part of `file` below the folder `home`: "kernels/matmul_f32/naive.cu"; all of it when it is
 * elsewhere. */
const char *kg__source_name(const char *home, const char *file);

#endif
