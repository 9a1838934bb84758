/* Work: operations, bytes and blocks of a comparison's cases, without running any. */
#ifndef KG__OBSERVER_WORK_H
#define KG__OBSERVER_WORK_H

#include <kernelgate/kernelgate.h>

#include "base/pool.h"
#include "suite/table.h"

#define KG__PURPOSES 3

/* What a case is for, of "check", "time" and "count"; `names` becomes the list's items. */
kg__texts kg__purposes_of(const kg__case *c, const char *names[KG__PURPOSES]);

/* The program as `PROGRAM --work`: prints one JSON object on the standard output,
 *
 *   {"comparison": "matmul_f32", "variants": [...], "cases": [...], "refused": [...]}
 *
 * with "variants" of {"variant", "idea"} in the order of the table, "refused" of {"case", "why"}
 * for what the comparison does not support, and every case of the table that KG_FILTER lets through
 * and that it does:
 *
 * - "case": its id; "purposes": what its size is for, of "check", "time" and "count"
 * - "work": {"operations", "bytes"}, the job's fewest; absent where the comparison does not say
 * - "type": what the operations are on, "float32", "int32" or "uint8": the first output's
 * - "bytes_read", "bytes_written": the sizes of the arguments that a launch may read or write
 * - "bytes_to_device", "bytes_to_host": of those, what is in the host's memory and has to cross
 *   the bus
 * - "kernels", "blocks": how many kernels a launch starts, of how many blocks in all; absent where
 *   none is started, and of a program for a GPU, since only the CPU model knows it without running
 *
 * Returns the program's exit code: 0, or 2 for a bad table or an output that takes no
 * more. */
int kg__print_work(const kg_comparison *comparison);

#endif
