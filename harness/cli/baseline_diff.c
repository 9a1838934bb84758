/* kernelgate baseline diff: how far a baseline has moved, from a file or from a commit on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "base/text_table.h"
#include "baseline/baseline_diff.h"
#include "cli/baseline_files.h"
#include "cli/command.h"
#include "records/records.h"
#include "suite/settings.h"

#define DRIFT_SCHEMA "kernelgate-drift/1"

static const char *since;
static const char *limit_text;
static const char *format_name;
static bool as_json;

static const kg__text_table_column columns[] = {
    { "target", false, true }, { "case", false, false }, { "metric", false, false },
    { "first", true, false },  { "last", true, false },  { "change", true, false },
    { "band", true, false },   { "note", false, false },
};

/* What all files of one call have in common. */
typedef struct differing {
    kg__print_form form;
    json_t *documents; /* of each file, for JSON; else NULL */
    double limit;      /* fraction; NAN: none */
    size_t files;      /* written so far */
    size_t exceeding;
} differing;

static void add_value(kg__text_table *grid, const kg__baseline_difference *one,
                      const kg__baseline_metric *metric)
{
    char text[KG__FIGURE_SIZE] = "-";
    double value = metric != NULL ? metric->value : NAN;

    /* A counter that is not there is 0. */
    if (metric == NULL && one->kind == KG__DIFFERENCE_MOVED)
        value = 0.0;
    if (!isnan(value))
        kg__show_figure(text, sizeof text, value, kg__metric_unit(one->metric));
    kg__text_table_add_figure(grid, text, value);
}

static void add_change(kg__text_table *grid, const kg__baseline_difference *one)
{
    char text[KG__FIGURE_SIZE];

    if (one->kind == KG__DIFFERENCE_NEW) {
        kg__text_table_add(grid, "new", NULL);
    } else if (one->kind == KG__DIFFERENCE_RETIRED) {
        kg__text_table_add(grid, "retired", NULL);
    } else if (isinf(one->change)) {
        kg__text_table_add(grid, "from 0", "inf");
    } else {
        kg__show_percent(text, sizeof text, one->change, true);
        kg__text_table_add_figure(grid, text, one->change);
    }
}

/* The band, and what it was where it is another one now. */
static void add_band(kg__text_table *grid, const kg__baseline_difference *one)
{
    const kg__baseline_metric *now = one->last != NULL ? one->last : one->first;
    char text[2 * KG__FIGURE_SIZE];
    size_t used;

    if (now == NULL) {
        kg__text_table_add(grid, "-", "");
        return;
    }
    kg__show_percent(text, sizeof text, now->band, false);
    used = strlen(text);
    if (one->first != NULL && one->first->band != now->band) {
        kg__format(text + used, sizeof text - used, ", was ");
        used = strlen(text);
        kg__show_percent(text + used, sizeof text - used, one->first->band, false);
    }
    kg__text_table_add_figure(grid, text, now->band);
}

static const char *note_on(const differing *all, const kg__baseline_difference *one)
{
    bool was_gated = one->first != NULL && one->first->gated;

    if (one->kind != KG__DIFFERENCE_MOVED)
        return "";
    if (kg__baseline_difference_exceeds(one, all->limit))
        return "beyond the limit";
    if (!one->gated)
        return was_gated ? "no longer gated" : "not gated";
    if (one->first != NULL && !was_gated)
        return "gated now";
    if (one->beyond)
        return one->change > 0.0 ? "slower" : "faster";
    return one->loosened ? "held more loosely" : "";
}

static void add_row(kg__text_table *grid, const differing *all, const char *target,
                    const kg__baseline_difference *one)
{
    kg__text_table_add(grid, target, NULL);
    kg__text_table_add(grid, one->id, NULL);
    kg__text_table_add(grid, one->whole ? "-" : one->metric, one->metric);
    add_value(grid, one, one->first);
    add_value(grid, one, one->last);
    add_change(grid, one);
    add_band(grid, one);
    kg__text_table_add(grid, note_on(all, one), NULL);
}

/* How many cases have a metric beyond the limit. Those of one case need not stand together. */
static size_t count_exceeding(const kg__baseline_diff *drifts, double limit)
{
    size_t count = 0;

    for (size_t i = 0; i < drifts->count; i++) {
        bool counted = !kg__baseline_difference_exceeds(&drifts->items[i], limit);

        for (size_t j = 0; j < i && !counted; j++)
            counted = strcmp(drifts->items[j].id, drifts->items[i].id) == 0 &&
                      kg__baseline_difference_exceeds(&drifts->items[j], limit);
        count += !counted;
    }
    return count;
}

/* The sentence that the table comes down to. */
static void write_sum(FILE *stream, const differing *all, const kg__baseline_diff *drifts,
                      size_t exceeding)
{
    char limit[KG__FIGURE_SIZE];

    fprintf(stream, "%zu of %zu case%s slower by more than their band in all", drifts->slower,
            drifts->cases, drifts->cases == 1 ? "" : "s");
    if (!isnan(all->limit)) {
        kg__show_percent(limit, sizeof limit, all->limit, false);
        fprintf(stream, ", %zu by more than %s", exceeding, limit);
    }
    fprintf(stream, "; %zu faster, %zu new, %zu retired", drifts->faster, drifts->added,
            drifts->retired);
    if (drifts->ungated > 0)
        fprintf(stream, "; %zu metric%s no longer gated", drifts->ungated,
                drifts->ungated == 1 ? "" : "s");
    if (drifts->loosened > 0)
        fprintf(stream, "; %zu metric%s held more loosely", drifts->loosened,
                drifts->loosened == 1 ? "" : "s");
    fputc('\n', stream);
}

/* How far a sentinel stands from what it was, a fraction; NaN where one of the two is not there. */
static double sentinel_change(const kg__baseline *first, const kg__baseline_case *now)
{
    const kg__baseline_case *then = kg__baseline_sentinel(first, now->id);
    const kg__baseline_metric *to = kg__baseline_metric_of(now, "time_ns");
    const kg__baseline_metric *from = then != NULL ? kg__baseline_metric_of(then, "time_ns") : NULL;

    return from != NULL && to != NULL ? to->value / from->value - 1.0 : (double)NAN;
}

/* How far the sentinels, which no commit touches, stand apart: that much is the machine's. */
static void write_sentinels(FILE *stream, const kg__baseline *first, const kg__baseline *last)
{
    const char *gap = "sentinels, which no commit touches: ";
    bool any = false;

    for (size_t i = 0; i < last->sentinel_count; i++) {
        const kg__baseline_case *now = &last->sentinels[i];
        double moved = sentinel_change(first, now);
        char change[KG__FIGURE_SIZE];

        if (isnan(moved))
            continue;
        kg__show_percent(change, sizeof change, moved, true);
        fprintf(stream, "%s%s %s", gap, now->id, change);
        gap = ", ";
        any = true;
    }
    fputs(any ? "\n" : "", stream);
}

/* A metric as it was, or is; null where it is not there. */
static json_t *metric_json(const kg__baseline_metric *metric)
{
    return metric == NULL ? json_null()
                          : json_pack("{s:f, s:f, s:b}", "value", metric->value, "band",
                                      metric->band, "gated", (int)metric->gated);
}

static json_t *row_json(const differing *all, const kg__baseline_difference *one)
{
    static const char *const kinds[] = {
        [KG__DIFFERENCE_MOVED] = "moved", [KG__DIFFERENCE_NEW] = "new", [KG__DIFFERENCE_RETIRED] = "retired"
    };
    json_t *row = json_pack("{s:s, s:s, s:o, s:o, s:s}", "case", one->id, "kind", kinds[one->kind],
                            "first", metric_json(one->first), "last", metric_json(one->last),
                            "note", note_on(all, one));

    if (!one->whole)
        json_object_set_new(row, "metric", json_string(one->metric));
    kg__json_set_finite(row, "change", one->change);
    return row;
}

/* How far each sentinel stands apart, as a fraction. */
static json_t *sentinels_json(const kg__baseline *first, const kg__baseline *last)
{
    json_t *changes = json_object();

    for (size_t i = 0; i < last->sentinel_count; i++)
        kg__json_set_finite(changes, last->sentinels[i].id,
                            sentinel_change(first, &last->sentinels[i]));
    return changes;
}

static void add_document(differing *all, const char *title, const kg__baseline *first,
                         const kg__baseline *last, const kg__baseline_diff *drifts,
                         size_t exceeding)
{
    json_t *rows = json_array();
    json_t *tally =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "cases", (json_int_t)drifts->cases,
                  "slower", (json_int_t)drifts->slower, "faster", (json_int_t)drifts->faster, "new",
                  (json_int_t)drifts->added, "retired", (json_int_t)drifts->retired,
                  "no_longer_gated", (json_int_t)drifts->ungated, "held_more_loosely",
                  (json_int_t)drifts->loosened, "beyond_limit", (json_int_t)exceeding);

    for (size_t i = 0; i < drifts->count; i++)
        json_array_append_new(rows, row_json(all, &drifts->items[i]));
    json_array_append_new(all->documents,
                          json_pack("{s:s, s:s, s:o, s:o, s:o}", "title", title, "target",
                                    last->target.key, "changes", rows, "tally", tally, "sentinels",
                                    sentinels_json(first, last)));
}

/* Writes the table of what lies between two baselines, and what it comes down to. */
static void write_table(differing *all, const char *title, const kg__baseline *first,
                        const kg__baseline *last, const kg__baseline_diff *drifts, size_t exceeding)
{
    kg__text_table_format format = all->form.grid;
    bool csv = format == KG__GRID_CSV;
    /* What is no row of a CSV must not stand between its rows. */
    FILE *words = csv ? stderr : stdout;
    kg__text_table *grid = kg__text_table_new(columns, sizeof columns / sizeof *columns);

    for (size_t i = 0; i < drifts->count; i++)
        add_row(grid, all, last->target.key, &drifts->items[i]);
    kg__text_table_color_words(grid, sizeof columns / sizeof *columns - 1);
    if (!csv)
        kg__print(stdout, "%s%s%s\n", all->files > 0 ? "\n" : "",
                  format == KG__GRID_MARKDOWN ? "## " : "", title);
    if (!csv && drifts->count > 0)
        putchar('\n');
    if (csv ? all->files == 0 || drifts->count > 0 : drifts->count > 0)
        kg__text_table_write(stdout, grid, format, !csv || all->files == 0);
    if (!csv)
        putchar('\n');
    if (csv)
        fprintf(words, "%s: ", title);
    write_sum(words, all, drifts, exceeding);
    if (!csv)
        write_sentinels(words, first, last);
    kg__text_table_free(grid);
}

/* Writes what lies between two baselines; `title` says which they are. */
static void write_drift(differing *all, const char *title, const kg__baseline *first,
                        const kg__baseline *last)
{
    kg__baseline_diff drifts = kg__baseline_diff_make(first, last);
    size_t exceeding = count_exceeding(&drifts, all->limit);

    if (all->form.json)
        add_document(all, title, first, last, &drifts, exceeding);
    else
        write_table(all, title, first, last, &drifts, exceeding);
    all->files++;
    all->exceeding += exceeding;
    kg__baseline_diff_free(&drifts);
}

/* Compares two baselines that were read from these files. */
static bool diff_baselines(differing *all, const char *first_path, const kg__baseline *first,
                           const char *last_path, const kg__baseline *last)
{
    char title[3 * KG__PATH_SIZE];

    if (kg__is_model(&first->target) != kg__is_model(&last->target)) {
        kg__complain("baseline diff: %s and %s have nothing to compare: one holds counters of the "
                     "CPU model, the other a GPU's times: name two of one target",
                     first_path, last_path);
        return false;
    }
    kg__format(title, sizeof title, "from %s to %s%s", first_path, last_path,
               strcmp(first->target.key, last->target.key) != 0 ? " (different targets)" : "");
    write_drift(all, title, first, last);
    return true;
}

/* Compares two files. */
static bool diff_files(differing *all, const char *first_name, const char *last_name)
{
    char first_path[KG__PATH_SIZE];
    char last_path[KG__PATH_SIZE];
    kg__baseline first;
    kg__baseline last;
    bool compared = false;

    if (!kg__open_baseline(first_name, first_path, sizeof first_path, &first))
        return false;
    if (kg__open_baseline(last_name, last_path, sizeof last_path, &last)) {
        compared = diff_baselines(all, first_path, &first, last_path, &last);
        kg__baseline_free(&last);
    }
    kg__baseline_free(&first);
    return compared;
}

/* Compares a file with what it was at a commit. The one that is absent is empty, so that all of its
 * cases are new, or retired. */
static bool diff_since(differing *all, const char *path, const char *commit)
{
    char folder[KG__PATH_SIZE];
    char title[2 * KG__PATH_SIZE];
    const char *name;
    kg__baseline first;
    kg__baseline last;
    kg__error error = { "" };
    kg__error error_then = { "" };
    kg__load_status now = kg__baseline_load(path, &last, &error);
    kg__load_status then;

    kg__split_path(path, folder, sizeof folder, &name);
    then = kg__baseline_at_commit(folder, name, commit, since, &first, &error_then);
    if (error_then.text[0] != '\0')
        kg__complain("%s (this is how the file was then: choose a later commit)", error_then.text);
    if (now == KG__BAD)
        kg__complain("%s", error.text);
    else if (now == KG__ABSENT && then == KG__ABSENT)
        kg__complain("%s: there is no such file, and there was none at %s: name another", path,
                     since);
    kg__format(title, sizeof title, "%s since %s%s", path, since,
               then == KG__ABSENT  ? ": it is new"
               : now == KG__ABSENT ? ": it is gone"
                                   : "");
    if (now == KG__ABSENT)
        last.target = first.target;

    bool comparable =
        now != KG__BAD && then != KG__BAD && (now == KG__LOADED || then == KG__LOADED);

    if (comparable)
        write_drift(all, title, &first, &last);
    kg__baseline_free(&first);
    kg__baseline_free(&last);
    return comparable;
}

/* Adds the files of the folder of baselines, those of the commit too. */
static bool add_all_files(kg__names *paths)
{
    char folder[KG__PATH_SIZE];
    char commit[KG__PATH_SIZE];
    char path[2 * KG__PATH_SIZE];
    kg__names names = { 0 };
    bool listed;

    kg__default_baselines(folder, sizeof folder);
    listed = kg__find_commit(folder, since, commit, sizeof commit) &&
             kg__list_baselines_since(folder, commit, &names);
    for (size_t i = 0; i < names.count && listed; i++) {
        kg__format_path(path, sizeof path, "%s/%s", folder, names.items[i]);
        kg__names_add(paths, path);
    }
    kg__names_free(&names);
    if (listed && paths->count == 0) {
        kg__complain("%s: holds no baseline, and held none at %s: name another folder, or a file",
                     folder, since);
        return false;
    }
    return listed;
}

/* Compares the named files, or all, with what they were. */
static bool diff_all_since(differing *all, size_t count, char **operands)
{
    kg__names paths = { 0 };
    bool good = true;

    for (size_t i = 0; i < count; i++) {
        char path[KG__PATH_SIZE];

        kg__baseline_path(operands[i], path, sizeof path);
        kg__names_add(&paths, path);
    }
    if (count == 0)
        good = add_all_files(&paths);
    for (size_t i = 0; i < paths.count && good; i++) {
        char folder[KG__PATH_SIZE];
        char commit[KG__PATH_SIZE];
        const char *name;

        kg__split_path(paths.items[i], folder, sizeof folder, &name);
        good = kg__find_commit(folder, since, commit, sizeof commit) &&
               diff_since(all, paths.items[i], commit);
    }
    kg__names_free(&paths);
    return good;
}

/* Takes a limit in percent, "5" or "2.5". */
static bool parse_limit(double *limit)
{
    char *end;
    double percent;

    *limit = NAN;
    if (limit_text == NULL)
        return true;
    percent = strtod(limit_text, &end);
    if (end == limit_text || (*end != '\0' && strcmp(end, "%") != 0) || !(percent >= 0.0) ||
        !isfinite(percent)) {
        kg__complain("baseline diff: --limit %s: is no percentage from 0 on, as in --limit 5",
                     limit_text);
        return false;
    }
    *limit = percent / 100.0;
    return true;
}

static bool print_documents(const differing *all)
{
    json_t *document = json_pack("{s:s, s:O, s:I}", "schema", DRIFT_SCHEMA, "files", all->documents,
                                 "beyond_limit", (json_int_t)all->exceeding);

    kg__json_set_finite(document, "limit", all->limit);
    return kg__json_print(document, JSON_INDENT(1), "baseline diff");
}

static int diff(size_t count, char **operands)
{
    differing all = { .limit = NAN };
    bool good;

    if (!kg__parse_format("baseline diff", format_name, as_json, &all.form) ||
        !parse_limit(&all.limit))
        return KG__EXIT_ERROR;
    if (since == NULL && count != 2) {
        kg__complain("baseline diff: takes two files or keys, or --since COMMIT [FILE...]");
        return KG__EXIT_ERROR;
    }
    all.documents = all.form.json ? json_array() : NULL;
    good = since != NULL ? diff_all_since(&all, count, operands)
                         : diff_files(&all, operands[0], operands[1]);
    if (good && all.form.json)
        good = print_documents(&all);
    json_decref(all.documents);
    good = kg__flush_output("baseline diff") && good;
    if (!good)
        return KG__EXIT_ERROR;
    return all.exceeding > 0 ? KG__EXIT_FAIL : KG__EXIT_PASS;
}

static const kg__option diff_options[] = {
    { "--since", "COMMIT", "from what the files were at this commit, branch or tag", &since, NULL },
    { "--limit", "PERCENT", "exit with 1 where a case got slower by more than this in all",
      &limit_text, NULL },
    { "--format", "FORMAT", "text (the default), markdown, csv or json", &format_name, NULL },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__baseline_diff_command = {
    .name = "baseline diff",
    .operands = "[FILE|KEY...]",
    .summary = "Print how far baselines have moved in all, the worst case first",
    .details =
        "Between two files; or, with --since, between what a file was at a commit and what it is:\n"
        "a chain of slowdowns, each small enough to be accepted, adds up there. Without a file,\n"
        "all baselines (KG_BASELINES, else baselines). Metrics that are not gated are shown and\n"
        "not counted. CSV has the rows on the standard output and the sums on the standard error.\n"
        "exit: 0 printed; 1 a case is beyond --limit; 2 no such file or commit, or a file that is\n"
        "not right\n",
    .options = diff_options,
    .takes_operands = true,
    .run = diff,
};
