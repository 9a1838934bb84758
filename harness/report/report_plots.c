#include "report/report_plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "records/records.h"
#include "report/report_cells.h"
#include "results/results_text.h"

/* A table's figures are in nanoseconds, plots in microseconds. */
#define NANOSECONDS_A_MICROSECOND 1000.0

/* How many elements a size has: the product of its numbers; what is no number counts as 1. */
static double elements_of(const char *size)
{
    double product = 1;

    while (*size != '\0') {
        size_t digits = strspn(size, "0123456789");

        if (digits > 0)
            product *= (double)strtoull(size, NULL, 10);
        size += digits > 0 ? digits : 1;
    }
    return product;
}

/* A size while the sizes of a table are sorted. */
typedef struct ranked_size {
    const char *size;
    double elements;
    size_t order; /* in which the table has it */
} ranked_size;

static int smallest_first(const void *a, const void *b)
{
    const ranked_size *one = a;
    const ranked_size *other = b;

    if (one->elements < other->elements || one->elements > other->elements)
        return one->elements < other->elements ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

/* The sizes of a table, each once, from small to large; equal ones in the table's order. */
typedef struct size_list {
    const char **sizes;
    size_t count;
    size_t *of_rows; /* which of them each row of the table has */
} size_list;

static size_list list_sizes(const kg__report_table *table)
{
    size_list list = { .sizes = kg__allocate(table->row_count, sizeof *list.sizes),
                       .of_rows = kg__allocate(table->row_count, sizeof *list.of_rows) };
    ranked_size *ranked = kg__allocate(table->row_count, sizeof *ranked);
    json_t *places = json_object();

    for (size_t row = 0; row < table->row_count; row++) {
        const char *size = table->rows[row].size;

        if (json_object_get(places, size) != NULL)
            continue;
        ranked[list.count] = (ranked_size){ size, elements_of(size), list.count };
        json_object_set_new(places, size, json_integer((json_int_t)list.count++));
    }
    qsort(ranked, list.count, sizeof *ranked, smallest_first);
    for (size_t i = 0; i < list.count; i++) {
        list.sizes[i] = ranked[i].size;
        json_integer_set(json_object_get(places, ranked[i].size), (json_int_t)i);
    }
    for (size_t row = 0; row < table->row_count; row++)
        list.of_rows[row] =
            (size_t)json_integer_value(json_object_get(places, table->rows[row].size));
    json_decref(places);
    free(ranked);
    return list;
}

static void free_sizes(size_list *list)
{
    free(list->sizes);
    free(list->of_rows);
}

/* A variant's best case of each size by a column: the least figure, or the greatest; NULL where it
 * has none. The caller frees the list. */
static const kg__report_case **best_cases(const kg__report_table *table, const size_list *sizes,
                                          size_t variant, int column, bool greatest)
{
    const kg__report_case **best = kg__allocate(sizes->count, sizeof(const kg__report_case *));

    for (size_t row = 0; row < table->row_count; row++) {
        const kg__report_case **known = &best[sizes->of_rows[row]];
        const kg__report_case *one = kg__report_case_at(table, row, variant);
        double figure = one != NULL ? one->figures[column] : (double)NAN;

        if (isnan(figure))
            continue;
        if (*known == NULL ||
            (greatest ? figure > (*known)->figures[column] : figure < (*known)->figures[column]))
            *known = one;
    }
    return best;
}

/* Keeps a plot that shows more than one figure. */
static size_t keep(kg__plot *plot)
{
    size_t figures = 0;

    for (size_t i = 0; i < plot->series_count; i++)
        figures += plot->series[i].count;
    if (figures > 1)
        return 1;
    kg__plot_free(plot);
    return 0;
}

static double scale_of(const kg__report_table *table, int column)
{
    if (table->columns[column].form == KG__FORM_MICROSECONDS)
        return 1 / NANOSECONDS_A_MICROSECOND;
    return table->columns[column].form == KG__FORM_PERCENT ? 100 : 1;
}

/* A column over the sizes, each variant at its best launch. */
static size_t plot_by_size(const kg__report_table *table, const size_list *sizes, const char *name,
                           bool greatest, const char *title, const char *unit, kg__plot *plot)
{
    int column = kg__report_column_of(table, name);

    if (sizes->count < 2)
        return 0;
    kg__plot_begin(plot, KG__PLOT_LINES, title, "size", unit);
    for (size_t i = 0; i < sizes->count; i++)
        kg__plot_add_place(plot, sizes->sizes[i]);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        const kg__report_case **best;
        size_t series;

        if (!kg__report_shows(table, variant, column))
            continue;
        series = kg__plot_add_series(plot, table->variants[variant], variant);
        best = best_cases(table, sizes, variant, column, greatest);
        for (size_t i = 0; i < sizes->count; i++) {
            if (best[i] != NULL)
                kg__plot_add_point(plot, series, i,
                                   best[i]->figures[column] * scale_of(table, column));
        }
        free(best);
    }
    return keep(plot);
}

/* How many rows of each size have a figure of a column. The caller frees the list. */
static size_t *count_launches(const kg__report_table *table, const size_list *sizes, int column)
{
    size_t *launches = kg__allocate(sizes->count, sizeof *launches);

    for (size_t row = 0; row < table->row_count; row++) {
        bool any = false;

        for (size_t variant = 0; variant < table->variant_count && !any; variant++) {
            const kg__report_case *one = kg__report_case_at(table, row, variant);

            any = one != NULL && !isnan(one->figures[column]);
        }
        launches[sizes->of_rows[row]] += any;
    }
    return launches;
}

/* The last of the sizes with the largest count, which is `least` or more; their number where there
 * is none. Frees the counts. */
static size_t last_largest(const size_list *sizes, size_t *counts, size_t least)
{
    size_t largest = sizes->count;

    for (size_t i = 0; i < sizes->count; i++) {
        if (counts[i] >= least) {
            least = counts[i];
            largest = i;
        }
    }
    free(counts);
    return largest;
}

/* The hot time over the launches of the size that has most, the last of such. */
static size_t plot_by_launch(const kg__report_table *table, const size_list *sizes, kg__plot *plot)
{
    int column = kg__report_column_of(table, "time_ns");
    size_t most = last_largest(sizes, count_launches(table, sizes, column), 2);
    char title[2 * KG__REPORT_NAME_SIZE];

    if (most == sizes->count)
        return 0;
    kg__format(title, sizeof title, "Time by launch, hot, at size %s", sizes->sizes[most]);
    kg__plot_begin(plot, KG__PLOT_LINES, title, "launch: threads a block, blocks", "µs");
    for (size_t variant = 0; variant < table->variant_count; variant++)
        kg__plot_add_series(plot, table->variants[variant], variant);
    for (size_t row = 0; row < table->row_count; row++) {
        size_t place;

        if (sizes->of_rows[row] != most)
            continue;
        place = kg__plot_add_place(plot, table->rows[row].launch);
        for (size_t variant = 0; variant < table->variant_count; variant++) {
            const kg__report_case *one = kg__report_case_at(table, row, variant);

            if (one != NULL)
                kg__plot_add_point(plot, variant, place,
                                   one->figures[column] * scale_of(table, column));
        }
    }
    return keep(plot);
}

/* How many variants have a figure of a column at each size. The caller frees the list. */
static size_t *count_variants(const kg__report_table *table, const size_list *sizes, int column)
{
    size_t *variants = kg__allocate(sizes->count, sizeof *variants);

    for (size_t variant = 0; variant < table->variant_count; variant++) {
        const kg__report_case **best = best_cases(table, sizes, variant, column, false);

        for (size_t i = 0; i < sizes->count; i++)
            variants[i] += best[i] != NULL;
        free(best);
    }
    return variants;
}

/* Hot and cold times of the variants, each at its fastest launch. */
static size_t plot_side_by_side(const kg__report_table *table, const size_list *sizes,
                                kg__plot *plot)
{
    int hot = kg__report_column_of(table, "time_ns");
    int cold = kg__report_column_of(table, "cold_time_ns");
    size_t fullest = last_largest(sizes, count_variants(table, sizes, hot), 1);
    char title[2 * KG__REPORT_NAME_SIZE];

    if (fullest == sizes->count)
        return 0;
    kg__format(title, sizeof title, "Variants side by side at size %s", sizes->sizes[fullest]);
    kg__plot_begin(plot, KG__PLOT_BARS, title, "", "µs");
    kg__plot_add_series(plot, "hot in the caches", 0);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        const kg__report_case **all = best_cases(table, sizes, variant, hot, false);
        const kg__report_case *best = all[fullest];
        size_t place;

        free(all);
        if (best == NULL)
            continue;
        place = kg__plot_add_place(plot, table->variants[variant]);
        kg__plot_add_point(plot, 0, place, best->figures[hot] * scale_of(table, hot));
        if (isnan(best->figures[cold]))
            continue;
        if (plot->series_count == 1)
            kg__plot_add_series(plot, "cold from device memory", 1);
        kg__plot_add_point(plot, 1, place, best->figures[cold] * scale_of(table, cold));
    }
    return keep(plot);
}

/* The row at which most variants have a figure of a column, the last of such. */
static size_t fullest_row(const kg__report_table *table, int column)
{
    size_t fullest = 0;
    size_t most = 0;

    for (size_t row = 0; row < table->row_count; row++) {
        size_t variants = 0;

        for (size_t variant = 0; variant < table->variant_count; variant++) {
            const kg__report_case *one = kg__report_case_at(table, row, variant);

            variants += one != NULL && !isnan(one->figures[column]);
        }
        if (variants >= most) {
            most = variants;
            fullest = row;
        }
    }
    return fullest;
}

/* One counter's bars, a variant each; nothing where all variants have the same. */
static size_t plot_counter(const kg__report_table *table, int column, kg__plot *plot)
{
    size_t row = fullest_row(table, column);
    char title[4 * KG__REPORT_NAME_SIZE];
    double first = NAN;
    bool differs = false;

    kg__format(title, sizeof title, "%s at %s/%s", table->columns[column].title,
               table->rows[row].size, table->rows[row].launch);
    kg__plot_begin(plot, KG__PLOT_BARS, title, "", "");
    kg__plot_add_series(plot, table->columns[column].title, 0);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        const kg__report_case *one = kg__report_case_at(table, row, variant);
        double figure = one != NULL ? one->figures[column] : (double)NAN;

        if (isnan(figure))
            continue;
        differs = differs || (!isnan(first) && figure != first);
        first = figure;
        kg__plot_add_point(plot, 0, kg__plot_add_place(plot, table->variants[variant]), figure);
    }
    if (differs)
        return 1;
    kg__plot_free(plot);
    return 0;
}

size_t kg__report_table_plots(const kg__report_table *table, kg__plot plots[KG__REPORT_PLOTS])
{
    size_list sizes = list_sizes(table);
    size_t count = 0;

    if (table->counted) {
        for (int column = 0; column < table->column_count && count < KG__REPORT_PLOTS; column++)
            if (table->columns[column].title[0] != '\0' && kg__report_tells(table, column))
                count += plot_counter(table, column, &plots[count]);
    } else if (table->row_count > 0) {
        count += plot_by_size(table, &sizes, "time_ns", false,
                              "Time by size, hot, at the fastest launch", "µs", &plots[count]);
        count += plot_by_launch(table, &sizes, &plots[count]);
        count += plot_side_by_side(table, &sizes, &plots[count]);
        count += plot_by_size(table, &sizes, "share_of_limit", true,
                              "Share of the limit, at the best launch", "%", &plots[count]);
    }
    free_sizes(&sizes);
    return count;
}

static void add_samples(kg__plot *plot, size_t place, const json_t *samples)
{
    const json_t *sample;
    size_t i;

    json_array_foreach (samples, i, sample) {
        if (json_is_number(sample) && i < KG__RECORD_SAMPLES)
            kg__plot_add_point(plot, 0, place,
                               json_number_value(sample) / NANOSECONDS_A_MICROSECOND);
    }
}

static size_t plot_samples(const char *name, const json_t *metric, kg__plot *plot)
{
    const json_t *processes = json_object_get(metric, KG__SAMPLES_NS);
    double baseline = kg__json_number(metric, "baseline") / NANOSECONDS_A_MICROSECOND;
    const json_t *samples;
    char title[2 * KG__REPORT_NAME_SIZE];
    size_t i;

    kg__format(title, sizeof title, "Samples of %s, a process beside the other", name);
    kg__plot_begin(plot, KG__PLOT_DOTS, title, "process", "µs");
    plot->from_data = true;
    kg__plot_add_series(plot, "a sample", 0);
    json_array_foreach (processes, i, samples) {
        char place[KG__FIGURE_SIZE];

        kg__format(place, sizeof place, "%zu", i + 1);
        add_samples(plot, kg__plot_add_place(plot, place), samples);
    }
    kg__plot_add_mark(plot, "baseline", baseline);
    kg__plot_add_mark(plot, "limit", baseline * (1 + kg__json_number(metric, "limit")));
    return keep(plot);
}

size_t kg__report_case_plots(const json_t *entry, kg__plot plots[KG__REPORT_PLOTS])
{
    const char *name;
    json_t *metric;
    size_t count = 0;

    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        if (count < KG__REPORT_PLOTS && kg__results_verdict(metric) > KG__NO_BASELINE &&
            json_array_size(json_object_get(metric, KG__SAMPLES_NS)) > 0)
            count += plot_samples(name, metric, &plots[count]);
    }
    return count;
}
