/* SPDX-License-Identifier: MIT */
/* A comparison in which sources are missing: "whole" is right, what "alone" and "broken" launch are
 * stubs, and so is what "calls_alone" and "calls_broken" call. With FAKE_ONLY_STUBS there are those
 * two alone. Sizes are n; each element of `to` must be that of `from`. */
#include <kernelgate/kernelgate.h>
#include <stdlib.h>
#include <string.h>

#include "suite/stub.h"

extern const kg__stub kg__stubs[];

enum { FROM, TO };

/* Launchers that are known to be stubs are never called. */
static cudaError_t alone(const kg_call *call)
{
    (void)call;
    abort();
}

static cudaError_t broken(const kg_call *call)
{
    return alone(call);
}

#ifndef FAKE_ONLY_STUBS
static cudaError_t whole(const kg_call *call)
{
    memcpy(call->argument[TO], call->argument[FROM],
           (size_t)kg_extent(call->size, 0) * sizeof(float));
    return cudaSuccess;
}

static cudaError_t calls_alone(const kg_call *call)
{
    (void)whole(call);
    kg__stub_reached(&kg__stubs[0]);
}

static cudaError_t calls_broken(const kg_call *call)
{
    (void)call;
    kg__stub_reached(&kg__stubs[1]);
}
#endif

const kg__stub kg__stubs[] = {
    { (void (*)(void))alone, "for GPUs alone", "kernels/fake/alone.cu", 0, true },
    { (void (*)(void))broken, "does not compile", "src/broken.cu", 12, false },
    { NULL, NULL, NULL, 0, false },
};

static const kg_variant variants[] = {
    KG_VARIANT("alone", alone, "for GPUs alone"),
    KG_VARIANT("broken", broken, "does not compile"),
#ifndef FAKE_ONLY_STUBS
    KG_VARIANT("whole", whole, "right"),
    KG_VARIANT("calls_alone", calls_alone, "calls what is for GPUs alone"),
    KG_VARIANT("calls_broken", calls_broken, "calls what does not compile"),
#endif
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("only_there", alone, "is caught on a GPU", KG_CHECKED(2), KG_LAUNCH(32)),
    KG_END,
};

static const kg_size sizes[] = { KG_CHECKED(1), KG_COUNTED(2), KG_END };
static const kg_launch launches[] = { KG_LAUNCH(32), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "from", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "to", KG_FLOAT32, 1, kg_extent(size, 0));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const float *from = problem->data[FROM];

    (void)output;
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++) {
        expected[i] = from[i];
        tolerance[i] = 0;
    }
}

KG_COMPARISON(fake, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference);

KG_DEFECTS(fake, defects);
