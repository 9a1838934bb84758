/* SPDX-License-Identifier: MIT */
/* Work: operations, bytes and blocks of a comparison's cases, without running any. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "base/pool.h"
#include "suite/table.h"

#define KG__PURPOSES 3

/* Returns the purposes of a case, of "check", "time" and "count"; `names` holds the list's
 * items. */
kg__texts kg__purposes_of(const kg__case *c, const char *names[KG__PURPOSES]);

/* The program as `PROGRAM --work`: prints one JSON object on the standard output,
 *
 *   {"comparison": "matmul_f32", "variants": [...], "cases": [...], "refused": [...]}
 *
 * with "variants" of {"variant", "idea"} in the order of the table, "refused" of {"case", "why"}
 * for cases that the comparison does not support, and "cases" of all others of the table that
 * KG_FILTER selects:
 *
 * - "case": its id; "purposes": those of its size, among "check", "time" and "count"
 * - "work": {"operations", "bytes"}, the minimum for the job; absent if the comparison has none
 * - "type": the type of the operations, "float32", "int32" or "uint8": the first output's
 * - "bytes_read", "bytes_written": the sizes of the arguments that a launch may read or write
 * - "bytes_to_device", "bytes_to_host": the part of these in host memory, which crosses the bus
 * - "kernels", "blocks": the number of kernels that a launch starts, and of all their blocks;
 *   absent if none is started, and in a GPU's program, since only the CPU model knows them without
 *   running
 *
 * Returns the program's exit code: 0, or 2 for a bad table or a failed write. */
int kg__print_work(const kg_comparison *comparison);
