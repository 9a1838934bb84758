/* Writes the best launches of a search and their ratios, for a terminal or as Markdown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/tune_writer.h"

static void add_fraction(kg__text_table *grid, double fraction)
{
    char text[KG__FIGURE_SIZE];

    kg__show_percent(text, sizeof text, fraction, false);
    kg__text_table_add_figure(grid, isnan(fraction) ? "" : text, fraction);
}

static void show_interval(const kg__tuning_writer *writer, const kg__interval *interval, char *text,
                          size_t size)
{
    char low[KG__FIGURE_SIZE];
    char high[KG__FIGURE_SIZE];

    if (!isfinite(interval->low) || !isfinite(interval->high)) {
        kg__format(text, size, "unknown");
        return;
    }
    kg__tuning_show(writer, low, sizeof low, interval->low);
    kg__tuning_show(writer, high, sizeof high, interval->high);
    kg__format(text, size, "%s to %s", low, high);
}

/* The tallies at the end of a row; columns of zeros are omitted. */
typedef enum tally_column {
    SAMPLES,
    CANDIDATES,
    DROPPED,
    PASSED_OVER,
    REFUSED,
    WRONG,
    FAILED,
    TALLIES
} tally_column;

static const char *const tally_titles[TALLIES] = { "samples",     "candidates", "dropped",
                                                   "passed over", "refused",    "wrong",
                                                   "failed" };

static size_t get_tally(const kg__tuning_tally *tally, tally_column column)
{
    const size_t values[TALLIES] = { tally->samples,
                                     tally->candidates,
                                     tally->dropped,
                                     tally->fates[KG__TUNING_PASSED_OVER],
                                     tally->fates[KG__TUNING_REFUSED],
                                     tally->fates[KG__TUNING_WRONG],
                                     tally->fates[KG__TUNING_FAILED] };

    return values[column];
}

/* Whether a problem's tables have this column. */
static bool has_tally(const kg__tuning_writer *writer, const kg__tuning_problem *problem,
                      tally_column column)
{
    static const kg__tuning_set every = { "", "*" };
    kg__tuning_tally tally = kg__tuning_count(writer->tuning, problem, &every);

    return column == SAMPLES ? writer->timed : get_tally(&tally, column) > 0;
}

/* The columns before them, in add_best()'s order. */
static const kg__text_table_column timed_columns[] = {
    { "fastest", false, false },
    { "time", true, false },
    { "95 % interval", true, false },
    { "GB/s", true, false },
    { "GFLOP/s", true, false },
    { "occupancy", true, false },
    { "highest bandwidth", false, false },
    { "highest occupancy", false, false },
};

static const kg__text_table_column counted_columns[] = {
    { "fewest", false, false },
    { "count", true, false },
};

#define TIMED_COLUMNS (sizeof timed_columns / sizeof *timed_columns)
#define COUNTED_COLUMNS (sizeof counted_columns / sizeof *counted_columns)

static void add_best_by_time(const kg__tuning_writer *writer, kg__text_table *grid,
                             const kg__tuning_problem *problem, const kg__tuning_set *set,
                             const kg__tuning_candidate *fastest)
{
    const kg__tuning_candidate *widest =
        kg__tuning_best(writer->tuning, problem, set, KG__TUNING_BY_BANDWIDTH);
    const kg__tuning_candidate *fullest =
        kg__tuning_best(writer->tuning, problem, set, KG__TUNING_BY_OCCUPANCY);
    kg__interval time = kg__tuning_figure(fastest);
    char text[KG__CELL_SIZE];

    kg__tuning_show(writer, text, sizeof text, time.value);
    kg__text_table_add_figure(grid, text, time.value);
    show_interval(writer, &time, text, sizeof text);
    kg__tuning_add_text(grid, text);
    kg__tuning_add_known(grid, kg__tuning_gigabytes(fastest));
    kg__tuning_add_known(grid, kg__tuning_gigaflops(fastest));
    add_fraction(grid, fastest->occupancy);
    kg__tuning_add_text(grid, widest != NULL ? widest->name.launch : "");
    if (fullest != NULL) {
        char occupancy[KG__FIGURE_SIZE];
        char taken[KG__FIGURE_SIZE];

        kg__show_percent(occupancy, sizeof occupancy, fullest->occupancy, false);
        kg__tuning_show(writer, taken, sizeof taken, kg__tuning_figure(fullest).value);
        kg__format(text, sizeof text, "%s (%s, %s)", fullest->name.launch, occupancy, taken);
    }
    kg__tuning_add_text(grid, fullest != NULL ? text : "");
}

/* The launch of the best, with its variant if the set has several. */
static void name_launch(const kg__tuning_set *set, const kg__tuning_candidate *best, char *text,
                        size_t size)
{
    bool alone = strcmp(set->name, best->name.variant) == 0;

    kg__format(text, size, "%s%s%s", alone ? "" : best->name.variant, alone ? "" : " ",
               best->name.launch);
}

static void add_best(const kg__tuning_writer *writer, kg__text_table *grid,
                     const kg__tuning_problem *problem, const kg__tuning_set *set)
{
    const kg__tuning_candidate *best =
        kg__tuning_best(writer->tuning, problem, set, KG__TUNING_BY_FIGURE);
    kg__tuning_tally tally = kg__tuning_count(writer->tuning, problem, set);
    char text[KG__CELL_SIZE] = "none";

    kg__tuning_add_text(grid, set->name);
    if (best != NULL)
        name_launch(set, best, text, sizeof text);
    if (best != NULL && !writer->timed) {
        size_t others = kg__tuning_ties(writer->tuning, problem, set, best) - 1;
        size_t used = strlen(text);

        if (others > 0)
            kg__format(text + used, sizeof text - used, " and %zu more", others);
    }
    kg__tuning_add_text(grid, text);
    if (best == NULL) {
        for (size_t i = 1; i < (writer->timed ? TIMED_COLUMNS : COUNTED_COLUMNS); i++)
            kg__tuning_add_text(grid, "");
    } else if (writer->timed) {
        add_best_by_time(writer, grid, problem, set, best);
    } else {
        kg__tuning_add_known(grid, best->figure.value);
    }
    for (int column = 0; column < TALLIES; column++)
        if (has_tally(writer, problem, (tally_column)column))
            kg__tuning_add_known(grid, (double)get_tally(&tally, (tally_column)column));
}

static void write_bests(const kg__tuning_writer *writer, const kg__tuning_problem *problem,
                        const kg__tuning_set *sets, size_t count, const char *title)
{
    kg__text_table_column columns[1 + TIMED_COLUMNS + TALLIES] = { { title, false, false } };
    size_t width = 1 + (writer->timed ? TIMED_COLUMNS : COUNTED_COLUMNS);
    kg__text_table *grid;

    memcpy(columns + 1, writer->timed ? timed_columns : counted_columns,
           (width - 1) * sizeof *columns);
    for (int column = 0; column < TALLIES; column++)
        if (has_tally(writer, problem, (tally_column)column))
            columns[width++] = (kg__text_table_column){ tally_titles[column], true, false };
    grid = kg__text_table_new(columns, width);
    for (size_t i = 0; i < count; i++)
        add_best(writer, grid, problem, &sets[i]);
    kg__text_table_write(writer->stream, grid, writer->format, true);
    kg__text_table_free(grid);
}

/* Formats a ratio. */
static void show_ratio(double ratio, char *text, size_t size)
{
    if (ratio < 10)
        kg__format(text, size, "%.*f", ratio < 0.1 ? 5 : 3, ratio);
    else
        kg__show_figure(text, size, ratio, "");
}

static void show_comparison(const kg__tuning_writer *writer, const kg__tuning_ratio *ratio,
                            char *text, size_t size)
{
    char value[KG__FIGURE_SIZE];
    char low[KG__FIGURE_SIZE];
    char high[KG__FIGURE_SIZE];

    if (!ratio->known) {
        kg__format(text, size, "unknown");
        return;
    }
    show_ratio(ratio->times.value, value, sizeof value);
    show_ratio(ratio->times.low, low, sizeof low);
    show_ratio(ratio->times.high, high, sizeof high);
    if (!writer->timed)
        kg__format(text, size, "%s", ratio->differs ? value : "no difference");
    else if (ratio->differs)
        kg__format(text, size, "%s (%s to %s)", value, low, high);
    else
        kg__format(text, size, "no difference (%s to %s)", low, high);
}

/* Adds one row of the matrix: a set against every other; keeps the reason of an unknown ratio. */
static void add_ratios(const kg__tuning_writer *writer, kg__text_table *grid,
                       const kg__tuning_candidate *const *bests, size_t count, size_t row,
                       const char **why)
{
    for (size_t i = 0; i < count; i++) {
        kg__tuning_ratio ratio;
        char text[KG__CELL_SIZE] = "";

        if (i != row && bests[i] == bests[row]) {
            kg__format(text, sizeof text, "the same");
        } else if (i != row) {
            ratio = kg__tuning_compare(writer->tuning, bests[row], bests[i]);
            show_comparison(writer, &ratio, text, sizeof text);
            if (!ratio.known)
                *why = ratio.why;
        }
        kg__tuning_add_text(grid, text);
    }
}

static void explain_matrix(const kg__tuning_writer *writer, const char *why)
{
    char text[KG__MESSAGE_SIZE];

    kg__format(text, sizeof text, "%s%s%s.",
               writer->timed
                   ? "Time of the row over that of the column, of the fastest launches, with its "
                     "95 % interval; the mirrored cell has the ratio of bandwidths"
                   : "Count of the row over that of the column, of the best launches",
               why != NULL ? "; unknown where " : "", why != NULL ? why : "");
    kg__tuning_remark(writer, text);
}

/* Writes the best of each set against that of every other. */
static void write_matrix(const kg__tuning_writer *writer, const kg__tuning_problem *problem,
                         const kg__tuning_set *sets, size_t count, const char *title)
{
    const kg__tuning_candidate **bests = kg__allocate(count, sizeof(kg__tuning_candidate *));
    const kg__tuning_set **rows = kg__allocate(count, sizeof(kg__tuning_set *));
    kg__text_table_column *columns = kg__allocate(count + 1, sizeof *columns);
    const char *why = NULL;
    size_t known = 0;

    columns[0] = (kg__text_table_column){ title, false, false };
    for (size_t i = 0; i < count; i++) {
        bests[known] = kg__tuning_best(writer->tuning, problem, &sets[i], KG__TUNING_BY_FIGURE);
        if (bests[known] == NULL)
            continue;
        rows[known] = &sets[i];
        columns[++known] = (kg__text_table_column){ sets[i].name, true, false };
    }
    if (known > 1) {
        kg__text_table *grid = kg__text_table_new(columns, known + 1);

        for (size_t i = 0; i < known; i++) {
            kg__tuning_add_text(grid, rows[i]->name);
            add_ratios(writer, grid, bests, known, i, &why);
        }
        fputc('\n', writer->stream);
        kg__text_table_write(writer->stream, grid, writer->format, true);
        kg__text_table_free(grid);
        explain_matrix(writer, why);
    }
    free(bests);
    free(rows);
    free(columns);
}

/* Lists the named sets that have a candidate of the problem. */
static size_t list_sets(const kg__tuning_writer *writer, const kg__tuning_problem *problem,
                        kg__tuning_set *sets)
{
    size_t count = 0;

    for (size_t i = 0; i < writer->report->set_count; i++) {
        if (kg__tuning_count(writer->tuning, problem, &writer->report->sets[i]).candidates > 0)
            sets[count++] = writer->report->sets[i];
    }
    return count;
}

void kg__tuning_write_best(FILE *stream, const kg__tuning_report *report,
                           kg__text_table_format format)
{
    kg__tuning_writer writer = kg__tuning_writer_begin(stream, report, format);
    kg__tuning_set *sets = kg__allocate(report->set_count + 1, sizeof *sets);
    size_t count;
    kg__tuning_problem *problems = kg__tuning_problems(report->tuning, &count);

    for (size_t i = 0; i < count; i++) {
        size_t variant_count;
        kg__tuning_set *variants =
            kg__tuning_variants(report->tuning, problems[i].comparison, &variant_count);
        size_t set_count = list_sets(&writer, &problems[i], sets);

        kg__tuning_heading(&writer, problems[i].comparison, problems[i].size, "");
        write_bests(&writer, &problems[i], variants, variant_count, "variant");
        write_matrix(&writer, &problems[i], variants, variant_count, "variant");
        if (set_count > 0) {
            fputc('\n', stream);
            write_bests(&writer, &problems[i], sets, set_count, "set");
            write_matrix(&writer, &problems[i], sets, set_count, "set");
        }
        free(variants);
    }
    free(problems);
    free(sets);
}
