/* kernelgate compare: compares two runs, as ratios with intervals and verdicts. */
#include "results/results_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "base/text_table.h"
#include "cli/command.h"
#include "records/records.h"
#include "results/results.h"
#include "suite/settings.h"

#define COMPARE_SCHEMA "kernelgate-comparison/1"

/* Decimals of a ratio: a thousandth is less than any band. */
#define RATIO_DIGITS 4

static const char *format_name;
static bool as_json;
static bool across;

static const kg__text_table_column columns[] = {
    { "verdict", false, false }, { "target", false, true },   { "case", false, false },
    { "metric", false, false },  { "A", true, false },        { "B", true, false },
    { "B / A", true, false },    { "interval", true, false }, { "limit", true, false },
    { "note", false, false },
};

/* The two files and their comparison. */
typedef struct compared_files {
    const char *paths[2];
    json_t *documents[2];
    kg__results_comparison comparison;
    int code;
} compared_files;

static void add_value(kg__text_table *grid, const char *metric, double value)
{
    char text[KG__FIGURE_SIZE] = "-";

    if (metric != NULL && !isnan(value))
        kg__show_figure(text, sizeof text, value, kg__metric_unit(metric));
    kg__text_table_add_figure(grid, text, value);
}

static void add_ratio(kg__text_table *grid, const kg__compared *row)
{
    char text[2 * KG__FIGURE_SIZE] = "-";

    if (!isnan(row->ratio.value))
        kg__format(text, sizeof text, "%.*f", RATIO_DIGITS, row->ratio.value);
    kg__text_table_add_figure(grid, text, row->ratio.value);
    if (isnan(row->ratio.value) || row->ratio.low == row->ratio.high)
        kg__format(text, sizeof text, "-");
    else
        kg__format(text, sizeof text, "%.*f to %.*f", RATIO_DIGITS, row->ratio.low, RATIO_DIGITS,
                   row->ratio.high);
    kg__text_table_add(grid, text, NULL);
}

static void add_limit(kg__text_table *grid, const kg__compared *row)
{
    char text[KG__FIGURE_SIZE] = "-";

    if (row->judged && row->limit_source != KG__LIMIT_EXACT && isfinite(row->limit))
        kg__show_percent(text, sizeof text, row->limit, false);
    kg__text_table_add_figure(grid, text, row->judged ? row->limit : (double)NAN);
}

static const char *name_verdict(const kg__compared *row)
{
    if (row->verdict == KG__ERROR || row->judged)
        return kg__verdict_name(row->verdict);
    return row->gated ? "not judged" : "not gated";
}

/* The reason for a row's verdict, unless the row's figures say it. */
static void add_note(kg__text_table *grid, const kg__compared *row)
{
    bool plain = row->verdict == KG__PASS || row->verdict == KG__SLOWER ||
                 row->verdict == KG__FASTER || !row->judged;
    const char *note = plain ? "" : row->why;

    if (plain && row->judged && row->limit_source == KG__LIMIT_OF_B)
        note = "limit of B's baseline";
    else if (plain && row->judged && row->limit_source == KG__LIMIT_DEFAULT)
        note = "default limit: no baseline";
    kg__text_table_add(grid, note, NULL);
}

static void add_row(kg__text_table *grid, const kg__compared *row)
{
    char target[KG__MESSAGE_SIZE];

    kg__format(target, sizeof target, "%s to %s", row->target_a, row->target_b);
    kg__text_table_add(grid, name_verdict(row), NULL);
    kg__text_table_add(grid, strcmp(row->target_a, row->target_b) == 0 ? row->target_a : target,
                       NULL);
    kg__text_table_add(grid, row->id, NULL);
    kg__text_table_add(grid, row->metric != NULL ? row->metric : "-", NULL);
    add_value(grid, row->metric, row->a.value);
    add_value(grid, row->metric, row->b.value);
    add_ratio(grid, row);
    add_limit(grid, row);
    add_note(grid, row);
}

/* Equal counters are not shown: there are hundreds. */
static bool is_unchanged_counter(const kg__compared *row)
{
    return row->metric != NULL && *kg__metric_unit(row->metric) == '\0' &&
           row->verdict == KG__PASS && row->a.value == row->b.value;
}

/* Fills the table, worst verdict first, then in A's order; returns how many rows were left out. */
static size_t fill_grid(kg__text_table *grid, const kg__results_comparison *comparison,
                        bool with_unchanged)
{
    size_t unchanged = 0;

    for (int verdict = KG__VERDICTS - 1; verdict >= 0; verdict--) {
        for (size_t i = 0; i < comparison->count; i++) {
            const kg__compared *row = &comparison->metrics[i];

            if ((int)row->verdict != verdict)
                continue;
            if (!with_unchanged && is_unchanged_counter(row))
                unchanged++;
            else
                add_row(grid, row);
        }
    }
    return unchanged;
}

/* Writes which run a file is from. */
static void write_run(FILE *stream, const char *name, const char *path, const json_t *document)
{
    const char *commit = kg__json_text(document, "commit");
    const char *key;
    json_t *target;
    const char *gap = ": ";

    fprintf(stream, "%s = %s", name, path);
    json_object_foreach (json_object_get(document, "targets"), key, target) {
        char *clean = kg__clean_text(key, true);

        fprintf(stream, "%s%s", gap, clean);
        gap = ", ";
        free(clean);
    }
    if (*commit != '\0')
        fprintf(stream, "%scommit %s", gap, commit);
    fputc('\n', stream);
}

static void write_sums(FILE *stream, const kg__results_comparison *comparison)
{
    for (size_t i = 0; i < comparison->sum_count; i++) {
        const kg__compared_sum *sum = &comparison->sums[i];
        bool crosses = strcmp(sum->target_a, sum->target_b) != 0;

        fprintf(stream, "%s%s%s, %s: B / A is %.*f in the geometric mean of %zu case%s\n",
                sum->target_a, crosses ? " to " : "", crosses ? sum->target_b : "", sum->metric,
                RATIO_DIGITS, sum->mean, sum->count, sum->count == 1 ? "" : "s");
    }
}

static void write_one_sided(FILE *stream, const kg__results_comparison *comparison)
{
    for (size_t i = 0; i < comparison->one_sided_count; i++) {
        const kg__one_sided *entry = &comparison->one_sided[i];
        char line[KG__MESSAGE_SIZE];
        char *clean;

        kg__format(line, sizeof line, "%s%s%s on %s", entry->id, entry->metric != NULL ? " " : "",
                   entry->metric != NULL ? entry->metric : "", entry->target);
        clean = kg__clean_text(line, true);
        fprintf(stream, "only in %s: %s\n", entry->in_b ? "B" : "A", clean);
        free(clean);
    }
}

static void write_tally(FILE *stream, const compared_files *files)
{
    const kg__tally *tally = &files->comparison.tally;
    const char *gap = "cases: ";

    for (int verdict = KG__VERDICTS - 1; verdict >= 0; verdict--) {
        if (tally->verdicts[verdict] == 0)
            continue;
        fprintf(stream, "%s%zu %s", gap, tally->verdicts[verdict],
                kg__verdict_name((kg__verdict)verdict));
        gap = ", ";
    }
    if (tally->vanished > 0)
        fprintf(stream, "%s%zu gone from B", gap, tally->vanished);
    if (files->comparison.checked > 0)
        fprintf(stream, "; %zu of them only checked, right in both", files->comparison.checked);
    if (files->comparison.unjudged > 0)
        fprintf(stream,
                "%s%zu metrics of two targets, which are not judged: --across judges them too",
                tally->verdicts[KG__PASS] > 0 ? "; " : "", files->comparison.unjudged);
    fprintf(stream, "\nexit %d\n", files->code);
}

static void write_table(const compared_files *files, kg__text_table_format format)
{
    /* Text that is not a CSV row goes to the standard error. */
    bool csv = format == KG__GRID_CSV;
    FILE *summary = csv ? stderr : stdout;
    kg__text_table *grid = kg__text_table_new(columns, sizeof columns / sizeof *columns);
    size_t unchanged = fill_grid(grid, &files->comparison, csv);

    kg__text_table_color_words(grid, 0);

    write_run(summary, "A", files->paths[0], files->documents[0]);
    if (format == KG__GRID_MARKDOWN)
        fputc('\n', summary);
    write_run(summary, "B", files->paths[1], files->documents[1]);
    if (files->comparison.other_boards)
        fputs("The boards are not the same: what they differ by is in the ratios.\n", summary);
    fputs(csv ? "" : "\n", summary);
    if (kg__text_table_rows(grid) > 0)
        kg__text_table_write(stdout, grid, format, true);
    fputs(kg__text_table_rows(grid) > 0 && !csv ? "\n" : "", summary);
    if (unchanged > 0)
        fprintf(summary, "%zu counter%s the same in both\n", unchanged,
                unchanged == 1 ? " is" : "s are");
    write_sums(summary, &files->comparison);
    write_one_sided(summary, &files->comparison);
    write_tally(summary, files);
    kg__text_table_free(grid);
}

static json_t *pack_row(const kg__compared *row)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:s}", "case", row->id, "target_a", row->target_a, "target_b",
        row->target_b, "verdict",
        row->judged || row->verdict == KG__ERROR ? kg__verdict_name(row->verdict) : "not-judged",
        "why", row->why);

    if (row->metric == NULL)
        return object;
    json_object_set_new(object, "metric", json_string(row->metric));
    json_object_set_new(object, "a", kg__json_interval(&row->a));
    json_object_set_new(object, "b", kg__json_interval(&row->b));
    json_object_set_new(object, "ratio", kg__json_interval(&row->ratio));
    json_object_set_new(object, "gated", json_boolean(row->gated));
    kg__json_set_finite(object, "limit", row->limit);
    json_object_set_new(object, "limit_from",
                        json_string(kg__limit_source_name(row->limit_source)));
    return object;
}

static json_t *pack_run(const char *path, const json_t *document)
{
    char *clean = kg__clean_text(path, false);
    json_t *run =
        json_pack("{s:s, s:s, s:O}", "file", clean, "commit", kg__json_text(document, "commit"),
                  "targets", json_object_get(document, "targets"));

    free(clean);
    return run;
}

static json_t *pack_one_sided(const kg__results_comparison *comparison, bool in_b)
{
    json_t *list = json_array();

    for (size_t i = 0; i < comparison->one_sided_count; i++) {
        const kg__one_sided *entry = &comparison->one_sided[i];

        if (entry->in_b == in_b)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s*}", "case", entry->id, "target",
                                                  entry->target, "metric", entry->metric));
    }
    return list;
}

static json_t *pack_tally(const kg__results_comparison *comparison)
{
    json_t *tally = json_object();

    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        json_object_set_new(tally, kg__verdict_name((kg__verdict)verdict),
                            json_integer((json_int_t)comparison->tally.verdicts[verdict]));
    json_object_set_new(tally, "vanished", json_integer((json_int_t)comparison->tally.vanished));
    json_object_set_new(tally, "not-judged",
                        json_integer((json_int_t)comparison->tally.unavailable));
    return tally;
}

static bool write_json(const compared_files *files)
{
    const kg__results_comparison *comparison = &files->comparison;
    json_t *metrics = json_array();
    json_t *sums = json_array();
    json_t *document;

    for (size_t i = 0; i < comparison->count; i++)
        json_array_append_new(metrics, pack_row(&comparison->metrics[i]));
    for (size_t i = 0; i < comparison->sum_count; i++)
        json_array_append_new(sums, json_pack("{s:s, s:s, s:s, s:I, s:f}", "target_a",
                                              comparison->sums[i].target_a, "target_b",
                                              comparison->sums[i].target_b, "metric",
                                              comparison->sums[i].metric, "cases",
                                              (json_int_t)comparison->sums[i].count,
                                              "geometric_mean", comparison->sums[i].mean));
    document =
        json_pack("{s:s, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:i}", "schema",
                  COMPARE_SCHEMA, "a", pack_run(files->paths[0], files->documents[0]), "b",
                  pack_run(files->paths[1], files->documents[1]), "across", (int)across,
                  "other_boards", (int)comparison->other_boards, "metrics", metrics, "only_in_a",
                  pack_one_sided(comparison, false), "only_in_b", pack_one_sided(comparison, true),
                  "means", sums, "tally", pack_tally(comparison), "exit_code", files->code);
    return kg__json_print(document, JSON_INDENT(1), "compare");
}

/* The case id nearest to a filter that matches nothing. */
static const char *nearest_case(const json_t *document, const char *filter)
{
    const json_t *cases = json_object_get(document, "cases");
    const char **ids = kg__allocate(json_array_size(cases) + 1, sizeof *ids);
    const char *nearest;
    const json_t *entry;
    size_t i;

    json_array_foreach (cases, i, entry)
        ids[i] = kg__json_text(entry, "case");
    nearest = kg__nearest_to_globs(filter, ids, json_array_size(cases));
    free(ids);
    return nearest;
}

static int compare_documents(compared_files *files, const char *filter, const kg__print_form *form)
{
    kg__error error = { "" };
    kg__tally judged;

    if (!kg__results_compare(files->documents[0], files->documents[1], filter, across,
                             &files->comparison, &error)) {
        const char *nearest = nearest_case(files->documents[0], filter);

        kg__complain("compare: %s%s%s", error.text, nearest != NULL ? "; nearest is " : "",
                     nearest != NULL ? nearest : "");
        return KG__EXIT_ERROR;
    }
    judged = files->comparison.tally;
    /* B may be a run of fewer cases on purpose: only strict mode counts that as a loss. */
    if (!kg__is_strict())
        judged.vanished = 0;
    files->code = kg__exit_code(&judged, kg__is_strict());
    if (!form->json)
        write_table(files, form->grid);
    return (form->json ? write_json(files) : kg__flush_output("compare")) ? files->code
                                                                          : KG__EXIT_ERROR;
}

static bool arguments_fit(size_t count, kg__print_form *form)
{
    if (!kg__parse_format("compare", format_name, as_json, form))
        return false;
    if (count < 2)
        kg__complain("compare: takes two results files: kernelgate compare A.json B.json [FILTER]");
    else if (count > 3)
        kg__complain("compare: takes one filter after the two files: separate globs by commas");
    else
        return true;
    return false;
}

static int compare(size_t count, char **operands)
{
    compared_files files = { .paths = { "", "" } };
    kg__print_form form;
    int code = KG__EXIT_ERROR;

    if (!arguments_fit(count, &form))
        return KG__EXIT_ERROR;
    for (size_t i = 0; i < 2; i++) {
        kg__error error = { "" };

        files.paths[i] = operands[i];
        files.documents[i] = kg__results_load(operands[i], &error);
        if (files.documents[i] == NULL)
            kg__complain("compare: %s", error.text);
    }
    if (files.documents[0] != NULL && files.documents[1] != NULL)
        code = compare_documents(&files, count == 3 ? operands[2] : "", &form);
    kg__results_comparison_free(&files.comparison);
    json_decref(files.documents[0]);
    json_decref(files.documents[1]);
    return code;
}

static const kg__option options[] = {
    { "--across", NULL, "also judge results of two different GPUs, by A's limits", NULL, &across },
    { "--format", "FORMAT", "text (the default), markdown, csv or json", &format_name, NULL },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__compare_command = {
    .name = "compare",
    .operands = "A.json B.json [FILTER]",
    .summary = "Print how two runs' results differ, as ratios with intervals and verdicts",
    .details =
        "A is the baseline: B's figures are judged against A's as in the gate, with the limits of\n"
        "A's (else B's) baseline, widened by the square root of 2 since both runs vary. Two\n"
        "different GPUs are compared but not judged, unless --across. FILTER is a list of globs\n"
        "on case ids; one without its last parts, such as pair_means, matches all ids that begin\n"
        "so; KG_FILTER also applies.\n"
        "exit: 0 nothing worse; 1 slower or wrong, with KG_STRICT=1 also environment, noisy, new\n"
        "or gone; 2 an error, or nothing in common; 77 nothing was judged (2 with KG_STRICT=1)\n",
    .options = options,
    .takes_operands = true,
    .run = compare,
};
