/* Finding the line of source that a message or a case is about. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fakes/drive.h"
#include "base/source_path.h"

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

static void expect_mention(const char *text, const char *file, size_t line)
{
    kg__source_line found = { "", 0 };

    cr_expect(kg__source_mentioned(at(""), text, &found) == (file != NULL), "%s", text);
    if (file == NULL)
        return;
    cr_expect(eq(str, found.file, (char *)file), "%s", text);
    cr_expect(found.line == line, "%s: line %zu", text, found.line);
}

Test(source, names_are_those_below_the_folder)
{
    cr_expect(eq(str, (char *)kg__source_name("/a/b", "/a/b/c.cu"), "c.cu"));
    cr_expect(eq(str, (char *)kg__source_name("/a/b", "/a/bc/c.cu"), "/a/bc/c.cu"));
}

Test(source, a_message_names_its_line)
{
    expect_mention("kernels/a/strided.cu:27: writes 4 bytes", "kernels/a/strided.cu", 27);
    expect_mention("loads rose; kernels/a/bare.cu:9: new", "kernels/a/bare.cu", 9);
    expect_mention("(kernels/a/bare.cu:9)", "kernels/a/bare.cu", 9);
}

Test(source, a_text_begins_with_a_place)
{
    static const struct {
        const char *text;
        size_t length;
        const char *file;
        size_t line;
    } places[] = {
        { "kernels/none.cu:14: reads", 18, "kernels/none.cu", 14 },
        { "none.cu:14", 10, "none.cu", 14 },
        { "none.cu.", 7, "none.cu", 0 },
        { "none.cu: x", 7, "none.cu", 0 },
        { "none.cu:123456789", 7, "none.cu", 0 },
        { "x none.cu:14", 0, "", 0 },
        { "none.txt:14", 0, "", 0 },
        { "", 0, "", 0 },
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        kg__source_line found = { "", 0 };

        cr_expect(kg__source_place(places[i].text, &found) == places[i].length, "%s",
                  places[i].text);
        if (places[i].length == 0)
            continue;
        cr_expect(eq(str, found.file, (char *)places[i].file));
        cr_expect(found.line == places[i].line, "%s", places[i].text);
    }
}

Test(source, a_line_comes_before_a_file_without_one)
{
    expect_mention("kernels/a/bare.cu: see kernels/a/strided.cu:5.", "kernels/a/strided.cu", 5);
}

Test(source, a_file_without_a_line_is_its_kernel)
{
    expect_mention("kernels/a/strided.cu: guard zone", "kernels/a/strided.cu", 3);
    expect_mention("it is in kernels/a/strided.cu.", "kernels/a/strided.cu", 3);
    expect_mention("kernels/a/bare.cu: guard zone", "kernels/a/bare.cu", 1);
    expect_mention("kernels/a/strided.cu:0: none", "kernels/a/strided.cu", 3);
    expect_mention("kernels/a/strided.cu:123456789: none", "kernels/a/strided.cu", 3);
}

Test(source, what_is_no_source_file_of_the_tree_is_no_place)
{
    char absolute[600];

    expect_mention("", NULL, 0);
    expect_mention("kernels/a/gone.cu:3: x", NULL, 0);
    expect_mention("strided.cu:3 notes.txt:4 top.cu:1 kernels/a:2 kernels/a/:2", NULL, 0);
    expect_mention("kernels/../kernels/a/strided.cu:3 ../x/y.cu:1 ....cu:3", NULL, 0);
    snprintf(absolute, sizeof absolute, "%s:3: x", at("kernels/a/strided.cu"));
    expect_mention(absolute, NULL, 0);
}

Test(source, what_only_looks_like_a_file_is_not_opened)
{
    cr_assert(mkfifo(at("kernels/a/pipe.cu"), 0600) == 0);
    cr_assert(mkdir(at("kernels/a/folder.cu"), 0700) == 0);
    expect_mention("kernels/a/pipe.cu:3 kernels/a/folder.cu:3", NULL, 0);
}

Test(source, a_path_longer_than_any_is_no_place)
{
    static char text[2000];

    memset(text, 'a', sizeof text - 10);
    memcpy(text + sizeof text - 10, "/b.cu:3", sizeof "/b.cu:3");
    expect_mention(text, NULL, 0);
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
