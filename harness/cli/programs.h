/* Finding the programs of comparisons in a build folder. */
#ifndef KG__CLI_PROGRAMS_H
#define KG__CLI_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/baseline_files.h"

/* How the names of programs end: matmul_f32.gpu, matmul_f32.model. */
#define KG__GPU_SUFFIX ".gpu"
#define KG__MODEL_SUFFIX ".model"

/* The paths of the programs in `folder` whose names end in `suffix`, sorted; there may be none, and
 * the folder need not be there. */
void kg__find_programs(const char *folder, const char *suffix, kg__names *paths);

/* The build folder that this command lies in, as harness/cli/kernelgate; "" where it lies
 * elsewhere, as an installed one does. */
void kg__own_build(char *folder, size_t size);

/* The folder of the programs: `named_folder` where that is not NULL; else the build that this
 * command is of; else build/gpu, build/cpu or build; the first that has programs. False, with a
 * complaint that says how to build them, where there are none. */
bool kg__find_build(const char *command, const char *named_folder, char *folder, size_t size);

/* Takes KG_FILTER out of the environment, for a program that is to tell of all its cases. Returns
 * what kg__restore_filter() needs. (`env -u` would take a program's path that holds "=" for a
 * setting.) */
char *kg__lift_filter(void);

/* Puts back what kg__lift_filter() took out, and frees `filter`. */
void kg__restore_filter(char *filter);

/* The name of a program's comparison: its file's without the suffix. */
void kg__program_comparison(const char *path, char *name, size_t size);

#endif
