/* SPDX-License-Identifier: MIT */
/* Callbacks of a comparison for tests in which none of them has anything to do. */
#pragma once

#include <kernelgate/kernelgate.h>

static inline void no_reference(const kg_problem *problem, int output, double *expected,
                                double *tolerance)
{
    (void)problem;
    (void)output;
    (void)expected;
    (void)tolerance;
}

/* A projection that finds every output right. */
static inline bool accept_all(const kg_problem *problem, int output, const void *computed,
                              kg_mismatch *mismatch)
{
    (void)problem;
    (void)output;
    (void)computed;
    (void)mismatch;
    return true;
}

/* A launcher that must not be called. */
static inline cudaError_t launch_nothing(const kg_call *call)
{
    (void)call;
    return cudaErrorNotSupported;
}
