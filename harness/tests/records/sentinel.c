/* SPDX-License-Identifier: MIT */
/* What bounds a case, and which sentinels say something of it. */
#include "records/sentinel.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

/* Of a GPU that copies 4 TB/s, computes 50 Tflop/s and has a bus of 50 GB/s. */
static const double rates[KG__SENTINELS] = { 4e12, 50e12, 50e9 };

Test(sentinel, the_bound_of_a_case)
{
    static const struct {
        kg__demand demand;
        kg__bound bound;
    } rows[] = {
        /* Operations, bytes, bytes over the bus. A vector sum, and a product of matrices. */
        { { 1e8, 1.2e9, 0, false }, KG__BOUND_MEMORY },
        { { 1e12, 1.2e9, 0, false }, KG__BOUND_COMPUTE },
        /* Both take 1 ms; then one of them twice as long, and hardly less than that. */
        { { 50e9, 4e9, 0, false }, KG__BOUND_UNKNOWN },
        { { 50e9, 8e9, 0, false }, KG__BOUND_MEMORY },
        { { 50e9, 7.99e9, 0, false }, KG__BOUND_UNKNOWN },
        { { 100e9, 4e9, 0, false }, KG__BOUND_COMPUTE },
        { { 99.9e9, 4e9, 0, false }, KG__BOUND_UNKNOWN },
        /* Bytes that a cache holds need no memory; operations need no cache. */
        { { 1e8, 1.2e9, 0, true }, KG__BOUND_UNKNOWN },
        { { 1e12, 1.2e9, 0, true }, KG__BOUND_COMPUTE },
        /* The bus is slow: 2 ms, against 1 ms; and a little against much. */
        { { 0, 4e9, 100e6, false }, KG__BOUND_BUS },
        { { 0, 4e9, 99e6, false }, KG__BOUND_UNKNOWN },
        { { 0, 4e9, 1e6, false }, KG__BOUND_MEMORY },
        { { 0, 4e9, 100e6, true }, KG__BOUND_BUS },
        /* What is not said: all of it, or the work of a copy. */
        { { NAN, NAN, 0, false }, KG__BOUND_UNKNOWN },
        { { NAN, NAN, 100e6, false }, KG__BOUND_BUS },
        { { 1e12, NAN, 0, false }, KG__BOUND_UNKNOWN },
        { { NAN, 1e12, 0, false }, KG__BOUND_UNKNOWN },
        /* Nothing, and figures that are none. */
        { { 0, 0, 0, false }, KG__BOUND_UNKNOWN },
        { { -1, 1e9, 0, false }, KG__BOUND_UNKNOWN },
        { { INFINITY, 1e9, 0, false }, KG__BOUND_UNKNOWN },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(eq(int, (int)kg__bound_of(&rows[i].demand, rates), (int)rows[i].bound), "row %zu",
                  i);
}

/* Without a limit nothing that needs it can be told; what does not need it can. */
Test(sentinel, a_limit_that_is_not_known)
{
    static const kg__demand sum = { 1e8, 1.2e9, 0, false };
    static const kg__demand transfer = { NAN, NAN, 1e8, false };

    for (int unknown = 0; unknown < KG__SENTINELS; unknown++) {
        double known[KG__SENTINELS] = { rates[0], rates[1], rates[2] };

        known[unknown] = 0;
        cr_expect(eq(int, (int)kg__bound_of(&sum, known),
                     (int)(unknown == KG__BUS_SENTINEL ? KG__BOUND_MEMORY : KG__BOUND_UNKNOWN)));
        cr_expect(eq(int, (int)kg__bound_of(&transfer, known),
                     (int)(unknown == KG__BUS_SENTINEL ? KG__BOUND_UNKNOWN : KG__BOUND_BUS)));
    }
}

Test(sentinel, each_bound_has_a_name_and_its_sentinels)
{
    static const struct {
        const char *name;
        bool depends[KG__SENTINELS]; /* on copy, fma, bus */
    } rows[KG__BOUNDS] = {
        [KG__BOUND_UNKNOWN] = { "", { true, true, false } },
        [KG__BOUND_MEMORY] = { "memory", { true, false, false } },
        [KG__BOUND_COMPUTE] = { "compute", { false, true, false } },
        [KG__BOUND_BUS] = { "bus", { false, false, true } },
    };

    for (int bound = 0; bound < KG__BOUNDS; bound++) {
        cr_expect(eq(str, (char *)kg__bound_names[bound], (char *)rows[bound].name));
        for (int i = 0; i < KG__SENTINELS; i++)
            cr_expect(kg__bound_depends_on((kg__bound)bound, (kg__sentinel)i) ==
                          rows[bound].depends[i],
                      "%s, %s", rows[bound].name, kg__sentinel_kinds[i].name);
    }
}
