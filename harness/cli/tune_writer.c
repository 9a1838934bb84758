#include "cli/tune_writer.h"

#include <math.h>

#include "base/json.h"
#include "base/text.h"
#include "records/records.h"
#include "results/results_text.h"

#define NANOSECONDS_A_MICROSECOND 1000.0

/* From this many microseconds, a time is shown without decimals. */
#define LEAST_WITHOUT_DECIMALS 1000

kg__tuning_writer kg__tuning_writer_begin(FILE *stream, const kg__tuning_report *report,
                                          kg__text_table_format format)
{
    return (kg__tuning_writer){ .stream = stream,
                                .report = report,
                                .tuning = report->tuning,
                                .format = format,
                                .timed = kg__tuning_is_timed(report->tuning) };
}

/* The title of the metric. */
static const char *choose_figure_title(const kg__tuning_writer *writer)
{
    return writer->timed ? "time" : writer->tuning->metric;
}

void kg__tuning_heading(kg__tuning_writer *writer, const char *comparison, const char *size,
                        const char *what)
{
    const char *target = kg__json_text(writer->report->target, "name");
    char text[2 * KG__CELL_SIZE];

    if (*target == '\0')
        target = kg__json_text(writer->report->target, "key");
    kg__format(text, sizeof text, "%s%s%s on %s: %s%s%s", comparison, *size != '\0' ? " " : "",
               size, target, choose_figure_title(writer), what, writer->timed ? ", in µs" : "");
    fprintf(writer->stream, "%s%s", writer->begun ? "\n" : "",
            writer->format == KG__GRID_TEXT ? "" : "### ");
    if (writer->format == KG__GRID_TEXT)
        kg__print(writer->stream, "%s", text);
    else
        kg__write_markdown(writer->stream, text);
    fputs("\n\n", writer->stream);
    writer->begun = true;
}

void kg__tuning_remark(const kg__tuning_writer *writer, const char *text)
{
    fputs("\n", writer->stream);
    if (writer->format == KG__GRID_TEXT)
        kg__print(writer->stream, "%s", text);
    else
        kg__write_markdown(writer->stream, text);
    fputs("\n", writer->stream);
}

void kg__tuning_show(const kg__tuning_writer *writer, char *text, size_t size, double value)
{
    double shown = value / NANOSECONDS_A_MICROSECOND;

    /* Times always have decimals, since they are aligned in a column. */
    if (writer->timed && shown < LEAST_WITHOUT_DECIMALS)
        kg__format(text, size, "%.*f", shown < 10 ? 3 : shown < 100 ? 2 : 1, shown);
    else
        kg__show_figure(text, size, writer->timed ? shown : value, "");
}

void kg__tuning_add_text(kg__text_table *grid, const char *text)
{
    kg__text_table_add(grid, text, NULL);
}

void kg__tuning_add_known(kg__text_table *grid, double value)
{
    char text[KG__FIGURE_SIZE];

    kg__show_figure(text, sizeof text, value, "");
    kg__text_table_add_figure(grid, isnan(value) ? "" : text, value);
}
