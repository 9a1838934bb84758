/* Results as JUnit XML: a suite a target and comparison, a case a testcase. No standard says what
 * JUnit XML is; harness/tests/report/junit.xsd has what its readers agree on, and the tests hold to
 * it.
 */
#include <libxml/xmlwriter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "records/records.h"
#include "report/report.h"
#include "results/count_result.h"
#include "results/results.h"
#include "results/results_text.h"
#include "results/time_result.h"

typedef enum outcome { PASSED, SKIPPED, FAILED, ERRORED, OUTCOMES } outcome;

/* One testcase; its texts are on the heap, and may be NULL but for the name. */
typedef struct testcase {
    char *name;
    double seconds;
    outcome outcome;
    char *type;    /* the verdict, "claim", "vanished", "refused", "skipped", "error" */
    char *message; /* one line */
    char *body;    /* figures and the line that reproduces it */
} testcase;

typedef struct suite {
    char *name; /* "nvidia-h200.matmul_f32" */
    char *target;
    testcase *cases;
    size_t count;
    size_t capacity;
    size_t outcomes[OUTCOMES];
    double seconds;      /* of its testcases */
    double test_seconds; /* of the tests that judged them */
} suite;

typedef struct report {
    const json_t *results;
    suite *suites;
    size_t count;
    size_t capacity;
} report;

/* Makes room for one more item of `size` bytes in a growing array. */
static void *room_for_one(void *items, size_t count, size_t *capacity, size_t size)
{
    void *more;

    if (count < *capacity)
        return items;
    *capacity = *capacity > 0 ? 2 * *capacity : 8;
    more = kg__allocate(*capacity, size);
    if (count > 0)
        memcpy(more, items, count * size);
    free(items);
    return more;
}

/* The suite of a target and a comparison; "kernelgate" where there is neither. */
static suite *suite_of(report *all, const char *target, const char *comparison, size_t length)
{
    size_t size = strlen(target) + length + 16;
    char *raw = kg__allocate(size, 1);
    char *name;

    if (*target == '\0' && length == 0)
        snprintf(raw, size, "kernelgate");
    else
        snprintf(raw, size, "%s%s%.*s", target, *target != '\0' && length > 0 ? "." : "",
                 (int)length, comparison);
    name = kg__clean_text(raw, true);
    free(raw);
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->suites[i].name, name) == 0) {
            free(name);
            return &all->suites[i];
        }
    }
    all->suites = room_for_one(all->suites, all->count, &all->capacity, sizeof *all->suites);
    all->suites[all->count] = (suite){ .name = name, .target = kg__clean_text(target, true) };
    return &all->suites[all->count++];
}

/* Adds a testcase; takes over `message` and `body`. */
static void add(suite *to, const char *name, double seconds, outcome result, const char *type,
                char *message, char *body)
{
    testcase one = { .name = kg__clean_text(name, true),
                     .seconds = isfinite(seconds) && seconds > 0.0 ? seconds : 0.0,
                     .outcome = result,
                     .type = kg__clean_text(type, true),
                     .message = message,
                     .body = body };

    to->cases = room_for_one(to->cases, to->count, &to->capacity, sizeof *to->cases);
    to->cases[to->count++] = one;
    to->outcomes[result]++;
    to->seconds += one.seconds;
}

/* The figures of a case's metrics, one a line (of its counters those that a reader looks for), then
 * what changed beside them, and how to run it again unless it passed. */
static char *describe(const json_t *results, const json_t *entry, bool reproduce)
{
    char *line =
        reproduce ? kg__results_reproduce(results, entry, kg__json_text(entry, "case")) : NULL;
    const char *name;
    json_t *metric;
    const json_t *changed;
    size_t i;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL) {
        free(line);
        return NULL;
    }
    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        if (kg__is_shown(name, metric)) {
            char *figures = kg__results_figures(name, metric);

            fprintf(stream, "%s\n", figures);
            free(figures);
        }
    }
    json_array_foreach (json_object_get(entry, KG__CHANGED), i, changed) {
        char *clean = kg__clean_text(kg__list_text(changed), true);

        fprintf(stream, "changed: %s\n", clean);
        free(clean);
    }
    if (line != NULL)
        fprintf(stream, "reproduce: %s\n", line);
    fclose(stream);
    free(line);
    return text;
}

static outcome outcome_of(kg__verdict verdict, bool strict)
{
    if (verdict == KG__ERROR)
        return ERRORED;
    if (kg__verdict_fails(verdict, strict))
        return FAILED;
    return verdict > KG__FASTER ? SKIPPED : PASSED;
}

static void collect_cases(report *all, bool strict)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(all->results, "cases"), i, entry) {
        const char *id = kg__json_text(entry, "case");
        kg__verdict verdict = kg__results_verdict(entry);
        char *reason = kg__results_reason(entry);
        char *message = kg__allocate(strlen(reason) + 32, 1);

        if (*reason != '\0')
            snprintf(message, strlen(reason) + 32, "%s: %s", kg__verdict_name(verdict), reason);
        free(reason);
        add(suite_of(all, kg__json_text(entry, "target"), id, strcspn(id, "/")), id,
            kg__json_number(entry, "seconds"), outcome_of(verdict, strict),
            kg__verdict_name(verdict), message,
            describe(all->results, entry, verdict > KG__FASTER));
    }
    json_array_foreach (json_object_get(all->results, "vanished"), i, entry) {
        const char *id = kg__json_text(entry, "case");

        add(suite_of(all, kg__json_text(entry, "target"), id, strcspn(id, "/")), id, 0.0, FAILED,
            "vanished", kg__results_vanished(entry), NULL);
    }
    if (json_array_size(json_object_get(all->results, "unlisted")) > 0)
        add(suite_of(all,
                     kg__json_text(json_array_get(json_object_get(all->results, "unlisted"), 0),
                                   "target"),
                     "baseline", strlen("baseline")),
            "baseline", 0.0, strict ? FAILED : SKIPPED, "unlisted",
            kg__results_unlisted(all->results), NULL);
    json_array_foreach (json_object_get(all->results, "refused"), i, entry) {
        const char *id = kg__json_text(entry, "case");

        add(suite_of(all, kg__json_text(entry, "target"), id, strcspn(id, "/")), id, 0.0, SKIPPED,
            "refused", kg__clean_text(kg__json_text(entry, "why"), true), NULL);
    }
}

static void collect_claims(report *all)
{
    const json_t *claim;
    size_t i;

    json_array_foreach (json_object_get(all->results, "claims"), i, claim) {
        const char *name = kg__json_text(claim, "claim");
        bool holds = json_is_true(json_object_get(claim, "holds"));

        add(suite_of(all, kg__json_text(claim, "target"), name, strcspn(name, "/")), name, 0.0,
            holds ? PASSED : FAILED, "claim", kg__clean_text(kg__json_text(claim, "why"), true),
            holds ? NULL : kg__results_reproduce(all->results, claim, NULL));
    }
}

/* The suite of a test by its name, <target>.<comparison>.<part>; `target` may be empty. */
static suite *suite_of_test(report *all, const char *test, const char *target)
{
    char prefix[64];
    size_t length = strcspn(test, ".");
    const char *comparison = test[length] == '.' ? test + length + 1 : "";

    if (*target == '\0' && *comparison != '\0') {
        kg__format(prefix, sizeof prefix, "%.*s", (int)length, test);
        target = prefix;
    }
    return suite_of(all, target, comparison, strcspn(comparison, "."));
}

/* Whether a test, of a name like gpu.matmul_f32.time, judged what is in a suite. */
static bool is_of_suite(const suite *one, const json_t *test)
{
    const char *name = kg__json_text(test, "name");
    const char *comparison = name + strcspn(name, ".");
    size_t target = strlen(one->target);
    size_t length;

    if (*comparison == '\0' || strcmp(one->target, kg__json_text(test, "target")) != 0)
        return false;
    length = strcspn(comparison + 1, ".");
    return strlen(one->name) == target + 1 + length &&
           strncmp(one->name + target + 1, comparison + 1, length) == 0;
}

/* The target that a test ran on; "" where the test is not listed. */
static const char *target_of_test(const report *all, const char *name)
{
    const json_t *test;
    size_t i;

    json_array_foreach (json_object_get(all->results, "tests"), i, test)
        if (*name != '\0' && strcmp(kg__json_text(test, "name"), name) == 0)
            return kg__json_text(test, "target");
    return "";
}

static void collect_tests(report *all)
{
    const json_t *test;
    const json_t *error;
    size_t i;

    json_array_foreach (json_object_get(all->results, "errors"), i, error) {
        const char *name = kg__json_text(error, "test");

        add(suite_of_test(all, name, target_of_test(all, name)),
            *name != '\0' ? name : "kernelgate", 0.0, ERRORED, "error",
            kg__clean_text(kg__json_text(error, "why"), true),
            kg__results_reproduce(all->results, error, NULL));
    }
    json_array_foreach (json_object_get(all->results, "tests"), i, test) {
        const char *name = kg__json_text(test, "name");
        bool broken = json_integer_value(json_object_get(test, "exit_code")) == KG__EXIT_ERROR;
        double seconds = kg__json_number(test, "seconds");
        bool skipped = json_is_string(json_object_get(test, "skipped"));
        suite *of;

        if (!skipped && *name == '\0')
            continue;
        of = suite_of_test(all, name, kg__json_text(test, "target"));
        if (skipped)
            add(of, *name != '\0' ? name : "kernelgate", seconds, broken ? ERRORED : SKIPPED,
                "skipped", kg__clean_text(kg__json_text(test, "skipped"), true), NULL);
        if (isfinite(seconds) && seconds > 0.0)
            of->test_seconds += seconds;
    }
}

/* The writer remembers no error: its calls return -1, and every one of them has to be heard. */
typedef struct sheet {
    xmlTextWriterPtr writer;
    bool failed;
} sheet;

static void open_element(sheet *to, const char *name)
{
    to->failed |= xmlTextWriterStartElement(to->writer, BAD_CAST name) < 0;
}

static void close_element(sheet *to)
{
    to->failed |= xmlTextWriterEndElement(to->writer) < 0;
}

static void attribute(sheet *to, const char *name, const char *value)
{
    to->failed |= xmlTextWriterWriteAttribute(to->writer, BAD_CAST name, BAD_CAST value) < 0;
}

static void count_attribute(sheet *to, const char *name, size_t count)
{
    char text[32];

    snprintf(text, sizeof text, "%zu", count);
    attribute(to, name, text);
}

static void seconds_attribute(sheet *to, double seconds)
{
    char text[64];

    snprintf(text, sizeof text, "%.3f", fmin(seconds, 1e12));
    attribute(to, "time", text);
}

static void counts(sheet *to, const size_t outcomes[OUTCOMES], double seconds)
{
    count_attribute(to, "tests",
                    outcomes[PASSED] + outcomes[SKIPPED] + outcomes[FAILED] + outcomes[ERRORED]);
    count_attribute(to, "failures", outcomes[FAILED]);
    count_attribute(to, "errors", outcomes[ERRORED]);
    seconds_attribute(to, seconds);
}

static void write_properties(sheet *to, const char *prefix, json_t *facts)
{
    const char *key;
    json_t *value;

    json_object_foreach (facts, key, value) {
        char *text = kg__json_shown(value);
        char *clean = kg__clean_text(text, true);
        char *clean_key = kg__clean_text(key, true);
        char name[256];

        kg__format(name, sizeof name, "%s.%s", prefix, clean_key);
        free(clean_key);
        clean_key = kg__clean_text(name, true);
        open_element(to, "property");
        attribute(to, "name", clean_key);
        attribute(to, "value", clean);
        close_element(to);
        free(clean_key);
        free(clean);
        free(text);
    }
}

static void write_text(sheet *to, const char *text)
{
    to->failed |= xmlTextWriterWriteString(to->writer, BAD_CAST text) < 0;
}

/* What is told of a testcase beside its outcome: one element, since the schema knows no second. */
static void write_output(sheet *to, const char *message, const char *body)
{
    if (*message == '\0' && (body == NULL || *body == '\0'))
        return;
    open_element(to, "system-out");
    write_text(to, message);
    if (body != NULL && *body != '\0') {
        if (*message != '\0')
            write_text(to, "\n");
        write_text(to, body);
    }
    close_element(to);
}

static void write_testcase(sheet *to, const suite *of, const testcase *one)
{
    static const char *const elements[OUTCOMES] = { NULL, "skipped", "failure", "error" };
    const char *element = elements[one->outcome];

    open_element(to, "testcase");
    attribute(to, "classname", of->name);
    attribute(to, "name", one->name);
    seconds_attribute(to, one->seconds);
    if (element != NULL) {
        open_element(to, element);
        /* The schema of "skipped" knows a message alone. */
        if (one->outcome != SKIPPED)
            attribute(to, "type", one->type);
        attribute(to, "message", one->message);
        if (one->outcome != SKIPPED && one->body != NULL)
            write_text(to, one->body);
        close_element(to);
    }
    if (one->outcome <= SKIPPED)
        write_output(to, one->outcome == PASSED ? one->message : "", one->body);
    close_element(to);
}

/* Not every part tells how long a case took; every test tells how long it took. */
static double seconds_of(const suite *one)
{
    return fmax(one->seconds, one->test_seconds);
}

/* Names the board of each test of a suite. */
static void write_boards(sheet *to, const report *all, const suite *one)
{
    json_t *boards = json_object_get(all->results, "boards");
    const json_t *test;
    size_t i;

    json_array_foreach (json_object_get(all->results, "tests"), i, test) {
        const char *board = kg__json_text(test, "board");
        const json_t *facts = json_object_get(json_object_get(boards, board), "provenance");
        const char *bus_id = kg__json_text(facts, "bus_id");
        char value[160];
        json_t *property;

        if (*board == '\0' || !is_of_suite(one, test))
            continue;
        kg__format(value, sizeof value, "%s%s%s%s", board, *bus_id != '\0' ? " (" : "", bus_id,
                   *bus_id != '\0' ? ")" : "");
        property = json_pack("{s:s}", kg__json_text(test, "name"), value);
        write_properties(to, "board", property);
        json_decref(property);
    }
}

static void write_suite(sheet *to, const report *all, const suite *one)
{
    json_t *target = json_object_get(json_object_get(all->results, "targets"), one->target);
    json_t *provenance = json_object_get(json_object_get(all->results, "provenance"), one->target);

    open_element(to, "testsuite");
    attribute(to, "name", one->name);
    counts(to, one->outcomes, seconds_of(one));
    /* The schema knows it of a suite, and not of all of them. */
    count_attribute(to, "skipped", one->outcomes[SKIPPED]);
    if (json_object_size(target) + json_object_size(provenance) > 0) {
        open_element(to, "properties");
        write_properties(to, "target", target);
        write_properties(to, "provenance", provenance);
        write_boards(to, all, one);
        close_element(to);
    }
    for (size_t i = 0; i < one->count; i++)
        write_testcase(to, one, &one->cases[i]);
    close_element(to);
}

static void write_report(sheet *to, const report *all)
{
    size_t outcomes[OUTCOMES] = { 0 };
    double seconds = 0.0;

    for (size_t i = 0; i < all->count; i++) {
        for (int kind = 0; kind < OUTCOMES; kind++)
            outcomes[kind] += all->suites[i].outcomes[kind];
        seconds += seconds_of(&all->suites[i]);
    }
    to->failed |= xmlTextWriterSetIndent(to->writer, 1) < 0;
    to->failed |= xmlTextWriterStartDocument(to->writer, NULL, "UTF-8", NULL) < 0;
    open_element(to, "testsuites");
    attribute(to, "name", "kernelgate");
    counts(to, outcomes, seconds);
    for (size_t i = 0; i < all->count; i++)
        write_suite(to, all, &all->suites[i]);
    close_element(to);
    to->failed |= xmlTextWriterEndDocument(to->writer) < 0;
}

static void free_report(report *all)
{
    for (size_t i = 0; i < all->count; i++) {
        for (size_t j = 0; j < all->suites[i].count; j++) {
            free(all->suites[i].cases[j].name);
            free(all->suites[i].cases[j].type);
            free(all->suites[i].cases[j].message);
            free(all->suites[i].cases[j].body);
        }
        free(all->suites[i].cases);
        free(all->suites[i].name);
        free(all->suites[i].target);
    }
    free(all->suites);
}

bool kg__junit_write(const kg__report *printed, FILE *stream)
{
    report all = { .results = printed->results };
    xmlBufferPtr buffer = xmlBufferCreate();
    sheet to = { .writer = buffer != NULL ? xmlNewTextWriterMemory(buffer, 0) : NULL };

    if (to.writer == NULL) {
        xmlBufferFree(buffer);
        return false;
    }
    collect_cases(&all, kg__results_strict(all.results));
    collect_claims(&all);
    collect_tests(&all);
    write_report(&to, &all);
    xmlFreeTextWriter(to.writer);
    if (!to.failed)
        fwrite(xmlBufferContent(buffer), 1, (size_t)xmlBufferLength(buffer), stream);
    xmlBufferFree(buffer);
    free_report(&all);
    return !to.failed;
}
