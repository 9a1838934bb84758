#include "report/report_table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "baseline/baseline.h"
#include "records/records.h"
#include "results/results_text.h"
#include "suite/counters.h"
#include "suite/settings.h"

/* The columns of a GPU's table, in CSV's order. */
enum {
    TIME,
    TIME_LOW,
    TIME_HIGH,
    SPEEDUP,
    COLD_TIME,
    COLD_SPEEDUP,
    BANDWIDTH,
    ARITHMETIC,
    SHARE,
    OCCUPANCY,
    REGISTERS,
    SHARED_BYTES,
    LOCAL_BYTES,
    BLOCKS_A_MULTIPROCESSOR,
    OPERATIONS,
    BYTES,
    GPU_COLUMNS
};

static const kg__report_column gpu_columns[GPU_COLUMNS] = {
    [TIME] = { "time_ns", "Time, hot in the caches (µs)", KG__FORM_MICROSECONDS, SPEEDUP },
    [TIME_LOW] = { "time_low_ns", "", KG__FORM_MICROSECONDS, -1 },
    [TIME_HIGH] = { "time_high_ns", "", KG__FORM_MICROSECONDS, -1 },
    [SPEEDUP] = { "speedup", "", KG__FORM_TIMES, -1 },
    [COLD_TIME] = { "cold_time_ns", "Time, cold from device memory (µs)", KG__FORM_MICROSECONDS,
                    COLD_SPEEDUP },
    [COLD_SPEEDUP] = { "cold_speedup", "", KG__FORM_TIMES, -1 },
    [BANDWIDTH] = { "bandwidth_gb_per_s", "Bandwidth (GB/s)", KG__FORM_FIGURE, -1 },
    [ARITHMETIC] = { "arithmetic_gflop_per_s", "Arithmetic (GFLOP/s)", KG__FORM_FIGURE, -1 },
    [SHARE] = { "share_of_limit", "Share of the limit", KG__FORM_PERCENT, -1 },
    [OCCUPANCY] = { "occupancy", "Occupancy", KG__FORM_PERCENT, -1 },
    [REGISTERS] = { "registers", "", KG__FORM_FIGURE, -1 },
    [SHARED_BYTES] = { "shared_bytes", "", KG__FORM_FIGURE, -1 },
    [LOCAL_BYTES] = { "local_bytes", "", KG__FORM_FIGURE, -1 },
    [BLOCKS_A_MULTIPROCESSOR] = { "blocks_per_multiprocessor", "", KG__FORM_FIGURE, -1 },
    [OPERATIONS] = { "operations", "", KG__FORM_FIGURE, -1 },
    [BYTES] = { "bytes", "", KG__FORM_FIGURE, -1 },
};

/* A model's columns: each counter, each counter against the first variant's, each ratio. */
enum { COUNTER = 0, OF_FIRST = KG__COUNTERS, RATIO = 2 * KG__COUNTERS };
enum { MODEL_COLUMNS = 2 * KG__COUNTERS + KG__RATIOS };

_Static_assert((int)MODEL_COLUMNS <= KG__REPORT_COLUMNS && (int)GPU_COLUMNS <= KG__REPORT_COLUMNS,
               "a row has room for every column");

/* Counters that have a table of their own in Markdown. Those that are left out are said by a ratio,
 * or by the work of the job. */
static bool has_title(kg__counter counter)
{
    return counter != KG__SHARED_LOAD_REQUESTS && counter != KG__SHARED_STORE_REQUESTS &&
           counter != KG__CONSTANT_LOAD_REQUESTS && counter != KG__CONSTANT_LOAD_WORDS &&
           counter != KG__UNIQUE_BYTES_READ && counter != KG__UNIQUE_BYTES_WRITTEN;
}

/* "global_load_sectors" as a title: "Global load sectors". */
static void entitle(kg__report_column *column)
{
    kg__format(column->title, sizeof column->title, "%s", column->name);
    column->title[0] = (char)toupper((unsigned char)column->title[0]);
    for (char *c = column->title; *c != '\0'; c++)
        if (*c == '_')
            *c = ' ';
}

static void set_columns(kg__report_table *table)
{
    if (!table->counted) {
        memcpy(table->columns, gpu_columns, sizeof gpu_columns);
        table->column_count = GPU_COLUMNS;
        return;
    }
    for (int i = 0; i < KG__COUNTERS; i++) {
        kg__report_column *counter = &table->columns[COUNTER + i];
        kg__report_column *of_first = &table->columns[OF_FIRST + i];

        counter->form = KG__FORM_FIGURE;
        counter->beside = OF_FIRST + i;
        kg__format(counter->name, sizeof counter->name, "%s", kg__counter_name((kg__counter)i));
        if (has_title((kg__counter)i))
            entitle(counter);
        of_first->form = KG__FORM_TIMES;
        of_first->beside = -1;
        kg__format(of_first->name, sizeof of_first->name, "%s_of_first",
                   kg__counter_name((kg__counter)i));
    }
    for (size_t i = 0; i < KG__RATIOS; i++) {
        kg__report_column *ratio = &table->columns[RATIO + i];

        ratio->form = KG__FORM_FIGURE;
        ratio->beside = -1;
        kg__format(ratio->name, sizeof ratio->name, "%s", kg__ratios[i].name);
        entitle(ratio);
    }
    table->column_count = MODEL_COLUMNS;
}

static bool is_of(const char *id, const char *comparison)
{
    size_t length = strlen(comparison);

    return strncmp(id, comparison, length) == 0 && id[length] == '/';
}

/* Whether a part looked at a case, by its entry. */
static bool has_part(const json_t *entry, const char *part)
{
    const json_t *name;
    size_t i;

    json_array_foreach (json_object_get(entry, "parts"), i, name) {
        if (json_is_string(name) && strcmp(json_string_value(name), part) == 0)
            return true;
    }
    return false;
}

/* Whether a case was timed or counted, whatever came of it; not one that was only checked. */
static bool was_measured(const json_t *entry)
{
    return has_part(entry, "time") || has_part(entry, "count") ||
           json_object_size(json_object_get(entry, "metrics")) > 0;
}

static const char *const no_id =
    "\"%s\" is not a case id (comparison/variant/size/launch): run ctest, which writes the results "
    "again";

/* A variant's number; variant_count where it has none yet. */
static size_t variant_of(const kg__report_table *table, const char *name)
{
    size_t variant = 0;

    while (variant < table->variant_count && strcmp(table->variants[variant], name) != 0)
        variant++;
    return variant;
}

static kg__report_case *add_case(kg__report_table *table, size_t *room, size_t variant,
                                 const kg__case_id *parts)
{
    kg__report_case *one;

    table->cases = kg__grow(table->cases, table->case_count, room, sizeof *table->cases);
    one = &table->cases[table->case_count++];
    *one = (kg__report_case){ .variant = variant,
                              .block = parts->block,
                              .grid = parts->grid,
                              .why = "",
                              .clock = "",
                              .limited_by = "" };
    memcpy(one->size, parts->size, sizeof one->size);
    memcpy(one->launch, parts->launch, sizeof one->launch);
    for (int i = 0; i < KG__REPORT_COLUMNS; i++)
        one->figures[i] = NAN;
    return one;
}

/* Takes the variants of a comparison that were measured on the target, in the order in which the
 * results first name them, which is the table's: also by cases that were only checked. */
static void take_variants(kg__report_table *table)
{
    json_t *measured = json_object();
    const json_t *cases = json_object_get(table->results, "cases");
    const json_t *entry;
    kg__case_id parts;
    size_t room = 0;
    size_t i;

    json_array_foreach (cases, i, entry) {
        if (strcmp(kg__json_text(entry, "target"), table->target) == 0 && was_measured(entry) &&
            is_of(kg__json_text(entry, "case"), table->comparison) &&
            kg__filter_takes(kg__json_text(entry, "case")) &&
            kg__case_id_parse(kg__json_text(entry, "case"), &parts))
            json_object_set_new(measured, parts.variant, json_true());
    }
    json_array_foreach (cases, i, entry) {
        if (strcmp(kg__json_text(entry, "target"), table->target) != 0 ||
            !is_of(kg__json_text(entry, "case"), table->comparison) ||
            !kg__case_id_parse(kg__json_text(entry, "case"), &parts) ||
            json_object_get(measured, parts.variant) == NULL ||
            variant_of(table, parts.variant) < table->variant_count)
            continue;
        table->variants =
            kg__grow(table->variants, table->variant_count, &room, sizeof *table->variants);
        memcpy(table->variants[table->variant_count++], parts.variant, sizeof parts.variant);
    }
    json_decref(measured);
}

/* Takes what was measured. False with `error` for an id that is none. */
static bool take_measured(kg__report_table *table, size_t *room, kg__error *error)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(table->results, "cases"), i, entry) {
        const char *id = kg__json_text(entry, "case");
        kg__report_case *one;
        kg__case_id parts;

        if (strcmp(kg__json_text(entry, "target"), table->target) != 0 ||
            !is_of(id, table->comparison) || !was_measured(entry) || !kg__filter_takes(id))
            continue;
        if (!kg__case_id_parse(id, &parts))
            return kg__fail(error, no_id, id);
        one = add_case(table, room, variant_of(table, parts.variant), &parts);
        one->entry = entry;
        one->verdict = kg__results_verdict(entry);
        one->why = kg__json_text(entry, "why");
    }
    return true;
}

static bool is_beside(const kg__report_table *table, const kg__case_id *parts, size_t measured)
{
    for (size_t i = 0; i < measured; i++) {
        const kg__report_case *one = &table->cases[i];

        if (strcmp(one->size, parts->size) == 0 && one->block == parts->block)
            return true;
    }
    return false;
}

/* Takes what was refused beside cases that were measured. */
static bool take_refused(kg__report_table *table, size_t *room, kg__error *error)
{
    size_t measured = table->case_count;
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(table->results, "refused"), i, entry) {
        const char *id = kg__json_text(entry, "case");
        kg__case_id parts;
        size_t variant;

        if (strcmp(kg__json_text(entry, "target"), table->target) != 0 ||
            !is_of(id, table->comparison) || !kg__filter_takes(id))
            continue;
        if (!kg__case_id_parse(id, &parts))
            return kg__fail(error, no_id, id);
        variant = variant_of(table, parts.variant);
        if (variant == table->variant_count || !is_beside(table, &parts, measured))
            continue;
        add_case(table, room, variant, &parts)->why = kg__json_text(entry, "why");
    }
    return true;
}

static bool is_same_group(const kg__report_case *one, const kg__report_case *other)
{
    return one->block == other->block && strcmp(one->size, other->size) == 0;
}

/* Whether a case's variant has launches of the same size and threads that differ in blocks alone.
 */
static bool has_several(const kg__report_table *table, const kg__report_case *one)
{
    for (size_t i = 0; i < table->case_count; i++) {
        const kg__report_case *other = &table->cases[i];

        if (other->variant == one->variant && other->grid != one->grid && is_same_group(one, other))
            return true;
    }
    return false;
}

/* The row of a size, its threads and, where `by_grid`, its blocks; row_count where there is none.
 * Of a group's rows the first where the blocks tell nothing. */
static size_t find_row(const kg__report_table *table, const kg__report_case *one, bool by_grid)
{
    size_t row = 0;

    while (row < table->row_count &&
           (table->rows[row].block != one->block || strcmp(table->rows[row].size, one->size) != 0 ||
            (by_grid && (!table->rows[row].by_grid || table->rows[row].grid != one->grid))))
        row++;
    return row;
}

/* Gives each case its row: first to groups of variants with several numbers of blocks, then the
 * others beside them. */
static void make_rows(kg__report_table *table)
{
    bool *several = kg__allocate(table->case_count, sizeof *several);
    size_t room = 0;

    for (size_t i = 0; i < table->case_count; i++)
        several[i] = has_several(table, &table->cases[i]);
    for (size_t i = 0; i < table->case_count; i++) {
        const kg__report_case *one = &table->cases[i];
        bool grouped = find_row(table, one, false) < table->row_count;

        if (grouped)
            continue;
        /* A group's rows stand together, where its first case does. */
        for (size_t j = i; j < table->case_count; j++) {
            const kg__report_case *other = &table->cases[j];

            if (!several[j] || !is_same_group(one, other) ||
                find_row(table, other, true) < table->row_count)
                continue;
            table->rows = kg__grow(table->rows, table->row_count, &room, sizeof *table->rows);
            table->rows[table->row_count++] = (kg__report_row){
                .size = other->size, .block = other->block, .grid = other->grid, .by_grid = true
            };
        }
        if (find_row(table, one, false) < table->row_count)
            continue;
        table->rows = kg__grow(table->rows, table->row_count, &room, sizeof *table->rows);
        table->rows[table->row_count++] =
            (kg__report_row){ .size = one->size, .block = one->block };
    }
    for (size_t i = 0; i < table->case_count; i++) {
        kg__report_case *one = &table->cases[i];

        one->row = find_row(table, one, true);
        if (one->row == table->row_count)
            one->row = find_row(table, one, false);
    }
    free(several);
}

/* Names each row by its cases' launch where they share it, else by what they share of it. */
static void name_rows(kg__report_table *table)
{
    for (size_t i = 0; i < table->case_count; i++) {
        const kg__report_case *one = &table->cases[i];
        kg__report_row *row = &table->rows[one->row];

        if (row->by_grid)
            kg__format(row->launch, sizeof row->launch, "b%lug%lu", row->block, row->grid);
        else if (row->launch[0] == '\0')
            kg__format(row->launch, sizeof row->launch, "%s", one->launch);
        else if (strcmp(row->launch, one->launch) != 0)
            kg__format(row->launch, sizeof row->launch, "b%lu", row->block);
    }
}

static int by_row_and_variant(const void *a, const void *b)
{
    const kg__report_case *one = a;
    const kg__report_case *other = b;

    if (one->row != other->row)
        return one->row < other->row ? -1 : 1;
    return (one->variant > other->variant) - (one->variant < other->variant);
}

/* Two cases may not share a place: the results would hold an id twice. */
static bool place_cases(kg__report_table *table, kg__error *error)
{
    if (table->case_count > 0)
        qsort(table->cases, table->case_count, sizeof *table->cases, by_row_and_variant);
    /* Sorting has moved the sizes that rows point to. */
    for (size_t i = 0; i < table->case_count; i++)
        table->rows[table->cases[i].row].size = table->cases[i].size;
    table->places = kg__allocate(table->row_count * table->variant_count, sizeof *table->places);
    for (size_t i = 0; i < table->case_count; i++) {
        const kg__report_case *one = &table->cases[i];
        size_t *place = &table->places[one->row * table->variant_count + one->variant];

        if (*place != 0)
            return kg__fail(error,
                            "%s/%s/%s/%s appears twice in the results of %s: run ctest, which "
                            "writes them again",
                            table->comparison, table->variants[one->variant], one->size,
                            one->launch, table->target);
        *place = i + 1;
    }
    return true;
}

const kg__report_case *kg__report_case_at(const kg__report_table *table, size_t row, size_t variant)
{
    size_t place = table->places[row * table->variant_count + variant];

    return place > 0 ? &table->cases[place - 1] : NULL;
}

static double positive(double figure)
{
    return figure > 0 && isfinite(figure) ? figure : (double)NAN;
}

static double metric_of(const kg__report_case *one, const char *metric, const char *key)
{
    return kg__json_number(json_object_get(json_object_get(one->entry, "metrics"), metric), key);
}

/* How near the job's fewest bytes and operations, at the card's limits, come to what it took.
 * Nothing for a copy that starts no kernel, or pages that come from the host: the bus, whose limit
 * is not measured, holds these up. */
static void set_share(const kg__report_table *table, kg__report_case *one)
{
    double cold = one->figures[COLD_TIME];
    double taken = isnan(cold) ? one->figures[TIME] : cold;
    double moving = 1e9 * one->figures[BYTES] / table->copy_limit;
    double computing = 1e9 * one->figures[OPERATIONS] / table->operation_limit;

    if (json_object_get(one->entry, "kernel") == NULL || strcmp(one->clock, "first_touch") == 0 ||
        isnan(table->copy_limit) || isnan(table->operation_limit) || isnan(taken) ||
        isnan(moving) || isnan(computing))
        return;
    one->figures[SHARE] = fmax(moving, computing) / taken;
    one->limited_by = computing > moving ? "operations" : "bytes";
}

static void set_times(const kg__report_table *table, kg__report_case *one)
{
    static const struct {
        int column;
        const char *key;
    } members[] = {
        { OCCUPANCY, "occupancy" },
        { REGISTERS, "registers" },
        { SHARED_BYTES, "shared_bytes" },
        { LOCAL_BYTES, "local_bytes" },
        { BLOCKS_A_MULTIPROCESSOR, "blocks_per_multiprocessor" },
    };
    const json_t *work = json_object_get(one->entry, "work");
    double *figures = one->figures;

    figures[TIME] = positive(metric_of(one, "time_ns", "value"));
    figures[TIME_LOW] = metric_of(one, "time_ns", "low");
    figures[TIME_HIGH] = metric_of(one, "time_ns", "high");
    figures[COLD_TIME] = positive(metric_of(one, "cold_time_ns", "value"));
    one->clock =
        kg__json_text(json_object_get(json_object_get(one->entry, "metrics"), "time_ns"), "clock");
    figures[OPERATIONS] = kg__json_number(work, "operations");
    figures[BYTES] = kg__json_number(work, "bytes");
    figures[BANDWIDTH] = positive(figures[BYTES] / figures[TIME]);
    figures[ARITHMETIC] = positive(figures[OPERATIONS] / figures[TIME]);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        figures[members[i].column] =
            kg__json_number(json_object_get(one->entry, "kernel"), members[i].key);
    set_share(table, one);
}

static void set_counts(kg__report_case *one)
{
    double *figures = one->figures;

    for (int i = 0; i < KG__COUNTERS; i++)
        figures[COUNTER + i] = metric_of(one, kg__counter_name((kg__counter)i), "value");
    for (size_t i = 0; i < KG__RATIOS; i++) {
        double ratio =
            figures[COUNTER + kg__ratios[i].above] / figures[COUNTER + kg__ratios[i].below];

        figures[RATIO + i] = isfinite(ratio) ? ratio : (double)NAN;
    }
}

/* The first variant's case that another is held against: that of its row, or else the first of its
 * size and threads; NULL where there is none that is right. */
static const kg__report_case *first_beside(const kg__report_table *table,
                                           const kg__report_case *one)
{
    const kg__report_case *first = kg__report_case_at(table, one->row, 0);

    for (size_t row = 0; row < table->row_count && first == NULL; row++) {
        const kg__report_case *other = kg__report_case_at(table, row, 0);

        if (other != NULL && is_same_group(one, other))
            first = other;
    }
    return first;
}

/* Holds each case against the first variant's. What is wrong has no figures, so that no ratio comes
 * of it. */
static void set_ratios(kg__report_table *table)
{
    for (size_t i = 0; i < table->case_count; i++) {
        kg__report_case *one = &table->cases[i];
        const kg__report_case *first = first_beside(table, one);

        if (first == NULL)
            continue;
        if (!table->counted) {
            one->figures[SPEEDUP] = first->figures[TIME] / one->figures[TIME];
            one->figures[COLD_SPEEDUP] = first->figures[COLD_TIME] / one->figures[COLD_TIME];
            continue;
        }
        for (int counter = 0; counter < KG__COUNTERS; counter++) {
            double ratio = one->figures[COUNTER + counter] / first->figures[COUNTER + counter];

            one->figures[OF_FIRST + counter] = isfinite(ratio) ? ratio : (double)NAN;
        }
    }
}

static void set_figures(kg__report_table *table)
{
    const json_t *limits = json_object_get(
        json_object_get(json_object_get(table->results, "provenance"), table->target), "limits");

    table->copy_limit = positive(kg__json_number(limits, "copy_bytes_per_second"));
    table->operation_limit = positive(kg__json_number(limits, "operations_per_second"));
    for (size_t i = 0; i < table->case_count; i++) {
        kg__report_case *one = &table->cases[i];

        if (one->entry == NULL || one->verdict >= KG__WRONG)
            continue;
        if (table->counted)
            set_counts(one);
        else
            set_times(table, one);
    }
    set_ratios(table);
}

bool kg__report_table_make(const json_t *results, const char *comparison, const char *target,
                           kg__report_table *table, kg__error *error)
{
    size_t room = 0;

    *table = (kg__report_table){ .results = results,
                                 .comparison = comparison,
                                 .target = target,
                                 .counted = strcmp(target, KG__MODEL_KEY) == 0 };
    set_columns(table);
    take_variants(table);
    if (!take_measured(table, &room, error))
        return false;
    if (!take_refused(table, &room, error))
        return false;
    make_rows(table);
    name_rows(table);
    if (!place_cases(table, error))
        return false;
    set_figures(table);
    return true;
}

void kg__report_table_free(kg__report_table *table)
{
    free(table->variants);
    free(table->cases);
    free(table->rows);
    free(table->places);
    *table = (kg__report_table){ .case_count = 0 };
}
