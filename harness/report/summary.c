/* Results as Markdown, for a job's summary page: what failed first, then all that was judged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "baseline/baseline_changes.h"
#include "records/records.h"
#include "report/report.h"
#include "results/count_result.h"
#include "results/failure_groups.h"
#include "results/results.h"
#include "results/results_text.h"
#include "results/time_result.h"

/* GitHub refuses a summary of more than 1 MiB. Each section has its share of that, in bytes, so
 * that none crowds out another: together they are below it whatever a run holds. */
#define KIB ((size_t)1024)
#define HEAD_SHARE (32 * KIB)
#define FAILED_SHARE (320 * KIB)
#define REPRODUCTIONS_SHARE (192 * KIB)
#define REMARKS_SHARE (96 * KIB)
#define CHANGED_SHARE (96 * KIB)
#define CLAIMS_SHARE (64 * KIB)
#define CASES_SHARE (160 * KIB)
#define TARGETS_SHARE (48 * KIB)

/* More cases than this that failed as another did are counted behind it; the tables below have all.
 */
#define MOST_ALIKE 60

/* A section while it is written: lines, of which the page takes those that its share has room for.
 */
typedef struct section {
    char *text;
    size_t size;
    FILE *stream;
} section;

static void begin_section(section *one)
{
    one->text = NULL;
    one->size = 0;
    one->stream = open_memstream(&one->text, &one->size);
    if (one->stream == NULL) {
        kg__complain("out of host memory for the summary: free some memory");
        exit(KG__EXIT_ERROR);
    }
}

/* Ends a section: copies its first whole lines to the page, and returns how many it left out. */
static size_t end_section(FILE *page, section *one, size_t share)
{
    size_t taken = 0;
    size_t left_out = 0;

    fclose(one->stream);
    while (taken < one->size) {
        const char *end = memchr(one->text + taken, '\n', one->size - taken);
        size_t next = end != NULL ? (size_t)(end - one->text) + 1 : one->size;

        if (next > share)
            break;
        taken = next;
    }
    fwrite(one->text, 1, taken, page);
    for (const char *c = one->text + taken; c < one->text + one->size; c++)
        left_out += *c == '\n';
    free(one->text);
    return left_out;
}

static void write_left_out(FILE *page, size_t lines)
{
    if (lines > 0)
        fprintf(page, "\n%zu more line%s: results.json has them all.\n", lines,
                lines == 1 ? "" : "s");
}

/* Writes a name as code. A backtick would end the code, and a bar the table's cell. */
static void write_code(FILE *stream, const char *text)
{
    char *clean = kg__clean_text(text, true);

    fputc('`', stream);
    for (const char *c = *clean != '\0' ? clean : "?"; *c != '\0'; c++) {
        if (*c == '|')
            fputs("\\|", stream);
        else
            fputc(*c == '`' ? '\'' : *c, stream);
    }
    fputc('`', stream);
    free(clean);
}

static void write_figure(FILE *stream, const char *metric, double value)
{
    char figure[KG__FIGURE_SIZE];

    kg__show_known_figure(figure, sizeof figure, value, metric);
    fputs(figure, stream);
}

static void write_percent(FILE *stream, double fraction, bool sign)
{
    char figure[KG__FIGURE_SIZE];

    kg__show_known_percent(figure, sizeof figure, fraction, sign);
    fputs(figure, stream);
}

static void write_row(FILE *stream, const char *verdict, const char *name, const char *target,
                      const char *reason)
{
    fprintf(stream, "| **%s** | ", verdict);
    write_code(stream, name);
    fputs(" | ", stream);
    if (*target != '\0')
        write_code(stream, target);
    fputs(" | ", stream);
    kg__write_markdown(stream, reason);
    fputs(" |\n", stream);
}

static void begin_rows(FILE *stream, bool *begun, const char *heading)
{
    if (!*begun)
        fprintf(stream, "\n## %s\n\n| verdict | what | target | why |\n| --- | --- | --- | --- |\n",
                heading);
    *begun = true;
}

/* The cases whose verdict makes the run fail, or those that are doubtful without failing it, worst
 * first. */
static void write_cases(FILE *stream, const json_t *results, const json_t *sorted, bool failing,
                        bool *begun, const char *heading)
{
    bool strict = kg__results_strict(results);

    for (int verdict = KG__VERDICTS - 1; verdict > KG__PASS; verdict--) {
        const json_t *entry;
        size_t i;

        if (kg__verdict_fails((kg__verdict)verdict, strict) != failing)
            continue;
        json_array_foreach (json_object_get(results, "cases"), i, entry) {
            const json_t *led;
            char *reason;

            if ((int)kg__results_verdict(entry) != verdict ||
                !kg__failure_group_leads(sorted, entry, &led))
                continue;
            begin_rows(stream, begun, heading);
            reason = kg__failure_group_reason(entry, led, MOST_ALIKE);
            write_row(stream, kg__verdict_name((kg__verdict)verdict), kg__json_text(entry, "case"),
                      kg__json_text(entry, "target"), reason);
            free(reason);
        }
    }
}

static void write_unlisted(FILE *stream, const json_t *results, bool *begun, const char *heading)
{
    char *reason = kg__results_unlisted(results);

    if (reason == NULL)
        return;
    begin_rows(stream, begun, heading);
    write_row(stream, "unlisted", "baseline", "", reason);
    free(reason);
}

static void write_vanished(FILE *stream, const json_t *results, bool *begun, const char *heading)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "vanished"), i, entry) {
        char *reason = kg__results_vanished(entry);

        begin_rows(stream, begun, heading);
        write_row(stream, "vanished", kg__json_text(entry, "case"), kg__json_text(entry, "target"),
                  reason);
        free(reason);
    }
}

/* What changed beside a slow verdict, a paragraph a case. */
static void write_changed(FILE *page, const json_t *results)
{
    bool begun = false;
    const json_t *entry;
    section all;
    FILE *stream;
    size_t i;

    begin_section(&all);
    stream = all.stream;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        const json_t *changed = json_object_get(entry, KG__CHANGED);
        const json_t *text;
        size_t j;

        if (json_array_size(changed) == 0)
            continue;
        if (!begun)
            fputs("\n## What changed\n", stream);
        begun = true;
        fputs("\n- ", stream);
        write_code(stream, kg__json_text(entry, "case"));
        fputc('\n', stream);
        json_array_foreach (changed, j, text) {
            fputs("  - ", stream);
            kg__write_markdown(stream, kg__list_text(text));
            fputc('\n', stream);
        }
    }
    write_left_out(page, end_section(page, &all, CHANGED_SHARE));
}

static void remember(json_t *lines, char *line)
{
    if (line != NULL)
        json_object_set_new(lines, line, json_true());
    free(line);
}

/* The lines that run what failed again, each once; of cases that failed alike the one that speaks.
 */
static void write_reproductions(FILE *page, const json_t *results, const json_t *sorted)
{
    json_t *lines = json_object();
    const json_t *led;
    const char *line;
    json_t *value;
    const json_t *entry;
    section all;
    size_t i;

    json_array_foreach (json_object_get(results, "errors"), i, entry)
        remember(lines, kg__results_reproduce(results, entry, NULL));
    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        if (kg__verdict_fails(kg__results_verdict(entry), kg__results_strict(results)) &&
            kg__failure_group_leads(sorted, entry, &led))
            remember(lines, kg__results_reproduce(results, entry, kg__json_text(entry, "case")));
    }
    json_array_foreach (json_object_get(results, "claims"), i, entry) {
        if (!json_is_true(json_object_get(entry, "holds")))
            remember(lines, kg__results_reproduce(results, entry, NULL));
    }
    if (json_object_size(lines) > 0) {
        fputs("\nTo run them again:\n\n```sh\n", page);
        begin_section(&all);
        json_object_foreach (lines, line, value)
            fprintf(all.stream, "%s\n", line);
        i = end_section(page, &all, REPRODUCTIONS_SHARE);
        fputs("```\n", page);
        write_left_out(page, i);
    }
    json_decref(lines);
}

static void write_failures(FILE *page, const json_t *results, const json_t *sorted)
{
    const char *heading = "Failed";
    const json_t *entry;
    bool begun = false;
    section all;
    size_t i;

    begin_section(&all);
    json_array_foreach (json_object_get(results, "errors"), i, entry) {
        const char *test = kg__json_text(entry, "test");

        begin_rows(all.stream, &begun, heading);
        write_row(all.stream, "error", *test != '\0' ? test : "kernelgate", "",
                  kg__json_text(entry, "why"));
    }
    write_cases(all.stream, results, sorted, true, &begun, heading);
    json_array_foreach (json_object_get(results, "claims"), i, entry) {
        if (json_is_true(json_object_get(entry, "holds")))
            continue;
        begin_rows(all.stream, &begun, heading);
        write_row(all.stream, "claim", kg__json_text(entry, "claim"),
                  kg__json_text(entry, "target"), kg__json_text(entry, "why"));
    }
    write_vanished(all.stream, results, &begun, heading);
    if (kg__results_strict(results))
        write_unlisted(all.stream, results, &begun, heading);
    write_left_out(page, end_section(page, &all, FAILED_SHARE));
    if (begun)
        write_reproductions(page, results, sorted);
}

static void write_remarks(FILE *page, const json_t *results, const json_t *sorted)
{
    const char *heading = "To look at";
    const json_t *entry;
    bool begun = false;
    section all;
    size_t i;

    begin_section(&all);
    write_cases(all.stream, results, sorted, false, &begun, heading);
    if (!kg__results_strict(results))
        write_unlisted(all.stream, results, &begun, heading);
    json_array_foreach (json_object_get(results, "refused"), i, entry) {
        begin_rows(all.stream, &begun, heading);
        write_row(all.stream, "refused", kg__json_text(entry, "case"),
                  kg__json_text(entry, "target"), kg__json_text(entry, "why"));
    }
    json_array_foreach (json_object_get(results, "tests"), i, entry) {
        if (!json_is_string(json_object_get(entry, "skipped")))
            continue;
        begin_rows(all.stream, &begun, heading);
        write_row(all.stream, "skipped", kg__json_text(entry, "name"), "",
                  kg__json_text(entry, "skipped"));
    }
    write_left_out(page, end_section(page, &all, REMARKS_SHARE));
}

static void write_claims_and_notes(FILE *page, const json_t *results)
{
    const json_t *claims = json_object_get(results, "claims");
    const json_t *notes = json_object_get(results, "notes");
    const json_t *entry;
    section all;
    FILE *stream;
    size_t i;

    if (json_array_size(claims) + json_array_size(notes) == 0)
        return;
    begin_section(&all);
    stream = all.stream;
    fputs("\n## Speedups and notes\n\n", stream);
    json_array_foreach (claims, i, entry) {
        fputs("- ", stream);
        write_code(stream, kg__json_text(entry, "claim"));
        fputs(json_is_true(json_object_get(entry, "holds")) ? " holds" : " does not hold", stream);
        if (*kg__json_text(entry, "why") != '\0')
            fputs(": ", stream);
        kg__write_markdown(stream, kg__json_text(entry, "why"));
        fputc('\n', stream);
    }
    json_array_foreach (notes, i, entry) {
        fputs("- ", stream);
        kg__write_markdown(stream, kg__json_text(entry, "note"));
        if (*kg__json_text(entry, "target") != '\0') {
            fputs(" on ", stream);
            write_code(stream, kg__json_text(entry, "target"));
        }
        fputc('\n', stream);
    }
    write_left_out(page, end_section(page, &all, CLAIMS_SHARE));
}

static void write_case_rows(FILE *stream, const json_t *entry)
{
    json_t *metrics = json_object_get(entry, "metrics");
    const char *name;
    json_t *metric;
    size_t shown = 0;

    json_object_foreach (metrics, name, metric)
        shown += kg__is_shown(name, metric);
    if (shown == 0) {
        fputs("| ", stream);
        write_code(stream, kg__json_text(entry, "case"));
        fputs(" | ", stream);
        write_code(stream, kg__json_text(entry, "target"));
        fprintf(stream, " | | | | | | %s |\n", kg__verdict_name(kg__results_verdict(entry)));
        return;
    }
    json_object_foreach (metrics, name, metric) {
        bool judged = *kg__json_text(metric, "verdict") != '\0';

        if (!kg__is_shown(name, metric))
            continue;
        fputs("| ", stream);
        write_code(stream, kg__json_text(entry, "case"));
        fputs(" | ", stream);
        write_code(stream, kg__json_text(entry, "target"));
        fputs(" | ", stream);
        write_code(stream, name);
        fputs(" | ", stream);
        write_figure(stream, name, kg__json_number(metric, "value"));
        fputs(" | ", stream);
        write_figure(stream, name, kg__json_number(metric, "baseline"));
        fputs(" | ", stream);
        write_percent(stream, kg__json_number(metric, "change"), true);
        fputs(" | ", stream);
        write_percent(stream, kg__json_number(metric, "smallest"), false);
        fprintf(stream, " | %s |\n",
                json_is_false(json_object_get(metric, "gated"))
                    ? "not gated"
                    : kg__verdict_name(kg__results_verdict(judged ? metric : entry)));
    }
}

static void write_all_cases(FILE *page, const json_t *results)
{
    const json_t *cases = json_object_get(results, "cases");
    size_t count = json_array_size(cases);
    const json_t *entry;
    section all;
    size_t i;

    if (count == 0)
        return;
    fprintf(page,
            "\n<details><summary>%s%zu case%s</summary>\n\n"
            "| case | target | metric | value | baseline | change | smallest slowdown that would "
            "show | verdict |\n| --- | --- | --- | ---: | ---: | ---: | ---: | --- |\n",
            count == 1 ? "" : "All ", count, count == 1 ? "" : "s");
    begin_section(&all);
    json_array_foreach (cases, i, entry)
        write_case_rows(all.stream, entry);
    write_left_out(page, end_section(page, &all, CASES_SHARE));
    fputs("\n</details>\n", page);
}

static void write_facts(FILE *stream, const char *target, const char *kind, json_t *facts)
{
    const char *key;
    json_t *value;

    json_object_foreach (facts, key, value) {
        char *text = kg__json_shown(value);

        fputs("| ", stream);
        write_code(stream, target);
        fprintf(stream, " | %s | ", kind);
        kg__write_markdown(stream, key);
        fputs(" | ", stream);
        kg__write_markdown(stream, text);
        fputs(" |\n", stream);
        free(text);
    }
}

/* A row a board of a target: the tests that ran on it. */
static void write_boards(FILE *stream, const json_t *results, const char *target)
{
    const char *uuid;
    json_t *board;

    json_object_foreach (json_object_get(results, "boards"), uuid, board) {
        const char *bus_id = kg__json_text(json_object_get(board, "provenance"), "bus_id");
        bool any = false;
        const json_t *test;
        size_t i;

        if (strcmp(kg__json_text(board, "target"), target) != 0)
            continue;
        fputs("| ", stream);
        write_code(stream, target);
        fputs(" | board | ", stream);
        kg__write_markdown(stream, uuid);
        fputs(*bus_id != '\0' ? ", " : "", stream);
        kg__write_markdown(stream, bus_id);
        fputs(" | ", stream);
        json_array_foreach (json_object_get(results, "tests"), i, test) {
            if (strcmp(kg__json_text(test, "board"), uuid) != 0)
                continue;
            fputs(any ? ", " : "", stream);
            kg__write_markdown(stream, kg__json_text(test, "name"));
            any = true;
        }
        fputs(" |\n", stream);
    }
}

static void write_targets(FILE *page, const json_t *results)
{
    json_t *targets = json_object_get(results, "targets");
    const char *key;
    json_t *target;
    section all;

    if (json_object_size(targets) == 0)
        return;
    fputs("\n<details><summary>Where it was measured</summary>\n\n"
          "| target | | fact | value |\n| --- | --- | --- | --- |\n",
          page);
    begin_section(&all);
    json_object_foreach (targets, key, target) {
        write_facts(all.stream, key, "target", target);
        write_facts(all.stream, key, "provenance",
                    json_object_get(json_object_get(results, "provenance"), key));
        write_boards(all.stream, results, key);
    }
    write_left_out(page, end_section(page, &all, TARGETS_SHARE));
    fputs("\n</details>\n", page);
}

/* Counts the verdicts of the cases on `target`, of every target where it is NULL. */
static void count_verdicts(const json_t *results, const char *target, size_t counts[KG__VERDICTS])
{
    const json_t *entry;
    size_t i;

    memset(counts, 0, KG__VERDICTS * sizeof *counts);
    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        if (target == NULL || strcmp(kg__json_text(entry, "target"), target) == 0)
            counts[kg__results_verdict(entry)]++;
    }
}

/* A row a target of the counts of `shown`, the verdicts that occur anywhere. */
static void write_counts(FILE *stream, const json_t *results, const size_t shown[KG__VERDICTS])
{
    const char *target = NULL;
    const json_t *entry;
    size_t i;

    fputs("\n| target |", stream);
    for (int verdict = KG__VERDICTS - 1; verdict >= 0; verdict--)
        if (shown[verdict] > 0)
            fprintf(stream, " %s |", kg__verdict_name((kg__verdict)verdict));
    fputs("\n| --- |", stream);
    for (int verdict = KG__VERDICTS - 1; verdict >= 0; verdict--)
        fputs(shown[verdict] > 0 ? " ---: |" : "", stream);
    fputc('\n', stream);
    /* The cases are sorted by target, so that a target is new where it changes. */
    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        size_t counts[KG__VERDICTS];

        if (target != NULL && strcmp(kg__json_text(entry, "target"), target) == 0)
            continue;
        target = kg__json_text(entry, "target");
        count_verdicts(results, target, counts);
        fputs("| ", stream);
        write_code(stream, target);
        fputs(" |", stream);
        for (int verdict = KG__VERDICTS - 1; verdict >= 0; verdict--)
            if (shown[verdict] > 0)
                fprintf(stream, " %zu |", counts[verdict]);
        fputc('\n', stream);
    }
}

/* What a reader looks for first: the outcome and the counts. */
static void write_head(FILE *page, const json_t *results)
{
    char *headline = kg__results_headline(results);
    char *outcome = kg__results_outcome(results);
    size_t shown[KG__VERDICTS];
    section all;

    begin_section(&all);
    fputs("# kernelgate: ", all.stream);
    kg__write_markdown(all.stream, outcome);
    fputs("\n\n", all.stream);
    kg__baseline_changes_write(all.stream, results);
    kg__write_markdown(all.stream, headline);
    fputs(".\n", all.stream);
    count_verdicts(results, NULL, shown);
    if (json_array_size(json_object_get(results, "cases")) > 0)
        write_counts(all.stream, results, shown);
    write_left_out(page, end_section(page, &all, HEAD_SHARE));
    free(headline);
    free(outcome);
}

bool kg__summary_write(const kg__report *report, FILE *stream)
{
    const json_t *results = report->results;
    json_t *sorted = kg__failure_groups_make(results);

    write_head(stream, results);
    write_failures(stream, results, sorted);
    write_remarks(stream, results, sorted);
    json_decref(sorted);
    write_changed(stream, results);
    write_claims_and_notes(stream, results);
    write_all_cases(stream, results);
    write_targets(stream, results);
    return true;
}
