/* Folders for the moment, and what of a folder is a program. */
#include "file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drive.h"

TestSuite(file, .init = make_folder, .fini = remove_folder);

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

Test(file, a_temporary_folder_is_new_and_where_it_was_asked_for)
{
    char first[512];
    char second[512];
    char start[512];
    struct stat facts;
    kg__error why = { "" };

    setenv("TMPDIR", at(""), 1);
    cr_assert(kg__file_make_temporary_folder("tune", first, sizeof first, &why), "%s", why.text);
    cr_assert(kg__file_make_temporary_folder("tune", second, sizeof second, &why), "%s", why.text);
    snprintf(start, sizeof start, "%s/kernelgate-tune.", at(""));
    cr_assert(starts_with(first, start), "%s", first);
    cr_assert(starts_with(second, start), "%s", second);
    cr_assert(strcmp(first, second) != 0);
    cr_assert(stat(first, &facts) == 0 && S_ISDIR(facts.st_mode));
    kg__file_remove_folder(first);
    cr_assert(!exists(first));
    cr_assert(exists(second));
}

Test(file, an_empty_setting_is_none)
{
    char folder[512];
    kg__error why = { "" };

    setenv("TMPDIR", "", 1);
    cr_assert(kg__file_make_temporary_folder("tune", folder, sizeof folder, &why), "%s", why.text);
    kg__file_remove_folder(folder);
    cr_assert(starts_with(folder, "/tmp/kernelgate-tune."), "%s", folder);
}

Test(file, a_temporary_folder_that_cannot_be_made_is_told)
{
    char folder[512] = "as it was";
    char expected[1024];
    char small[24];
    kg__error why = { "" };

    setenv("TMPDIR", at("nowhere"), 1);
    cr_assert(!kg__file_make_temporary_folder("tune", folder, sizeof folder, &why));
    snprintf(expected, sizeof expected,
             "%s: no folder can be made in it: No such file or directory: set TMPDIR to a folder "
             "that can be written to",
             at("nowhere"));
    cr_assert_str_eq(why.text, expected);
    cr_assert_str_empty(folder);

    cr_assert(!kg__file_make_temporary_folder("tune", small, sizeof small, &why));
    cr_assert(strstr(why.text, "its path is too long") != NULL, "%s", why.text);
    cr_assert_str_empty(small);
}

Test(file, a_program_is_a_file_that_may_be_run)
{
    write_text(at("text"), "");
    write_text(at("program"), "");
    cr_assert(chmod(at("program"), 0700) == 0);
    cr_assert(kg__file_is_program(at("program")));
    cr_assert(!kg__file_is_program(at("text")));
    cr_assert(!kg__file_is_program(at("")));
    cr_assert(!kg__file_is_program(at("nowhere")));
}
