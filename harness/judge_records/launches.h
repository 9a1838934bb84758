/* The occupancy of launches (kernelgate-launches/1). */
#ifndef KG__JUDGE_RECORDS_LAUNCHES_H
#define KG__JUDGE_RECORDS_LAUNCHES_H

#include <jansson.h>

#include "base/message.h"

#define KG__LAUNCHES_SCHEMA "kernelgate-launches/1"

/* Calculates the occupancy of each of {"launches": [[ARCHITECTURE, REGISTERS, STATIC_SHARED,
 * DYNAMIC_SHARED, THREADS]...]}: registers per thread, bytes and threads per block. Returns
 * {"occupancies": [...]} in the same order, {"blocks", "warps", "occupancy", "limited_by"} or
 * {"why"} each, the caller's; null in place of the list where this was built without the CUDA
 * Toolkit's calculator. NULL with `error` where the document is invalid. */
json_t *kg__judge_launches(const char *path, json_t *document, kg__error *error);

#endif
