/* SPDX-License-Identifier: MIT */
/* Lists the launches of a comparison's cases, without running them. */
#pragma once

#include <kernelgate/kernelgate.h>

/* The program as `PROGRAM --launches`: prints one JSON object of all cases that are timed or
 * counted on any target and selected by KG_FILTER,
 *
 *   {"comparison", "home" (the folder that holds kernels/),
 *    "include" (that of kernelgate/kernelgate.h; CPU model only), "target": {"key", ...},
 *    "cases": [{"case", "purposes": ["check", "time", "count"], "launcher", "kernel", "grid",
 *               "block", "dynamic_shared", ...}], one for each kernel that a launch starts, on a
 *               GPU with the driver's figures of the kernel,
 *    "without": [ids of cases that start no kernel],
 *    "refused": [{"case", "why"}], "failed": [{"case", "why"}]}
 *
 * Returns its exit code: 0, 2 on an error, 77 if there is no device. */
int kg__print_launches(const kg_comparison *comparison);
