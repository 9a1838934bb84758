/* Padding: the bytes of structures that no member holds, from the debug information. Internal to
 * watching. */
#ifndef KG__MODEL_PADDING_H
#define KG__MODEL_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether all of `bytes`, `offset` bytes into an array of structures that the code which returns to
 * `code` copies, may be padding: those of any structure that is declared in the file of the code or
 * what it includes, but for the model's headers and the system's. */
bool kg__model_may_be_padding(uintptr_t code, uint64_t offset, unsigned int bytes);

#endif
