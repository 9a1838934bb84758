/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/study/selftest.h"

double study_extra(void)
{
    const char *text = getenv("KG_STUDY_EXTRA");
    char *end;
    double fraction;

    if (text == NULL)
        return 0;
    fraction = strtod(text, &end);
    if (strspn(text, "0123456789.") == strlen(text) && end != text && *end == '\0' && fraction <= 1)
        return fraction;
    fprintf(
        stderr,
        "KG_STUDY_EXTRA=%s: not a fraction from 0 to 1: give the extra work, as 0.03 for 3 %%\n",
        text);
    return -1;
}

double selftest_body_us(int64_t us)
{
    double extra = study_extra();

    return extra < 0 ? -1 : (double)us - SELFTEST_LAUNCH_US + (double)us * extra;
}
