#include "cli/ctest_report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "cli/tool.h"
#include "results/results.h"

/* Far more than what is read of any report. */
#define REPORT_SIZE ((size_t)16 << 20)

/* What CTest says of a test. */
typedef struct ctest_test {
    const char *name;
    const char *status;  /* "run" if it passed, "fail", "notrun" (skipped too) or "disabled" */
    const char *message; /* why it failed or was not run; "" where that is not known */
} ctest_test;

static bool is_skip(const ctest_test *test)
{
    return strcmp(test->status, "notrun") == 0 && strncmp(test->message, "SKIP_", 5) == 0;
}

static const kg__test_result *find_test(const kg__results *results, const char *name)
{
    for (size_t i = 0; i < results->test_count; i++) {
        if (strcmp(results->tests[i].name, name) == 0)
            return &results->tests[i];
    }
    return NULL;
}

static bool has_error(const kg__results *results, const char *name)
{
    for (size_t i = 0; i < results->errors.count; i++) {
        const char *test = results->errors.items[i].test;

        if (test != NULL && strcmp(test, name) == 0)
            return true;
    }
    return false;
}

/* Whether a test's program wrote down that it ended so. A test without verdicts, such as one of
 * another project's own, has only to pass or to be skipped. */
static bool agrees(const ctest_test *test, int64_t code)
{
    if (code < 0)
        return strcmp(test->status, "run") == 0 || is_skip(test);
    if (strcmp(test->status, "run") == 0)
        return code == KG__EXIT_PASS;
    if (strcmp(test->status, "fail") == 0)
        return code == KG__EXIT_FAIL || code == KG__EXIT_ERROR;
    return is_skip(test) && code == KG__EXIT_NOTHING;
}

static void check_test(const ctest_test *test, kg__results *results)
{
    const kg__test_result *known = find_test(results, test->name);
    int64_t code = known != NULL ? known->program_exit_code : -1;
    char message[KG__MESSAGE_SIZE] = "";
    char why[2 * KG__MESSAGE_SIZE];

    if (agrees(test, code) || has_error(results, test->name))
        return;
    if (*test->message != '\0')
        kg__format(message, sizeof message, " (%s)", test->message);
    if (code >= 0)
        kg__format(why, sizeof why,
                   "ended as \"%s\"%s for CTest, and its verdicts were written for exit code %d: "
                   "run it again, and see what ends its program",
                   test->status, message, (int)code);
    else
        kg__format(why, sizeof why, "%s%s: see CTest's log",
                   strcmp(test->status, "fail") == 0 ? "failed" : "was not run", message);
    kg__results_add_error(results, test->name, why);
}

/* The tests of a report; NULL where it cannot be read. */
static json_t *read_tests(const char *path)
{
    char *text = kg__ask_tool("ctest_report.py", path, REPORT_SIZE);
    json_t *tests = text != NULL ? json_loads(text, 0, NULL) : NULL;

    free(text);
    return tests;
}

bool kg__ctest_report_check(const char *path, int code, kg__results *results, kg__error *error)
{
    json_t *tests = read_tests(path);
    bool any_failed = false;
    char why[KG__MESSAGE_SIZE];
    const json_t *object;
    size_t i;

    if (tests == NULL)
        return kg__fail(error,
                        "%s: ctest ended with code %d and left no report of its tests there: see "
                        "its output",
                        path, code);
    json_array_foreach (tests, i, object) {
        ctest_test test = { kg__json_text(object, "name"), kg__json_text(object, "status"),
                            kg__json_text(object, "message") };

        any_failed = any_failed || (strcmp(test.status, "run") != 0 && !is_skip(&test));
        check_test(&test, results);
    }
    json_decref(tests);
    if (code != 0 && !any_failed) {
        kg__format(why, sizeof why,
                   "ctest ended with code %d, though no test failed: see its output", code);
        kg__results_add_error(results, NULL, why);
    }
    return true;
}
