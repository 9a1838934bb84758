/* Every launch of a search by variant, and sizes by variant. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/tune_writer.h"

/* A table a launch is written where there are no more launches than this. */
#define LAUNCH_TABLES 12

#define DROPPED_MARK " †"

/* The launches of a comparison (of one size of it, where that is given), by threads, then by
 * blocks. */
static int compare_launches(const void *left, const void *right)
{
    const kg__case_id *a = *(const kg__case_id *const *)left;
    const kg__case_id *b = *(const kg__case_id *const *)right;

    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->grid > b->grid) - (a->grid < b->grid);
}

static const kg__case_id **launches_of(const kg__tuning_writer *to, const char *comparison,
                                       const char *size, size_t *count)
{
    const kg__case_id **launches = kg__allocate(to->tuning->count + 1, sizeof(kg__case_id *));
    size_t kept = 0;

    *count = 0;
    for (size_t i = 0; i < to->tuning->count; i++) {
        const kg__case_id *name = &to->tuning->list[i].name;

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

static const kg__tuning_candidate *candidate_at(const kg__tuning_writer *to, const char *comparison,
                                                const char *variant, const char *size,
                                                const char *launch)
{
    char id[sizeof(kg__case_id)];

    kg__format(id, sizeof id, "%s/%s/%s/%s", comparison, variant, size, launch);
    for (size_t i = 0; i < to->tuning->count; i++) {
        if (strcmp(to->tuning->list[i].id, id) == 0)
            return &to->tuning->list[i];
    }
    return NULL;
}

/* A candidate's figure, or why it has none; returns whether a mark needs its explanation. */
static bool add_candidate(const kg__tuning_writer *to, kg__text_table *grid,
                          const kg__tuning_candidate *one, const char *behind)
{
    char figure[KG__FIGURE_SIZE];
    char text[KG__CELL_SIZE];

    if (one == NULL || one->fate != KG__TUNING_MEASURED) {
        kg__tuning_add_text(grid, one == NULL ? "" : kg__tuning_fate_name(one->fate));
        return false;
    }
    kg__tuning_show(to, figure, sizeof figure, kg__tuning_figure(one).value);
    kg__format(text, sizeof text, "%s%s%s", figure, behind,
               one->dropped > 0 && one->rounds == NULL ? DROPPED_MARK : "");
    kg__text_table_add_figure(grid, text, kg__tuning_figure(one).value);
    return one->dropped > 0 && one->rounds == NULL;
}

static void explain_marks(const kg__tuning_writer *to, bool marked)
{
    if (marked)
        kg__tuning_remark(to, "†: a race dropped it early, so that its time rests on few samples; "
                              "--exhaustive times every launch alike.");
}

/* A table's columns: a title, then a variant each. */
static kg__text_table_column *variant_columns(const char *title, const kg__tuning_set *variants,
                                              size_t count)
{
    kg__text_table_column *columns = kg__allocate(count + 1, sizeof *columns);

    columns[0] = (kg__text_table_column){ title, false, false };
    for (size_t i = 0; i < count; i++)
        columns[i + 1] = (kg__text_table_column){ variants[i].name, true, false };
    return columns;
}

/* What a column of launches is called, and how it shows one. */
static const char *launch_title(const kg__tuning_writer *to, const char *comparison,
                                const kg__case_id *const *launches, size_t count)
{
    bool edges = json_is_true(json_object_get(to->report->edges, comparison));

    if (json_object_get(to->report->edges, comparison) == NULL)
        return "launch";
    for (size_t i = 0; i < count; i++) {
        if (launches[i]->grid != 0 || launches[i]->block == 0)
            return "launch";
    }
    return edges ? "edge of a block" : "threads a block";
}

static void add_launch(kg__text_table *grid, const char *title, const kg__case_id *launch)
{
    if (strcmp(title, "launch") == 0)
        kg__tuning_add_text(grid, launch->launch);
    else
        kg__tuning_add_known(grid, (double)launch->block);
}

static void write_launches(const kg__tuning_writer *to, const kg__tuning_problem *problem)
{
    size_t variant_count;
    size_t launch_count;
    kg__tuning_set *variants = kg__tuning_variants(to->tuning, problem->comparison, &variant_count);
    const kg__case_id **launches =
        launches_of(to, problem->comparison, problem->size, &launch_count);
    const char *title = launch_title(to, problem->comparison, launches, launch_count);
    kg__text_table_column *columns = variant_columns(title, variants, variant_count);
    kg__text_table *grid = kg__text_table_new(columns, variant_count + 1);
    bool marked = false;

    for (size_t i = 0; i < launch_count; i++) {
        add_launch(grid, title, launches[i]);
        for (size_t j = 0; j < variant_count; j++) {
            const kg__tuning_candidate *one = candidate_at(
                to, problem->comparison, variants[j].name, problem->size, launches[i]->launch);
            bool best = one != NULL && one == kg__tuning_best(to->tuning, problem, &variants[j],
                                                              KG__TUNING_BY_FIGURE);

            marked = add_candidate(to, grid, one, best && to->timed ? " (best)" : "") || marked;
        }
    }
    kg__text_table_write(to->stream, grid, to->format, true);
    kg__text_table_free(grid);
    explain_marks(to, marked);
    free(columns);
    free(launches);
    free(variants);
}

void kg__tuning_write_launches(FILE *stream, const kg__tuning_report *report,
                               kg__text_table_format format)
{
    kg__tuning_writer to = kg__tuning_writer_begin(stream, report, format);
    size_t count;
    kg__tuning_problem *problems = kg__tuning_problems(report->tuning, &count);

    for (size_t i = 0; i < count; i++) {
        kg__tuning_heading(&to, problems[i].comparison, problems[i].size, " by launch");
        write_launches(&to, &problems[i]);
    }
    free(problems);
}

/* A table of a comparison's sizes by variant: of one launch, or of the best where it is NULL. */
static void write_sizes(const kg__tuning_writer *to, const kg__tuning_problem *problems,
                        size_t count, const char *comparison, const kg__case_id *launch)
{
    size_t variant_count;
    kg__tuning_set *variants = kg__tuning_variants(to->tuning, comparison, &variant_count);
    kg__text_table_column *columns = variant_columns("size", variants, variant_count);
    kg__text_table *grid = kg__text_table_new(columns, variant_count + 1);
    bool marked = false;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(problems[i].comparison, comparison) != 0)
            continue;
        kg__tuning_add_text(grid, problems[i].size);
        for (size_t j = 0; j < variant_count; j++) {
            const kg__tuning_candidate *one =
                launch != NULL
                    ? candidate_at(to, comparison, variants[j].name, problems[i].size,
                                   launch->launch)
                    : kg__tuning_best(to->tuning, &problems[i], &variants[j], KG__TUNING_BY_FIGURE);
            char behind[KG__CASE_PART_SIZE + 4] = "";

            if (launch == NULL && one != NULL)
                kg__format(behind, sizeof behind, " (%s)", one->name.launch);
            marked = add_candidate(to, grid, one, behind) || marked;
        }
    }
    kg__text_table_write(to->stream, grid, to->format, true);
    kg__text_table_free(grid);
    explain_marks(to, marked);
    free(columns);
    free(variants);
}

static void write_comparison_sizes(kg__tuning_writer *to, const kg__tuning_problem *problems,
                                   size_t count, const char *comparison)
{
    size_t launch_count;
    const kg__case_id **launches = launches_of(to, comparison, NULL, &launch_count);
    char text[KG__CASE_PART_SIZE + 64];

    kg__tuning_heading(to, comparison, "", " by size, of the best launch");
    write_sizes(to, problems, count, comparison, NULL);
    for (size_t i = 0; i < launch_count && launch_count <= LAUNCH_TABLES && launch_count > 1; i++) {
        kg__format(text, sizeof text, " by size, of launch %s", launches[i]->launch);
        kg__tuning_heading(to, comparison, "", text);
        write_sizes(to, problems, count, comparison, launches[i]);
    }
    if (launch_count > LAUNCH_TABLES) {
        char note[KG__MESSAGE_SIZE];

        kg__format(note, sizeof note,
                   "%zu launches: a filter that leaves at most %d, such as '%s/*/b4,%s/*/b16', "
                   "gives a table of each.",
                   launch_count, LAUNCH_TABLES, comparison, comparison);
        kg__tuning_remark(to, note);
    }
    free(launches);
}

void kg__tuning_write_sizes(FILE *stream, const kg__tuning_report *report,
                            kg__text_table_format format)
{
    kg__tuning_writer to = kg__tuning_writer_begin(stream, report, format);
    size_t count;
    kg__tuning_problem *problems = kg__tuning_problems(report->tuning, &count);

    for (size_t i = 0; i < count; i++) {
        bool first = true;

        for (size_t j = 0; j < i && first; j++)
            first = strcmp(problems[j].comparison, problems[i].comparison) != 0;
        if (first)
            write_comparison_sizes(&to, problems, count, problems[i].comparison);
    }
    free(problems);
}
