/* Finding the line of source that a finding or a case is about. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/source_path.h"
#include "tests/fakes/drive.h"

static void make_tree(void)
{
    make_folder();
    cr_assert(mkdir(at("kernels"), 0700) == 0 && mkdir(at("kernels/a"), 0700) == 0);
    write_text(at("kernels/a/strided.cu"),
               "// a __global__ kernel\n\nstatic __global__ void k()\n");
    write_text(at("kernels/a/bare.cu"), "nothing to launch\n");
    write_text(at("notes.txt"), "");
    write_text(at("top.cu"), "");
}

TestSuite(source, .init = make_tree, .fini = remove_folder);

Test(source, names_are_those_below_the_folder)
{
    cr_expect(eq(str, (char *)kg__source_name("/a/b", "/a/b/c.cu"), "c.cu"));
    cr_expect(eq(str, (char *)kg__source_name("/a/b", "/a/bc/c.cu"), "/a/bc/c.cu"));
}

Test(source, lines_are_those_of_files_that_are_there)
{
    static char longest[2000];
    static const struct {
        const char *file;
        size_t line;
        size_t found; /* 0: nothing */
    } rows[] = { { "kernels/a/strided.cu", 27, 27 },
                 { "kernels/a/strided.cu", 0, 3 },
                 { "kernels/a/bare.cu", 0, 1 },
                 { "top.cu", 5, 5 },
                 { "kernels/a/gone.cu", 3, 0 },
                 { "kernels/../top.cu", 3, 0 },
                 { "../x/y.cu", 1, 0 },
                 { "/etc/passwd", 1, 0 },
                 { "kernels/a/pipe.cu", 3, 0 },
                 { "kernels/a/folder.cu", 3, 0 },
                 { longest, 3, 0 },
                 { "", 3, 0 },
                 { NULL, 3, 0 } };

    memset(longest, 'a', sizeof longest - 1);
    cr_assert(mkfifo(at("kernels/a/pipe.cu"), 0600) == 0);
    cr_assert(mkdir(at("kernels/a/folder.cu"), 0700) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__source_line found = { "", 0 };

        cr_expect(kg__source_at(at(""), rows[i].file, rows[i].line, &found) == (rows[i].found > 0),
                  "%zu", i);
        cr_expect(rows[i].found == 0 || found.line == rows[i].found, "%zu: %zu", i, found.line);
        cr_expect(rows[i].found == 0 || strcmp(found.file, rows[i].file) == 0, "%zu", i);
    }
}

static void expect_case(const char *id, const char *file, size_t line)
{
    kg__source_line found = { "", 0 };

    cr_expect(kg__source_of_case(at(""), id, &found) == (file != NULL), "%s", id);
    if (file != NULL) {
        cr_expect(eq(str, found.file, (char *)file), "%s", id);
        cr_expect(found.line == line, "%s: line %zu", id, found.line);
    }
}

Test(source, a_case_is_found_by_its_variant)
{
    expect_case("a/strided/64/b32", "kernels/a/strided.cu", 3);
    expect_case("a/strided_managed/64/b32", "kernels/a/strided.cu", 3);
    expect_case("a/bare/64/b32", "kernels/a/bare.cu", 1);
    expect_case("a/unstrided/64/b32", NULL, 0);
    expect_case("b/strided/64/b32", NULL, 0);
    expect_case("a", NULL, 0);
    expect_case("a/", NULL, 0);
    expect_case("", NULL, 0);
    expect_case("../a/strided/1/-", NULL, 0);
}

Test(source, a_line_is_found_by_its_text)
{
    kg__source_line found;

    cr_assert(kg__source_line_with(at(""), "kernels/a/strided.cu", "void k", &found));
    cr_expect(found.line == 3);
    cr_assert(kg__source_line_with(at(""), "kernels/a/strided.cu", "no such text", &found));
    cr_expect(found.line == 1);
    cr_expect(not(kg__source_line_with(at(""), "kernels/a/gone.cu", "x", &found)));
    cr_expect(not(kg__source_line_with(at(""), "", "x", &found)));
}
