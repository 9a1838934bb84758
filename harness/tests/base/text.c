/* SPDX-License-Identifier: MIT */
/* Figures and texts as they are shown. */
#include "base/text.h"
#include "tests/fakes/drive.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_line(char *line, const char *expected)
{
    cr_expect(eq(str, line, (char *)expected));
    free(line);
}

/* The rows test what the commands print too; null is not a number. */
Test(text, figures_and_percentages)
{
    json_t *rows = read_rows(KG__FIGURES);
    const json_t *row;
    size_t i;
    char text[KG__FIGURE_SIZE];

    json_array_foreach (rows, i, row) {
        const json_t *figure = json_object_get(row, "figure");
        const json_t *value = figure != NULL ? figure : json_object_get(row, "fraction");
        double number = json_is_number(value) ? json_number_value(value) : (double)NAN;

        if (figure != NULL)
            kg__show_figure(text, sizeof text, number,
                            json_string_value(json_object_get(row, "unit")));
        else
            kg__show_percent(text, sizeof text, number, json_is_true(json_object_get(row, "sign")));
        cr_expect(eq(str, text, (char *)json_string_value(json_object_get(row, "shown"))));
    }
    kg__show_figure(text, sizeof text, (double)INFINITY, "");
    cr_expect(eq(str, text, "unknown"));
    kg__show_figure(text, 8, 123456789.0, "ns");
    cr_expect(eq(sz, strlen(text), 7));
}

Test(text, texts_are_made_fit_to_be_shown)
{
    static const struct {
        const char *text;
        bool one_line;
        const char *clean;
    } table[] = {
        { "plain <&> ]]> \"'", true, "plain <&> ]]> \"'" },
        { "a\nb\tc\rd", false, "a\nb\tc\rd" },
        { "a\nb\tc\rd", true, "a b c d" },
        { "\033[31m", false, "\xef\xbf\xbd[31m" },
        { "\033[31m", true, " [31m" },
        { "\xc2\x9b"
          "31m",
          true, " 31m" },
        /* What turns the direction of writing, and back. */
        { "a\xe2\x80\xae"
          "b\xe2\x81\xa9\xe2\x80\x8f",
          true, "a b  " },
        { "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5", true, "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5" },
        { "\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80", true,
          "\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80" },
        { "\xff"
          "a",
          true,
          "\xef\xbf\xbd"
          "a" },
        { "\x80", true, "\xef\xbf\xbd" },
        { "\xc0\x80", true, "\xef\xbf\xbd\xef\xbf\xbd" },
        { "\xe2\x82", true, "\xef\xbf\xbd\xef\xbf\xbd" },
        { "\xed\xa0\x80", true, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
        { "\xf4\x90\x80\x80", true, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
        { "\xf8", true, "\xef\xbf\xbd" },
        { "\xef\xbf\xbe", true, "\xef\xbf\xbd" },
        { "\xe2\x80\xa8", true, " " },
        /* What has no width. */
        { "a\xc2\xad"
          "b\xe2\x80\x8b"
          "c\xe2\x81\xa0"
          "d\xef\xbb\xbf",
          true, "a b c d " },
        { "\n ::error::x ##[error]y", true, "  : error::x # [error]y" },
        { "a\n\t::error::x", false, "a\n\t: error::x" },
        { "", true, "" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_line(kg__clean_text(table[i].text, table[i].one_line), table[i].clean);
}

Test(text, ends_have_something_before_them)
{
    cr_assert(kg__ends_with("selftest.gpu", ".gpu"));
    cr_assert_not(kg__ends_with("selftest.model", ".gpu"));
    cr_assert_not(kg__ends_with(".gpu", ".gpu"));
    cr_assert_not(kg__ends_with("gpu", ".gpu"));
}
