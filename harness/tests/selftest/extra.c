#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/selftest/selftest.h"

#define EXTRA_MAXIMUM 1000

double selftest_body_us(int64_t us)
{
    const char *text = getenv("KG_SELFTEST_EXTRA");
    size_t digits = text != NULL ? strspn(text, "0123456789") : 0;
    long extra = text != NULL ? strtol(text, NULL, 10) : 0;

    if (text != NULL && (digits == 0 || text[digits] != '\0' || extra > EXTRA_MAXIMUM)) {
        fprintf(stderr,
                "selftest: KG_SELFTEST_EXTRA=%s: not a whole number from 0 to %d: give the extra "
                "work in per mille\n",
                text, EXTRA_MAXIMUM);
        return -1;
    }
    return (double)us - SELFTEST_LAUNCH_US + (double)us * (double)extra / 1000;
}
