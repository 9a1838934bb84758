/* The manual page that `kernelgate help --man` prints. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "judge/judge.h"
#include "tests/fakes/drive.h"

TestSuite(manual, .init = make_folder, .fini = remove_folder, .timeout = 60);

static ending run_command(const char *const *arguments)
{
    return drive(arguments, NULL);
}

#define RUN(...) run_command((const char *const[]){ KG__COMMAND, __VA_ARGS__, NULL })

/* The page's own spelling of a text. */
static char *escaped(const char *text)
{
    char *copy = kg__allocate(2 * strlen(text) + 1, 1);
    char *to = copy;

    for (; *text != '\0'; text++) {
        if (*text == '-')
            *to++ = '\\';
        *to++ = *text;
    }
    return copy;
}

static void expect_escaped(const char *page, const char *before, const char *text)
{
    char whole[512];
    char *own = escaped(text);

    snprintf(whole, sizeof whole, "%s%s", before, own);
    cr_expect(strstr(page, whole) != NULL, "%s is not in the page", whole);
    free(own);
}

/* Each command of the overview has its section, with each of its options. */
Test(manual, has_every_command_and_option)
{
    ending overview = RUN("help");
    ending page = RUN("help", "--man");
    size_t commands = 0;
    char *rest = NULL;

    expect_ending(&page, KG__EXIT_PASS, ".TH KERNELGATE 1");
    expect_ending(&overview, KG__EXIT_PASS, "help --man");
    for (char *line = strtok_r(overview.output, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char name[64];
        char *option_rest = NULL;
        char *space;
        ending help;

        if (strncmp(line, "  ", 2) != 0)
            continue;
        kg__format(name, sizeof name, "%.16s", line + 2);
        for (size_t end = strlen(name); end > 0 && name[end - 1] == ' '; end--)
            name[end - 1] = '\0';
        expect_escaped(page.output, ".SS kernelgate ", name);
        commands++;
        space = strchr(name, ' ');
        if (space != NULL)
            *space = '\0';
        help = space != NULL ? RUN("help", name, space + 1) : RUN("help", name);
        for (char *option = strtok_r(help.output, "\n", &option_rest); option != NULL;
             option = strtok_r(NULL, "\n", &option_rest)) {
            if (strncmp(option, "  --", 4) != 0)
                continue;
            option[2 + strcspn(option + 2, " ")] = '\0';
            expect_escaped(page.output, "", option + 2);
        }
        free(help.output);
    }
    cr_expect(commands > 15, "%zu", commands);
    free(overview.output);
    free(page.output);
}

/* No text of the help may be taken for a request, nor an option's hyphens for a dash. */
Test(manual, formats_without_a_warning)
{
    static const char script[] = "page=$1\n"
                                 "if command -v mandoc >/dev/null; then\n"
                                 "    mandoc -Tlint -Werror \"$page\"\n"
                                 "elif command -v groff >/dev/null; then\n"
                                 "    groff -man -ww -z -Tutf8 \"$page\"\n"
                                 "else\n"
                                 "    exit 77\n"
                                 "fi\n";
    ending page = RUN("help", "--man");
    ending lint;

    write_text(at("kernelgate.1"), page.output);
    lint = drive((const char *const[]){ "/bin/sh", "-c", script, "sh", at("kernelgate.1"), NULL },
                 NULL);
    if (lint.code == KG__EXIT_NOTHING)
        cr_skip_test("neither mandoc nor groff is installed");
    cr_expect(lint.code == 0 && *lint.output == '\0', "%d: %s", lint.code, lint.output);
    free(page.output);
    free(lint.output);
}
