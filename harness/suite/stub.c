/* SPDX-License-Identifier: MIT */
#include "suite/stub.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/message.h"

/* The program's stubs, if any; the last one has no function. */
extern const kg__stub kg__stubs[] __attribute__((weak));

static struct {
    void (*report)(void *context, const kg__stub *stub);
    void *context;
    jmp_buf *escape; /* NULL: no launcher is being tried */
    const kg__stub *reached;
} listener;

const kg__stub *kg__stub_of(const kg_variant *variant)
{
    const kg__stub *stub = kg__stubs;

    while (stub != NULL && stub->function != NULL &&
           stub->function != (void (*)(void))variant->launch)
        stub++;
    return stub != NULL && stub->function != NULL ? stub : NULL;
}

void kg__stub_on_reach(void (*report)(void *context, const kg__stub *stub), void *context)
{
    listener.report = report;
    listener.context = context;
}

cudaError_t kg__stub_try(kg_launcher *launch, const kg_call *call)
{
    jmp_buf escape;
    volatile cudaError_t code = cudaErrorNotSupported;

    listener.reached = NULL;
    listener.escape = &escape;
    if (setjmp(escape) == 0)
        code = launch(call);
    listener.escape = NULL;
    return code;
}

const kg__stub *kg__stub_tried(void)
{
    return listener.reached;
}

void kg__stub_reached(const kg__stub *stub)
{
    listener.reached = stub;
    if (listener.escape != NULL)
        longjmp(*listener.escape, 1);
    if (listener.report != NULL)
        listener.report(listener.context, stub);
    kg__complain("%s: %s", stub->file, stub->why);
    exit(KG__EXIT_ERROR);
}
