/* How a program is run to learn what it says. */
#include "base/child_process.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <time.h>

TestSuite(child_process);

Test(child_process, keeps_what_a_program_prints_and_its_exit_code)
{
    char text[64];

    cr_assert(
        eq(int,
           kg__child_run((const char *const[]){ "printf", "a\nb", NULL }, 10.0, text, sizeof text),
           0));
    cr_expect(eq(str, text, "a\nb"));
    cr_assert(eq(
        int,
        kg__child_run((const char *const[]){ "sh", "-c", "echo out; echo err >&2; exit 3", NULL },
                      10.0, text, sizeof text),
        3));
    cr_expect(eq(str, text, "out\nerr\n"));
}

Test(child_process, drops_what_does_not_fit)
{
    char text[8];

    cr_assert(
        eq(int,
           kg__child_run(
               (const char *const[]){ "sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x", NULL },
               30.0, text, sizeof text),
           0));
    cr_expect(eq(str, text, "xxxxxxx"));
}

Test(child_process, tells_what_is_not_there_from_what_crashes)
{
    char text[64] = "old";

    cr_expect(eq(int,
                 kg__child_run((const char *const[]){ "kernelgate-has-no-such-program", NULL },
                               10.0, text, sizeof text),
                 KG__CHILD_NOT_FOUND));
    cr_expect(eq(str, text, ""));
    cr_expect(eq(int,
                 kg__child_run((const char *const[]){ "sh", "-c", "kill -9 $$", NULL }, 10.0, text,
                               sizeof text),
                 KG__CHILD_CRASHED));
}

Test(child_process, ends_what_does_not_end, .timeout = 30)
{
    char text[64];
    struct timespec begun;
    struct timespec ended;

    clock_gettime(CLOCK_MONOTONIC, &begun);
    cr_expect(
        eq(int,
           kg__child_run((const char *const[]){ "sh", "-c", "echo on; sleep 60; echo off", NULL },
                         0.3, text, sizeof text),
           KG__CHILD_TIMED_OUT));
    cr_expect(eq(str, text, "on\n"));
    /* One that closes its output is waited for no longer. */
    cr_expect(eq(int,
                 kg__child_run((const char *const[]){ "sh", "-c", "exec >&- 2>&-; sleep 60", NULL },
                               0.3, text, sizeof text),
                 KG__CHILD_TIMED_OUT));
    clock_gettime(CLOCK_MONOTONIC, &ended);
    cr_expect(lt(long, ended.tv_sec - begun.tv_sec, 20));
}

Test(child_process, gives_no_input)
{
    char text[64];

    cr_expect(
        eq(int, kg__child_run((const char *const[]){ "cat", NULL }, 10.0, text, sizeof text), 0));
    cr_expect(eq(str, text, ""));
}
