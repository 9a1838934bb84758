/* Plots: what builds them, and gnuplot, which draws them. */
#include "report/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/process.h"
#include "base/text.h"
#include "suite/settings.h"

/* Of a drawing, in its own units, which are about a pixel wide where it is shown at full size. */
#define WIDTH 440
#define HEIGHT 300
#define FONT_SIZE 13

/* Of what is shown along the axis of places: how many characters fit side by side, and how many
 * names once they are slanted. */
#define FITTING_CHARACTERS 46
#define FITTING_NAMES 26

/* Values that span more than this are shown on a logarithmic axis. */
#define WIDEST_LINEAR 20.0

/* A logarithmic axis begins at a power of ten below this share of the least value, lest its bar
 * have no height, and ends at this many times the greatest. */
#define LOWEST_BAR 0.8
#define HIGHEST_ROOM 1.5

/* From here on a logarithmic axis has 100k, 1M and so on. */
#define FIRST_PREFIXED 1e5

/* What series take of the room between places. */
#define BARS_SHARE 0.8

/* How far dots at one place are spread, and over how many columns. */
#define DOTS_SHARE 0.5
#define DOTS_COLUMNS 9

/* Colours that stand for the style sheet's: rgb(1, 1, STYLE) and rgb(1, 2, MARK). */
#define SERIES_COLOUR "#0101%02x"
#define MARK_COLOUR "#0102%02x"

#define DRAWING_SECONDS 60.0
/* What a shell ends with, and env too, where the program that it was to run is not there. */
#define SHELL_NOT_FOUND 127
#define LARGEST_OUTPUT ((size_t)64 << 20)

void kg__plot_begin(kg__plot *plot, kg__plot_kind kind, const char *title, const char *place_title,
                    const char *value_title)
{
    *plot = (kg__plot){ .kind = kind,
                        .title = kg__copy_text(title),
                        .place_title = kg__copy_text(place_title),
                        .value_title = kg__copy_text(value_title) };
}

size_t kg__plot_add_place(kg__plot *plot, const char *name)
{
    plot->places = kg__grow(plot->places, plot->place_count, &plot->place_room, sizeof(char *));
    plot->places[plot->place_count] = kg__copy_text(name);
    return plot->place_count++;
}

size_t kg__plot_add_series(kg__plot *plot, const char *name, size_t style)
{
    plot->series =
        kg__grow(plot->series, plot->series_count, &plot->series_room, sizeof *plot->series);
    plot->series[plot->series_count] =
        (kg__plot_series){ .name = kg__copy_text(name), .style = style };
    return plot->series_count++;
}

void kg__plot_add_point(kg__plot *plot, size_t series, size_t place, double value)
{
    kg__plot_series *to = &plot->series[series];

    if (!isfinite(value))
        return;
    to->points = kg__grow(to->points, to->count, &to->room, sizeof *to->points);
    to->points[to->count++] = (kg__plot_point){ place, value };
}

void kg__plot_add_mark(kg__plot *plot, const char *name, double value)
{
    if (!isfinite(value))
        return;
    plot->marks = kg__grow(plot->marks, plot->mark_count, &plot->mark_room, sizeof *plot->marks);
    plot->marks[plot->mark_count++] = (kg__plot_mark){ kg__copy_text(name), value };
}

void kg__plot_free(kg__plot *plot)
{
    for (size_t i = 0; i < plot->place_count; i++)
        free(plot->places[i]);
    for (size_t i = 0; i < plot->series_count; i++) {
        free(plot->series[i].name);
        free(plot->series[i].points);
    }
    for (size_t i = 0; i < plot->mark_count; i++)
        free(plot->marks[i].name);
    free(plot->places);
    free(plot->series);
    free(plot->marks);
    free(plot->title);
    free(plot->place_title);
    free(plot->value_title);
    *plot = (kg__plot){ .kind = KG__PLOT_LINES };
}

unsigned kg__plot_class(const kg__plot_series *series)
{
    return (unsigned)(series->style % KG__PLOT_STYLES) + 1;
}

/* The shape of a series' points: gnuplot's circle, square, triangles, diamond and pentagon, filled,
 * and two that are not. */
static int shape_of(const kg__plot_series *series)
{
    static const int shapes[KG__PLOT_STYLES] = { 7, 5, 9, 13, 11, 15, 6, 4 };

    return shapes[series->style % KG__PLOT_STYLES];
}

/* Writes a text of any origin as one of gnuplot's, in which nothing has a meaning but the quote. */
static void write_quoted(FILE *stream, const char *text)
{
    char *clean = kg__clean_text(text, true);

    fputc('\'', stream);
    for (const char *c = clean; *c != '\0'; c++) {
        if (*c == '\'')
            fputc('\'', stream);
        fputc(*c, stream);
    }
    fputc('\'', stream);
    free(clean);
}

static void write_labels(FILE *stream, const kg__plot *plot)
{
    size_t step = plot->place_count / FITTING_NAMES + 1;
    size_t characters = 0;

    for (size_t i = 0; i < plot->place_count; i++)
        characters += kg__shown_width(plot->places[i]) + 2;
    fprintf(stream, "set xrange [-0.5:%zu.5]\nset xtics nomirror%s (", plot->place_count - 1,
            characters > FITTING_CHARACTERS ? " rotate by 40 right" : " norotate");
    for (size_t i = 0; i < plot->place_count; i += step) {
        if (i > 0)
            fputs(", ", stream);
        write_quoted(stream, plot->places[i]);
        fprintf(stream, " %zu", i);
    }
    fputs(")\n", stream);
}

/* The least and the greatest value that is drawn. */
static void find_range(const kg__plot *plot, double *least, double *greatest)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    for (size_t i = 0; i < plot->series_count; i++) {
        for (size_t j = 0; j < plot->series[i].count; j++) {
            *least = fmin(*least, plot->series[i].points[j].value);
            *greatest = fmax(*greatest, plot->series[i].points[j].value);
        }
    }
    for (size_t i = 0; i < plot->mark_count; i++) {
        *least = fmin(*least, plot->marks[i].value);
        *greatest = fmax(*greatest, plot->marks[i].value);
    }
}

/* What a linear axis counts in. */
typedef struct scale {
    double from; /* the greatest value at which it does */
    double unit;
    const char *name;
} scale;

static const scale scales[] = {
    { 1e11, 1e9, "billions" }, { 1e8, 1e6, "millions" }, { 1e5, 1e3, "thousands" }, { 0, 1, "" }
};

/* How a plot's values are shown. */
typedef struct axis {
    double least;
    double greatest;
    bool logarithmic;
    const scale *scale;
} axis;

static axis choose_axis(const kg__plot *plot)
{
    axis chosen = { .scale = scales };

    find_range(plot, &chosen.least, &chosen.greatest);
    chosen.logarithmic = chosen.least > 0 && chosen.greatest > WIDEST_LINEAR * chosen.least &&
                         plot->kind != KG__PLOT_DOTS;
    while (chosen.greatest < chosen.scale->from || (chosen.logarithmic && chosen.scale->from > 0))
        chosen.scale++;
    return chosen;
}

static void write_axis(FILE *stream, const kg__plot *plot, const axis *shown)
{
    double least = shown->least / shown->scale->unit;
    double greatest = shown->greatest / shown->scale->unit;
    double margin = greatest > least ? (greatest - least) / 10 : fmax(fabs(greatest) / 10, 1e-9);
    char title[KG__MESSAGE_SIZE];

    kg__format(title, sizeof title, "%s%s%s", shown->scale->name,
               *shown->scale->name != '\0' && *plot->value_title != '\0' ? " of " : "",
               plot->value_title);
    fputs("set ylabel ", stream);
    write_quoted(stream, title);
    if (shown->logarithmic)
        fprintf(stream, "\nset logscale y\nset yrange [%.9g:%.9g]\nset format y '%s'\n",
                pow(10, floor(log10(LOWEST_BAR * least))), HIGHEST_ROOM * greatest,
                greatest >= FIRST_PREFIXED ? "%.0s%c" : "%g");
    else
        fprintf(stream, "\nset yrange [%.9g:%.9g]\nset format y '%%g'\n",
                plot->from_data ? least - margin : fmin(0, least), greatest + margin);
}

/* Where a point stands along the axis of places. */
static double position_of(const kg__plot *plot, size_t series, size_t point)
{
    size_t place = plot->series[series].points[point].place;
    double width = BARS_SHARE / (double)plot->series_count;
    size_t middle = DOTS_COLUMNS / 2;

    if (plot->kind == KG__PLOT_BARS)
        return (double)place + width * ((double)series - (double)(plot->series_count - 1) / 2);
    if (plot->kind == KG__PLOT_DOTS)
        return (double)place +
               DOTS_SHARE / DOTS_COLUMNS * ((double)(point % DOTS_COLUMNS) - (double)middle);
    return (double)place;
}

static void write_data(FILE *stream, const kg__plot *plot, double unit)
{
    for (size_t i = 0; i < plot->series_count; i++) {
        if (plot->series[i].count == 0)
            continue;
        fprintf(stream, "$series%zu << END\n", i);
        for (size_t j = 0; j < plot->series[i].count; j++)
            fprintf(stream, "%.4f %.9g\n", position_of(plot, i, j),
                    plot->series[i].points[j].value / unit);
        fputs("END\n", stream);
    }
}

static void write_drawing(FILE *stream, const kg__plot *plot, double unit)
{
    const char *between = "plot ";

    for (size_t i = 0; i < plot->mark_count; i++) {
        fprintf(stream, "%s%.9g with lines lw 1.5 dt (6,4) lc rgb '" MARK_COLOUR "' title ",
                between, plot->marks[i].value / unit, (unsigned)i + 1);
        write_quoted(stream, plot->marks[i].name);
        between = ", ";
    }
    for (size_t i = 0; i < plot->series_count; i++) {
        unsigned style = kg__plot_class(&plot->series[i]);

        if (plot->series[i].count == 0)
            continue;
        fprintf(stream, "%s$series%zu using 1:2 with ", between, i);
        if (plot->kind == KG__PLOT_BARS)
            fprintf(stream, "boxes lc rgb '" SERIES_COLOUR "' title ", style);
        else
            fprintf(stream, "%s lw 2 pt %d ps %s lc rgb '" SERIES_COLOUR "' title ",
                    plot->kind == KG__PLOT_LINES ? "linespoints" : "points",
                    shape_of(&plot->series[i]), plot->kind == KG__PLOT_LINES ? "0.9" : "0.5",
                    style);
        write_quoted(stream, plot->series[i].name);
        between = ", ";
    }
    fputc('\n', stream);
}

static void write_plot(FILE *stream, const kg__plot *plot)
{
    axis shown = choose_axis(plot);

    fputs("reset\nset encoding utf8\nset border 3\nset ytics nomirror\nset grid ytics\nset key "
          "off\nset style fill solid\n",
          stream);
    fprintf(stream, "set boxwidth %.4f\nset xlabel ", BARS_SHARE / (double)plot->series_count);
    write_quoted(stream, plot->place_title);
    fputc('\n', stream);
    write_labels(stream, plot);
    write_axis(stream, plot, &shown);
    write_data(stream, plot, shown.scale->unit);
    write_drawing(stream, plot, shown.scale->unit);
}

void kg__plots_write_script(FILE *stream, const kg__plot *plots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,%d'\n",
                WIDTH, HEIGHT, FONT_SIZE);
        write_plot(stream, &plots[i]);
    }
}

/* Takes the drawings that gnuplot printed apart; false unless there are just as many as asked. */
static bool split_drawings(const char *printed, char **drawings, size_t count)
{
    static const char end[] = "</svg>";
    size_t found = 0;

    for (;;) {
        const char *from = strstr(printed, "<svg");
        const char *to = from != NULL ? strstr(from, end) : NULL;

        if (to == NULL)
            return found == count;
        if (found == count)
            return false;
        to += strlen(end);
        drawings[found] = kg__allocate((size_t)(to - from) + 1, 1);
        memcpy(drawings[found++], from, (size_t)(to - from));
        printed = to;
    }
}

/* The last line that gnuplot printed which says something. */
static const char *last_words(char *printed)
{
    const char *last = "it said nothing";
    char *rest = NULL;

    for (char *line = strtok_r(printed, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        if (line[strspn(line, " \t^")] != '\0')
            last = line + strspn(line, " \t");
    return last;
}

static bool run_gnuplot(const char *program, const char *script, char *printed, kg__error *error)
{
    const char *const arguments[] = { program, "-d", script, NULL };
    int code = kg__probe(arguments, DRAWING_SECONDS, printed, LARGEST_OUTPUT);

    if (code == KG__PROBE_NOT_FOUND)
        return kg__fail(error, "%s is not installed here: apt-get install gnuplot-nox", program);
    if (code == KG__PROBE_TIMED_OUT)
        return kg__fail(
            error,
            "%s took longer than %.0f s, and was ended: run it by hand to see why, or name "
            "another by KG_GNUPLOT",
            program, DRAWING_SECONDS);
    if (code == KG__PROBE_CRASHED)
        return kg__fail(
            error, "%s crashed: run it by hand to see why, or name another by KG_GNUPLOT", program);
    if (code == SHELL_NOT_FOUND)
        return kg__fail(
            error, "%s cannot be run: apt-get install gnuplot-nox, or name another by KG_GNUPLOT",
            program);
    if (code != 0)
        return kg__fail(error,
                        "%s ended with code %d: %s: run it by hand, or name another by KG_GNUPLOT",
                        program, code, last_words(printed));
    return true;
}

/* The commands in a file without a name, which other processes read by this one's number. */
static int store_script(const kg__plot *plots, size_t count, char *path, size_t size)
{
    int file = memfd_create("plots", MFD_CLOEXEC);
    int copy = file >= 0 ? dup(file) : -1;
    FILE *stream = copy >= 0 ? fdopen(copy, "w") : NULL;

    if (stream == NULL) {
        if (copy >= 0)
            close(copy);
        if (file >= 0)
            close(file);
        return -1;
    }
    kg__plots_write_script(stream, plots, count);
    if (fclose(stream) != 0) {
        close(file);
        return -1;
    }
    kg__format(path, size, "/proc/%ld/fd/%d", (long)getpid(), file);
    return file;
}

const char *kg__gnuplot(void)
{
    const char *named = kg__setting("KG_GNUPLOT");

    return named != NULL ? named : "gnuplot";
}

bool kg__plots_draw(const kg__plot *plots, size_t count, char **drawings, kg__error *error)
{
    const char *program = kg__gnuplot();
    char path[64];
    char *printed;
    bool drawn;
    int file;

    for (size_t i = 0; i < count; i++)
        drawings[i] = NULL;
    if (count == 0)
        return true;
    file = store_script(plots, count, path, sizeof path);
    if (file < 0)
        return kg__fail(error, "the commands for %s cannot be stored: free some memory", program);
    printed = kg__allocate(LARGEST_OUTPUT, 1);
    drawn = run_gnuplot(program, path, printed, error);
    if (drawn && !split_drawings(printed, drawings, count))
        drawn = kg__fail(
            error,
            "%s drew another number of plots than the %zu asked for: name another by KG_GNUPLOT",
            program, count);
    for (size_t i = 0; i < count && !drawn; i++) {
        free(drawings[i]);
        drawings[i] = NULL;
    }
    free(printed);
    close(file);
    return drawn;
}
