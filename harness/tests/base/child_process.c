/* SPDX-License-Identifier: MIT */
/* How a program is run to learn what it says. */
#include "base/child_process.h"

#include <criterion/criterion.h>
#include <string.h>

static char text[64];

/* Runs a line of sh for so many seconds at most; what it prints is in `text`. */
static int run(const char *line, double seconds)
{
    const char *const arguments[] = { "sh", "-c", line, NULL };

    return kg__child_output(arguments, seconds, text, sizeof text);
}

Test(child_process, keeps_what_a_program_prints_and_its_exit_code)
{
    cr_expect(run("echo out; echo err >&2; exit 3", 10) == 3);
    cr_expect_str_eq(text, "out\n");
    cr_expect(run("cat", 10) == 0, "there is no input");
    cr_expect_str_eq(text, "");
}

Test(child_process, drops_what_does_not_fit)
{
    cr_expect(run("head -c 300000 /dev/zero | tr '\\0' x", 30) == 0);
    cr_expect(strlen(text) == sizeof text - 1 && strspn(text, "x") == sizeof text - 1);
}

Test(child_process, tells_what_is_not_there_from_what_crashes)
{
    const char *const missing[] = { "kernelgate-has-no-such-program", NULL };

    cr_expect(run("echo old; kill -9 $$", 10) == KG__CHILD_CRASHED);
    cr_expect(kg__child_output(missing, 10, text, sizeof text) == KG__CHILD_NOT_FOUND);
    cr_expect_str_eq(text, "");
}

Test(child_process, ends_what_does_not_end, .timeout = 20)
{
    cr_expect(run("echo on; sleep 60; echo off", 0.3) == KG__CHILD_TIMED_OUT);
    cr_expect_str_eq(text, "on\n");
    /* One that closes its output is waited for no longer. */
    cr_expect(run("exec >&- 2>&-; sleep 60", 0.3) == KG__CHILD_TIMED_OUT);
}
