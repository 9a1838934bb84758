/* Failures on the console, as compilers print them: "file:line: error: kind: text", and below it
 * the cases, the causes and the line that reproduces it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/exit_code.h"
#include "base/message.h"
#include "base/source_path.h"
#include "base/text.h"
#include "records/finding.h"
#include "records/finding_text.h"
#include "report/console.h"
#include "results/count_result.h"
#include "results/results_tally.h"

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
typedef struct moved_case {
    const kg__case_result *result;
    double change; /* NAN: unknown */
} moved_case;

/* Cases that failed alike, the one that moved most first. */
typedef struct moved_cases {
    moved_case *items;
    size_t count;
    size_t sizes; /* how many cases the variant has on the target */
} moved_cases;

static void print_line(const kg__console *to, const failure *shown)
{
    static const char *const words[] = { "error", "warning", "note" };
    static const char *const colors[] = { KG__RED, KG__YELLOW, "" };
    char *name =
        kg__clean_text(shown->place.file[0] != '\0' ? shown->place.file : shown->name, true);
    char *text = kg__clean_text(shown->text, true);
    const char *color = to->colored ? colors[shown->severity] : "";

    fputs(name, to->stream);
    if (shown->place.file[0] != '\0' && shown->place.line > 0)
        fprintf(to->stream, ":%zu", shown->place.line);
    fprintf(to->stream, ": %s%s:%s %s%s%s\n", color, words[shown->severity],
            *color != '\0' ? KG__PLAIN : "", shown->kind, *shown->kind != '\0' ? ": " : "", text);
    free(name);
    free(text);
}

/* Prints the first line; false where there are too many of them already. */
static bool print_failure(kg__console *to, const failure *shown)
{
    if (to->failures++ >= MOST_FAILURES)
        return false;
    fputc('\n', to->stream);
    print_line(to, shown);
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

static void print_reproduction(const kg__console *to, const char *command)
{
    if (command != NULL)
        print_detail(to, "reproduce: ", command);
}

/* Finds what a case's failure points to; a kernel as a whole has no line. */
static void find_place(const kg__console *to, const kg__case_result *result, kg__source_line *place)
{
    if (result->at_file != NULL)
        kg__format(place->file, sizeof place->file, "%s", result->at_file);
    else if (!kg__source_of_case(to->report->sources, result->id, place))
        place->file[0] = '\0';
    place->line = result->at_line;
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
static const char *size_of(const kg__case_result *result)
{
    return result->id + kg__variant_length(result->id);
}

/* The metric that a case failed by: of those with its verdict the one that moved most; or NULL. */
static const kg__metric_result *worst_metric(const kg__case_result *result)
{
    const kg__metric_result *worst = NULL;

    for (size_t i = 0; i < result->metric_count; i++) {
        const kg__metric_result *metric = &result->metrics[i];

        if (metric->verdict == result->verdict && isfinite(metric->change) &&
            (worst == NULL || fabs(metric->change) > fabs(worst->change)))
            worst = metric;
    }
    return worst;
}

/* Whether pairs of processes judged any metric of a case. */
static bool is_paired(const kg__case_result *result)
{
    for (size_t i = 0; i < result->metric_count; i++) {
        if (result->metrics[i].pairs.count > 0)
            return true;
    }
    return false;
}

/* The text of a failure, on the heap: a time that got slower is "530/b16 takes 68.50 us, was 65.30
 * us (+4.9 %, limit 2.0 %)"; a reason of a case's own figures begins with the case. */
static char *text_of(const kg__case_result *result, const char *reason)
{
    const kg__metric_result *metric = worst_metric(result);
    size_t size = strlen(size_of(result)) + strlen(reason) + KG__MESSAGE_SIZE;
    char figures[4][KG__FIGURE_SIZE];
    char *text;

    if (metric == NULL)
        return kg__copy_text(reason);
    text = kg__allocate(size, 1);
    if (result->verdict != KG__SLOWER || kg__is_counted(result) || is_paired(result)) {
        snprintf(text, size, "%s: %s", size_of(result), reason);
        return text;
    }
    kg__show_figure(figures[0], sizeof *figures, metric->figures.value / 1000, "µs");
    kg__show_figure(figures[1], sizeof *figures, metric->baseline / 1000, "µs");
    kg__show_percent(figures[2], sizeof *figures, metric->change, true);
    kg__show_percent(figures[3], sizeof *figures, metric->limit, false);
    snprintf(text, size, "%s takes %s%s, was %s (%s, limit %s)", size_of(result), figures[0],
             strcmp(metric->figures.name, "cold_time_ns") == 0 ? " cold" : "", figures[1],
             figures[2], figures[3]);
    return text;
}

/* Which cases a failure is of: the only one, or how many of the variant's and the first of them. */
static void print_sizes(const kg__console *to, const moved_cases *group)
{
    const kg__case_result *first = group->items[0].result;
    size_t variant = kg__variant_length(first->id);
    bool whole = group->count == group->sizes && !isfinite(group->items[0].change);
    size_t shown = whole ? 1 : group->count < MOST_SIZES ? group->count : MOST_SIZES;

    fputs("    ", to->stream);
    print_clean(to, first->id, group->count > 1 && variant > 0 ? variant - 1 : SIZE_MAX);
    if (to->on_targets) {
        fputs(" on ", to->stream);
        print_clean(to, first->target, SIZE_MAX);
    }
    if (group->count > 1)
        fprintf(to->stream, ": %zu of %zu sizes%s", group->count, group->sizes,
                whole ? ", first " : ": ");
    for (size_t i = 0; group->count > 1 && i < shown; i++) {
        char change[KG__FIGURE_SIZE] = "";

        kg__show_known_percent(change, sizeof change, group->items[i].change, true);
        fputs(i > 0 ? ", " : "", to->stream);
        print_clean(to, size_of(group->items[i].result), SIZE_MAX);
        fprintf(to->stream, "%s%s", *change != '\0' ? " " : "", change);
    }
    if (!whole && group->count > shown)
        fprintf(to->stream, " and %zu more", group->count - shown);
    fputc('\n', to->stream);
}

/* Prints what was found in a kernel, one line each, and what failed besides. */
static bool print_findings(kg__console *to, const kg__case_result *result,
                           const kg__source_line *place)
{
    const kg__findings *findings = &result->findings;

    for (size_t i = 0; i < findings->count; i++) {
        const kg__finding *finding = &findings->list[i];
        char text[KG__MESSAGE_SIZE];
        failure found = { .severity = ERROR,
                          .place.line = finding->by.line,
                          .name = result->id,
                          .kind = "",
                          .text = text };

        if (finding->by.file != NULL)
            kg__format(found.place.file, sizeof found.place.file, "%s", finding->by.file);
        kg__finding_text(finding, text, sizeof text);
        if (i > 0)
            print_line(to, &found);
        else if (!print_failure(to, &found))
            return false;
    }
    if (findings->more > 0)
        fprintf(to->stream, "    and %zu more findings\n", findings->more);
    if (result->also != NULL)
        print_detail(to, "also: ", without_place(result->also, place));
    return true;
}

static void print_group(kg__console *to, const moved_cases *group)
{
    const kg__case_result *first = group->items[0].result;
    bool fails = kg__verdict_fails(first->verdict, to->results->strict);
    failure shown = { .severity = fails                          ? ERROR
                                  : first->verdict == KG__FASTER ? NOTE
                                                                 : WARNING,
                      .name = first->id,
                      .kind = first->verdict == KG__ERROR ? "" : kg__verdict_name(first->verdict) };
    char *text;

    find_place(to, first, &shown.place);
    text = text_of(first, without_place(first->reason != NULL ? first->reason : "", &shown.place));
    shown.text = text;
    if (first->findings.count > 0 ? print_findings(to, first, &shown.place)
                                  : print_failure(to, &shown)) {
        print_sizes(to, group);
        for (size_t i = 0; i < first->changed.count; i++)
            print_detail(to, "cause: ", first->changed.items[i]);
        if (fails)
            print_reproduction(to, first->reproduce);
    }
    free(text);
}

static int compare_moves(const void *a, const void *b)
{
    double first = fabs(((const moved_case *)a)->change);
    double second = fabs(((const moved_case *)b)->change);

    return first > second ? -1 : first < second;
}

static void print_cases(kg__console *to)
{
    for (size_t i = 0; i < to->results->groups.count; i++) {
        const kg__failure_group *cases = &to->results->groups.items[i];
        moved_cases group = { .count = cases->count, .sizes = cases->sizes };
        bool moved = true;

        group.items = kg__allocate(group.count, sizeof *group.items);
        for (size_t j = 0; j < group.count; j++) {
            const kg__metric_result *metric = worst_metric(cases->cases[j]);

            group.items[j] =
                (moved_case){ cases->cases[j], metric != NULL ? metric->change : (double)NAN };
            moved = moved && metric != NULL;
        }
        if (moved)
            qsort(group.items, group.count, sizeof *group.items, compare_moves);
        print_group(to, &group);
        free(group.items);
    }
}

static void print_errors(kg__console *to)
{
    for (size_t i = 0; i < to->results->errors.count; i++) {
        const kg__remark *error = &to->results->errors.items[i];

        if (print_failure(to, &(failure){ .severity = ERROR,
                                          .name = error->test != NULL && *error->test != '\0'
                                                      ? error->test
                                                      : "kernelgate",
                                          .kind = "",
                                          .text = error->why != NULL ? error->why : "" }))
            print_reproduction(to, error->reproduce);
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
    for (size_t i = 0; i < to->results->claims.count; i++) {
        const kg__remark *claim = &to->results->claims.items[i];
        failure failed = { .severity = ERROR,
                           .name = claim->subject,
                           .kind = "claim",
                           .text = claim->why != NULL ? claim->why : "" };

        if (claim->holds)
            continue;
        place_of_claim(to, claim->subject, &failed.place);
        if (!print_failure(to, &failed))
            continue;
        if (failed.place.file[0] != '\0')
            print_detail(to, "", claim->subject);
        print_reproduction(to, claim->reproduce);
    }
}

static void print_vanished(kg__console *to)
{
    for (size_t i = 0; i < to->results->vanished.count; i++)
        (void)print_failure(to, &(failure){ .severity = ERROR,
                                            .name = to->results->vanished.items[i].subject,
                                            .kind = "vanished",
                                            .text = to->results->vanished.items[i].why });
}

static void print_unlisted(kg__console *to)
{
    if (to->results->summary.unlisted != NULL)
        (void)print_failure(to, &(failure){ .severity = to->results->strict ? ERROR : WARNING,
                                            .name = "baseline",
                                            .kind = "unlisted",
                                            .text = to->results->summary.unlisted });
}

/* The tests that had nothing to judge; those that the filter was meant to leave out are counted. */
static void print_idle_tests(kg__console *to)
{
    for (size_t i = 0; i < to->results->test_count; i++) {
        const kg__test_result *test = &to->results->tests[i];

        if (test->skipped != NULL && test->skipped_by != KG__SKIP_FILTER)
            (void)print_failure(
                to, &(failure){ .severity = test->exit_code == KG__EXIT_ERROR ? ERROR : WARNING,
                                .name = test->name,
                                .kind = "nothing to judge",
                                .text = test->skipped });
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
