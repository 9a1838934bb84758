#include "base/text_table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/message.h"
#include "base/text.h"

/* Whole numbers below it are written out, without an exponent. */
#define LARGEST_WHOLE 1e16

typedef struct cell {
    char *shown;
    char *exact; /* NULL: as shown */
} cell;

/* The column of no word. */
#define NO_COLUMN SIZE_MAX

struct kg__text_table {
    const kg__text_table_column *columns;
    size_t width;
    cell *cells;
    size_t count;
    size_t room;
    size_t coloured; /* the column of verdicts' words; NO_COLUMN: none */
};

bool kg__text_table_format_parse(const char *name, kg__text_table_format *format)
{
    static const char *const names[] = { "text", "markdown", "csv" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (kg__text_table_format)i;
            return true;
        }
    }
    return false;
}

kg__text_table *kg__text_table_new(const kg__text_table_column *columns, size_t count)
{
    kg__text_table *grid = kg__allocate(1, sizeof *grid);

    grid->columns = columns;
    grid->width = count;
    grid->coloured = NO_COLUMN;
    return grid;
}

void kg__text_table_color_words(kg__text_table *grid, size_t column)
{
    grid->coloured = column;
}

void kg__text_table_add(kg__text_table *grid, const char *shown, const char *exact)
{
    grid->cells = kg__grow(grid->cells, grid->count, &grid->room, sizeof *grid->cells);
    grid->cells[grid->count++] =
        (cell){ .shown = kg__clean_text(shown, true),
                .exact = exact != NULL ? kg__clean_text(exact, true) : NULL };
}

/* A figure in as few digits as read back as the same one; whole ones without an exponent. */
static void write_exact(char *text, size_t size, double figure)
{
    text[0] = '\0';
    if (isnan(figure))
        return;
    if (figure == rint(figure) && fabs(figure) < LARGEST_WHOLE) {
        snprintf(text, size, "%.0f", figure);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, figure);
        if (strtod(text, NULL) == figure)
            break;
    }
}

void kg__text_table_add_figure(kg__text_table *grid, const char *shown, double exact)
{
    char text[40];

    write_exact(text, sizeof text, exact);
    kg__text_table_add(grid, shown, text);
}

size_t kg__text_table_rows(const kg__text_table *grid)
{
    return grid->width > 0 ? grid->count / grid->width : 0;
}

/* The width of a column of a terminal's table: that of its widest cell. */
static size_t width_of(const kg__text_table *grid, size_t column, bool titled)
{
    size_t width = titled ? kg__shown_width(grid->columns[column].title) : 0;

    for (size_t i = column; i < grid->count; i += grid->width) {
        size_t shown = kg__shown_width(grid->cells[i].shown);

        if (width < shown)
            width = shown;
    }
    return width;
}

/* The column after which a row has no more to show, so that no line ends in spaces. */
static size_t end_of(const kg__text_table *grid, const cell *row)
{
    size_t end = grid->width;

    while (row != NULL && end > 0 &&
           (grid->columns[end - 1].csv_only || *row[end - 1].shown == '\0'))
        end--;
    return end;
}

/* Writes a row of a terminal's table; the titles where `row` is NULL. */
static void write_aligned(FILE *stream, const kg__text_table *grid, const cell *row,
                          const size_t *widths)
{
    const char *gap = "";
    size_t end = end_of(grid, row);
    bool colours = row != NULL && grid->coloured != NO_COLUMN && kg__color_wanted(stream);

    for (size_t i = 0; i < end; i++) {
        const char *text = row != NULL ? row[i].shown : grid->columns[i].title;
        const char *colour = colours && i == grid->coloured ? kg__color_of_word(text) : "";
        const char *plain = *colour != '\0' ? KG__PLAIN : "";
        int padding = (int)(widths[i] - kg__shown_width(text));

        if (grid->columns[i].csv_only)
            continue;
        fputs(gap, stream);
        if (grid->columns[i].right)
            fprintf(stream, "%*s%s%s%s", padding, "", colour, text, plain);
        else
            fprintf(stream, "%s%s%s%*s", colour, text, plain, i + 1 < end ? padding : 0, "");
        gap = "  ";
    }
    fputc('\n', stream);
}

static void write_text(FILE *stream, const kg__text_table *grid, bool titled)
{
    size_t *widths = kg__allocate(grid->width, sizeof *widths);

    for (size_t i = 0; i < grid->width; i++)
        widths[i] = width_of(grid, i, titled);
    if (titled)
        write_aligned(stream, grid, NULL, widths);
    for (size_t row = 0; row < kg__text_table_rows(grid); row++)
        write_aligned(stream, grid, grid->cells + row * grid->width, widths);
    free(widths);
}

static void write_markdown(FILE *stream, const kg__text_table *grid, bool titled)
{
    for (size_t i = 0; i < grid->width && titled; i++) {
        if (!grid->columns[i].csv_only)
            fprintf(stream, "| %s ", grid->columns[i].title);
    }
    fputs(titled ? "|\n" : "", stream);
    for (size_t i = 0; i < grid->width && titled; i++) {
        if (!grid->columns[i].csv_only)
            fputs(grid->columns[i].right ? "| ---: " : "| --- ", stream);
    }
    fputs(titled ? "|\n" : "", stream);
    for (size_t i = 0; i < kg__text_table_rows(grid) * grid->width; i++) {
        if (!grid->columns[i % grid->width].csv_only) {
            fputs("| ", stream);
            kg__write_markdown(stream, grid->cells[i].shown);
            fputc(' ', stream);
        }
        if ((i + 1) % grid->width == 0)
            fputs("|\n", stream);
    }
}

static void write_csv(FILE *stream, const kg__text_table *grid, bool titled)
{
    for (size_t i = 0; i < grid->width && titled; i++) {
        kg__write_csv_field(stream, grid->columns[i].title);
        fputc(i + 1 < grid->width ? ',' : '\n', stream);
    }
    for (size_t i = 0; i < kg__text_table_rows(grid) * grid->width; i++) {
        const cell *one = &grid->cells[i];

        kg__write_csv_field(stream, one->exact != NULL ? one->exact : one->shown);
        fputc((i + 1) % grid->width == 0 ? '\n' : ',', stream);
    }
}

void kg__text_table_write(FILE *stream, const kg__text_table *grid, kg__text_table_format format,
                          bool titled)
{
    switch (format) {
    case KG__GRID_TEXT:
        write_text(stream, grid, titled);
        break;
    case KG__GRID_MARKDOWN:
        write_markdown(stream, grid, titled);
        break;
    case KG__GRID_CSV:
        write_csv(stream, grid, titled);
        break;
    }
}

void kg__text_table_free(kg__text_table *grid)
{
    for (size_t i = 0; i < grid->count; i++) {
        free(grid->cells[i].shown);
        free(grid->cells[i].exact);
    }
    free(grid->cells);
    free(grid);
}
