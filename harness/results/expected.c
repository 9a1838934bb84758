#include "results/expected.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/process.h"
#include "baseline/baseline.h"
#include "suite/settings.h"

/* How many of the cases that an error is about it names. */
#define NAMED_CASES 5

/* The results that are completed, and what is looked up in them. */
typedef struct check {
    const kg__expected *expected;
    kg__results *results;
    kg__index reported; /* the tests that reported, by name */
    kg__index judged;   /* by key_of(): each case, its parts that were judged, and its refusal */
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

void kg__expected_add(kg__expected *expected, const char *test, const kg__texts *ids,
                      const char *kind)
{
    kg__expected_test *added;

    if (kind != NULL && strcmp(split(test).kind, kind) != 0)
        return;
    added = kg__pool_array(expected->pool, 1, sizeof *added);
    added->name = kg__pool_text(expected->pool, test);
    for (size_t i = 0; i < ids->count; i++)
        kg__index_set(expected->pool, &added->ids, ids->items[i], added);
    kg__index_set(expected->pool, &expected->tests, test, added);
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
    kg__results *results = run->results;

    for (size_t i = 0; i < results->test_count; i++)
        kg__index_set(results->pool, &run->reported, results->tests[i].name, &results->tests[i]);
    for (size_t i = 0; i < results->case_count; i++) {
        kg__case_result *result = results->cases[i];

        kg__index_set(results->pool, &run->judged, key_of(result->target, result->id, "entry"),
                      result);
        for (size_t j = 0; j < result->parts.count; j++)
            kg__index_set(results->pool, &run->judged,
                          key_of(result->target, result->id, result->parts.items[j]), result);
    }
    for (size_t i = 0; i < results->refused.count; i++) {
        kg__remark *refused = &results->refused.items[i];

        kg__index_set(results->pool, &run->judged, key_of(refused->target, refused->subject, ""),
                      refused);
    }
}

static bool is_judged(const check *run, const char *target, const char *id, const char *part)
{
    return kg__index_find(&run->judged, key_of(target, id, part)) != NULL ||
           kg__index_find(&run->judged, key_of(target, id, "")) != NULL;
}

static void add_error(const check *run, const char *test, const char *why)
{
    kg__results_add_error(run->results, test, why);
}

/* Whether a test judged cases: one that could not run, for want of a GPU say, has given its reason
 * instead. */
static bool has_judged(const kg__test_result *test)
{
    return test != NULL && test->skipped_by != KG__SKIP_UNAVAILABLE;
}

/* Adds a name to a list in words. */
static void add_name(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);

    kg__format(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

/* Cases of a test's table that have no verdict, which whoever wrote its verdicts has left out. */
static void check_cases(const check *run, const kg__expected_test *expected,
                        const kg__test_result *test)
{
    const char *part = split(expected->name).part;
    char named[KG__MESSAGE_SIZE] = "";
    char why[2 * KG__MESSAGE_SIZE];
    size_t missing = 0;

    for (size_t i = 0; i < expected->ids.count; i++) {
        const char *id = expected->ids.entries[i].name;

        if (!kg__filter_takes(id) || is_judged(run, test->target, id, part))
            continue;
        if (missing++ < NAMED_CASES)
            add_name(named, sizeof named, id);
    }
    if (missing == 0)
        return;
    kg__format(why, sizeof why, "%zu case%s of its table left no verdict: %s%s: run the test again",
               missing, missing == 1 ? "" : "s", named, missing > NAMED_CASES ? ", ..." : "");
    add_error(run, expected->name, why);
}

/* Each test that had to report. Where none did, one error names them. */
static void check_tests(const check *run)
{
    const kg__index *tests = &run->expected->tests;
    char named[KG__MESSAGE_SIZE] = "";
    char why[2 * KG__MESSAGE_SIZE];

    if (run->reported.count == 0 && !run->expected->partial) {
        for (size_t i = 0; i < tests->count; i++)
            add_name(named, sizeof named, tests->entries[i].name);
        kg__format(why, sizeof why,
                   "no test left a verdict, of these: %s: run ctest, and see its output", named);
        add_error(run, NULL, why);
        return;
    }
    for (size_t i = 0; i < tests->count; i++) {
        const char *name = tests->entries[i].name;
        const kg__test_result *test = kg__index_find(&run->reported, name);

        if (test == NULL && !run->expected->partial)
            add_error(run, name,
                      "left no verdict: it was not run, or its program ended before it could "
                      "report: run it again, and see that nothing leaves it out");
        else if (has_judged(test))
            check_cases(run, tests->entries[i].thing, test);
    }
}

static void add_vanished(const check *run, const char *id, const char *target, const char *test)
{
    kg__pool *pool = run->results->pool;

    kg__results_add(run->results, &run->results->vanished,
                    (kg__remark){ .subject = kg__pool_text(pool, id),
                                  .target = target,
                                  .test = kg__pool_text(pool, test) });
    run->results->tally.vanished++;
}

/* A baseline that is compared with the tables. */
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
    bool refused = kg__index_find(&run->judged, key_of(from->target, id, "")) != NULL;
    char test[256];
    const kg__expected_test *expected;

    kg__format(test, sizeof test, "%s.%.*s.%s", from->kind, (int)strcspn(id, "/"), id, part);
    expected = kg__index_find(&run->expected->tests, test);
    if (!kg__filter_takes(id) ||
        (expected != NULL && kg__index_find(&expected->ids, id) != NULL && !refused))
        return;
    if (refused || (expected != NULL ? has_judged(kg__index_find(&run->reported, test))
                                     : !run->expected->partial && !from->imported))
        add_vanished(run, id, from->target, expected != NULL ? test : "");
}

/* A case has to be judged by the file that everybody looks at. The environment of a test can name
 * another folder of baselines than this command's does. */
static void check_judged_by(const check *run, const char *target, const kg__baseline_case *stored)
{
    const kg__case_result *result =
        kg__index_find(&run->judged, key_of(target, stored->id, "entry"));

    for (size_t i = 0; i < stored->metric_count; i++) {
        const kg__baseline_metric *metric = &stored->metrics[i];
        const kg__metric_result *judged = kg__case_result_metric(result, metric->name);
        char why[KG__MESSAGE_SIZE];

        if (judged == NULL || isnan(judged->baseline) || judged->baseline == metric->value)
            continue;
        kg__format(
            why, sizeof why,
            "%s: %s was judged by a baseline of %.17g, and %s/%s.json has %.17g: judge it by "
            "that file, without KG_BASELINES",
            stored->id, metric->name, judged->baseline, run->expected->baselines, target,
            metric->value);
        add_error(run, result->test, why);
        return;
    }
}

/* Checked cases that the baseline does not list: nobody would miss them. */
static void find_unlisted(const check *run, const kg__baseline *baseline)
{
    for (size_t i = 0; i < run->results->case_count; i++) {
        const kg__case_result *result = run->results->cases[i];

        if (strcmp(result->target, baseline->target.key) != 0 ||
            kg__index_find(&run->judged, key_of(result->target, result->id, "check")) == NULL ||
            kg__baseline_find(baseline, result->id) != NULL ||
            kg__baseline_lists(baseline, result->id))
            continue;
        kg__results_add(
            run->results, &run->results->unlisted,
            (kg__remark){ .subject = result->id, .target = result->target, .test = result->test });
        run->results->tally.unlisted++;
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
    for (size_t i = 0; i < run->results->target_count; i++) {
        const kg__run_target *target = &run->results->targets[i];

        if (target->target.key[0] == '\0')
            continue;
        for (size_t j = 0; j < run->results->test_count; j++) {
            const kg__test_result *test = &run->results->tests[j];

            if (kg__index_find(&run->expected->tests, test->name) == NULL ||
                strcmp(test->target, target->key) != 0)
                continue;
            check_baseline(run, target->key, split(test->name).kind);
            break;
        }
    }
}

static void add_coverage(const check *run)
{
    const kg__index *tests = &run->expected->tests;
    const char *filter = kg__setting("KG_FILTER");
    kg__coverage *coverage = &run->results->coverage;
    kg__index cases = { 0 };

    *coverage = (kg__coverage){ .is_known = true,
                                .expected_tests = (int64_t)tests->count,
                                .reported_cases = (int64_t)run->results->case_count };
    for (size_t i = 0; i < tests->count; i++) {
        const kg__expected_test *test = tests->entries[i].thing;

        coverage->reported_tests += kg__index_find(&run->reported, test->name) != NULL;
        for (size_t j = 0; j < test->ids.count; j++)
            kg__index_set(run->results->pool, &cases,
                          key_of(split(test->name).kind, test->ids.entries[j].name, ""), coverage);
    }
    coverage->expected_cases = (int64_t)cases.count;
    if (filter != NULL)
        coverage->filter = kg__pool_text(run->results->pool, filter);
    coverage->partial =
        run->expected->partial && coverage->reported_tests < coverage->expected_tests;
}

void kg__expected_check(const kg__expected *expected, kg__results *results)
{
    check run = { .expected = expected, .results = results };

    index_results(&run);
    check_tests(&run);
    check_baselines(&run);
    add_coverage(&run);
}
