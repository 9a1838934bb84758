#include "results/expected.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/process.h"
#include "baseline/baseline.h"
#include "results/results_read.h"
#include "suite/settings.h"

/* How many of the cases that an error is about it names. */
#define NAMED_CASES 5

/* The document that is being completed, and what is looked up in it. */
typedef struct check {
    const kg__expected *expected;
    json_t *results;
    kg__tally *tally;
    json_t *reported; /* the tests that reported, by name: their entries */
    json_t *judged;   /* by key_of(): each case, its parts that were judged, and its refusal */
} check;

/* The parts of a test's name, "gpu.matmul_f32.time". */
typedef struct test_name {
    char kind[16];
    char comparison[128];
    const char *part;
} test_name;

static test_name split(const char *name)
{
    size_t kind = strcspn(name, ".");
    const char *comparison = name[kind] == '.' ? name + kind + 1 : "";
    size_t length = strcspn(comparison, ".");
    test_name parts = { .part = comparison[length] == '.' ? comparison + length + 1 : "" };

    kg__format(parts.kind, sizeof parts.kind, "%.*s", (int)kind, name);
    kg__format(parts.comparison, sizeof parts.comparison, "%.*s", (int)length, comparison);
    return parts;
}

bool kg__expected_add(kg__expected *expected, const json_t *answer, const char *kind)
{
    const json_t *tests = json_object_get(answer, "tests");
    const json_t *test;
    size_t i;

    if (!json_is_array(tests) || json_array_size(tests) == 0)
        return false;
    json_array_foreach (tests, i, test) {
        if (*kg__json_text(test, "test") == '\0' || !json_is_array(json_object_get(test, "cases")))
            return false;
    }
    if (expected->tests == NULL)
        expected->tests = json_object();
    json_array_foreach (tests, i, test) {
        const char *name = kg__json_text(test, "test");
        json_t *cases;
        const json_t *id;
        size_t j;

        if (kind != NULL && strcmp(split(name).kind, kind) != 0)
            continue;
        cases = json_object();
        json_array_foreach (json_object_get(test, "cases"), j, id)
            json_object_set_new(cases, kg__list_text(id), json_true());
        json_object_set_new(expected->tests, name, cases);
    }
    return true;
}

void kg__expected_free(kg__expected *expected)
{
    json_decref(expected->tests);
    expected->tests = NULL;
}

/* The key of a case's part on a target in what was judged; of its refusal where `part` is "", and
 * of the case where it is "entry". */
static const char *key_of(const char *target, const char *id, const char *part)
{
    static char key[1024];

    kg__format(key, sizeof key, "%s %s %s", target, part, id);
    return key;
}

static void index_results(check *run)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(run->results, "tests"), i, entry)
        json_object_set(run->reported, kg__json_text(entry, "name"), (json_t *)entry);
    json_array_foreach (json_object_get(run->results, "cases"), i, entry) {
        const json_t *part;
        size_t j;

        json_object_set(
            run->judged,
            key_of(kg__json_text(entry, "target"), kg__json_text(entry, "case"), "entry"),
            (json_t *)entry);
        json_array_foreach (json_object_get(entry, "parts"), j, part)
            json_object_set_new(run->judged,
                                key_of(kg__json_text(entry, "target"), kg__json_text(entry, "case"),
                                       kg__list_text(part)),
                                json_true());
    }
    json_array_foreach (json_object_get(run->results, "refused"), i, entry)
        json_object_set_new(
            run->judged, key_of(kg__json_text(entry, "target"), kg__json_text(entry, "case"), ""),
            json_true());
}

static bool is_judged(const check *run, const char *target, const char *id, const char *part)
{
    return json_object_get(run->judged, key_of(target, id, part)) != NULL ||
           json_object_get(run->judged, key_of(target, id, "")) != NULL;
}

static void add_error(const check *run, const char *test, const char *why)
{
    json_array_append_new(json_object_get(run->results, "errors"),
                          json_pack("{s:s, s:s}", "test", test, "why", why));
    run->tally->broken++;
}

/* Whether an entry of a test judged cases: one that could not run, for want of a GPU say, has given
 * its reason instead. */
static bool has_judged(const json_t *entry)
{
    return entry != NULL && strcmp(kg__json_text(entry, "skipped_by"), "unavailable") != 0;
}

/* Cases of a test's table that have no verdict, which whoever wrote its verdicts has left out. */
static void check_cases(const check *run, const char *test, json_t *cases, const json_t *entry)
{
    const char *target = kg__json_text(entry, "target");
    const char *part = split(test).part;
    char named[KG__MESSAGE_SIZE] = "";
    char why[2 * KG__MESSAGE_SIZE];
    size_t missing = 0;
    const char *id;
    json_t *unused;

    json_object_foreach (cases, id, unused) {
        if (!kg__filter_takes(id) || is_judged(run, target, id, part))
            continue;
        if (missing++ < NAMED_CASES)
            kg__format(named + strlen(named), sizeof named - strlen(named), "%s%s",
                       *named != '\0' ? ", " : "", id);
    }
    if (missing == 0)
        return;
    kg__format(why, sizeof why, "%zu case%s of its table left no verdict: %s%s: run the test again",
               missing, missing == 1 ? "" : "s", named, missing > NAMED_CASES ? ", ..." : "");
    add_error(run, test, why);
}

/* Each test that had to report. Where none did, one error names them. */
static void check_tests(const check *run)
{
    char named[KG__MESSAGE_SIZE] = "";
    char why[2 * KG__MESSAGE_SIZE];
    const char *name;
    json_t *cases;

    if (json_object_size(run->reported) == 0 && !run->expected->partial) {
        json_object_foreach (run->expected->tests, name, cases)
            kg__format(named + strlen(named), sizeof named - strlen(named), "%s%s",
                       *named != '\0' ? ", " : "", name);
        kg__format(why, sizeof why,
                   "no test left a verdict, of these: %s: run ctest, and see its output", named);
        add_error(run, "", why);
        return;
    }
    json_object_foreach (run->expected->tests, name, cases) {
        const json_t *entry = json_object_get(run->reported, name);

        if (entry == NULL && !run->expected->partial)
            add_error(run, name,
                      "left no verdict: it was not run, or its program ended before it could "
                      "report: run it again, and see that nothing leaves it out");
        else if (has_judged(entry))
            check_cases(run, name, cases, entry);
    }
}

static void add_case(const check *run, const char *list, const char *id, const char *target,
                     const char *test)
{
    json_array_append_new(json_object_get(run->results, list),
                          json_pack("{s:s, s:s, s:s}", "case", id, "target", target, "test", test));
    if (strcmp(list, "vanished") == 0)
        run->tally->vanished++;
    else
        run->tally->unlisted++;
}

/* A baseline that is held against the tables. */
typedef struct stored {
    const char *target;
    const char *kind; /* "gpu" or "model" */
    bool imported;    /* its cases are in no table */
} stored;

/* A case that the baseline has for a part: it has vanished where no table has it, or where its
 * comparison refuses it now. A test that is missing, or judged nothing, is an error or has given
 * its reason. */
static void check_stored_case(const check *run, const stored *from, const char *id,
                              const char *part)
{
    bool refused = json_object_get(run->judged, key_of(from->target, id, "")) != NULL;
    char test[256];
    const json_t *cases;

    kg__format(test, sizeof test, "%s.%.*s.%s", from->kind, (int)strcspn(id, "/"), id, part);
    cases = json_object_get(run->expected->tests, test);
    if (!kg__filter_takes(id) || (json_object_get(cases, id) != NULL && !refused))
        return;
    if (refused || (cases != NULL ? has_judged(json_object_get(run->reported, test))
                                  : !run->expected->partial && !from->imported))
        add_case(run, "vanished", id, from->target, cases != NULL ? test : "");
}

/* A case has to be judged by the file that everybody looks at. The environment of a test can name
 * another folder of baselines than this command's does. */
static void check_judged_by(const check *run, const char *target, const kg__baseline_case *stored)
{
    const json_t *entry = json_object_get(run->judged, key_of(target, stored->id, "entry"));

    for (size_t i = 0; i < stored->metric_count; i++) {
        const kg__baseline_metric *metric = &stored->metrics[i];
        const json_t *judged = json_object_get(json_object_get(entry, "metrics"), metric->name);
        const json_t *value = json_object_get(judged, "baseline");
        char why[KG__MESSAGE_SIZE];

        if (!json_is_number(value) || json_number_value(value) == metric->value)
            continue;
        kg__format(
            why, sizeof why,
            "%s: %s was judged by a baseline of %.17g, and %s/%s.json has %.17g: judge it by "
            "that file, without KG_BASELINES",
            stored->id, metric->name, json_number_value(value), run->expected->baselines, target,
            metric->value);
        add_error(run, kg__json_text(entry, "test"), why);
        return;
    }
}

/* Checked cases that the baseline does not list: nobody would miss them. */
static void find_unlisted(const check *run, const kg__baseline *baseline)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(run->results, "cases"), i, entry) {
        const char *target = kg__json_text(entry, "target");
        const char *id = kg__json_text(entry, "case");

        if (strcmp(target, baseline->target.key) != 0 ||
            json_object_get(run->judged, key_of(target, id, "check")) == NULL ||
            kg__baseline_find(baseline, id) != NULL || kg__baseline_lists(baseline, id))
            continue;
        add_case(run, "unlisted", id, target, kg__json_text(entry, "test"));
    }
}

static void check_baseline(const check *run, const char *target, const char *kind)
{
    stored from = { .target = target, .kind = kind };
    char path[2 * KG__PATH_SIZE];
    kg__baseline baseline;
    kg__load_status status;
    kg__error ignored = { "" };

    kg__format_path(path, sizeof path, "%s/%s.json", run->expected->baselines, target);
    /* What is wrong with the file, the tests that read it have said. */
    status = kg__baseline_load(path, &baseline, &ignored);
    from.imported = *kg__measured_by(&baseline.provenance) != '\0';
    for (size_t i = 0; i < baseline.case_count; i++) {
        check_stored_case(run, &from, baseline.cases[i].id,
                          strcmp(kind, "gpu") == 0 ? "time" : "count");
        check_judged_by(run, target, &baseline.cases[i]);
    }
    for (size_t i = 0; i < baseline.checked_count; i++)
        check_stored_case(run, &from, baseline.checked[i], "check");
    if (status == KG__LOADED && baseline.checked_count > 0)
        find_unlisted(run, &baseline);
    kg__baseline_free(&baseline);
}

/* The baseline of each target that a test of the run found. */
static void check_baselines(const check *run)
{
    const char *target;
    json_t *unused;

    json_object_foreach (json_object_get(run->results, "targets"), target, unused) {
        const char *name;
        json_t *entry;

        json_object_foreach (run->reported, name, entry) {
            if (json_object_get(run->expected->tests, name) == NULL ||
                strcmp(kg__json_text(entry, "target"), target) != 0)
                continue;
            check_baseline(run, target, split(name).kind);
            break;
        }
    }
}

static void add_coverage(const check *run)
{
    const char *filter = kg__setting("KG_FILTER");
    json_t *cases = json_object();
    json_t *coverage;
    size_t reported = 0;
    const char *name;
    json_t *ids;

    json_object_foreach (run->expected->tests, name, ids) {
        const char *id;
        json_t *unused;

        reported += json_object_get(run->reported, name) != NULL;
        json_object_foreach (ids, id, unused)
            json_object_set_new(cases, key_of(split(name).kind, id, ""), json_true());
    }
    coverage =
        json_pack("{s:{s:I, s:I}, s:{s:I, s:I}}", "tests", "expected",
                  (json_int_t)json_object_size(run->expected->tests), "reported",
                  (json_int_t)reported, "cases", "expected", (json_int_t)json_object_size(cases),
                  "reported", (json_int_t)json_array_size(json_object_get(run->results, "cases")));
    if (filter != NULL)
        json_object_set_new(coverage, "filter", kg__json_clean_string(filter));
    if (run->expected->partial && reported < json_object_size(run->expected->tests))
        json_object_set_new(coverage, "partial", json_true());
    json_object_set_new(run->results, "coverage", coverage);
    json_decref(cases);
}

void kg__expected_check(const kg__expected *expected, json_t *results, kg__tally *tally)
{
    check run = { .expected = expected,
                  .results = results,
                  .tally = tally,
                  .reported = json_object(),
                  .judged = json_object() };

    index_results(&run);
    check_tests(&run);
    check_baselines(&run);
    add_coverage(&run);
    json_decref(run.reported);
    json_decref(run.judged);
}
