/* Lists the launches of a comparison's cases, without running them. */
#ifndef KG__OBSERVER_LAUNCHES_H
#define KG__OBSERVER_LAUNCHES_H

#include <kernelgate/kernelgate.h>

/* The program as `PROGRAM --launches`: prints one JSON object of every case that is timed or
 * counted on any target and that KG_FILTER lets through,
 *
 *   {"comparison", "home" (the folder that holds kernels/),
 *    "include" (that of kernelgate/kernelgate.h; of the CPU model alone), "target": {"key", ...},
 *    "cases": [{"case", "purposes": ["check", "time", "count"], "launcher", "kernel", "grid",
 *               "block", "dynamic_shared", ...}], one for each kernel that a launch starts; of a
 * GPU also what the driver says of the kernel "without": [ids of cases that start no kernel],
 *    "refused": [{"case", "why"}], "failed": [{"case", "why"}]}
 *
 * Returns its exit code: 0, 2 on an error, 77 where there is no device. */
int kg__print_launches(const kg_comparison *comparison);

#endif
