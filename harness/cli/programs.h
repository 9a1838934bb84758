/* Finding the programs of comparisons in a build folder. */
#ifndef KG__CLI_PROGRAMS_H
#define KG__CLI_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/baseline_files.h"

/* The suffixes of programs: matmul_f32.gpu, matmul_f32.model. */
#define KG__GPU_SUFFIX ".gpu"
#define KG__MODEL_SUFFIX ".model"

/* The paths of the programs in `folder` whose names end in `suffix`, sorted; there may be none, and
 * the folder need not exist. */
void kg__find_programs(const char *folder, const char *suffix, kg__names *paths);

/* The build folder that has this command as harness/cli/kernelgate; "" for an installed one. */
void kg__own_build(char *folder, size_t size);

/* The folder of the programs: `named_folder` unless NULL; else this command's build; else
 * build/gpu, build/cpu or build: the first that has programs. False, with a complaint that says how
 * to build them, if there are none. */
bool kg__find_build(const char *command, const char *named_folder, char *folder, size_t size);

/* Removes KG_FILTER from the environment, so that a program lists all its cases. Returns what
 * kg__restore_filter() needs. (`env -u` would take a program's path with "=" for a setting.) */
char *kg__lift_filter(void);

/* Restores what kg__lift_filter() removed, and frees `filter`. */
void kg__restore_filter(char *filter);

/* The name of a program's comparison: its file's without the suffix. */
void kg__program_comparison(const char *path, char *name, size_t size);

#endif
