/* Results for a reader at a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "baseline/baseline_changes.h"
#include "records/records.h"
#include "results/failure_groups.h"
#include "results/results.h"
#include "results/results_read.h"
#include "results/results_text.h"
#include "results/time_result.h"

/* More lines of a kind than this are counted, and stand in summary.md. */
#define LONGEST_LIST 20
#define LONGEST_NOTES 16

/* More cases than this that failed as another did are counted behind it. */
#define MOST_ALIKE 8

/* Names up to this long are aligned; a longer one pushes its reason to the right. */
#define WIDEST_NAME 44

typedef struct console {
    FILE *stream;
    bool colour;
    int width;       /* of the names' column */
    bool on_targets; /* more than one target: say which */
    size_t listed;
    size_t left_out;
} console;

static const char *paint(const console *to, const char *code)
{
    return to->colour ? code : "";
}

static const char *colour_of(bool fails)
{
    return fails ? KG__RED : KG__YELLOW;
}

/* One line: word, name, reason. False where the list is long enough already. */
static bool print_line(console *to, bool fails, const char *word, const char *name,
                       const char *target, const char *reason)
{
    char *clean_name;
    char *clean_reason;
    char *clean_target;

    if (to->listed++ >= LONGEST_LIST) {
        to->left_out++;
        return false;
    }
    clean_name = kg__clean_text(name, true);
    clean_reason = kg__clean_text(reason, true);
    clean_target = kg__clean_text(to->on_targets ? target : "", true);
    fprintf(to->stream, "  %s%-12s%s %-*s  %s%s%s%s\n", paint(to, colour_of(fails)), word,
            paint(to, KG__PLAIN), to->width, clean_name, *clean_target != '\0' ? "on " : "",
            clean_target, *clean_target != '\0' && *clean_reason != '\0' ? ": " : "", clean_reason);
    free(clean_name);
    free(clean_reason);
    free(clean_target);
    return true;
}

static void print_reproduction(const console *to, const json_t *results, const json_t *entry,
                               const char *id)
{
    char *line = kg__results_reproduce(results, entry, id);

    if (line != NULL)
        fprintf(to->stream, "  %-12s reproduce: %s\n", "", line);
    free(line);
}

/* The cases that failed alike, on one line. */
static void print_alike(const console *to, const json_t *entry, const json_t *led)
{
    char *others = kg__failure_group_others(entry, led, MOST_ALIKE);

    if (others != NULL)
        fprintf(to->stream, "  %-12s so too: %s\n", "", others);
    free(others);
}

/* What changed beside a verdict, a line each. */
static void print_changed(const console *to, const json_t *entry)
{
    const json_t *text;
    size_t i;

    json_array_foreach (json_object_get(entry, KG__CHANGED), i, text) {
        char *clean = kg__clean_text(kg__list_text(text), true);

        fprintf(to->stream, "  %-12s changed: %s\n", "", clean);
        free(clean);
    }
}

static void print_errors(console *to, const json_t *results)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "errors"), i, entry) {
        const char *test = kg__json_text(entry, "test");

        if (print_line(to, true, "error", *test != '\0' ? test : "kernelgate", "",
                       kg__json_text(entry, "why")))
            print_reproduction(to, results, entry, NULL);
    }
}

static void print_cases(console *to, const json_t *results)
{
    bool strict = kg__results_strict(results);
    json_t *sorted = kg__failure_groups_make(results);

    for (int verdict = KG__VERDICTS - 1; verdict > KG__PASS; verdict--) {
        const json_t *entry;
        size_t i;

        json_array_foreach (json_object_get(results, "cases"), i, entry) {
            bool fails = kg__verdict_fails((kg__verdict)verdict, strict);
            const char *id = kg__json_text(entry, "case");
            const json_t *led;
            char *reason;

            if ((int)kg__results_verdict(entry) != verdict ||
                !kg__failure_group_leads(sorted, entry, &led))
                continue;
            reason = kg__results_reason(entry);
            if (print_line(to, fails, kg__verdict_name((kg__verdict)verdict), id,
                           kg__json_text(entry, "target"), reason)) {
                print_alike(to, entry, led);
                print_changed(to, entry);
                if (fails)
                    print_reproduction(to, results, entry, id);
            }
            free(reason);
        }
    }
    json_decref(sorted);
}

static void print_claims(console *to, const json_t *results)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "claims"), i, entry) {
        if (json_is_true(json_object_get(entry, "holds")))
            continue;
        if (print_line(to, true, "claim", kg__json_text(entry, "claim"),
                       kg__json_text(entry, "target"), kg__json_text(entry, "why")))
            print_reproduction(to, results, entry, NULL);
    }
}

/* Whether a test that judged nothing has a line of its own: those that the filter was meant to
 * leave out share one, or they would bury the others. */
static bool is_told(const json_t *test)
{
    return json_is_string(json_object_get(test, "skipped")) &&
           strcmp(kg__json_text(test, "skipped_by"), "filter") != 0;
}

static void print_unjudged(console *to, const json_t *results)
{
    char *unlisted = kg__results_unlisted(results);
    char tests[32];
    size_t filtered = 0;
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "vanished"), i, entry) {
        char *reason = kg__results_vanished(entry);

        print_line(to, true, "vanished", kg__json_text(entry, "case"),
                   kg__json_text(entry, "target"), reason);
        free(reason);
    }
    if (unlisted != NULL)
        print_line(to, kg__results_strict(results), "unlisted", "baseline", "", unlisted);
    free(unlisted);
    json_array_foreach (json_object_get(results, "refused"), i, entry)
        print_line(to, false, "refused", kg__json_text(entry, "case"),
                   kg__json_text(entry, "target"), kg__json_text(entry, "why"));
    json_array_foreach (json_object_get(results, "tests"), i, entry) {
        if (is_told(entry))
            print_line(
                to, json_integer_value(json_object_get(entry, "exit_code")) == KG__EXIT_ERROR,
                "skipped", kg__json_text(entry, "name"), "", kg__json_text(entry, "skipped"));
        else if (json_is_string(json_object_get(entry, "skipped")))
            filtered++;
    }
    if (filtered > 0) {
        kg__format(tests, sizeof tests, "%zu test%s", filtered, filtered == 1 ? "" : "s");
        print_line(to, false, "skipped", tests, "", "KG_FILTER leaves out their cases");
    }
}

/* Notes in full, for they may explain a verdict; claims that hold were printed as they were judged.
 */
static void print_notes(const console *to, const json_t *results)
{
    const json_t *notes = json_object_get(results, "notes");
    size_t total = json_array_size(notes);
    size_t held = 0;
    const json_t *entry;
    size_t i;

    if (total > 0)
        fputs("notes:\n", to->stream);
    json_array_foreach (notes, i, entry) {
        char *note = kg__clean_text(kg__json_text(entry, "note"), true);
        char *target = kg__clean_text(to->on_targets ? kg__json_text(entry, "target") : "", true);

        if (i < LONGEST_NOTES)
            fprintf(to->stream, "  %s%s%s\n", note, *target != '\0' ? " on " : "", target);
        free(note);
        free(target);
    }
    if (total > LONGEST_NOTES)
        fprintf(to->stream, "  ... and %zu more in summary.md\n", total - LONGEST_NOTES);
    json_array_foreach (json_object_get(results, "claims"), i, entry)
        held += json_is_true(json_object_get(entry, "holds"));
    if (held > 0)
        fprintf(to->stream, "claims: %zu hold%s, listed in summary.md\n", held,
                held == 1 ? "s" : "");
}

static int width_of_names(const json_t *results)
{
    static const struct {
        const char *list;
        const char *key;
    } names[] = {
        { "vanished", "case" }, { "refused", "case" }, { "claims", "claim" }, { "errors", "test" }
    };
    size_t width = 10;
    const json_t *entry;
    size_t i;

    for (size_t kind = 0; kind < sizeof names / sizeof *names; kind++) {
        json_array_foreach (json_object_get(results, names[kind].list), i, entry) {
            size_t length = strlen(kg__json_text(entry, names[kind].key));

            width = length > width ? length : width;
        }
    }
    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        size_t length = strlen(kg__json_text(entry, "case"));

        if (kg__results_verdict(entry) != KG__PASS && length > width)
            width = length;
    }
    json_array_foreach (json_object_get(results, "tests"), i, entry) {
        size_t length = strlen(kg__json_text(entry, "name"));

        if (is_told(entry) && length > width)
            width = length;
    }
    return width < WIDEST_NAME ? (int)width : WIDEST_NAME;
}

void kg__results_print(FILE *stream, const json_t *results)
{
    console to = { .stream = stream,
                   .colour = kg__color_wanted(stream),
                   .width = width_of_names(results),
                   .on_targets = json_object_size(json_object_get(results, "targets")) > 1 };
    char *headline = kg__results_headline(results);
    char *outcome = kg__results_outcome(results);
    char *out = kg__clean_text(kg__json_text(results, "out"), true);
    int code = kg__results_exit_code(results);

    fprintf(stream, "kernelgate: %s\n", headline);
    print_errors(&to, results);
    print_cases(&to, results);
    print_claims(&to, results);
    print_unjudged(&to, results);
    if (to.left_out > 0)
        fprintf(stream, "  ... and %zu more in summary.md\n", to.left_out);
    print_notes(&to, results);
    kg__baseline_changes_print(stream, results);
    fprintf(stream, "verdict: %s%s%s",
            paint(&to, code == KG__EXIT_PASS      ? KG__GREEN
                       : code == KG__EXIT_NOTHING ? KG__YELLOW
                                                  : KG__RED),
            outcome, paint(&to, KG__PLAIN));
    if (*out != '\0')
        fprintf(stream, "; %s/results.json, %s/junit.xml, %s/summary.md, %s/report/index.html", out,
                out, out, out);
    fputc('\n', stream);
    free(out);
    free(headline);
    free(outcome);
}
