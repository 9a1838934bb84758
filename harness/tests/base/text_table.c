/* Tables for a terminal, as Markdown and as CSV. */
#include "base/text_table.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const kg__text_table_column columns[] = { { "target", false, true },
                                                 { "case", false, false },
                                                 { "value", true, false },
                                                 { "note", false, false } };

static kg__text_table *make(void)
{
    kg__text_table *grid = kg__text_table_new(columns, 4);

    kg__text_table_add(grid, "nvidia-fake", NULL);
    kg__text_table_add(grid, "a/b/1/-", NULL);
    kg__text_table_add_figure(grid, "1 234 567 ns", 1234567);
    kg__text_table_add(grid, "", NULL);
    kg__text_table_add(grid, "nvidia-fake", NULL);
    kg__text_table_add(grid, "much/longer/1/-", NULL);
    kg__text_table_add_figure(grid, "0.1 ns", 0.1);
    kg__text_table_add(grid, "a|b, \"c\"", "exact");
    return grid;
}

static void expect_written(const kg__text_table *grid, kg__text_table_format format, bool titled,
                           const char *expected)
{
    char *written = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&written, &length);

    kg__text_table_write(stream, grid, format, titled);
    fclose(stream);
    cr_expect(strcmp(written, expected) == 0, "\n%s\nis not\n%s", written, expected);
    free(written);
}

Test(grid, formats_have_names)
{
    kg__text_table_format format;

    cr_expect(kg__text_table_format_parse("text", &format) && format == KG__GRID_TEXT);
    cr_expect(kg__text_table_format_parse("markdown", &format) && format == KG__GRID_MARKDOWN);
    cr_expect(kg__text_table_format_parse("csv", &format) && format == KG__GRID_CSV);
    cr_expect(!kg__text_table_format_parse("html", &format) &&
              !kg__text_table_format_parse("", &format));
}

Test(grid, a_terminal_gets_aligned_columns)
{
    kg__text_table *grid = make();

    cr_expect(kg__text_table_rows(grid) == 2);
    expect_written(grid, KG__GRID_TEXT, true,
                   "case                    value  note\n"
                   "a/b/1/-          1 234 567 ns\n"
                   "much/longer/1/-        0.1 ns  a|b, \"c\"\n");
    expect_written(grid, KG__GRID_TEXT, false,
                   "a/b/1/-          1 234 567 ns\n"
                   "much/longer/1/-        0.1 ns  a|b, \"c\"\n");
    kg__text_table_free(grid);
}

Test(grid, markdown)
{
    kg__text_table *grid = make();

    expect_written(grid, KG__GRID_MARKDOWN, true,
                   "| case | value | note |\n"
                   "| --- | ---: | --- |\n"
                   "| a/b/1/- | 1 234 567 ns |  |\n"
                   "| much/longer/1/- | 0.1 ns | a\\|b, \"c\" |\n");
    kg__text_table_free(grid);
}

Test(grid, csv_is_exact)
{
    kg__text_table *grid = make();

    expect_written(grid, KG__GRID_CSV, true,
                   "target,case,value,note\n"
                   "nvidia-fake,a/b/1/-,1234567,\n"
                   "nvidia-fake,much/longer/1/-,0.1,exact\n");
    kg__text_table_free(grid);
}

Test(grid, figures_of_csv)
{
    static const kg__text_table_column one[] = { { "figure", true, false } };
    static const double figures[] = { 0, 1e15, 9007199254740993.0, 1e300, 1.0 / 3, NAN, INFINITY };
    kg__text_table *grid = kg__text_table_new(one, 1);

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        kg__text_table_add_figure(grid, "-", figures[i]);
    expect_written(grid, KG__GRID_CSV, false,
                   "0\n1000000000000000\n9007199254740992\n1e+300\n0.3333333333333333\n\ninf\n");
    kg__text_table_free(grid);
}

Test(grid, an_empty_one_has_its_titles)
{
    kg__text_table *grid = kg__text_table_new(columns, 4);

    expect_written(grid, KG__GRID_TEXT, true, "case  value  note\n");
    expect_written(grid, KG__GRID_CSV, true, "target,case,value,note\n");
    kg__text_table_free(grid);
}

/* What steers a terminal does not reach it. */
Test(grid, cells_are_one_clean_line)
{
    static const kg__text_table_column one[] = { { "text", false, false } };
    kg__text_table *grid = kg__text_table_new(one, 1);

    kg__text_table_add(grid, "a\n\033[31mb", NULL);
    expect_written(grid, KG__GRID_TEXT, false, "a  [31mb\n");
    expect_written(grid, KG__GRID_CSV, false, "a  [31mb\n");
    kg__text_table_free(grid);
}

/* The words of verdicts are colored where that is wanted, whose sequences take no room; they are
 * those of a terminal's table alone. */
Test(grid, colors_words_in_their_column)
{
    static const kg__text_table_column two[] = { { "verdict", false, false },
                                                 { "case", false, false } };
    kg__text_table *grid = kg__text_table_new(two, 2);

    kg__text_table_add(grid, "pass", NULL);
    kg__text_table_add(grid, "slower", NULL);
    kg__text_table_add(grid, "slower", NULL);
    kg__text_table_add(grid, "b", NULL);
    unsetenv("NO_COLOR");
    setenv("CLICOLOR_FORCE", "1", 1);
    expect_written(grid, KG__GRID_TEXT, true, "verdict  case\npass     slower\nslower   b\n");
    kg__text_table_color_words(grid, 0);
    expect_written(grid, KG__GRID_TEXT, true,
                   "verdict  case\n\033[32mpass\033[0m     slower\n\033[31mslower\033[0m   b\n");
    expect_written(grid, KG__GRID_CSV, false, "pass,slower\nslower,b\n");
    expect_written(grid, KG__GRID_MARKDOWN, false, "| pass | slower |\n| slower | b |\n");
    unsetenv("CLICOLOR_FORCE");
    expect_written(grid, KG__GRID_TEXT, false, "pass    slower\nslower  b\n");
    kg__text_table_free(grid);
}
