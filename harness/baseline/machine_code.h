/* Machine code: which instructions the kernels of a program are made of, from the text that
 * `cuobjdump -sass` prints of it. Pure: text in, fingerprints out. */
#ifndef KG__BASELINE_MACHINE_CODE_H
#define KG__BASELINE_MACHINE_CODE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/hash.h"

/* The fingerprints of a program's kernels on a device of `compute_capability` ("9.0"), by name: an
 * object {"_Z5naivePKfS0_Pfiii": "1f0c..."}, owned by the caller. A fingerprint is the hash of the
 * instructions' encodings, which hold what their text does not show (stalls, barriers) and do not
 * depend on who disassembles them; of the text where no encoding is shown. Addresses, other
 * comments and blank space do not count.
 *
 * Of a name that occurs for several architectures, the code that the device runs counts: its own
 * architecture's, else that of the nearest lower one of the same major number. A kernel has no
 * fingerprint where none of them is there, where the text ends in the middle of it, where it calls
 * what is not part of it, where it reads constants that are not parameters, whose values no
 * instruction holds, and where two of its name have different code. */
json_t *kg__machine_code_parse(const char *sass, const char *compute_capability);

/* The fingerprint of the code of a case, of what its launch asks for and every kernel in it:
 * `kernel` is a record's, {"names": [...], "launch": "..."}. False, with an empty text, where the
 * launch has no identity or a kernel no fingerprint. */
bool kg__machine_code_of(const json_t *machine_code, const json_t *kernel,
                         char text[KG__HASH_TEXT_SIZE]);

#endif
