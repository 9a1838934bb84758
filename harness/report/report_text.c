/* A report's table as Markdown and as CSV. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "records/records.h"
#include "report/report_cells.h"
#include "report/report_table.h"
#include "results/failure_groups.h"
#include "results/results_text.h"

typedef char cell[KG__REPORT_CELL_SIZE];

static void write_cells(FILE *stream, cell *cells, const size_t *widths, size_t count,
                        size_t left_aligned)
{
    for (size_t i = 0; i < count; i++) {
        int padding = (int)(widths[i] - kg__shown_width(cells[i]));

        if (i < left_aligned)
            fprintf(stream, "| %s%*s ", cells[i], padding, "");
        else
            fprintf(stream, "| %*s%s ", padding, "", cells[i]);
    }
    fputs("|\n", stream);
}

static void write_rule(FILE *stream, const size_t *widths, size_t count, size_t left_aligned)
{
    for (size_t i = 0; i < count; i++) {
        fputs("| ", stream);
        for (size_t dash = 0; dash + (i >= left_aligned) < widths[i]; dash++)
            fputc('-', stream);
        fputs(i >= left_aligned ? ": " : " ", stream);
    }
    fputs("|\n", stream);
}

/* Writes one column's figures, sizes and launches down, variants across; a variant that has none is
 * left out. Columns are padded, so that the source reads as well as what is made of it. */
static void write_table(FILE *stream, const kg__report_table *table, int column)
{
    size_t left_aligned = kg__report_has_launches(table) ? 2 : 1;
    size_t width = left_aligned + table->variant_count;
    cell *cells = kg__allocate((table->row_count + 1) * width, sizeof *cells);
    size_t *widths = kg__allocate(width, sizeof *widths);
    size_t used = left_aligned;

    kg__format(cells[0], KG__REPORT_CELL_SIZE, "size");
    if (left_aligned == 2)
        kg__format(cells[1], KG__REPORT_CELL_SIZE, "launch");
    for (size_t row = 0; row < table->row_count; row++) {
        cell *line = cells + (row + 1) * width;

        kg__format(line[0], KG__REPORT_CELL_SIZE, "%s", table->rows[row].size);
        if (left_aligned == 2)
            kg__format(line[1], KG__REPORT_CELL_SIZE, "%s", table->rows[row].launch);
    }
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        if (!kg__report_shows(table, variant, column))
            continue;
        kg__format(cells[used], KG__REPORT_CELL_SIZE, "%s", table->variants[variant]);
        for (size_t row = 0; row < table->row_count; row++)
            kg__report_show_case(table, kg__report_case_at(table, row, variant), column,
                                 cells[(row + 1) * width + used], KG__REPORT_CELL_SIZE);
        used++;
    }
    for (size_t i = 0; i < (table->row_count + 1) * width; i++) {
        size_t shown = kg__shown_width(cells[i]);

        /* A rule needs three dashes, and a colon where it aligns to the right. */
        if (widths[i % width] < 4)
            widths[i % width] = 4;
        if (widths[i % width] < shown)
            widths[i % width] = shown;
    }
    fprintf(stream, "\n### %s\n\n", table->columns[column].title);
    for (size_t row = 0; row <= table->row_count; row++) {
        write_cells(stream, cells + row * width, widths, used, left_aligned);
        if (row == 0)
            write_rule(stream, widths, used, left_aligned);
    }
    free(widths);
    free(cells);
}

/* Writes a fact of the target or its provenance, "driver 580.159.04", where it is known. */
static void write_fact(FILE *stream, const json_t *facts, const char *key, const char *title)
{
    if (*kg__json_text(facts, key) == '\0')
        return;
    fprintf(stream, ", %s", title);
    kg__write_markdown(stream, kg__json_text(facts, key));
}

void kg__report_write_facts(FILE *stream, const kg__report_table *table)
{
    const json_t *target =
        json_object_get(json_object_get(table->results, "targets"), table->target);
    const json_t *provenance =
        json_object_get(json_object_get(table->results, "provenance"), table->target);
    char figure[KG__FIGURE_SIZE];

    if (table->counted)
        fputs("Counted on the CPU model", stream);
    else if (*kg__json_text(target, "name") != '\0')
        kg__write_markdown(stream, kg__json_text(target, "name"));
    else
        fputs("A GPU", stream);
    write_fact(stream, target, "compiler", "");
    write_fact(stream, provenance, "driver", "driver ");
    write_fact(stream, provenance, "cuda", "CUDA ");
    fputs(".", stream);
    if (!isnan(table->copy_limit) && !isnan(table->operation_limit)) {
        kg__show_figure(figure, sizeof figure, table->copy_limit / 1e9, "GB/s");
        fprintf(stream, " Its limits, measured beside: it copies %s,", figure);
        kg__show_figure(figure, sizeof figure, table->operation_limit / 1e9, "GFLOP/s");
        fprintf(stream, " and computes %s of multiply-adds in floats.", figure);
    }
    fputc('\n', stream);
}

/* Names a case within its comparison. */
static void write_case(FILE *stream, const kg__report_table *table, const kg__report_case *one)
{
    fprintf(stream, "`%s/%s/%s`", table->variants[one->variant], one->size, one->launch);
}

static bool has_clock(const kg__report_table *table, const char *clock)
{
    for (size_t i = 0; i < table->case_count; i++)
        if (strcmp(table->cases[i].clock, clock) == 0)
            return true;
    return false;
}

/* Names the variants that a clock timed. */
static void write_clocked(FILE *stream, const kg__report_table *table, const char *clock)
{
    const char *between = "";

    for (size_t variant = 0; variant < table->variant_count; variant++) {
        bool timed = false;

        for (size_t i = 0; i < table->case_count && !timed; i++)
            timed = table->cases[i].variant == variant && strcmp(table->cases[i].clock, clock) == 0;
        if (!timed)
            continue;
        fprintf(stream, "%s`%s`", between, table->variants[variant]);
        between = ", ";
    }
}

static void write_clocks(FILE *stream, const kg__report_table *table)
{
    static const struct {
        const char *clock;
        const char *what;
    } clocks[] = {
        { "host", "by the host's clock, around calls and the wait for their end" },
        { "first_touch", "around one launch that finds managed memory on the host" },
    };

    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        if (!has_clock(table, clocks[i].clock))
            continue;
        fputs("- Timed ", stream);
        fputs(clocks[i].what, stream);
        fputs(": ", stream);
        write_clocked(stream, table, clocks[i].clock);
        fputs(has_clock(table, "graph") ? "; the others as launches in a CUDA graph.\n" : ".\n",
              stream);
    }
}

/* Whether a case was timed whose share of the limit is not given. */
static bool lacks_share(const kg__report_table *table)
{
    for (int i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].name, "share_of_limit") != 0)
            continue;
        for (size_t j = 0; j < table->case_count; j++)
            if (!isnan(table->cases[j].figures[0]) && isnan(table->cases[j].figures[i]))
                return true;
    }
    return false;
}

static void write_meanings(FILE *stream, const kg__report_table *table)
{
    if (table->counted) {
        if (table->variant_count > 1)
            fprintf(stream,
                    "- In brackets: how many times as many as `%s` has at the same size and "
                    "threads per block.\n",
                    table->variants[0]);
        fputs(
            "- A request is an instruction of a warp that goes to memory. Of one, sectors are the "
            "pieces of 32 bytes that it touches in global memory, wavefronts its passes over "
            "shared memory, words the different ones that it reads of constant memory: the "
            "fewer, the better. The busiest block is the one that makes the most requests.\n",
            stream);
        fputs("- Every counter is in the results and in CSV. One has no table here if it is 0 "
              "throughout, or said by another: requests where a ratio stands, unique bytes.\n",
              stream);
        return;
    }
    if (table->variant_count > 1)
        fprintf(stream,
                "- In brackets: how many times as fast as `%s` at the same size and threads per "
                "block.\n",
                table->variants[0]);
    write_clocks(stream, table);
    fputs("- Bandwidth and arithmetic: the fewest bytes and operations that the job takes, "
          "whatever the variant does, over the hot time.\n",
          stream);
    if (isnan(table->copy_limit) || isnan(table->operation_limit)) {
        fputs("- Share of the limit: not given, for the results hold no limits of the card.\n",
              stream);
        return;
    }
    fputs("- Share of the limit: the time that those bytes take at the copy's rate, or those "
          "operations at that of float multiply-adds (of integers too), whichever is longer, over "
          "the cold time, or the hot one where there is no cold one.",
          stream);
    if (lacks_share(table))
        fputs(" None is given to what the bus holds up: copies that start no kernel, and first "
              "touches.",
              stream);
    fputc('\n', stream);
}

/* Says which launches a variant's cases have where the rows do not. */
static void write_launches(FILE *stream, const kg__report_table *table)
{
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        json_t *launches = json_object();
        const char *between = "";
        const char *launch;
        json_t *unused;
        bool differs = false;

        for (size_t i = 0; i < table->case_count; i++) {
            const kg__report_case *one = &table->cases[i];

            if (one->variant != variant)
                continue;
            json_object_set_new(launches, one->launch, json_true());
            differs = differs || strcmp(table->rows[one->row].launch, one->launch) != 0;
        }
        if (differs) {
            fprintf(stream, "- `%s` is launched as ", table->variants[variant]);
            json_object_foreach (launches, launch, unused) {
                fprintf(stream, "%s%s", between, launch);
                between = ", ";
            }
            fputs(".\n", stream);
        }
        json_decref(launches);
    }
}

/* Says what was refused and why, a reason at a time. */
static void write_refusals(FILE *stream, const kg__report_table *table)
{
    for (size_t i = 0; i < table->case_count; i++) {
        const kg__report_case *one = &table->cases[i];
        bool told = false;

        if (one->entry != NULL)
            continue;
        for (size_t j = 0; j < i && !told; j++)
            told = table->cases[j].entry == NULL && strcmp(table->cases[j].why, one->why) == 0;
        if (told)
            continue;
        fputs("- Refused: ", stream);
        for (size_t j = i; j < table->case_count; j++) {
            if (table->cases[j].entry != NULL || strcmp(table->cases[j].why, one->why) != 0)
                continue;
            if (j > i)
                fputs(", ", stream);
            write_case(stream, table, &table->cases[j]);
        }
        fputs(": ", stream);
        kg__write_markdown(stream, one->why);
        fputc('\n', stream);
    }
}

/* The cases of a table that failed, sorted by kg__failure_groups_make(). */
static json_t *sort_failures(const kg__report_table *table)
{
    json_t *cases = json_array();
    json_t *document = json_object();
    json_t *sorted;

    for (size_t i = 0; i < table->case_count; i++)
        if (table->cases[i].entry != NULL)
            json_array_append(cases, (json_t *)table->cases[i].entry);
    json_object_set_new(document, "cases", cases);
    sorted = kg__failure_groups_make(document);
    json_decref(document);
    return sorted;
}

/* Says why cases have no figures, of those that failed alike once. */
static void write_failures(FILE *stream, const kg__report_table *table)
{
    json_t *sorted = sort_failures(table);

    for (size_t i = 0; i < table->case_count; i++) {
        const kg__report_case *one = &table->cases[i];
        const json_t *led;
        char *reason;

        if (one->entry == NULL || one->verdict < KG__WRONG ||
            !kg__failure_group_leads(sorted, one->entry, &led))
            continue;
        reason = kg__failure_group_reason(one->entry, led, SIZE_MAX);
        fprintf(stream, "- **%s**: ", kg__verdict_name(one->verdict));
        write_case(stream, table, one);
        fputs(": ", stream);
        kg__write_markdown(stream, reason);
        fputc('\n', stream);
        free(reason);
    }
    json_decref(sorted);
}

/* Names the cases whose figures are not to be trusted, or are not what they were. */
static void write_doubts(FILE *stream, const kg__report_table *table)
{
    static const kg__verdict doubtful[] = { KG__SLOWER, KG__ENVIRONMENT, KG__NOISY };

    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; i++) {
        const char *before = ": ";
        bool any = false;

        for (size_t j = 0; j < table->case_count; j++) {
            if (table->cases[j].entry == NULL || table->cases[j].verdict != doubtful[i])
                continue;
            if (!any)
                fprintf(stream, "- %s", kg__verdict_name(doubtful[i]));
            fputs(before, stream);
            write_case(stream, table, &table->cases[j]);
            before = ", ";
            any = true;
        }
        if (any)
            fputs(".\n", stream);
    }
}

/* Says which counts stand for blocks that were not run. */
static void write_samples(FILE *stream, const kg__report_table *table)
{
    for (size_t i = 0; i < table->case_count; i++) {
        const json_t *sampled = json_object_get(table->cases[i].entry, "sampled");

        if (json_object_size(sampled) == 0)
            continue;
        fputs("- ", stream);
        write_case(stream, table, &table->cases[i]);
        fprintf(stream, " was counted on %zu of its %zu blocks.\n",
                kg__json_count(sampled, "blocks"), kg__json_count(sampled, "of"));
    }
}

void kg__report_write_notes(FILE *stream, const kg__report_table *table)
{
    write_meanings(stream, table);
    write_launches(stream, table);
    write_refusals(stream, table);
    write_failures(stream, table);
    write_doubts(stream, table);
    write_samples(stream, table);
}

void kg__report_write_markdown(FILE *stream, const kg__report_table *table)
{
    bool any = false;

    fprintf(stream, "## %s on ", table->comparison);
    kg__write_markdown(stream, table->target);
    fputs("\n\n", stream);
    kg__report_write_facts(stream, table);
    for (int column = 0; column < table->column_count; column++) {
        if (table->columns[column].title[0] == '\0' || !kg__report_tells(table, column))
            continue;
        write_table(stream, table, column);
        any = true;
    }
    /* Where every case is wrong there is nothing but that to show. */
    if (!any)
        write_table(stream, table, 0);
    fputc('\n', stream);
    kg__report_write_notes(stream, table);
}

/* The columns that a CSV has besides its figures. */
static const char csv_names[] = "target,comparison,variant,size,launch,verdict,clock,limited_by";

/* Counts to the last digit, measured figures as far as they may mean something. */
static void write_number(FILE *stream, double value)
{
    fprintf(stream, "%.*g", value == floor(value) ? 16 : 10, value);
}

/* The first of the tables that has a kind of columns, a GPU's or the model's; NULL: none. */
static const kg__report_table *table_of_kind(const kg__report_table *tables, size_t count,
                                             bool counted)
{
    for (size_t i = 0; i < count; i++)
        if (tables[i].counted == counted)
            return &tables[i];
    return NULL;
}

static void write_csv_case(FILE *stream, const kg__report_table *table, const kg__report_case *one,
                           const kg__report_table *const *kinds)
{
    kg__write_csv_field(stream, table->target);
    fprintf(stream, ",%s,%s,%s,%s,%s,", table->comparison, table->variants[one->variant], one->size,
            one->launch, one->entry != NULL ? kg__verdict_name(one->verdict) : "refused");
    kg__write_csv_field(stream, one->clock);
    fprintf(stream, ",%s", one->limited_by);
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; kinds[kind] != NULL && i < kinds[kind]->column_count; i++) {
            fputc(',', stream);
            if (table->counted == kinds[kind]->counted && isfinite(one->figures[i]))
                write_number(stream, one->figures[i]);
        }
    }
    fputc('\n', stream);
}

void kg__report_write_csv(FILE *stream, const kg__report_table *tables, size_t count)
{
    const kg__report_table *const kinds[2] = { table_of_kind(tables, count, false),
                                               table_of_kind(tables, count, true) };

    fputs(csv_names, stream);
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; kinds[kind] != NULL && i < kinds[kind]->column_count; i++)
            fprintf(stream, ",%s", kinds[kind]->columns[i].name);
    fputc('\n', stream);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < tables[i].case_count; j++)
            write_csv_case(stream, &tables[i], &tables[i].cases[j], kinds);
}
