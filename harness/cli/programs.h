/* Finding the programs of comparisons in a build folder. */
#ifndef KG__CLI_PROGRAMS_H
#define KG__CLI_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/baseline_files.h"

/* The paths of the programs in `folder` whose names end in `suffix`, sorted; there may be none, and
 * the folder need not exist. */
void kg__find_programs(const char *folder, const char *suffix, kg__names *paths);

/* The build folder that has this command as harness/cli/kernelgate; "" for an installed one. */
void kg__own_build(char *folder, size_t size);

/* Removes KG_FILTER from the environment, so that a program lists all its cases. Returns what
 * kg__restore_filter() needs. (`env -u` would take a program's path with "=" for a setting.) */
char *kg__lift_filter(void);

/* Restores what kg__lift_filter() removed, and frees `filter`. */
void kg__restore_filter(char *filter);

#endif
