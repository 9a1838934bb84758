/* Failures on the console, as compilers print them: "file:line: error: kind: text", and below it
 * the cases, the causes and the line that reproduces it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/source_path.h"
#include "base/text.h"
#include "records/finding.h"
#include "records/finding_text.h"
#include "report/console.h"
#include "results/count_result.h"
#include "results/failure_groups.h"
#include "results/results_text.h"
#include "results/bridge.h"
#include "results/time_result.h"

/* Further failures are counted: summary.md has them. */
#define MOST_FAILURES 20

/* Further cases of a failure are counted. */
#define MOST_SIZES 8

typedef enum severity { ERROR, WARNING, NOTE } severity;

/* The first line of a failure. */
typedef struct failure {
    severity severity;
    kg__source_line place; /* no file: `name` is shown instead; line 0: none */
    const char *name;
    const char *kind; /* "" where the text says it */
    const char *text;
} failure;

/* A case, and by how much it moved. */
typedef struct member {
    const json_t *entry;
    double change; /* NAN: unknown */
} member;

/* Cases of a variant on a target that failed alike, the one that moved most first. */
typedef struct group {
    member *list;
    size_t count;
    size_t sizes; /* how many cases the variant has on the target */
} group;

static void print_line(const kg__console *to, const failure *one)
{
    static const char *const words[] = { "error", "warning", "note" };
    static const char *const colors[] = { KG__RED, KG__YELLOW, "" };
    char *name = kg__clean_text(one->place.file[0] != '\0' ? one->place.file : one->name, true);
    char *text = kg__clean_text(one->text, true);
    const char *color = to->colored ? colors[one->severity] : "";

    fputs(name, to->stream);
    if (one->place.file[0] != '\0' && one->place.line > 0)
        fprintf(to->stream, ":%zu", one->place.line);
    fprintf(to->stream, ": %s%s:%s %s%s%s\n", color, words[one->severity],
            *color != '\0' ? KG__PLAIN : "", one->kind, *one->kind != '\0' ? ": " : "", text);
    free(name);
    free(text);
}

/* Prints the first line; false where there are too many of them already. */
static bool print_failure(kg__console *to, const failure *one)
{
    if (to->failures++ >= MOST_FAILURES)
        return false;
    fputc('\n', to->stream);
    print_line(to, one);
    return true;
}

/* Prints the beginning of a text, on one line. */
static void print_clean(const kg__console *to, const char *text, size_t length)
{
    char *copy = kg__copy_text(text);
    char *clean;

    if (length < strlen(copy))
        copy[length] = '\0';
    clean = kg__clean_text(copy, true);
    fputs(clean, to->stream);
    free(clean);
    free(copy);
}

static void print_detail(const kg__console *to, const char *label, const char *text)
{
    char *clean = kg__clean_text(text, true);

    fprintf(to->stream, "    %s%s\n", label, clean);
    free(clean);
}

static void print_reproduction(const kg__console *to, const json_t *entry, const char *id)
{
    char *line = kg__results_reproduce(to->results, entry, id);

    if (line != NULL)
        fprintf(to->stream, "    reproduce: %s\n", line);
    free(line);
}

/* Finds what a case's failure points to; a kernel as a whole has no line. */
static void find_place(const kg__console *to, const json_t *entry, kg__source_line *place)
{
    const json_t *at = json_object_get(entry, KG__AT);

    if (*kg__json_text(at, "file") != '\0')
        kg__format(place->file, sizeof place->file, "%s", kg__json_text(at, "file"));
    else if (!kg__source_of_case(to->report->sources, kg__json_text(entry, "case"), place))
        place->file[0] = '\0';
    place->line = kg__json_count(at, "line");
}

/* A reason without the file and line that are shown before it. */
static const char *without_place(const char *reason, const kg__source_line *place)
{
    char prefix[sizeof place->file + 32];

    kg__format(prefix, sizeof prefix, "%s:%zu: ", place->file, place->line);
    if (strncmp(reason, prefix, strlen(prefix)) == 0)
        return reason + strlen(prefix);
    kg__format(prefix, sizeof prefix, "%s: ", place->file);
    return strncmp(reason, prefix, strlen(prefix)) == 0 ? reason + strlen(prefix) : reason;
}

/* A case's size and launch, "530/b16". */
static const char *size_of(const json_t *entry)
{
    const char *id = kg__json_text(entry, "case");

    return id + kg__variant_length(id);
}

/* The metric that a case failed by: of those with its verdict the one that moved most. */
static const char *worst_metric(const json_t *entry, double *change)
{
    const char *worst = NULL;
    const char *name;
    json_t *metric;

    *change = NAN;
    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        double moved = kg__json_number(metric, "change");

        if (kg__results_verdict(metric) != kg__results_verdict(entry) || !isfinite(moved))
            continue;
        if (worst == NULL || fabs(moved) > fabs(*change)) {
            worst = name;
            *change = moved;
        }
    }
    return worst;
}

/* The time of a case that got slower, "530/b16 takes 68.50 us, was 65.30 us (+4.9 %, limit 2.0 %)";
 * NULL where its verdict is not one on a time against the stored baseline. On the heap. */
static char *slower_time(const json_t *entry)
{
    double change;
    const char *name = worst_metric(entry, &change);
    const json_t *metric = json_object_get(json_object_get(entry, "metrics"), name);
    char figures[4][KG__FIGURE_SIZE];
    char *text;

    if (name == NULL || kg__results_verdict(entry) != KG__SLOWER || kg__is_counted_json(entry) ||
        json_object_get(entry, "pairs") != NULL)
        return NULL;
    kg__show_figure(figures[0], sizeof *figures, kg__json_number(metric, "value") / 1000, "µs");
    kg__show_figure(figures[1], sizeof *figures, kg__json_number(metric, "baseline") / 1000, "µs");
    kg__show_percent(figures[2], sizeof *figures, change, true);
    kg__show_percent(figures[3], sizeof *figures, kg__json_number(metric, "limit"), false);
    text = kg__allocate(KG__MESSAGE_SIZE, 1);
    kg__format(text, KG__MESSAGE_SIZE, "%s takes %s%s, was %s (%s, limit %s)", size_of(entry),
               figures[0], strcmp(name, "cold_time_ns") == 0 ? " cold" : "", figures[1], figures[2],
               figures[3]);
    return text;
}

/* A reason of a case's own figures begins with the case. */
static char *text_of(const json_t *entry, const char *reason)
{
    char *text = slower_time(entry);
    double change;
    size_t size;

    if (text != NULL)
        return text;
    if (worst_metric(entry, &change) == NULL)
        return kg__copy_text(reason);
    size = strlen(size_of(entry)) + strlen(reason) + sizeof ": ";
    text = kg__allocate(size, 1);
    snprintf(text, size, "%s: %s", size_of(entry), reason);
    return text;
}

/* Which cases a failure is of: the one, or how many of the variant's and the first of them. */
static void print_sizes(const kg__console *to, const group *alike)
{
    const char *id = kg__json_text(alike->list[0].entry, "case");
    const char *target = kg__json_text(alike->list[0].entry, "target");
    size_t variant = kg__variant_length(id);
    bool whole = alike->count == alike->sizes && !isfinite(alike->list[0].change);
    size_t shown = whole ? 1 : alike->count < MOST_SIZES ? alike->count : MOST_SIZES;

    fputs("    ", to->stream);
    print_clean(to, id, alike->count > 1 && variant > 0 ? variant - 1 : SIZE_MAX);
    if (to->on_targets) {
        fputs(" on ", to->stream);
        print_clean(to, target, SIZE_MAX);
    }
    if (alike->count > 1)
        fprintf(to->stream, ": %zu of %zu sizes%s", alike->count, alike->sizes,
                whole ? ", first " : ": ");
    for (size_t i = 0; alike->count > 1 && i < shown; i++) {
        char change[KG__FIGURE_SIZE] = "";

        kg__show_known_percent(change, sizeof change, alike->list[i].change, true);
        fputs(i > 0 ? ", " : "", to->stream);
        print_clean(to, size_of(alike->list[i].entry), SIZE_MAX);
        fprintf(to->stream, "%s%s", *change != '\0' ? " " : "", change);
    }
    if (!whole && alike->count > shown)
        fprintf(to->stream, " and %zu more", alike->count - shown);
    fputc('\n', to->stream);
}

/* Prints what was found in a kernel, one line each, and what failed besides. */
static bool print_findings(kg__console *to, const json_t *entry, const kg__findings *findings,
                           kg__source_line place)
{
    for (size_t i = 0; i < findings->count; i++) {
        const kg__finding *finding = &findings->list[i];
        char text[KG__MESSAGE_SIZE];
        failure one = { .severity = ERROR,
                        .place.line = finding->by.line,
                        .name = kg__json_text(entry, "case"),
                        .kind = "",
                        .text = text };

        if (finding->by.file != NULL)
            kg__format(one.place.file, sizeof one.place.file, "%s", finding->by.file);
        kg__finding_text(finding, text, sizeof text);
        if (i > 0)
            print_line(to, &one);
        else if (!print_failure(to, &one))
            return false;
    }
    if (findings->more > 0)
        fprintf(to->stream, "    and %zu more findings\n", findings->more);
    if (*kg__json_text(entry, "also") != '\0')
        print_detail(to, "also: ", without_place(kg__json_text(entry, "also"), &place));
    return true;
}

static void print_group(kg__console *to, const group *alike)
{
    const json_t *entry = alike->list[0].entry;
    kg__verdict verdict = kg__results_verdict(entry);
    bool fails = kg__verdict_fails(verdict, kg__results_strict(to->results));
    char *reason = kg__results_reason(entry);
    failure one = { .severity = fails                   ? ERROR
                                : verdict == KG__FASTER ? NOTE
                                                        : WARNING,
                    .name = kg__json_text(entry, "case"),
                    .kind = verdict == KG__ERROR ? "" : kg__verdict_name(verdict) };
    kg__findings findings;
    kg__error unreadable;
    const json_t *cause;
    char *text;
    size_t i;

    find_place(to, entry, &one.place);
    text = text_of(entry, without_place(reason, &one.place));
    one.text = text;
    if (kg__findings_read(entry, &findings, &unreadable) && findings.count > 0
            ? print_findings(to, entry, &findings, one.place)
            : print_failure(to, &one)) {
        print_sizes(to, alike);
        json_array_foreach (json_object_get(entry, KG__CHANGED), i, cause)
            print_detail(to, "cause: ", kg__list_text(cause));
        if (fails)
            print_reproduction(to, entry, kg__json_text(entry, "case"));
    }
    free(text);
    free(reason);
}

/* What cases have in common that are one failure. On the heap. */
static char *key_of(const json_t *entry)
{
    char *key = kg__failure_group_key(entry);
    const char *id = kg__json_text(entry, "case");
    const char *target = kg__json_text(entry, "target");
    size_t size = strlen(id) + strlen(target) + 2;

    if (key != NULL)
        return key;
    key = kg__allocate(size, 1);
    snprintf(key, size, "%s %.*s", target, (int)kg__variant_length(id), id);
    return key;
}

static bool is_of_variant(const json_t *entry, const json_t *other)
{
    const char *id = kg__json_text(entry, "case");
    const char *other_id = kg__json_text(other, "case");
    size_t length = kg__variant_length(id);

    return length == kg__variant_length(other_id) && strncmp(id, other_id, length) == 0 &&
           strcmp(kg__json_text(entry, "target"), kg__json_text(other, "target")) == 0;
}

static int most_moved_first(const void *a, const void *b)
{
    double first = fabs(((const member *)a)->change);
    double second = fabs(((const member *)b)->change);

    return first > second ? -1 : first < second;
}

/* Prints those of a group, an array of places in the list of cases. */
static void print_places(kg__console *to, const json_t *places)
{
    const json_t *cases = json_object_get(to->results, "cases");
    group alike = { .count = json_array_size(places) };
    const json_t *entry;
    bool moved = true;
    size_t i;

    alike.list = kg__allocate(alike.count, sizeof *alike.list);
    for (i = 0; i < alike.count; i++) {
        member *one = &alike.list[i];

        one->entry = json_array_get(cases, (size_t)json_integer_value(json_array_get(places, i)));
        (void)worst_metric(one->entry, &one->change);
        moved = moved && isfinite(one->change);
    }
    if (moved)
        qsort(alike.list, alike.count, sizeof *alike.list, most_moved_first);
    json_array_foreach (cases, i, entry)
        alike.sizes += is_of_variant(entry, alike.list[0].entry);
    print_group(to, &alike);
    free(alike.list);
}

static void print_cases(kg__console *to)
{
    for (int verdict = KG__VERDICTS - 1; verdict > KG__PASS; verdict--) {
        json_t *groups = json_object();
        const json_t *entry;
        const char *key;
        json_t *places;
        size_t i;

        json_array_foreach (json_object_get(to->results, "cases"), i, entry) {
            char *of = (int)kg__results_verdict(entry) == verdict ? key_of(entry) : NULL;

            if (of != NULL && json_object_get(groups, of) == NULL)
                json_object_set_new(groups, of, json_array());
            if (of != NULL)
                json_array_append_new(json_object_get(groups, of), json_integer((json_int_t)i));
            free(of);
        }
        json_object_foreach (groups, key, places)
            print_places(to, places);
        json_decref(groups);
    }
}

static void print_errors(kg__console *to)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(to->results, "errors"), i, entry) {
        const char *test = kg__json_text(entry, "test");
        failure one = { .severity = ERROR,
                        .name = *test != '\0' ? test : "kernelgate",
                        .kind = "",
                        .text = kg__json_text(entry, "why") };

        if (print_failure(to, &one))
            print_reproduction(to, entry, NULL);
    }
}

/* A claim is a test of its comparison's suite: gpu.matmul_f32.claim_tiled_wins. */
static void place_of_claim(const kg__console *to, const char *claim, kg__source_line *place)
{
    const char *comparison = strchr(claim, '.');
    const char *name = comparison != NULL ? strstr(comparison, ".claim_") : NULL;
    char file[sizeof place->file];

    if (name == NULL)
        return;
    kg__format(file, sizeof file, "suites/%.*s.c", (int)(name - comparison - 1), comparison + 1);
    if (!kg__source_line_with(to->report->sources, file, name + strlen(".claim_"), place))
        place->file[0] = '\0';
}

static void print_claims(kg__console *to)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(to->results, "claims"), i, entry) {
        const char *claim = kg__json_text(entry, "claim");
        failure one = {
            .severity = ERROR, .name = claim, .kind = "claim", .text = kg__json_text(entry, "why")
        };

        if (json_is_true(json_object_get(entry, "holds")))
            continue;
        place_of_claim(to, claim, &one.place);
        if (!print_failure(to, &one))
            continue;
        if (one.place.file[0] != '\0')
            print_detail(to, "", claim);
        print_reproduction(to, entry, NULL);
    }
}

static void print_vanished(kg__console *to)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(to->results, "vanished"), i, entry) {
        char *reason = kg__results_vanished(entry);
        failure one = { .severity = ERROR,
                        .name = kg__json_text(entry, "case"),
                        .kind = "vanished",
                        .text = reason };

        (void)print_failure(to, &one);
        free(reason);
    }
}

static void print_unlisted(kg__console *to)
{
    char *unlisted = kg__results_unlisted(to->results);
    failure one = { .severity = kg__results_strict(to->results) ? ERROR : WARNING,
                    .name = "baseline",
                    .kind = "unlisted",
                    .text = unlisted };

    if (unlisted != NULL)
        (void)print_failure(to, &one);
    free(unlisted);
}

/* The tests that had nothing to judge; those that the filter was meant to leave out are counted. */
static void print_idle_tests(kg__console *to)
{
    const json_t *test;
    size_t i;

    json_array_foreach (json_object_get(to->results, "tests"), i, test) {
        bool broken = json_integer_value(json_object_get(test, "exit_code")) == KG__EXIT_ERROR;
        failure one = { .severity = broken ? ERROR : WARNING,
                        .name = kg__json_text(test, "name"),
                        .kind = "nothing to judge",
                        .text = kg__json_text(test, "skipped") };

        if (json_is_string(json_object_get(test, "skipped")) &&
            strcmp(kg__json_text(test, "skipped_by"), "filter") != 0)
            (void)print_failure(to, &one);
    }
}

void kg__console_failures(kg__console *to)
{
    print_errors(to);
    print_cases(to);
    print_claims(to);
    print_vanished(to);
    print_unlisted(to);
    print_idle_tests(to);
    if (to->failures > 0)
        fputc('\n', to->stream);
    if (to->failures > MOST_FAILURES)
        fprintf(to->stream, "... and %zu more in summary.md\n", to->failures - MOST_FAILURES);
}
