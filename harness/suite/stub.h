/* SPDX-License-Identifier: MIT */
/* Stubs: the build links these into a CPU model's program in place of functions whose source is
 * only for GPUs or does not compile. harness/model/rewrite/kernel_stub.py writes them. */
#pragma once

#include <kernelgate/kernelgate.h>
#include <stdbool.h>

/* One function. The script has the same members. */
typedef struct kg__stub {
    void (*function)(void); /* NULL ends the table */
    const char *why;
    const char *file; /* the missing source */
    unsigned line;    /* of its first error; 0: unknown */
    bool gpu_only;
} kg__stub;

/* Returns the stub in place of a variant's launcher; NULL if the program has the launcher. */
const kg__stub *kg__stub_of(const kg_variant *variant);

/* Calls `report`, which must not return, whenever a launcher calls a stub. */
void kg__stub_on_reach(void (*report)(void *context, const kg__stub *stub), void *context);

/* Calls a launcher until it returns or calls a stub, which is then an error. For launches that
 * start no kernel. */
cudaError_t kg__stub_try(kg_launcher *launch, const kg_call *call);

/* Returns the stub that ended the last kg__stub_try(); NULL if none did. */
const kg__stub *kg__stub_tried(void);

/* Called by each stub. */
_Noreturn void kg__stub_reached(const kg__stub *stub);
