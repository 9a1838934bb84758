/* kernelgate baseline diff: how far a baseline has moved since a file or a commit. */
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

#define DIFF_SCHEMA "kernelgate-drift/1"

static const char *since;
static const char *limit_text;
static const char *format_name;
static bool as_json;

static const kg__text_table_column columns[] = {
    { "target", false, true }, { "case", false, false }, { "metric", false, false },
    { "first", true, false },  { "last", true, false },  { "change", true, false },
    { "band", true, false },   { "note", false, false },
};

/* A run of the command. */
typedef struct diff_run {
    kg__print_form form;
    json_t *documents; /* of each file, for JSON; else NULL */
    double limit;      /* fraction; NAN: none */
    size_t files;      /* written so far */
    size_t exceeding;
} diff_run;

static void add_value(kg__text_table *grid, const kg__baseline_difference *difference,
                      const kg__baseline_metric *metric)
{
    char text[KG__FIGURE_SIZE] = "-";
    double value = metric != NULL ? metric->value : NAN;

    /* An absent counter is 0. */
    if (metric == NULL && difference->kind == KG__DIFFERENCE_MOVED)
        value = 0.0;
    if (!isnan(value))
        kg__show_figure(text, sizeof text, value, kg__metric_unit(difference->metric));
    kg__text_table_add_figure(grid, text, value);
}

static void add_change(kg__text_table *grid, const kg__baseline_difference *difference)
{
    char text[KG__FIGURE_SIZE];

    if (difference->kind == KG__DIFFERENCE_NEW) {
        kg__text_table_add(grid, "new", NULL);
    } else if (difference->kind == KG__DIFFERENCE_RETIRED) {
        kg__text_table_add(grid, "retired", NULL);
    } else if (isinf(difference->change)) {
        kg__text_table_add(grid, "from 0", "inf");
    } else {
        kg__show_percent(text, sizeof text, difference->change, true);
        kg__text_table_add_figure(grid, text, difference->change);
    }
}

/* The band, and the old one if it changed. */
static void add_band(kg__text_table *grid, const kg__baseline_difference *difference)
{
    const kg__baseline_metric *now =
        difference->last != NULL ? difference->last : difference->first;
    char text[2 * KG__FIGURE_SIZE];
    size_t used;

    if (now == NULL) {
        kg__text_table_add(grid, "-", "");
        return;
    }
    kg__show_percent(text, sizeof text, now->band, false);
    used = strlen(text);
    if (difference->first != NULL && difference->first->band != now->band) {
        kg__format(text + used, sizeof text - used, ", was ");
        used = strlen(text);
        kg__show_percent(text + used, sizeof text - used, difference->first->band, false);
    }
    kg__text_table_add_figure(grid, text, now->band);
}

static const char *choose_note(const diff_run *run, const kg__baseline_difference *difference)
{
    bool was_gated = difference->first != NULL && difference->first->gated;

    if (difference->kind != KG__DIFFERENCE_MOVED)
        return "";
    if (kg__baseline_difference_exceeds(difference, run->limit))
        return "beyond the limit";
    if (!difference->gated)
        return was_gated ? "no longer gated" : "not gated";
    if (difference->first != NULL && !was_gated)
        return "gated now";
    if (difference->beyond)
        return difference->change > 0.0 ? "slower" : "faster";
    return difference->loosened ? "held more loosely" : "";
}

static void add_row(kg__text_table *grid, const diff_run *run, const char *target,
                    const kg__baseline_difference *difference)
{
    kg__text_table_add(grid, target, NULL);
    kg__text_table_add(grid, difference->id, NULL);
    kg__text_table_add(grid, difference->whole ? "-" : difference->metric, difference->metric);
    add_value(grid, difference, difference->first);
    add_value(grid, difference, difference->last);
    add_change(grid, difference);
    add_band(grid, difference);
    kg__text_table_add(grid, choose_note(run, difference), NULL);
}

/* How many cases have a metric beyond the limit. The metrics of a case need not be adjacent. */
static size_t count_exceeding(const kg__baseline_diff *diff, double limit)
{
    size_t count = 0;

    for (size_t i = 0; i < diff->count; i++) {
        bool counted = !kg__baseline_difference_exceeds(&diff->items[i], limit);

        for (size_t j = 0; j < i && !counted; j++)
            counted = strcmp(diff->items[j].id, diff->items[i].id) == 0 &&
                      kg__baseline_difference_exceeds(&diff->items[j], limit);
        count += !counted;
    }
    return count;
}

/* Writes the summary of the table in one sentence. */
static void write_summary(FILE *stream, const diff_run *run, const kg__baseline_diff *diff,
                          size_t exceeding)
{
    char limit[KG__FIGURE_SIZE];

    fprintf(stream, "%zu of %zu case%s slower by more than their band in all", diff->slower,
            diff->cases, diff->cases == 1 ? "" : "s");
    if (!isnan(run->limit)) {
        kg__show_percent(limit, sizeof limit, run->limit, false);
        fprintf(stream, ", %zu by more than %s", exceeding, limit);
    }
    fprintf(stream, "; %zu faster, %zu new, %zu retired", diff->faster, diff->added, diff->retired);
    if (diff->ungated > 0)
        fprintf(stream, "; %zu metric%s no longer gated", diff->ungated,
                diff->ungated == 1 ? "" : "s");
    if (diff->loosened > 0)
        fprintf(stream, "; %zu metric%s held more loosely", diff->loosened,
                diff->loosened == 1 ? "" : "s");
    fputc('\n', stream);
}

/* The relative change of a sentinel; NaN if either value is absent. */
static double compare_sentinel(const kg__baseline *first, const kg__baseline_case *last_case)
{
    const kg__baseline_case *first_case = kg__baseline_sentinel(first, last_case->id);
    const kg__baseline_metric *last_metric = kg__baseline_metric_of(last_case, "time_ns");
    const kg__baseline_metric *first_metric =
        first_case != NULL ? kg__baseline_metric_of(first_case, "time_ns") : NULL;

    return first_metric != NULL && last_metric != NULL
               ? last_metric->value / first_metric->value - 1.0
               : (double)NAN;
}

/* Writes the changes of the sentinels. No commit changes their code, so their change is the
 * machine's. */
static void write_sentinels(FILE *stream, const kg__baseline *first, const kg__baseline *last)
{
    const char *gap = "sentinels, which no commit touches: ";
    bool written = false;

    for (size_t i = 0; i < last->sentinel_count; i++) {
        const kg__baseline_case *now = &last->sentinels[i];
        double moved = compare_sentinel(first, now);
        char change[KG__FIGURE_SIZE];

        if (isnan(moved))
            continue;
        kg__show_percent(change, sizeof change, moved, true);
        fprintf(stream, "%s%s %s", gap, now->id, change);
        gap = ", ";
        written = true;
    }
    fputs(written ? "\n" : "", stream);
}

/* A metric, or null. */
static json_t *pack_metric(const kg__baseline_metric *metric)
{
    return metric == NULL ? json_null()
                          : json_pack("{s:f, s:f, s:b}", "value", metric->value, "band",
                                      metric->band, "gated", (int)metric->gated);
}

static json_t *pack_row(const diff_run *run, const kg__baseline_difference *difference)
{
    static const char *const kinds[] = { [KG__DIFFERENCE_MOVED] = "moved",
                                         [KG__DIFFERENCE_NEW] = "new",
                                         [KG__DIFFERENCE_RETIRED] = "retired" };
    json_t *row =
        json_pack("{s:s, s:s, s:o, s:o, s:s}", "case", difference->id, "kind",
                  kinds[difference->kind], "first", pack_metric(difference->first), "last",
                  pack_metric(difference->last), "note", choose_note(run, difference));

    if (!difference->whole)
        json_object_set_new(row, "metric", json_string(difference->metric));
    kg__json_set_finite(row, "change", difference->change);
    return row;
}

/* The relative change of each sentinel. */
static json_t *pack_sentinels(const kg__baseline *first, const kg__baseline *last)
{
    json_t *changes = json_object();

    for (size_t i = 0; i < last->sentinel_count; i++)
        kg__json_set_finite(changes, last->sentinels[i].id,
                            compare_sentinel(first, &last->sentinels[i]));
    return changes;
}

static void add_document(diff_run *run, const char *title, const kg__baseline *first,
                         const kg__baseline *last, const kg__baseline_diff *diff, size_t exceeding)
{
    json_t *rows = json_array();
    json_t *tally =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "cases", (json_int_t)diff->cases,
                  "slower", (json_int_t)diff->slower, "faster", (json_int_t)diff->faster, "new",
                  (json_int_t)diff->added, "retired", (json_int_t)diff->retired, "no_longer_gated",
                  (json_int_t)diff->ungated, "held_more_loosely", (json_int_t)diff->loosened,
                  "beyond_limit", (json_int_t)exceeding);

    for (size_t i = 0; i < diff->count; i++)
        json_array_append_new(rows, pack_row(run, &diff->items[i]));
    json_array_append_new(run->documents,
                          json_pack("{s:s, s:s, s:o, s:o, s:o}", "title", title, "target",
                                    last->target.key, "changes", rows, "tally", tally, "sentinels",
                                    pack_sentinels(first, last)));
}

/* Writes the table of the changes between two baselines, and its summary. */
static void write_table(diff_run *run, const char *title, const kg__baseline *first,
                        const kg__baseline *last, const kg__baseline_diff *diff, size_t exceeding)
{
    kg__text_table_format format = run->form.grid;
    bool csv = format == KG__GRID_CSV;
    /* Text that is not a CSV row goes to the standard error. */
    FILE *summary = csv ? stderr : stdout;
    kg__text_table *grid = kg__text_table_new(columns, sizeof columns / sizeof *columns);

    for (size_t i = 0; i < diff->count; i++)
        add_row(grid, run, last->target.key, &diff->items[i]);
    kg__text_table_color_words(grid, sizeof columns / sizeof *columns - 1);
    if (!csv)
        kg__print(stdout, "%s%s%s\n", run->files > 0 ? "\n" : "",
                  format == KG__GRID_MARKDOWN ? "## " : "", title);
    if (!csv && diff->count > 0)
        putchar('\n');
    if (csv ? run->files == 0 || diff->count > 0 : diff->count > 0)
        kg__text_table_write(stdout, grid, format, !csv || run->files == 0);
    if (!csv)
        putchar('\n');
    if (csv)
        fprintf(summary, "%s: ", title);
    write_summary(summary, run, diff, exceeding);
    if (!csv)
        write_sentinels(summary, first, last);
    kg__text_table_free(grid);
}

/* Writes the changes between two baselines; `title` names them. */
static void write_diff(diff_run *run, const char *title, const kg__baseline *first,
                       const kg__baseline *last)
{
    kg__baseline_diff diff = kg__baseline_diff_make(first, last);
    size_t exceeding = count_exceeding(&diff, run->limit);

    if (run->form.json)
        add_document(run, title, first, last, &diff, exceeding);
    else
        write_table(run, title, first, last, &diff, exceeding);
    run->files++;
    run->exceeding += exceeding;
    kg__baseline_diff_free(&diff);
}

/* Compares two baselines, read from these files. */
static bool diff_baselines(diff_run *run, const char *first_path, const kg__baseline *first,
                           const char *last_path, const kg__baseline *last)
{
    char title[3 * KG__PATH_SIZE];

    if (kg__is_model(&first->target) != kg__is_model(&last->target)) {
        kg__complain("baseline diff: %s and %s have nothing to compare: one has counters of the "
                     "CPU model, the other a GPU's times: name two of one target",
                     first_path, last_path);
        return false;
    }
    kg__format(title, sizeof title, "from %s to %s%s", first_path, last_path,
               strcmp(first->target.key, last->target.key) != 0 ? " (different targets)" : "");
    write_diff(run, title, first, last);
    return true;
}

/* Compares two files. */
static bool diff_files(diff_run *run, const char *first_name, const char *last_name)
{
    char first_path[KG__PATH_SIZE];
    char last_path[KG__PATH_SIZE];
    kg__baseline first;
    kg__baseline last;
    bool compared = false;

    if (!kg__open_baseline(first_name, first_path, sizeof first_path, &first))
        return false;
    if (kg__open_baseline(last_name, last_path, sizeof last_path, &last)) {
        compared = diff_baselines(run, first_path, &first, last_path, &last);
        kg__baseline_free(&last);
    }
    kg__baseline_free(&first);
    return compared;
}

/* Compares a file with its state at a commit. An absent file counts as empty: all its cases are new
 * or retired. */
static bool diff_since(diff_run *run, const char *path, const char *commit)
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
        write_diff(run, title, &first, &last);
    kg__baseline_free(&first);
    kg__baseline_free(&last);
    return comparable;
}

/* Adds the baseline files of the folder, now and at the commit. */
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

/* Compares the named files, or all, with their state at the commit. */
static bool diff_all_since(diff_run *run, size_t count, char **operands)
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
               diff_since(run, paths.items[i], commit);
    }
    kg__names_free(&paths);
    return good;
}

/* Parses a limit in percent, "5" or "2.5". */
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
        kg__complain("baseline diff: --limit %s: is not a percentage of 0 or more, as in --limit 5",
                     limit_text);
        return false;
    }
    *limit = percent / 100.0;
    return true;
}

static bool print_documents(const diff_run *run)
{
    json_t *document = json_pack("{s:s, s:O, s:I}", "schema", DIFF_SCHEMA, "files", run->documents,
                                 "beyond_limit", (json_int_t)run->exceeding);

    kg__json_set_finite(document, "limit", run->limit);
    return kg__json_print(document, JSON_INDENT(1), "baseline diff");
}

static int diff(size_t count, char **operands)
{
    diff_run run = { .limit = NAN };
    bool good;

    if (!kg__parse_format("baseline diff", format_name, as_json, &run.form) ||
        !parse_limit(&run.limit))
        return KG__EXIT_ERROR;
    if (since == NULL && count != 2) {
        kg__complain("baseline diff: takes two files or keys, or --since COMMIT [FILE...]");
        return KG__EXIT_ERROR;
    }
    run.documents = run.form.json ? json_array() : NULL;
    good = since != NULL ? diff_all_since(&run, count, operands)
                         : diff_files(&run, operands[0], operands[1]);
    if (good && run.form.json)
        good = print_documents(&run);
    json_decref(run.documents);
    good = kg__flush_output("baseline diff") && good;
    if (!good)
        return KG__EXIT_ERROR;
    return run.exceeding > 0 ? KG__EXIT_FAIL : KG__EXIT_PASS;
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
    .summary = "Print how far baselines have moved in all, worst case first",
    .details =
        "Between two files or, with --since, between a file at a commit and now: a chain of\n"
        "slowdowns, each small enough to be accepted, adds up there. Without a file, all\n"
        "baselines (KG_BASELINES, else baselines). Metrics that are not gated are shown and not\n"
        "counted. CSV has the rows on the standard output and the sums on the standard error.\n"
        "exit: 0 printed; 1 a case is beyond --limit; 2 no such file or commit, or a file that is\n"
        "not right\n",
    .options = diff_options,
    .takes_operands = true,
    .run = diff,
};
