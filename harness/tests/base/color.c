/* When a verdict's word is colored, and in which color. */
#include <criterion/criterion.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/color.h"
#include "tests/fakes/drive.h"

static FILE *terminal;
static FILE *file;
static int master;

static void begin(void)
{
    int slave;

    need_terminal(openpty(&master, &slave, NULL, NULL, NULL) == 0);
    terminal = fdopen(slave, "w");
    file = tmpfile();
    cr_assert(terminal != NULL && file != NULL);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
}

static void end(void)
{
    fclose(terminal);
    fclose(file);
    close(master);
}

TestSuite(color, .init = begin, .fini = end, .timeout = 20);

Test(color, is_for_terminals)
{
    cr_expect(kg__color_wanted(terminal));
    cr_expect(!kg__color_wanted(file));
    setenv("TERM", "dumb", 1);
    cr_expect(!kg__color_wanted(terminal));
    unsetenv("TERM");
    cr_expect(kg__color_wanted(terminal));
}

Test(color, can_be_forbidden_and_forced)
{
    setenv("CLICOLOR_FORCE", "1", 1);
    cr_expect(kg__color_wanted(file));
    setenv("TERM", "dumb", 1);
    cr_expect(kg__color_wanted(file));
    setenv("CLICOLOR_FORCE", "0", 1);
    cr_expect(!kg__color_wanted(file));
    setenv("CLICOLOR_FORCE", "", 1);
    cr_expect(!kg__color_wanted(file));
    /* What forbids it is the stronger. */
    setenv("CLICOLOR_FORCE", "1", 1);
    setenv("NO_COLOR", "1", 1);
    cr_expect(!kg__color_wanted(file) && !kg__color_wanted(terminal));
    setenv("TERM", "xterm", 1);
    cr_expect(!kg__color_wanted(terminal));
    /* Set to nothing, it says nothing. */
    setenv("NO_COLOR", "", 1);
    cr_expect(kg__color_wanted(file));
}

static void expect_written(const char *text)
{
    char read[256];
    size_t length;

    rewind(file);
    length = fread(read, 1, sizeof read - 1, file);
    read[length] = '\0';
    cr_expect_str_eq(read, text);
    rewind(file);
    cr_assert(ftruncate(fileno(file), 0) == 0);
}

Test(color, is_the_words_alone)
{
    kg__print_verdict_line(file, "slower       a/b/1/b8  by 3 %");
    expect_written("slower       a/b/1/b8  by 3 %\n");
    setenv("CLICOLOR_FORCE", "1", 1);
    kg__print_verdict_line(file, "slower       a/b/1/b8  slower by 3 %");
    expect_written(KG__RED "slower" KG__PLAIN "       a/b/1/b8  slower by 3 %\n");
    kg__print_verdict(file, "pass", "%s\n", "a/b/1/b8");
    expect_written(KG__GREEN "pass" KG__PLAIN "         a/b/1/b8\n");
    /* A word of no verdict has none; a line need not have one. */
    kg__print_verdict(file, "board", "x\n");
    expect_written("board        x\n");
    kg__print_verdict_line(file, "a-word-of-more-than-thirty-two-letters-is-no-verdict");
    expect_written("a-word-of-more-than-thirty-two-letters-is-no-verdict\n");
    kg__print_verdict(file, "note", "%s\n", "##[error]x");
    expect_written(KG__YELLOW "note" KG__PLAIN "         # [error]x\n");
    kg__print_verdict_line(file, "::error::a-word-of-more-than-thirty-two-letters");
    expect_written(": error::a-word-of-more-than-thirty-two-letters\n");
    kg__print_verdict_line(file, "");
    expect_written("\n");
}
