/* What the compiler made of a case's kernel, as baselines keep it: {"registers", "local_bytes",
 * "shared_bytes", "occupancy", "fingerprint"}, of which any may be unknown. Pure. */
#ifndef KG__BASELINE_KERNEL_CODE_H
#define KG__BASELINE_KERNEL_CODE_H

#include <jansson.h>
#include <stdbool.h>

/* The member that says which machine code runs, and with what launch; machine_code.h makes it. */
#define KG__CODE_FINGERPRINT "fingerprint"

/* What is wrong with such an object, or NULL; `key` becomes the member that is at fault, NULL for
 * the object itself. */
const char *kg__kernel_code_fault(const json_t *code, const char **key);

/* The code of a "measured" record's kernel, by its members in order, owned by the caller; NULL
 * where there is none. */
json_t *kg__kernel_code_of(const json_t *measured);

/* Whether both say which machine code runs, and say the same. */
bool kg__is_same_code(const json_t *before, const json_t *now);

/* Whether both say the same and know as much; 1 in a file equals 1.0 in a record. NULL is
 * nothing. */
bool kg__kernel_code_equal(const json_t *before, const json_t *now);

/* Appends a text to `list` for each figure that differs, "registers 32 -> 40", where both know it.
 */
void kg__kernel_code_changes(const json_t *before, const json_t *now, json_t *list);

#endif
