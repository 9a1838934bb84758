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

typedef struct table_cell {
    char *shown;
    char *exact; /* NULL: as shown */
} table_cell;

/* The column of no word. */
#define NO_COLUMN SIZE_MAX

struct kg__text_table {
    const kg__text_table_column *columns;
    size_t width;
    table_cell *cells;
    size_t count;
    size_t capacity;
    size_t colored; /* the column of verdicts' words; NO_COLUMN: none */
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
    kg__text_table *table = kg__allocate(1, sizeof *table);

    table->columns = columns;
    table->width = count;
    table->colored = NO_COLUMN;
    return table;
}

void kg__text_table_color_words(kg__text_table *table, size_t column)
{
    table->colored = column;
}

void kg__text_table_add(kg__text_table *table, const char *shown, const char *exact)
{
    table->cells = kg__grow(table->cells, table->count, &table->capacity, sizeof *table->cells);
    table->cells[table->count++] =
        (table_cell){ .shown = kg__clean_text(shown, true),
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

void kg__text_table_add_figure(kg__text_table *table, const char *shown, double exact)
{
    char text[40];

    write_exact(text, sizeof text, exact);
    kg__text_table_add(table, shown, text);
}

size_t kg__text_table_rows(const kg__text_table *table)
{
    return table->width > 0 ? table->count / table->width : 0;
}

/* The width of a column of a terminal's table: that of its widest cell. */
static size_t column_width(const kg__text_table *table, size_t column, bool titled)
{
    size_t width = titled ? kg__shown_width(table->columns[column].title) : 0;

    for (size_t i = column; i < table->count; i += table->width) {
        size_t shown = kg__shown_width(table->cells[i].shown);

        if (width < shown)
            width = shown;
    }
    return width;
}

/* The column after which a row has no more to show, so that no line ends in spaces. */
static size_t find_row_end(const kg__text_table *table, const table_cell *row)
{
    size_t end = table->width;

    while (row != NULL && end > 0 &&
           (table->columns[end - 1].csv_only || *row[end - 1].shown == '\0'))
        end--;
    return end;
}

/* Writes a row of a terminal's table; the titles where `row` is NULL. */
static void write_aligned(FILE *stream, const kg__text_table *table, const table_cell *row,
                          const size_t *widths)
{
    const char *gap = "";
    size_t end = find_row_end(table, row);
    bool colors = row != NULL && table->colored != NO_COLUMN && kg__color_wanted(stream);

    for (size_t i = 0; i < end; i++) {
        const char *text = row != NULL ? row[i].shown : table->columns[i].title;
        const char *color = colors && i == table->colored ? kg__color_of_word(text) : "";
        const char *plain = *color != '\0' ? KG__PLAIN : "";
        int padding = (int)(widths[i] - kg__shown_width(text));

        if (table->columns[i].csv_only)
            continue;
        fputs(gap, stream);
        if (table->columns[i].right)
            fprintf(stream, "%*s%s%s%s", padding, "", color, text, plain);
        else
            fprintf(stream, "%s%s%s%*s", color, text, plain, i + 1 < end ? padding : 0, "");
        gap = "  ";
    }
    fputc('\n', stream);
}

static void write_text(FILE *stream, const kg__text_table *table, bool titled)
{
    size_t *widths = kg__allocate(table->width, sizeof *widths);

    for (size_t i = 0; i < table->width; i++)
        widths[i] = column_width(table, i, titled);
    if (titled)
        write_aligned(stream, table, NULL, widths);
    for (size_t row = 0; row < kg__text_table_rows(table); row++)
        write_aligned(stream, table, table->cells + row * table->width, widths);
    free(widths);
}

static void write_markdown(FILE *stream, const kg__text_table *table, bool titled)
{
    for (size_t i = 0; i < table->width && titled; i++) {
        if (!table->columns[i].csv_only)
            fprintf(stream, "| %s ", table->columns[i].title);
    }
    fputs(titled ? "|\n" : "", stream);
    for (size_t i = 0; i < table->width && titled; i++) {
        if (!table->columns[i].csv_only)
            fputs(table->columns[i].right ? "| ---: " : "| --- ", stream);
    }
    fputs(titled ? "|\n" : "", stream);
    for (size_t i = 0; i < kg__text_table_rows(table) * table->width; i++) {
        if (!table->columns[i % table->width].csv_only) {
            fputs("| ", stream);
            kg__write_markdown(stream, table->cells[i].shown);
            fputc(' ', stream);
        }
        if ((i + 1) % table->width == 0)
            fputs("|\n", stream);
    }
}

static void write_csv(FILE *stream, const kg__text_table *table, bool titled)
{
    for (size_t i = 0; i < table->width && titled; i++) {
        kg__write_csv_field(stream, table->columns[i].title);
        fputc(i + 1 < table->width ? ',' : '\n', stream);
    }
    for (size_t i = 0; i < kg__text_table_rows(table) * table->width; i++) {
        const table_cell *entry = &table->cells[i];

        kg__write_csv_field(stream, entry->exact != NULL ? entry->exact : entry->shown);
        fputc((i + 1) % table->width == 0 ? '\n' : ',', stream);
    }
}

void kg__text_table_write(FILE *stream, const kg__text_table *table, kg__text_table_format format,
                          bool titled)
{
    switch (format) {
    case KG__GRID_TEXT:
        write_text(stream, table, titled);
        break;
    case KG__GRID_MARKDOWN:
        write_markdown(stream, table, titled);
        break;
    case KG__GRID_CSV:
        write_csv(stream, table, titled);
        break;
    }
}

void kg__text_table_free(kg__text_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->cells[i].shown);
        free(table->cells[i].exact);
    }
    free(table->cells);
    free(table);
}
