/* Writes tables of launches and of sizes by variant. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/tune_writer.h"

/* The maximum number of launches with a table each. */
#define LAUNCH_TABLES 12

#define DROPPED_MARK " †"

/* The launches of a comparison (or of one size), by threads, then by blocks. */
static int compare_launches(const void *left, const void *right)
{
    const kg__case_id *a = *(const kg__case_id *const *)left;
    const kg__case_id *b = *(const kg__case_id *const *)right;

    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->grid > b->grid) - (a->grid < b->grid);
}

static const kg__case_id **list_launches(const kg__tuning_writer *writer, const char *comparison,
                                         const char *size, size_t *count)
{
    const kg__case_id **launches = kg__allocate(writer->tuning->count + 1, sizeof(kg__case_id *));
    size_t kept = 0;

    *count = 0;
    for (size_t i = 0; i < writer->tuning->count; i++) {
        const kg__case_id *name = &writer->tuning->list[i].name;

        if (strcmp(name->comparison, comparison) == 0 &&
            (size == NULL || strcmp(name->size, size) == 0))
            launches[(*count)++] = name;
    }
    qsort(launches, *count, sizeof(kg__case_id *), compare_launches);
    for (size_t i = 0; i < *count; i++) {
        if (kept == 0 || compare_launches(&launches[kept - 1], &launches[i]) != 0)
            launches[kept++] = launches[i];
    }
    *count = kept;
    return launches;
}

static const kg__tuning_candidate *find_candidate(const kg__tuning_writer *writer,
                                                  const char *comparison, const char *variant,
                                                  const char *size, const char *launch)
{
    char id[sizeof(kg__case_id)];

    kg__format(id, sizeof id, "%s/%s/%s/%s", comparison, variant, size, launch);
    for (size_t i = 0; i < writer->tuning->count; i++) {
        if (strcmp(writer->tuning->list[i].id, id) == 0)
            return &writer->tuning->list[i];
    }
    return NULL;
}

/* Adds a candidate's figure, or its fate; returns whether it has a mark to explain. */
static bool add_candidate(const kg__tuning_writer *writer, kg__text_table *grid,
                          const kg__tuning_candidate *candidate, const char *suffix)
{
    char figure[KG__FIGURE_SIZE];
    char text[KG__CELL_SIZE];

    if (candidate == NULL || candidate->fate != KG__TUNING_MEASURED) {
        kg__tuning_add_text(grid, candidate == NULL ? "" : kg__tuning_fate_name(candidate->fate));
        return false;
    }
    kg__tuning_show(writer, figure, sizeof figure, kg__tuning_figure(candidate).value);
    kg__format(text, sizeof text, "%s%s%s", figure, suffix,
               candidate->dropped > 0 && candidate->rounds == NULL ? DROPPED_MARK : "");
    kg__text_table_add_figure(grid, text, kg__tuning_figure(candidate).value);
    return candidate->dropped > 0 && candidate->rounds == NULL;
}

static void explain_marks(const kg__tuning_writer *writer, bool marked)
{
    if (marked)
        kg__tuning_remark(writer, "†: a race dropped it early, so its time has few samples; "
                                  "--exhaustive times every launch fully.");
}

/* A table's columns: a title, then one per variant. */
static kg__text_table_column *make_columns(const char *title, const kg__tuning_set *variants,
                                           size_t count)
{
    kg__text_table_column *columns = kg__allocate(count + 1, sizeof *columns);

    columns[0] = (kg__text_table_column){ title, false, false };
    for (size_t i = 0; i < count; i++)
        columns[i + 1] = (kg__text_table_column){ variants[i].name, true, false };
    return columns;
}

/* The title of a column of launches. */
static const char *choose_title(const kg__tuning_writer *writer, const char *comparison,
                                const kg__case_id *const *launches, size_t count)
{
    bool edges = json_is_true(json_object_get(writer->report->edges, comparison));

    if (json_object_get(writer->report->edges, comparison) == NULL)
        return "launch";
    for (size_t i = 0; i < count; i++) {
        if (launches[i]->grid != 0 || launches[i]->block == 0)
            return "launch";
    }
    return edges ? "block edge" : "threads per block";
}

static void add_launch(kg__text_table *grid, const char *title, const kg__case_id *launch)
{
    if (strcmp(title, "launch") == 0)
        kg__tuning_add_text(grid, launch->launch);
    else
        kg__tuning_add_known(grid, (double)launch->block);
}

static void write_launches(const kg__tuning_writer *writer, const kg__tuning_problem *problem)
{
    size_t variant_count;
    size_t launch_count;
    kg__tuning_set *variants =
        kg__tuning_variants(writer->tuning, problem->comparison, &variant_count);
    const kg__case_id **launches =
        list_launches(writer, problem->comparison, problem->size, &launch_count);
    const char *title = choose_title(writer, problem->comparison, launches, launch_count);
    kg__text_table_column *columns = make_columns(title, variants, variant_count);
    kg__text_table *grid = kg__text_table_new(columns, variant_count + 1);
    bool marked = false;

    for (size_t i = 0; i < launch_count; i++) {
        add_launch(grid, title, launches[i]);
        for (size_t j = 0; j < variant_count; j++) {
            const kg__tuning_candidate *candidate = find_candidate(
                writer, problem->comparison, variants[j].name, problem->size, launches[i]->launch);
            bool best = candidate != NULL &&
                        candidate == kg__tuning_best(writer->tuning, problem, &variants[j],
                                                     KG__TUNING_BY_FIGURE);

            marked =
                add_candidate(writer, grid, candidate, best && writer->timed ? " (best)" : "") ||
                marked;
        }
    }
    kg__text_table_write(writer->stream, grid, writer->format, true);
    kg__text_table_free(grid);
    explain_marks(writer, marked);
    free(columns);
    free(launches);
    free(variants);
}

void kg__tuning_write_launches(FILE *stream, const kg__tuning_report *report,
                               kg__text_table_format format)
{
    kg__tuning_writer writer = kg__tuning_writer_begin(stream, report, format);
    size_t count;
    kg__tuning_problem *problems = kg__tuning_problems(report->tuning, &count);

    for (size_t i = 0; i < count; i++) {
        kg__tuning_heading(&writer, problems[i].comparison, problems[i].size, " by launch");
        write_launches(&writer, &problems[i]);
    }
    free(problems);
}

/* Writes a comparison's sizes by variant: of one launch, or (NULL) of the best. */
static void write_sizes(const kg__tuning_writer *writer, const kg__tuning_problem *problems,
                        size_t count, const char *comparison, const kg__case_id *launch)
{
    size_t variant_count;
    kg__tuning_set *variants = kg__tuning_variants(writer->tuning, comparison, &variant_count);
    kg__text_table_column *columns = make_columns("size", variants, variant_count);
    kg__text_table *grid = kg__text_table_new(columns, variant_count + 1);
    bool marked = false;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(problems[i].comparison, comparison) != 0)
            continue;
        kg__tuning_add_text(grid, problems[i].size);
        for (size_t j = 0; j < variant_count; j++) {
            const kg__tuning_candidate *candidate =
                launch != NULL ? find_candidate(writer, comparison, variants[j].name,
                                                problems[i].size, launch->launch)
                               : kg__tuning_best(writer->tuning, &problems[i], &variants[j],
                                                 KG__TUNING_BY_FIGURE);
            char suffix[KG__CASE_PART_SIZE + 4] = "";

            if (launch == NULL && candidate != NULL)
                kg__format(suffix, sizeof suffix, " (%s)", candidate->name.launch);
            marked = add_candidate(writer, grid, candidate, suffix) || marked;
        }
    }
    kg__text_table_write(writer->stream, grid, writer->format, true);
    kg__text_table_free(grid);
    explain_marks(writer, marked);
    free(columns);
    free(variants);
}

static void write_comparison_sizes(kg__tuning_writer *writer, const kg__tuning_problem *problems,
                                   size_t count, const char *comparison)
{
    size_t launch_count;
    const kg__case_id **launches = list_launches(writer, comparison, NULL, &launch_count);
    char text[KG__CASE_PART_SIZE + 64];

    kg__tuning_heading(writer, comparison, "", " by size, of the best launch");
    write_sizes(writer, problems, count, comparison, NULL);
    for (size_t i = 0; i < launch_count && launch_count <= LAUNCH_TABLES && launch_count > 1; i++) {
        kg__format(text, sizeof text, " by size, of launch %s", launches[i]->launch);
        kg__tuning_heading(writer, comparison, "", text);
        write_sizes(writer, problems, count, comparison, launches[i]);
    }
    if (launch_count > LAUNCH_TABLES) {
        char note[KG__MESSAGE_SIZE];

        kg__format(note, sizeof note,
                   "%zu launches: a filter for at most %d, such as '%s/*/b4,%s/*/b16', gives a "
                   "table of each.",
                   launch_count, LAUNCH_TABLES, comparison, comparison);
        kg__tuning_remark(writer, note);
    }
    free(launches);
}

void kg__tuning_write_sizes(FILE *stream, const kg__tuning_report *report,
                            kg__text_table_format format)
{
    kg__tuning_writer writer = kg__tuning_writer_begin(stream, report, format);
    size_t count;
    kg__tuning_problem *problems = kg__tuning_problems(report->tuning, &count);

    for (size_t i = 0; i < count; i++) {
        bool first = true;

        for (size_t j = 0; j < i && first; j++)
            first = strcmp(problems[j].comparison, problems[i].comparison) != 0;
        if (first)
            write_comparison_sizes(&writer, problems, count, problems[i].comparison);
    }
    free(problems);
}
