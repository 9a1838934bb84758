/* Findings: what is wrong, each once a line, reads and writes apart. Internal to watching. */
#ifndef KG__MODEL_FINDINGS_H
#define KG__MODEL_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/exec/launch.h"
#include "model/watch/places.h"
#include "model/watch/watch.h"

/* Findings of one watching are cut to this many; the rest is counted with the last. */
#define KG__FINDINGS_MAXIMUM 64

/* Who did something, what, and where in the code. */
typedef struct kg__finding_place {
    uintptr_t code;      /* where a hook returns to */
    const char *does;    /* kg__access_verb(); "" where it is no access */
    unsigned int thread; /* its number in its block */
    const uint3 *block;  /* NULL: the running one */
} kg__finding_place;

/* Whether a kind of finding is there already for a place in the code; then it is counted once more.
 * A place either reads or writes. A racing kernel races some hundred million times: ask before
 * describing it anew. */
bool kg__found_before(kg__model_finding_kind kind, uintptr_t code);

/* What a kind of access (trace.h) does: "reads", "writes" or "updates". */
const char *kg__access_verb(unsigned int kind);

/* Adds a finding of a thread. */
void kg__find(kg__model_finding_kind kind, const kg__finding_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same at a line that the compiler has noted, of the running thread. */
void kg__find_at(kg__model_finding_kind kind, const char *file, unsigned int line,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same of the host, which `does` an access (kg__access_verb()). */
void kg__find_of_host(kg__model_finding_kind kind, uintptr_t code, const char *does,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Forgets all findings. */
void kg__findings_forget(void);

/* All findings, in the order of their first appearance; they hold until one is added. */
const kg__model_finding *kg__findings(size_t *count);

/* Writes " at tiled.cu:23" to `text`, of `size` bytes, or "" where the line is not known. */
void kg__describe_line(char *text, size_t size, kg__model_source source);

/* The index of a thread of the running block. */
uint3 kg__thread_index(unsigned int thread);

#endif
