#include "results/results_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/message.h"
#include "base/text.h"
#include "records/finding_text.h"
#include "results/bridge.h"
#include "results/time_result.h"

/* How many cases a sentence about several names. */
#define NAMED_CASES 5

/* The room for one sentence with figures and names in it. */
#define SENTENCE_SIZE 2048

/* True where a case was judged or has vanished, a claim failed or something broke; false for a run
 * that judged nothing, whatever claims hold in it. */
static bool judged_something(const json_t *results)
{
    return kg__results_judged(results) > kg__results_count(results, KG__NO_BASELINE) ||
           kg__json_count(json_object_get(results, "tally"), "failed_claims") > 0 ||
           json_array_size(json_object_get(results, "vanished")) > 0 ||
           json_array_size(json_object_get(results, "errors")) > 0;
}

/* Whether a run fails by strictness alone. */
static bool fails_by_strictness(const json_t *results)
{
    static const kg__verdict failing[] = { KG__SLOWER, KG__WRONG, KG__ERROR };
    int code = kg__results_exit_code(results);
    size_t failures = kg__json_count(json_object_get(results, "tally"), "failed_claims") +
                      json_array_size(json_object_get(results, "vanished")) +
                      json_array_size(json_object_get(results, "errors"));

    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++)
        failures += kg__results_count(results, failing[i]);
    return kg__results_strict(results) && failures == 0 &&
           (code == KG__EXIT_FAIL || code == KG__EXIT_ERROR);
}

/* A stream that grows a text on the heap; closing it leaves the text in `text`. */
typedef struct sentence {
    char *text;
    size_t size;
    FILE *stream;
} sentence;

static void begin(sentence *words)
{
    words->text = NULL;
    words->size = 0;
    words->stream = open_memstream(&words->text, &words->size);
    if (words->stream == NULL) {
        kg__complain("out of host memory for a line of the summary: free some memory");
        exit(KG__EXIT_ERROR);
    }
}

static char *finish(sentence *words)
{
    char *clean;

    fclose(words->stream);
    clean = kg__clean_text(words->text, true);
    free(words->text);
    return clean;
}

/* How many cases of the document were judged on `target`. */
static size_t cases_on(const json_t *results, const char *target)
{
    const json_t *entry;
    size_t count = 0;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry)
        count += strcmp(kg__json_text(entry, "target"), target) == 0;
    return count;
}

static void list_counted(FILE *stream, bool *first, size_t count, const char *what)
{
    if (count == 0)
        return;
    fprintf(stream, "%s%zu %s", *first ? "" : ", ", count, what);
    *first = false;
}

/* Writes what did not merely pass: "1 noisy, 2 slower". Returns whether there is any. */
static bool write_exceptions(FILE *stream, const json_t *results)
{
    bool first = true;

    for (int verdict = KG__VERDICTS - 1; verdict > KG__PASS; verdict--)
        list_counted(stream, &first, kg__results_count(results, (kg__verdict)verdict),
                     kg__verdict_name((kg__verdict)verdict));
    return !first;
}

/* Writes what failed outside of cases. */
static void write_other_failures(FILE *stream, const json_t *results)
{
    const struct {
        size_t count;
        const char *one;
        const char *several;
    } failures[] = {
        { kg__json_count(json_object_get(results, "tally"), "failed_claims"), "failed claim",
          "failed claims" },
        { json_array_size(json_object_get(results, "vanished")), "vanished case",
          "vanished cases" },
        { json_array_size(json_object_get(results, "errors")), "error outside of cases",
          "errors outside of cases" },
    };

    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (failures[i].count > 0)
            fprintf(stream, ", %zu %s", failures[i].count,
                    failures[i].count == 1 ? failures[i].one : failures[i].several);
}

char *kg__results_headline(const json_t *results)
{
    const json_t *cases = json_object_get(results, "cases");
    const char *target = "";
    const json_t *entry;
    sentence words;
    size_t i;

    begin(&words);
    if (json_array_size(cases) == 0)
        fputs("no case was judged", words.stream);
    else if (write_exceptions(words.stream, results))
        fputs(" of ", words.stream);
    /* The cases are sorted by target, so that a target is new where it changes. */
    json_array_foreach (cases, i, entry) {
        const char *next = kg__json_text(entry, "target");
        size_t count;

        if (i > 0 && strcmp(next, target) == 0)
            continue;
        target = next;
        count = cases_on(results, target);
        fprintf(words.stream, i == 0 ? "%zu case%s on %s" : ", %zu%.0s on %s", count,
                count == 1 ? "" : "s", target);
    }
    write_other_failures(words.stream, results);
    return finish(&words);
}

/* What follows the number of tests without anything to judge. */
static const char *idle_tests(size_t count)
{
    return count == 1 ? "test had nothing to judge" : "tests had nothing to judge";
}

/* What strict mode fails on of what the cases have, as a list; "" where there is nothing of it. */
static char *doubts_text(const json_t *results, bool with_tests)
{
    static const kg__verdict doubtful[] = { KG__ENVIRONMENT, KG__NOISY, KG__NO_BASELINE };
    const json_t *tally = json_object_get(results, "tally");
    size_t unavailable = kg__json_count(tally, "unavailable");
    sentence doubts;
    bool first = true;

    begin(&doubts);
    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; i++)
        list_counted(doubts.stream, &first, kg__results_count(results, doubtful[i]),
                     kg__verdict_name(doubtful[i]));
    list_counted(doubts.stream, &first, kg__json_count(tally, "unlisted"), "unlisted");
    if (with_tests)
        list_counted(doubts.stream, &first, unavailable, idle_tests(unavailable));
    return finish(&doubts);
}

/* What of the run was not to be judged, which a reader must not take for all of it. */
static void write_coverage(FILE *stream, const json_t *results)
{
    const json_t *coverage = json_object_get(results, "coverage");
    const json_t *tests = json_object_get(coverage, "tests");
    const json_t *cases = json_object_get(coverage, "cases");

    if (json_object_get(coverage, "filter") != NULL)
        fprintf(stream, ", filtered: %zu of %zu cases", kg__json_count(cases, "reported"),
                kg__json_count(cases, "expected"));
    if (json_is_true(json_object_get(coverage, "partial")))
        fprintf(stream, ", partial: %zu of %zu tests", kg__json_count(tests, "reported"),
                kg__json_count(tests, "expected"));
}

/* The word for how a run ended. */
static const char *outcome_word(const json_t *results)
{
    int code = kg__results_exit_code(results);

    if (!judged_something(results) || code == KG__EXIT_NOTHING)
        return "NOTHING JUDGED";
    return code == KG__EXIT_PASS ? "PASS" : code == KG__EXIT_FAIL ? "FAIL" : "ERROR";
}

/* Writes that a run fails by strictness alone, and what of. */
static void write_strictness(FILE *stream, const json_t *results)
{
    char *doubts;

    if (!fails_by_strictness(results))
        return;
    doubts = doubts_text(results, true);
    fprintf(stream, ", because of KG_STRICT=1%s%s", *doubts != '\0' ? ": " : "", doubts);
    free(doubts);
}

/* Writes what a reader must not overlook of an outcome. */
static void write_reservations(FILE *stream, const json_t *results)
{
    size_t unavailable = kg__json_count(json_object_get(results, "tally"), "unavailable");
    char *doubts = doubts_text(results, false);

    if (kg__results_exit_code(results) == KG__EXIT_PASS && !kg__results_strict(results) &&
        *doubts != '\0')
        fprintf(stream, ", but not with KG_STRICT=1: %s", doubts);
    if (unavailable > 0 && judged_something(results) && !fails_by_strictness(results))
        fprintf(stream, "; %zu %s", unavailable, idle_tests(unavailable));
    write_coverage(stream, results);
    free(doubts);
}

char *kg__results_outcome(const json_t *results)
{
    sentence words;

    begin(&words);
    fprintf(words.stream, "%s (exit %d", outcome_word(results), kg__results_exit_code(results));
    write_strictness(words.stream, results);
    fputc(')', words.stream);
    write_reservations(words.stream, results);
    return finish(&words);
}

char *kg__results_verdict_line(const json_t *results)
{
    char *headline = kg__results_headline(results);
    sentence words;

    begin(&words);
    fprintf(words.stream, "%s  %s", outcome_word(results), headline);
    write_strictness(words.stream, results);
    write_reservations(words.stream, results);
    free(headline);
    return finish(&words);
}

char *kg__results_figures(const char *name, const json_t *metric)
{
    const char *unit = kg__metric_unit(name);
    double baseline = kg__json_number(metric, "baseline");
    double change = kg__json_number(metric, "change");
    double limit = kg__json_number(metric, "limit");
    char figure[KG__FIGURE_SIZE];
    sentence words;

    begin(&words);
    kg__show_figure(figure, sizeof figure, kg__json_number(metric, "value"), unit);
    fprintf(words.stream, "%s %s", name, figure);
    if (isfinite(baseline)) {
        kg__show_figure(figure, sizeof figure, baseline, unit);
        fprintf(words.stream, " (baseline %s", figure);
        if (isfinite(change)) {
            kg__show_percent(figure, sizeof figure, change, true);
            fprintf(words.stream, ", %s", figure);
        }
        if (isfinite(limit)) {
            kg__show_percent(figure, sizeof figure, limit, false);
            fprintf(words.stream, ", limit %s", figure);
        }
        fputs(")", words.stream);
    }
    if (*kg__json_text(metric, "verdict") != '\0')
        fprintf(words.stream, ": %s", kg__verdict_name(kg__results_verdict(metric)));
    return finish(&words);
}

char *kg__results_reason(const json_t *entry)
{
    json_t *metrics = json_object_get(entry, "metrics");
    kg__verdict verdict = kg__results_verdict(entry);
    const char *name;
    json_t *metric;
    sentence words;
    kg__findings found;
    kg__error error;

    if (kg__findings_read(entry, &found, &error) && found.count > 0) {
        const char *also = kg__json_text(entry, "also");
        char text[KG__MESSAGE_SIZE];

        kg__findings_text(&found, text, sizeof text);
        begin(&words);
        fprintf(words.stream, "%s%s%s", text, *also != '\0' ? "; " : "", also);
        return finish(&words);
    }
    if (*kg__json_text(entry, "why") != '\0')
        return kg__clean_text(kg__json_text(entry, "why"), true);
    if (verdict != KG__PASS) {
        json_object_foreach (metrics, name, metric) {
            if (kg__results_verdict(metric) != verdict)
                continue;
            if (*kg__json_text(metric, "why") == '\0')
                return kg__results_figures(name, metric);
            begin(&words);
            fprintf(words.stream, "%s %s", name, kg__json_text(metric, "why"));
            return finish(&words);
        }
    }
    return kg__copy_text(verdict == KG__PASS ? "" : "no reason was recorded");
}

/* Writes `text` as one word of a POSIX shell. */
static void write_quoted(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stream);
        else
            fputc(*text, stream);
    }
    fputc('\'', stream);
}

/* Writes a word of a POSIX shell, in quotes where it needs them. */
static void write_word(FILE *stream, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";

    if (*text != '\0' && text[strspn(text, plain)] == '\0')
        fputs(text, stream);
    else
        write_quoted(stream, text);
}

static void write_filter(FILE *stream, const char *setting, const char *id)
{
    fprintf(stream, "%s=", setting);
    write_quoted(stream, id);
    fputc(' ', stream);
}

/* Whether a case fails because the run was strict, and for no other reason. */
static bool fails_for_strictness(const json_t *results, const json_t *entry)
{
    kg__verdict verdict = kg__results_verdict(entry);

    return kg__results_strict(results) && kg__verdict_fails(verdict, true) &&
           !kg__verdict_fails(verdict, false);
}

/* The line that imports a case again. */
static char *reproduce_import(const json_t *imported, const char *id, bool strict)
{
    const json_t *file;
    sentence words;
    size_t i;

    begin(&words);
    if (strict)
        fputs("KG_STRICT=1 ", words.stream);
    if (id != NULL)
        write_filter(words.stream, "KG_FILTER", id);
    fputs("kernelgate import --from ", words.stream);
    write_word(words.stream, kg__json_text(imported, "from"));
    if (*kg__json_text(imported, "target") != '\0')
        fprintf(words.stream, " --target %s", kg__json_text(imported, "target"));
    json_array_foreach (json_object_get(imported, "files"), i, file) {
        fputc(' ', words.stream);
        write_word(words.stream, kg__list_text(file));
    }
    return finish(&words);
}

/* The regular expression of CTest that a test's name alone fits. */
static void write_pattern(FILE *stream, const char *test)
{
    char pattern[SENTENCE_SIZE];
    size_t used = 0;

    pattern[used++] = '^';
    for (const char *c = test; *c != '\0' && used + 4 < sizeof pattern; c++) {
        if (strchr(".^$*+?()[]|\\", *c) != NULL)
            pattern[used++] = '\\';
        pattern[used++] = *c;
    }
    pattern[used++] = '$';
    pattern[used] = '\0';
    write_quoted(stream, pattern);
}

char *kg__results_reproduce(const json_t *results, const json_t *entry, const char *id)
{
    const json_t *imported = json_object_get(entry, KG__IMPORTED);
    const char *test = kg__json_text(entry, "test");
    const char *build = kg__json_text(results, "build");
    bool strict = fails_for_strictness(results, entry);
    sentence words;

    if (imported != NULL)
        return reproduce_import(imported, id, strict);
    if (*test == '\0' || strncmp(test, KG__IMPORT_TEST, strlen(KG__IMPORT_TEST)) == 0)
        return NULL;
    if (*build == '\0')
        build = strncmp(test, "gpu.", 4) == 0 ? "build/gpu" : "build/cpu";
    begin(&words);
    /* CTest runs what was built last, whatever was fixed since. */
    fputs("cmake --build ", words.stream);
    write_word(words.stream, build);
    fputs(" && ", words.stream);
    if (strict)
        fputs("KG_STRICT=1 ", words.stream);
    if (id != NULL)
        write_filter(words.stream, "KG_FILTER", id);
    /* A strict run takes no filter that is not said to be meant. */
    if (id != NULL && strict)
        write_filter(words.stream, "KG_FILTER_GIVEN", id);
    fputs("ctest --test-dir ", words.stream);
    write_word(words.stream, build);
    fputs(" -R ", words.stream);
    write_pattern(words.stream, test);
    fputs(" --output-on-failure", words.stream);
    return finish(&words);
}

char *kg__results_vanished(const json_t *entry)
{
    sentence words;

    begin(&words);
    fprintf(words.stream,
            "the baseline has it, and it is in no table or refused: put it back, or retire it with "
            "ci/rebaseline or kernelgate baseline retire (baselines/%s.json)",
            kg__json_text(entry, "target"));
    return finish(&words);
}

char *kg__results_unlisted(const json_t *results)
{
    const json_t *unlisted = json_object_get(results, "unlisted");
    size_t count = json_array_size(unlisted);
    sentence words;

    if (count == 0)
        return NULL;
    begin(&words);
    fprintf(words.stream, "%zu checked case%s", count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count && i < NAMED_CASES; i++)
        fprintf(words.stream, "%s%s", i > 0 ? ", " : " (",
                kg__json_text(json_array_get(unlisted, i), "case"));
    fprintf(words.stream,
            "%s) not listed in baselines/%s.json, so that nobody would miss them: list them with "
            "ci/rebaseline --target model",
            count > NAMED_CASES ? ", ..." : "",
            kg__json_text(json_array_get(unlisted, 0), "target"));
    return finish(&words);
}
