/* Stubs: what the build gives a program of the CPU model in place of functions whose source it does
 * not have, since that is for GPUs alone or does not compile. harness/model/rewrite/kernel_stub.py
 * writes them. */
#ifndef KG__SUITE_STUB_H
#define KG__SUITE_STUB_H

#include <kernelgate/kernelgate.h>
#include <stdbool.h>

/* One function. The script has the same members. */
typedef struct kg__stub {
    void (*function)(void); /* NULL ends the table */
    const char *why;
    const char *file; /* of the source that is not there */
    unsigned line;    /* of its first error; 0: not known */
    bool gpu_only;
} kg__stub;

/* The stub in place of a variant's launcher; NULL where the program has that. */
const kg__stub *kg__stub_of(const kg_variant *variant);

/* Has `report`, which must not return, called where a launcher calls a function that is a stub. */
void kg__stub_on_reach(void (*report)(void *context, const kg__stub *stub), void *context);

/* Calls a launcher, at most until it calls a function that is a stub, which is an error then. For
 * launches that start no kernel. */
cudaError_t kg__stub_try(kg_launcher *launch, const kg_call *call);

/* The stub that ended the last such call; NULL where none did. */
const kg__stub *kg__stub_tried(void);

/* What each such function calls. */
_Noreturn void kg__stub_reached(const kg__stub *stub);

#endif
