/* SPDX-License-Identifier: MIT */
/* The result of a case in words. */
#include "results/result_text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static void expect_line(char *line, const char *expected)
{
    cr_expect(eq(str, line, (char *)expected));
    free(line);
}

Test(result_text, reasons)
{
    kg__finding findings[] = { { .kind = KG__DEADLOCK, .detail = "no way on" } };
    kg__case_result result = { .verdict = KG__SLOWER, .why = "its\nown\twords" };

    expect_line(kg__case_result_reason(&result), "its own words");
    result.also = "wrong elements";
    result.findings = (kg__findings){ .list = findings, .count = 1 };
    expect_line(kg__case_result_reason(&result), "error: no way on; wrong elements");
    result = (kg__case_result){ .verdict = KG__ERROR };
    expect_line(kg__case_result_reason(&result), "no reason was recorded");
    result.verdict = KG__PASS;
    expect_line(kg__case_result_reason(&result), "");
}
