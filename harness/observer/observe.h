/* SPDX-License-Identifier: MIT */
/* An observer: a process that a Criterion test spawns from its own program, and the only one
 * that uses the device. */
#pragma once

#include <kernelgate/kernelgate.h>

/* The program in observer mode:
 *
 *   PROGRAM --observe CASES --part PART --records FILE
 *
 * observes the cases whose ids are in the file CASES, one per line, and appends one record per case
 * to FILE. Parts check, count and tune also take launches that are not rows of the table, as
 * --candidates prints them. Returns its exit code: 0 when every case has its record, KG__EXIT_LOST
 * when another process must continue because the device's context was lost or a variant was not
 * right, 2 on any other error, 77 when there is no device. */
int kg__observe(const kg_comparison *comparison, int argc, char *const *argv);

/* The program as `PROGRAM --cases PART`: prints the ids of a part's cases, one per line. Returns
 * its exit code. */
int kg__print_cases(const kg_comparison *comparison, const char *part);

/* The program as `PROGRAM --resource-spec`: prints CTest's resource spec of the boards that CUDA
 * shows. Returns its exit code: 77, with the reason, if it shows no board. */
int kg__print_resource_spec(const kg_comparison *comparison);

/* The program as `PROGRAM --timed-with`: prints the ids of the cases that KG_FILTER selects, and
 * of all cases that are timed side by side with them. Returns its exit code. */
int kg__print_timed_with(const kg_comparison *comparison);
