#include "results/results_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "base/text.h"
#include "records/finding_text.h"
#include "results/results_tally.h"
#include "results/time_result.h"

/* How many cases a sentence about several names. */
#define NAMED_CASES 5

/* The room for one sentence with figures and names in it. */
#define SENTENCE_SIZE 2048

/* True where a case was judged or has vanished, a claim failed or something broke; false for a run
 * that judged nothing, whatever claims hold in it. */
static bool judged_something(const kg__results *results)
{
    return kg__results_judged(results) > results->tally.verdicts[KG__NO_BASELINE] ||
           results->tally.failed_claims > 0 || results->vanished.count > 0 ||
           results->errors.count > 0;
}

/* Whether a run fails by strictness alone. */
static bool fails_by_strictness(const kg__results *results)
{
    size_t failures =
        results->tally.failed_claims + results->vanished.count + results->errors.count;

    for (int verdict = KG__SLOWER; verdict < KG__VERDICTS; verdict++)
        failures += results->tally.verdicts[verdict];
    return results->strict && failures == 0 &&
           (results->exit_code == KG__EXIT_FAIL || results->exit_code == KG__EXIT_ERROR);
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

static void list_counted(FILE *stream, bool *first, size_t count, const char *what)
{
    if (count == 0)
        return;
    fprintf(stream, "%s%zu %s", *first ? "" : ", ", count, what);
    *first = false;
}

/* Writes what did not merely pass: "1 noisy, 2 slower". Returns whether there is any. */
static bool write_exceptions(FILE *stream, const kg__results *results)
{
    bool first = true;

    for (int verdict = KG__VERDICTS - 1; verdict > KG__PASS; verdict--)
        list_counted(stream, &first, results->tally.verdicts[verdict],
                     kg__verdict_name((kg__verdict)verdict));
    return !first;
}

/* Writes what failed outside of cases. */
static void write_other_failures(FILE *stream, const kg__results *results)
{
    const struct {
        size_t count;
        const char *singular;
        const char *plural;
    } failures[] = {
        { results->tally.failed_claims, "failed claim", "failed claims" },
        { results->vanished.count, "vanished case", "vanished cases" },
        { results->errors.count, "error outside of cases", "errors outside of cases" },
    };

    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (failures[i].count > 0)
            fprintf(stream, ", %zu %s", failures[i].count,
                    failures[i].count == 1 ? failures[i].singular : failures[i].plural);
}

char *kg__results_headline(const kg__results *results)
{
    sentence words;
    size_t begin_of_target = 0;

    begin(&words);
    if (results->case_count == 0)
        fputs("no case was judged", words.stream);
    else if (write_exceptions(words.stream, results))
        fputs(" of ", words.stream);
    /* The cases are sorted by target, so that a target ends where it changes. */
    for (size_t i = 1; i <= results->case_count; i++) {
        const char *target = results->cases[begin_of_target]->target;
        size_t count = i - begin_of_target;

        if (i < results->case_count && strcmp(results->cases[i]->target, target) == 0)
            continue;
        fprintf(words.stream, begin_of_target == 0 ? "%zu case%s on %s" : ", %zu%.0s on %s", count,
                count == 1 ? "" : "s", target);
        begin_of_target = i;
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
static char *doubts_text(const kg__results *results, bool with_tests)
{
    static const kg__verdict doubtful[] = { KG__ENVIRONMENT, KG__NOISY, KG__NO_BASELINE };
    const kg__tally *tally = &results->tally;
    sentence doubts;
    bool first = true;

    begin(&doubts);
    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; i++)
        list_counted(doubts.stream, &first, tally->verdicts[doubtful[i]],
                     kg__verdict_name(doubtful[i]));
    list_counted(doubts.stream, &first, tally->unlisted, "unlisted");
    if (with_tests)
        list_counted(doubts.stream, &first, tally->unavailable, idle_tests(tally->unavailable));
    return finish(&doubts);
}

/* What of the run was not to be judged, which a reader must not take for all of it. */
static void write_coverage(FILE *stream, const kg__coverage *coverage)
{
    if (coverage->filter != NULL)
        fprintf(stream, ", filtered: %" PRId64 " of %" PRId64 " cases", coverage->reported_cases,
                coverage->expected_cases);
    if (coverage->partial)
        fprintf(stream, ", partial: %" PRId64 " of %" PRId64 " tests", coverage->reported_tests,
                coverage->expected_tests);
}

/* The word for how a run ended. */
static const char *outcome_word(const kg__results *results)
{
    if (!judged_something(results) || results->exit_code == KG__EXIT_NOTHING)
        return "NOTHING JUDGED";
    return results->exit_code == KG__EXIT_PASS   ? "PASS"
           : results->exit_code == KG__EXIT_FAIL ? "FAIL"
                                                 : "ERROR";
}

/* Writes that a run fails by strictness alone, and what of. */
static void write_strictness(FILE *stream, const kg__results *results)
{
    char *doubts;

    if (!fails_by_strictness(results))
        return;
    doubts = doubts_text(results, true);
    fprintf(stream, ", because of KG_STRICT=1%s%s", *doubts != '\0' ? ": " : "", doubts);
    free(doubts);
}

/* Writes what a reader must not overlook of an outcome. */
static void write_reservations(FILE *stream, const kg__results *results)
{
    size_t unavailable = results->tally.unavailable;
    char *doubts = doubts_text(results, false);

    if (results->exit_code == KG__EXIT_PASS && !results->strict && *doubts != '\0')
        fprintf(stream, ", but not with KG_STRICT=1: %s", doubts);
    if (unavailable > 0 && judged_something(results) && !fails_by_strictness(results))
        fprintf(stream, "; %zu %s", unavailable, idle_tests(unavailable));
    write_coverage(stream, &results->coverage);
    free(doubts);
}

char *kg__results_outcome(const kg__results *results)
{
    sentence words;

    begin(&words);
    fprintf(words.stream, "%s (exit %" PRId64, outcome_word(results), results->exit_code);
    write_strictness(words.stream, results);
    fputc(')', words.stream);
    write_reservations(words.stream, results);
    return finish(&words);
}

char *kg__results_verdict_line(const kg__results *results)
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
static bool fails_for_strictness(const kg__results *results, kg__verdict verdict)
{
    return results->strict && kg__verdict_fails(verdict, true) &&
           !kg__verdict_fails(verdict, false);
}

/* The line that imports a case again. */
static char *reproduce_import(const kg__import_origin *imported, const char *id, bool strict)
{
    sentence words;

    begin(&words);
    if (strict)
        fputs("KG_STRICT=1 ", words.stream);
    write_filter(words.stream, "KG_FILTER", id);
    fputs("kernelgate import --from ", words.stream);
    write_word(words.stream, imported->from);
    if (imported->target != NULL)
        fprintf(words.stream, " --target %s", imported->target);
    for (size_t i = 0; i < imported->files.count; i++) {
        fputc(' ', words.stream);
        write_word(words.stream, imported->files.items[i]);
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

/* The line that runs a test again, with one case alone or (NULL) as a whole. */
static char *reproduce(const kg__results *results, const char *test, const char *id, bool strict)
{
    const char *build = results->build;
    sentence words;

    if (test == NULL || *test == '\0' ||
        strncmp(test, KG__IMPORT_TEST, strlen(KG__IMPORT_TEST)) == 0)
        return NULL;
    if (build == NULL || *build == '\0')
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

char *kg__reproduce_case(const kg__results *results, const kg__case_result *result)
{
    bool strict = fails_for_strictness(results, result->verdict);

    return result->imported.from != NULL ? reproduce_import(&result->imported, result->id, strict)
                                         : reproduce(results, result->test, result->id, strict);
}

char *kg__reproduce_test(const kg__results *results, const char *test)
{
    return reproduce(results, test, NULL, false);
}

char *kg__results_unlisted(const kg__results *results)
{
    const kg__remarks *unlisted = &results->unlisted;
    sentence words;

    if (unlisted->count == 0)
        return NULL;
    begin(&words);
    fprintf(words.stream, "%zu checked case%s", unlisted->count, unlisted->count == 1 ? "" : "s");
    for (size_t i = 0; i < unlisted->count && i < NAMED_CASES; i++)
        fprintf(words.stream, "%s%s", i > 0 ? ", " : " (", unlisted->items[i].subject);
    fprintf(words.stream,
            "%s) not listed in baselines/%s.json, so that nobody would miss them: list them with "
            "ci/rebaseline --target model",
            unlisted->count > NAMED_CASES ? ", ..." : "", unlisted->items[0].target);
    return finish(&words);
}
