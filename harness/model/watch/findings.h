/* Findings: one for each line, kind and direction of access. Internal to watching. */
#ifndef KG__MODEL_FINDINGS_H
#define KG__MODEL_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/exec/launch.h"
#include "model/watch/places.h"
#include "model/watch/watch.h"
#include "records/finding.h"

/* Calls around one line that are kept, the innermost ones. */
#define KG__FINDING_CALLS 8

/* The thread of a finding, and where in the code. */
typedef struct kg__finding_place {
    uintptr_t code; /* where a hook returns to */
    kg__finding_access access;
    unsigned int thread; /* its number in its block */
    const uint3 *block;  /* NULL: the running one */
} kg__finding_place;

/* Whether a finding is there already for a place in the code; then it is counted once more. Of
 * races and missing fences, those in a block are of class KG__RACE_IN_BLOCK, the others of class
 * KG__RACE_BETWEEN_BLOCKS; any other kind is its own class. A place either reads or writes. A
 * racing kernel races some hundred million times: ask before describing it again. */
bool kg__found_before(kg__finding_kind class, uintptr_t code);

/* The direction of a kind of access (trace.h). */
kg__finding_access kg__access_of(unsigned int kind);

/* Adds a finding of a thread: `what`, without its thread, place and count. */
void kg__find(const kg__finding_place *place, const kg__finding *what);
/* The same at a line that the compiler has noted. */
void kg__find_at(kg__model_source source, const kg__finding_place *place, const kg__finding *what);
/* The same of the host. */
void kg__find_of_host(uintptr_t code, kg__finding_access access, const kg__finding *what);

/* Forgets all findings. */
void kg__findings_forget(void);

/* All findings, in the order of their first appearance; they hold until one is added. */
const kg__finding *kg__model_findings(size_t *count);

/* Writes " at tiled.cu:23" to `text`, of `size` bytes, or "" where the line is not known. */
void kg__describe_line(char *text, size_t size, kg__model_source source);

/* The other thread of a race or a barrier, and where. */
void kg__set_source(kg__finding_actor *actor, kg__model_source source);
/* Sets a block or a thread of an actor, and that it is known. */
void kg__set_index(bool *known, unsigned int to[3], uint3 index);

/* The index of a thread of the running block. */
uint3 kg__thread_index(unsigned int thread);

#endif
