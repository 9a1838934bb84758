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

/* The most plots of a table or a case. */
#define LARGEST_PLOTS 8

/* Values that span more than this are shown on a logarithmic axis. */
#define WIDEST_LINEAR 20.0

/* A logarithmic axis begins at a power of ten below this share of the least value. */
#define LOWEST_BAR 0.8

/* How many elements a size has: the product of its numbers; what is not a number counts as 1. */
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

static json_t *begin_plot(const char *kind, const char *title, const char *place_title,
                          const char *value_title)
{
    return json_pack("{s:s, s:o, s:s, s:s, s:[], s:[], s:[]}", "kind", kind, "title",
                     kg__json_clean_string(title), "place_title", place_title, "value_title",
                     value_title, "places", "series", "marks");
}

static void add_place(json_t *plot, const char *name)
{
    json_array_append_new(json_object_get(plot, "places"), kg__json_clean_string(name));
}

/* Adds a series in a style of the page's; returns its values, of which each place gets one. */
static json_t *add_series(json_t *plot, const char *name, size_t style)
{
    json_t *values = json_array();

    json_array_append_new(json_object_get(plot, "series"),
                          json_pack("{s:o, s:I, s:o}", "name", kg__json_clean_string(name), "style",
                                    (json_int_t)(style % KG__PLOT_STYLES), "values", values));
    return values;
}

static void add_value(json_t *values, double value)
{
    json_array_append_new(values, isfinite(value) ? json_real(value) : json_null());
}

/* Counts the numbers in values, of which each may be a list, and finds the least and the greatest.
 */
static size_t find_range(const json_t *values, double *least, double *greatest)
{
    const json_t *value;
    size_t count = 0;
    size_t i;

    json_array_foreach (values, i, value) {
        if (json_is_array(value)) {
            count += find_range(value, least, greatest);
        } else if (json_is_number(value)) {
            *least = fmin(*least, json_number_value(value));
            *greatest = fmax(*greatest, json_number_value(value));
            count++;
        }
    }
    return count;
}

/* Takes a finished plot that shows more than one figure, without the series that have none. A wide
 * range has a logarithmic axis, from a power of ten that leaves the least bar a height. */
static void take_plot(json_t *plots, json_t *plot)
{
    json_t *all = json_object_get(plot, "series");
    double least = INFINITY;
    double greatest = -INFINITY;
    size_t shown = 0;

    for (size_t i = json_array_size(all); i-- > 0;) {
        size_t count =
            find_range(json_object_get(json_array_get(all, i), "values"), &least, &greatest);

        shown += count;
        if (count == 0)
            json_array_remove(all, i);
    }
    if (strcmp(kg__json_text(plot, "kind"), "dots") != 0 && least > 0 &&
        greatest > WIDEST_LINEAR * least)
        json_object_set_new(plot, "log_from", json_real(pow(10, floor(log10(LOWEST_BAR * least)))));
    if (shown > 1 && json_array_size(plots) < LARGEST_PLOTS)
        json_array_append(plots, plot);
    json_decref(plot);
}

static double scale_of(const kg__report_table *table, int column)
{
    if (table->columns[column].form == KG__FORM_MICROSECONDS)
        return 1 / NANOSECONDS_A_MICROSECOND;
    return table->columns[column].form == KG__FORM_PERCENT ? 100 : 1;
}

/* A figure of a case in the unit of its plot; NaN where there is no case. */
static double value_of(const kg__report_table *table, const kg__report_case *one, int column)
{
    return one != NULL ? one->figures[column] * scale_of(table, column) : (double)NAN;
}

/* A column over the sizes, each variant at its best launch. */
static void plot_by_size(const kg__report_table *table, const size_list *sizes, const char *name,
                         bool greatest, json_t *plots, json_t *plot)
{
    int column = kg__report_column_of(table, name);

    for (size_t i = 0; i < sizes->count; i++)
        add_place(plot, sizes->sizes[i]);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        const kg__report_case **best;
        json_t *values;

        if (!kg__report_shows(table, variant, column))
            continue;
        values = add_series(plot, table->variants[variant], variant);
        best = best_cases(table, sizes, variant, column, greatest);
        for (size_t i = 0; i < sizes->count; i++)
            add_value(values, value_of(table, best[i], column));
        free(best);
    }
    take_plot(plots, plot);
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
static void plot_by_launch(const kg__report_table *table, const size_list *sizes, json_t *plots)
{
    int column = kg__report_column_of(table, "time_ns");
    size_t most = last_largest(sizes, count_launches(table, sizes, column), 2);
    char title[2 * KG__REPORT_NAME_SIZE];
    json_t *plot;

    if (most == sizes->count)
        return;
    kg__format(title, sizeof title, "Time by launch, hot, at size %s", sizes->sizes[most]);
    plot = begin_plot("lines", title, "launch: threads per block, blocks", "µs");
    for (size_t row = 0; row < table->row_count; row++) {
        if (sizes->of_rows[row] == most)
            add_place(plot, table->rows[row].launch);
    }
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        json_t *values = add_series(plot, table->variants[variant], variant);

        for (size_t row = 0; row < table->row_count; row++) {
            if (sizes->of_rows[row] == most)
                add_value(values, value_of(table, kg__report_case_at(table, row, variant), column));
        }
    }
    take_plot(plots, plot);
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
static void plot_side_by_side(const kg__report_table *table, const size_list *sizes, json_t *plots)
{
    int hot = kg__report_column_of(table, "time_ns");
    int cold = kg__report_column_of(table, "cold_time_ns");
    size_t fullest = last_largest(sizes, count_variants(table, sizes, hot), 1);
    char title[2 * KG__REPORT_NAME_SIZE];
    json_t *hot_values;
    json_t *cold_values;
    json_t *plot;

    if (fullest == sizes->count)
        return;
    kg__format(title, sizeof title, "Variants side by side at size %s", sizes->sizes[fullest]);
    plot = begin_plot("bars", title, "", "µs");
    hot_values = add_series(plot, "hot in the caches", 0);
    cold_values = add_series(plot, "cold from device memory", 1);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        const kg__report_case **all = best_cases(table, sizes, variant, hot, false);
        const kg__report_case *best = all[fullest];

        free(all);
        if (best == NULL)
            continue;
        add_place(plot, table->variants[variant]);
        add_value(hot_values, value_of(table, best, hot));
        add_value(cold_values, value_of(table, best, cold));
    }
    take_plot(plots, plot);
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
static void plot_counter(const kg__report_table *table, int column, json_t *plots)
{
    size_t row = fullest_row(table, column);
    char title[4 * KG__REPORT_NAME_SIZE];
    double least = INFINITY;
    double greatest = -INFINITY;
    json_t *values;
    json_t *plot;

    kg__format(title, sizeof title, "%s at %s/%s", table->columns[column].title,
               table->rows[row].size, table->rows[row].launch);
    plot = begin_plot("bars", title, "", "");
    values = add_series(plot, table->columns[column].title, 0);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        double value = value_of(table, kg__report_case_at(table, row, variant), column);

        if (isnan(value))
            continue;
        add_place(plot, table->variants[variant]);
        add_value(values, value);
    }
    (void)find_range(values, &least, &greatest);
    if (least < greatest)
        take_plot(plots, plot);
    else
        json_decref(plot);
}

json_t *kg__report_table_plots(const kg__report_table *table)
{
    size_list sizes = list_sizes(table);
    json_t *plots = json_array();

    if (table->counted) {
        for (int column = 0; column < table->column_count; column++)
            if (table->columns[column].title[0] != '\0' && kg__report_tells(table, column))
                plot_counter(table, column, plots);
    } else if (table->row_count > 0) {
        if (sizes.count > 1)
            plot_by_size(
                table, &sizes, "time_ns", false, plots,
                begin_plot("lines", "Time by size, hot, at the fastest launch", "size", "µs"));
        plot_by_launch(table, &sizes, plots);
        plot_side_by_side(table, &sizes, plots);
        if (sizes.count > 1)
            plot_by_size(
                table, &sizes, "share_of_limit", true, plots,
                begin_plot("lines", "Share of the limit, at the best launch", "size", "%"));
    }
    free_sizes(&sizes);
    return plots;
}

/* A metric's samples in microseconds, those of each process at its place. */
static void plot_samples(const char *name, const json_t *metric, json_t *plots)
{
    double baseline = kg__json_number(metric, "baseline") / NANOSECONDS_A_MICROSECOND;
    const struct {
        const char *name;
        double value;
    } marks[] = { { "baseline", baseline },
                  { "limit", baseline * (1 + kg__json_number(metric, "limit")) } };
    const json_t *samples;
    const json_t *sample;
    char title[2 * KG__REPORT_NAME_SIZE];
    json_t *values;
    json_t *plot;
    size_t i;
    size_t j;

    kg__format(title, sizeof title, "Samples of %s, a process beside the other", name);
    plot = begin_plot("dots", title, "process", "µs");
    values = add_series(plot, "a sample", 0);
    json_array_foreach (json_object_get(metric, KG__SAMPLES_NS), i, samples) {
        json_t *of_process = json_array();
        char place[KG__FIGURE_SIZE];

        kg__format(place, sizeof place, "%zu", i + 1);
        add_place(plot, place);
        json_array_foreach (samples, j, sample) {
            if (json_is_number(sample) && j < KG__RECORD_SAMPLES)
                add_value(of_process, json_number_value(sample) / NANOSECONDS_A_MICROSECOND);
        }
        json_array_append_new(values, of_process);
    }
    for (i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (isfinite(marks[i].value))
            json_array_append_new(
                json_object_get(plot, "marks"),
                json_pack("{s:s, s:f}", "name", marks[i].name, "value", marks[i].value));
    }
    take_plot(plots, plot);
}

json_t *kg__report_case_plots(const json_t *entry)
{
    const char *name;
    json_t *metric;
    json_t *plots = json_array();

    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        if (kg__results_verdict(metric) > KG__NO_BASELINE)
            plot_samples(name, metric, plots);
    }
    return plots;
}
