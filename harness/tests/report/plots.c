/* Plots: the commands for gnuplot, gnuplot itself and those that stand in for it, and what becomes
 * of its drawings in a page. */
#include "report/plots.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fakes/drive.h"
#include "report/html.h"

TestSuite(plots, .init = make_folder, .fini = remove_folder, .timeout = 60);

/* Two variants over three sizes, the second of which the other has not. */
static kg__plot lines(void)
{
    kg__plot plot;

    kg__plot_begin(&plot, KG__PLOT_LINES, "Time by size", "size", "µs");
    for (int i = 0; i < 3; i++)
        kg__plot_add_place(&plot, (const char *const[]){ "256", "530", "it's '$HOME' `ls`" }[i]);
    kg__plot_add_series(&plot, "naive", 0);
    kg__plot_add_series(&plot, "tiled", 9);
    for (size_t place = 0; place < 3; place++)
        kg__plot_add_point(&plot, 0, place, 10 + (double)place);
    kg__plot_add_point(&plot, 1, 0, 5);
    kg__plot_add_point(&plot, 1, 1, NAN);
    kg__plot_add_point(&plot, 1, 2, 6);
    return plot;
}

static char *script_of(const kg__plot *plots, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    cr_assert(stream != NULL);
    kg__plots_write_script(stream, plots, count);
    fclose(stream);
    return text;
}

static void expect_in_script(const kg__plot *plot, const char *const *expected)
{
    char *text = script_of(plot, 1);

    for (; *expected != NULL; expected++)
        cr_expect(strstr(text, *expected) != NULL, "no \"%s\" in\n%s", *expected, text);
    free(text);
}

Test(plots, commands)
{
    kg__plot plot = lines();

    expect_in_script(&plot, (const char *const[]){
                                "set xlabel 'size'\n", "set ylabel 'µs'\n",
                                "('256' 0, '530' 1, 'it''s ''$HOME'' `ls`' 2)\n",
                                "set yrange [0:", "$series1 << END\n0.0000 5\n2.0000 6\nEND\n",
                                "lc rgb '#010101' title 'naive'", "lc rgb '#010102' title 'tiled'",
                                NULL });
    cr_expect(kg__plot_class(&plot.series[0]) == 1 && kg__plot_class(&plot.series[1]) == 2);
    kg__plot_free(&plot);
}

/* A second bar stands beside the first, a wide span is logarithmic, large figures have a unit. */
Test(plots, axes)
{
    kg__plot plot;

    kg__plot_begin(&plot, KG__PLOT_BARS, "Sectors", "", "");
    kg__plot_add_place(&plot, "a");
    kg__plot_add_series(&plot, "hot", 0);
    kg__plot_add_series(&plot, "cold", 1);
    kg__plot_add_point(&plot, 0, 0, 200000);
    kg__plot_add_point(&plot, 1, 0, 300000);
    expect_in_script(&plot, (const char *const[]){ "set ylabel 'thousands'\n", "-0.2000 200\n",
                                                   "0.2000 300\n", "set boxwidth 0.4", NULL });
    kg__plot_add_point(&plot, 1, 0, 3e7);
    expect_in_script(&plot, (const char *const[]){ "set logscale y\nset yrange [100000:",
                                                   "'%.0s%c'", "0.2000 30000000\n", NULL });
    kg__plot_free(&plot);
}

Test(plots, dots_and_marks)
{
    kg__plot plot;

    kg__plot_begin(&plot, KG__PLOT_DOTS, "Samples", "process", "µs");
    plot.from_data = true;
    kg__plot_add_place(&plot, "1");
    kg__plot_add_series(&plot, "a sample", 0);
    kg__plot_add_point(&plot, 0, 0, 100);
    kg__plot_add_point(&plot, 0, 0, 100);
    kg__plot_add_mark(&plot, "baseline", 90);
    kg__plot_add_mark(&plot, "limit", NAN);
    expect_in_script(&plot,
                     (const char *const[]){ "set yrange [89:101]\n", "-0.2222 100\n",
                                            "-0.1667 100\n", "plot 90 with lines",
                                            "lc rgb '#010201' title 'baseline', $series0", NULL });
    kg__plot_free(&plot);
}

/* Has KG_GNUPLOT name a program of the test's own, of these lines of shell. */
static void stand_in(const char *lines_of_shell)
{
    char text[1024];

    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", lines_of_shell);
    write_text(at("gnuplot"), text);
    cr_assert(chmod(at("gnuplot"), 0755) == 0);
    setenv("KG_GNUPLOT", at("gnuplot"), 1);
}

static void expect_drawn(const char *expected)
{
    kg__plot plot = lines();
    kg__error error = { "" };
    char *drawing = NULL;
    bool drawn = kg__plots_draw(&plot, 1, &drawing, &error);

    cr_expect(drawn == (expected == NULL), "%s", error.text);
    cr_expect((drawing != NULL) == drawn);
    if (expected != NULL)
        cr_expect(strstr(error.text, expected) != NULL, "no \"%s\" in \"%s\"", expected,
                  error.text);
    free(drawing);
    kg__plot_free(&plot);
}

Test(plots, the_program_is_given_the_commands)
{
    stand_in("[ \"$1\" = -d ] && grep -q 'with linespoints' \"$2\" && echo '<?xml?><svg></svg>'");
    expect_drawn(NULL);
}

Test(plots, a_program_that_draws_too_little_or_too_much)
{
    stand_in("echo nothing");
    expect_drawn("drew another number of plots than the 1 asked for");
    stand_in("echo '<svg></svg><svg></svg>'");
    expect_drawn("drew another number of plots than the 1 asked for");
    stand_in("echo '<svg>'");
    expect_drawn("drew another number");
}

Test(plots, a_program_that_fails)
{
    stand_in("echo '<svg></svg>'; echo 'line 3: no such option' >&2; echo '   ^' >&2; exit 2");
    expect_drawn(
        "ended with code 2: line 3: no such option: run it by hand, or name another by KG_GNUPLOT");
    stand_in("exit 3");
    expect_drawn("ended with code 3: it said nothing");
    stand_in("kill -9 $$");
    expect_drawn("crashed: run it by hand to see why, or name another by KG_GNUPLOT");
    setenv("KG_GNUPLOT", at("no-gnuplot"), 1);
    expect_drawn("no-gnuplot is not installed here: apt-get install gnuplot-nox");
}

Test(plots, nothing_to_draw_needs_no_program)
{
    kg__error error = { "" };

    setenv("KG_GNUPLOT", at("no-gnuplot"), 1);
    cr_expect(kg__plots_draw(NULL, 0, NULL, &error));
}

/* The page as text, freed by the caller. */
static char *page_of(xmlNode *html)
{
    kg__error error = { "" };

    cr_assert(kg__html_save(at("page.html"), html, &error), "%s", error.text);
    kg__html_free(html);
    return read_text(at("page.html"));
}

Test(plots, a_drawing_gives_up_its_colours)
{
    static const char drawing[] =
        "<svg viewBox='0 0 4 3' xmlns='http://www.w3.org/2000/svg' "
        "xmlns:xlink='http://www.w3.org/1999/xlink'><title>Gnuplot</title><desc>by</desc>"
        "<defs><circle id='gpPt5' stroke='currentColor'/><filter id='textbox'/></defs>"
        "<g id='p' fill='none' color='black' stroke='currentColor'><g></g>"
        "<path stroke='gray' d='M1,2 L3,4'/><path stroke='black' d='M1,2'/>"
        "<path stroke='rgb(  1,   1,   2)' d='M1,2 h3'/><path stroke='rgb(1,2,1)' d='M1,2 v3'/>"
        "<use xlink:href='#gpPt5' color='rgb(  1,   1,   2)'/>"
        "<g><title>gnuplot_plot_2</title></g><g><title>gnuplot_plot_3</title></g>"
        "<text font-family='sans'>a &lt; b</text></g></svg>";
    kg__plot plot = lines();
    xmlNode *html = kg__html_new("en");
    char *text;

    free(plot.title);
    plot.title = kg__copy_text("Time <by> \"size\"");
    kg__plot_add_shapes(html, drawing);
    cr_expect(kg__plot_add_drawing(html, drawing, &plot));
    kg__plot_free(&plot);
    text = page_of(html);
    cr_expect(
        strcmp(text,
               "<!DOCTYPE html>\n<html lang=\"en\"><svg class=\"shapes\" aria-hidden=\"true\">"
               "<defs><circle id=\"gpPt5\" stroke=\"currentColor\"></circle></defs></svg>"
               "<svg viewBox=\"0 0 4 3\" role=\"img\" aria-label='Time &lt;by&gt; "
               "\"size\"'><g fill=\"none\" stroke=\"currentColor\">"
               "<path stroke=\"currentColor\" d=\"M1,2 L3,4\" class=\"grid\"></path>"
               "<path stroke=\"currentColor\" d=\"M1,2 h3\" class=\"s2\"></path>"
               "<path stroke=\"currentColor\" d=\"M1,2 v3\" class=\"m1\"></path>"
               "<use href=\"#gpPt5\" class=\"s2\"></use>"
               "<g><title>tiled</title></g><g><title></title></g><text>a &lt; "
               "b</text></g></svg></html>\n") == 0,
        "%s", text);
    free(text);
}

Test(plots, what_is_no_drawing)
{
    static const char *const others[] = {
        "", "<svg", "<p></p>", "<svg><a></svg>",
        "<!DOCTYPE svg [<!ENTITY e SYSTEM '/etc/passwd'>]><p>&e;</p>"
    };
    kg__plot plot = lines();
    xmlNode *html = kg__html_new("en");

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(!kg__plot_add_drawing(html, others[i], &plot), "%s", others[i]);
    kg__plot_add_shapes(html, "<svg></svg>");
    kg__plot_add_shapes(html, "no");
    cr_expect(html->children == NULL);
    kg__html_free(html);
    kg__plot_free(&plot);
}

/* What the program that is installed draws has what the page takes over. */
Test(plots, gnuplot_itself)
{
    kg__plot plots[2] = { lines(), lines() };
    char *drawings[2];
    kg__error error = { "" };
    xmlNode *html = kg__html_new("en");
    char *text;

    unsetenv("KG_GNUPLOT");
    cr_assert(kg__plots_draw(plots, 2, drawings, &error), "%s", error.text);
    kg__plot_add_shapes(html, drawings[0]);
    cr_assert(kg__plot_add_drawing(html, drawings[1], &plots[1]));
    text = page_of(html);
    cr_expect(occurrences(text, "<svg") == 2);
    cr_expect(occurrences(text, "id=\"gpPt6\"") == 1);
    cr_expect(occurrences(text, "<title>naive</title>") == 1, "%s", text);
    cr_expect(occurrences(text, "it's '$HOME' `ls`") == 1);
    cr_expect(occurrences(text, "class=\"s1\"") == 4, "a line and three points");
    cr_expect(occurrences(text, "class=\"s2\"") == 3);
    cr_expect(occurrences(text, "rgb(") == 0 && occurrences(text, "black") == 0);
    free(text);
    for (int i = 0; i < 2; i++) {
        free(drawings[i]);
        kg__plot_free(&plots[i]);
    }
}
