/* SPDX-License-Identifier: MIT */
/* What makes the kernels slower that prove and measure the gate. */
#include "tests/study/selftest.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdlib.h>

typedef struct text {
    char value[24];
    double fraction; /* negative: it is not one */
} text;

ParameterizedTestParameters(extra_fraction, is_of_the_whole_launch)
{
    static text texts[] = {
        { "0", 0 },     { "0.01", 0.01 }, { ".03", 0.03 }, { "1", 1 },
        { "", -1 },     { " 1", -1 },     { "-1", -1 },    { "+1", -1 },
        { "1 ", -1 },   { "1.5", -1 },    { "3%", -1 },    { "x", -1 },
        { "1e-3", -1 }, { "0x1", -1 },    { "nan", -1 },   { "0.0.1", -1 },
    };

    return cr_make_param_array(text, texts, sizeof texts / sizeof *texts);
}

/* What is timed is the launch: its body and what starting it takes. */
ParameterizedTest(text *one, extra_fraction, is_of_the_whole_launch)
{
    cr_assert(setenv("KG_STUDY_EXTRA", one->value, 1) == 0);
    if (one->fraction < 0) {
        cr_expect(study_extra() < 0 && selftest_body_us(20) < 0, "\"%s\"", one->value);
        return;
    }
    for (int us = 20; us <= 200; us += 180) {
        double whole = selftest_body_us(us) + SELFTEST_LAUNCH_US;

        cr_expect(fabs(whole / us - 1 - one->fraction) < 1e-9, "%s: %g us", one->value, whole);
    }
}

Test(extra_fraction, is_none_where_it_is_not_set)
{
    cr_assert(unsetenv("KG_STUDY_EXTRA") == 0);
    cr_expect(study_extra() == 0);
}
