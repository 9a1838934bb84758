/* SPDX-License-Identifier: MIT */
/* Messages of one line, and the allocations that end a process with one. */
#include "base/message.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(message, fail_formats_and_returns_false)
{
    kg__error error = { .text = "old" };

    cr_expect_not(kg__fail(&error, "%s:%d: %s", "nvidia-h200.json", 12, "no value"));
    cr_expect_str_eq(error.text, "nvidia-h200.json:12: no value");
    cr_expect_not(kg__fail(NULL, "%d", 1), "it may be left out");
}

Test(message, control_characters_become_spaces)
{
    kg__error error;

    kg__fail(&error, "a\nb\tc\rd\033[31me\177f");
    cr_expect_str_eq(error.text, "a b c d [31me f");
    kg__fail(&error, "%s", "größer als 3 µs");
    cr_expect_str_eq(error.text, "größer als 3 µs");
}

Test(message, no_text_is_a_workflow_command)
{
    static const char *const texts[][2] = {
        { "::error::x", ": error::x" },
        { " \t::error::x", " \t: error::x" },
        { "a\n::error::x\r::notice::y", "a\n: error::x\r: notice::y" },
        { "\u00a0\u3000::error::x", "\u00a0\u3000: error::x" },
        { "::::", ": ::" },
        { ":::x", ": :x" },
        { "kernel ns::add<T>", "kernel ns::add<T>" },
        { ":x", ":x" },
        { "in a line ##[error]x", "in a line # [error]x" },
        { "###[error]x", "## [error]x" },
        { "##[a]##[b]", "# [a]# [b]" },
        { "# [1] #[2]", "# [1] #[2]" },
        { "", "" },
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64];

        snprintf(text, sizeof text, "%s", texts[i][0]);
        kg__disarm(text);
        cr_expect_str_eq(text, texts[i][1]);
    }
}

Test(message, a_message_of_just_the_size_is_kept_whole)
{
    kg__error error;
    char text[KG__MESSAGE_SIZE + 1];

    memset(text, 'x', sizeof text);
    text[KG__MESSAGE_SIZE - 1] = '\0';
    kg__fail(&error, "%s", text);
    cr_expect_str_eq(error.text, text);
}

Test(message, a_longer_message_is_cut_and_says_so)
{
    kg__error error;
    char text[KG__MESSAGE_SIZE + 1];

    memset(text, 'x', sizeof text);
    text[KG__MESSAGE_SIZE] = '\0';
    kg__fail(&error, "%s", text);
    cr_expect(strlen(error.text) == KG__MESSAGE_SIZE - 1);
    cr_expect_str_eq(error.text + KG__MESSAGE_SIZE - 5, "x...");
}

Test(message, a_cut_never_goes_through_a_character)
{
    char text[12];

    kg__format(text, sizeof text, "%s", "0123456\u2026\u2026\u2026");
    cr_expect_str_eq(text, "0123456...");
    kg__format(text, sizeof text, "%s", "01234567\u00b5\u00b5");
    cr_expect_str_eq(text, "01234567...");
    kg__format(text, sizeof text, "%s", "\xbf\xbf\xbf\xbf\xbf\xbf\xbf\xbf\xbf\xbf\xbf\xbf\xbf");
    cr_expect_str_eq(text, "...");
}

Test(message, format_fits_any_size)
{
    char text[8];

    kg__format(text, sizeof text, "%d", 1234567);
    cr_expect_str_eq(text, "1234567");
    kg__format(text, sizeof text, "%d", 12345678);
    cr_expect_str_eq(text, "1234...");
    kg__format(text, 5, "%s", "abcdef");
    cr_expect_str_eq(text, "a...");
    /* Too small for dots: what fits. */
    kg__format(text, 4, "%s", "abcdef");
    cr_expect_str_eq(text, "abc");
    kg__format(text, 1, "%s", "abcdef");
    cr_expect_str_eq(text, "");
}

Test(message, a_path_is_kept_byte_by_byte)
{
    char path[KG__PATH_SIZE];

    kg__format_path(path, sizeof path, "%s/%s", "a\nb", "c");
    cr_expect_str_eq(path, "a\nb/c");
}

Test(message, a_path_that_does_not_fit_ends_the_process, .exit_code = 2)
{
    char path[6];

    kg__format_path(path, sizeof path, "%s/%d", "abc", 1);
    cr_assert_str_eq(path, "abc/1");
    kg__format_path(path, sizeof path, "%s/%d", "abcd", 1);
    exit(0);
}

Test(message, complain_prints_one_line, .init = cr_redirect_stderr)
{
    char expected[KG__MESSAGE_SIZE + 64];
    char text[2 * KG__MESSAGE_SIZE];

    memset(text, 'y', sizeof text);
    text[sizeof text - 1] = '\0';
    kg__complain("two\nlines of %s", "a case");
    kg__complain("%s", text);
    snprintf(expected, sizeof expected, "kernelgate: two lines of a case\nkernelgate: %.*s...\n",
             KG__MESSAGE_SIZE - 4, text);
    fflush(stderr);
    cr_assert_stderr_eq_str(expected);
}

Test(message, allocations_are_zeroed)
{
    unsigned char *bytes = kg__allocate(1000, 3);

    for (size_t i = 0; i < 3000; i++)
        cr_assert(bytes[i] == 0);
    free(bytes);
}

Test(message, an_allocation_of_nothing_is_still_one)
{
    void *none = kg__allocate(0, 8);
    void *empty = kg__allocate(8, 0);

    cr_expect_not_null(none);
    cr_expect_not_null(empty);
    free(none);
    free(empty);
}

/* AddressSanitizer would end the process before the allocation can fail. It asks this function,
 * which no other build calls. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

Test(message, an_impossible_allocation_ends_the_process, .exit_code = 2)
{
    kg__allocate(SIZE_MAX / 2, 3);
    cr_assert_fail("it returned");
}

Test(message, copied_text_is_its_own)
{
    char text[] = "matmul_f32";
    char *copy = kg__copy_text(text);
    char *empty = kg__copy_text("");

    text[0] = 'X';
    cr_expect_str_eq(copy, "matmul_f32");
    cr_expect_str_eq(empty, "");
    free(copy);
    free(empty);
}
