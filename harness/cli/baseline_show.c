/* kernelgate baseline show: prints a baseline, case by case. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "base/text_table.h"
#include "baseline/make_baseline.h"
#include "cli/baseline_files.h"
#include "cli/command.h"
#include "judge/judge.h"
#include "records/records.h"
#include "suite/settings.h"

#define SHOWN_SCHEMA "kernelgate-shown/1"

static const char *case_globs;
static const char *format_name;
static bool as_json;

static const kg__text_table_column columns[] = {
    { "target", false, true },   { "case", false, false },    { "metric", false, false },
    { "value", true, false },    { "band", true, false },     { "noise (3 sigma)", true, false },
    { "sessions", true, false }, { "smallest", true, false }, { "gated", false, false },
    { "commit", false, false },  { "code", false, false },
};

static void add_percent(kg__text_table *grid, double fraction)
{
    char text[KG__FIGURE_SIZE] = "-";

    if (!isnan(fraction))
        kg__show_percent(text, sizeof text, fraction, false);
    kg__text_table_add_figure(grid, text, fraction);
}

/* Adds the smallest detectable slowdown; for a counter, any rise. */
static void add_smallest(kg__text_table *grid, const kg__baseline_metric *metric)
{
    double smallest = kg__baseline_judgement(metric).smallest;

    if (smallest == 0.0)
        kg__text_table_add(grid, "any rise", "0");
    else
        add_percent(grid, smallest);
}

/* The kernel's resources, as compiled: "registers 32, shared_bytes 2048". */
static void describe_code(const json_t *code, char *text, size_t size)
{
    const char *key;
    json_t *value;

    text[0] = '\0';
    json_object_foreach ((json_t *)code, key, value) {
        size_t used = strlen(text);
        const char *gap = used > 0 ? ", " : "";

        if (json_is_string(value))
            kg__format(text + used, size - used, "%s%s %s", gap, key, json_string_value(value));
        else if (json_is_number(value))
            kg__format(text + used, size - used, "%s%s %.6g", gap, key, json_number_value(value));
    }
}

static void add_metric(kg__text_table *grid, const char *target, const kg__baseline_case *entry,
                       const kg__baseline_metric *metric)
{
    bool timed = metric->session_count > 0;
    char text[KG__MESSAGE_SIZE];

    kg__text_table_add(grid, target, NULL);
    kg__text_table_add(grid, entry->id, NULL);
    kg__text_table_add(grid, metric->name, NULL);
    kg__show_figure(text, sizeof text, metric->value, kg__metric_unit(metric->name));
    kg__text_table_add_figure(grid, text, metric->value);
    kg__show_percent(text, sizeof text, metric->band, false);
    kg__format(text + strlen(text), sizeof text - strlen(text), "%s",
               metric->band_by_hand ? " by hand" : "");
    kg__text_table_add_figure(grid, text, metric->band);
    add_percent(grid, timed ? kg__noise(metric->sessions, metric->session_count) : NAN);
    kg__format(text, sizeof text, timed ? "%zu" : "-", metric->session_count);
    kg__text_table_add_figure(grid, text, timed ? (double)metric->session_count : NAN);
    add_smallest(grid, metric);
    kg__text_table_add(grid, metric->gated ? "yes" : "no", NULL);
    kg__text_table_add(grid, entry->commit != NULL ? entry->commit : "", NULL);
    describe_code(entry->code, text, sizeof text);
    kg__text_table_add(grid, text, NULL);
}

static void add_cases(kg__text_table *grid, const char *target, const kg__baseline_case *cases,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (case_globs != NULL && !kg__globs_take(case_globs, cases[i].id))
            continue;
        for (size_t j = 0; j < cases[i].metric_count; j++)
            add_metric(grid, target, &cases[i], &cases[i].metrics[j]);
    }
}

static json_t *pack_metric(const kg__baseline_case *entry, const kg__baseline_metric *metric)
{
    json_t *object =
        json_pack("{s:s, s:s, s:f, s:f, s:b, s:f, s:I, s:b}", "case", entry->id, "metric",
                  metric->name, "value", metric->value, "band", metric->band, "band_by_hand",
                  (int)metric->band_by_hand, "floor", metric->floor, "sessions",
                  (json_int_t)metric->session_count, "gated", (int)metric->gated);

    if (metric->session_count > 0) {
        kg__json_set_finite(object, "noise", kg__noise(metric->sessions, metric->session_count));
        kg__json_set_finite(object, "noise_bound",
                            kg__noise_bound(metric->sessions, metric->session_count));
    }
    kg__json_set_finite(object, "smallest", kg__baseline_judgement(metric).smallest);
    if (entry->commit != NULL)
        json_object_set_new(object, "commit", json_string(entry->commit));
    if (entry->code != NULL)
        json_object_set(object, "code", entry->code);
    return object;
}

/* The metrics of the cases, or of the sentinels, that --case matches. */
static json_t *pack_metrics(const kg__baseline_case *cases, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        if (case_globs != NULL && !kg__globs_take(case_globs, cases[i].id))
            continue;
        for (size_t j = 0; j < cases[i].metric_count; j++)
            json_array_append_new(list, pack_metric(&cases[i], &cases[i].metrics[j]));
    }
    return list;
}

static int print_json(const char *path, const kg__baseline *baseline)
{
    json_t *document =
        json_pack("{s:s, s:s, s:{s:s, s:s}, s:I, s:o, s:o}", "schema", SHOWN_SCHEMA, "file", path,
                  "target", "key", baseline->target.key, "name", baseline->target.name, "cases",
                  (json_int_t)baseline->case_count, "sentinels",
                  pack_metrics(baseline->sentinels, baseline->sentinel_count), "metrics",
                  pack_metrics(baseline->cases, baseline->case_count));

    return kg__json_print(document, JSON_INDENT(1), "baseline show") ? KG__EXIT_PASS
                                                                     : KG__EXIT_ERROR;
}

static void refuse_glob(const char *path, const kg__baseline *baseline)
{
    const char *nearest = kg__nearest_case(baseline, case_globs);

    if (nearest != NULL)
        kg__complain("baseline show: %s has no case \"%s\"; did you mean \"%s\"?", path, case_globs,
                     nearest);
    else
        kg__complain("baseline show: %s has no case \"%s\": kernelgate baseline show %s lists them",
                     path, case_globs, path);
}

/* Writes the heading and the table. */
static int write_baseline(const char *path, const kg__baseline *baseline,
                          const kg__print_form *form)
{
    kg__text_table_format format = form->grid;
    const kg__target *target = &baseline->target;
    kg__text_table *grid = kg__text_table_new(columns, sizeof columns / sizeof *columns);
    bool matched;

    add_cases(grid, target->key, baseline->sentinels, baseline->sentinel_count);
    add_cases(grid, target->key, baseline->cases, baseline->case_count);
    matched = kg__text_table_rows(grid) > 0 || case_globs == NULL;
    if (!matched) {
        refuse_glob(path, baseline);
    } else if (!form->json) {
        if (format != KG__GRID_CSV)
            kg__print(stdout, "%s%s: %s%s%zu case%s%s\n\n",
                      format == KG__GRID_MARKDOWN ? "## " : "", path, target->name,
                      target->name[0] != '\0' ? ", " : "", baseline->case_count,
                      baseline->case_count == 1 ? "" : "s", case_globs != NULL ? " in all" : "");
        kg__text_table_write(stdout, grid, format, true);
    }
    kg__text_table_free(grid);
    if (!matched)
        return KG__EXIT_ERROR;
    if (form->json)
        return print_json(path, baseline);
    return kg__flush_output("baseline show") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

static int show(size_t count, char **operands)
{
    char path[KG__PATH_SIZE];
    kg__print_form form;
    kg__baseline baseline;
    int code;

    if (count != 1) {
        kg__complain("baseline show: takes one file or key: kernelgate baseline show cpu-model");
        return KG__EXIT_ERROR;
    }
    if (!kg__parse_format("baseline show", format_name, as_json, &form))
        return KG__EXIT_ERROR;
    if (!kg__open_baseline(operands[0], path, sizeof path, &baseline))
        return KG__EXIT_ERROR;
    code = write_baseline(path, &baseline, &form);
    kg__baseline_free(&baseline);
    return code;
}

static const kg__option show_options[] = {
    { "--case", "GLOB", "only these cases; * also matches slashes, a comma separates globs",
      &case_globs, NULL },
    { "--format", "FORMAT", "text (the default), markdown, csv or json", &format_name, NULL },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__baseline_show_command = {
    .name = "baseline show",
    .operands = "FILE|KEY",
    .summary = "Print what a baseline holds, case by case",
    .details =
        "KEY is a target's: KEY.json in KG_BASELINES, else in baselines. noise: the random error\n"
        "of a value, from its sessions; smallest: the smallest slowdown that is detected; gated:\n"
        "whether it is judged. A time whose noise may exceed 5 % (noise_bound in the JSON) is not\n"
        "gated. See docs/judging.md.\n"
        "exit: 0 printed; 2 no such file, key or case, or an invalid file\n",
    .options = show_options,
    .takes_operands = true,
    .run = show,
};
