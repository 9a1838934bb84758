#include "cli/ctest_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "cli/tool.h"
#include "results/results.h"

/* Far more than what is read of any report. */
#define REPORT_SIZE ((size_t)16 << 20)

/* The status of a test: "run" if it passed, "fail", "notrun" (skipped too) or "disabled". */
static const char *status_of(const json_t *test)
{
    return kg__json_text(test, "status");
}

/* Why it failed or was not run, in CTest's words. */
static const char *message_of(const json_t *test)
{
    return kg__json_text(test, "message");
}

static bool is_skip(const json_t *test)
{
    return strcmp(status_of(test), "notrun") == 0 && strncmp(message_of(test), "SKIP_", 5) == 0;
}

/* The first entry of a list whose member `key` is `name`; NULL where there is none. */
static const json_t *find_entry(const json_t *list, const char *key, const char *name)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (list, i, entry) {
        if (strcmp(kg__json_text(entry, key), name) == 0)
            return entry;
    }
    return NULL;
}

/* Whether a test's program wrote down that it ended so. A test without verdicts, such as one of
 * another project's own, has only to pass or to be skipped. */
static bool agrees(const json_t *test, const json_t *entry)
{
    int code = (int)json_integer_value(json_object_get(entry, "program_exit_code"));

    if (entry == NULL || json_object_get(entry, "program_exit_code") == NULL)
        return strcmp(status_of(test), "run") == 0 || is_skip(test);
    if (strcmp(status_of(test), "run") == 0)
        return code == KG__EXIT_PASS;
    if (strcmp(status_of(test), "fail") == 0)
        return code == KG__EXIT_FAIL || code == KG__EXIT_ERROR;
    return is_skip(test) && code == KG__EXIT_NOTHING;
}

static void check_test(const json_t *test, json_t *results)
{
    const char *name = kg__json_text(test, "name");
    const json_t *entry = find_entry(json_object_get(results, "tests"), "name", name);
    const json_t *code = json_object_get(entry, "program_exit_code");
    char why[2 * KG__MESSAGE_SIZE];

    if (agrees(test, entry) || find_entry(json_object_get(results, "errors"), "test", name) != NULL)
        return;
    if (code != NULL)
        kg__format(why, sizeof why,
                   "ended as \"%s\"%s%s%s for CTest, and its verdicts were written for exit code "
                   "%d: run it again, and see what ends its program",
                   status_of(test), *message_of(test) != '\0' ? " (" : "", message_of(test),
                   *message_of(test) != '\0' ? ")" : "", (int)json_integer_value(code));
    else
        kg__format(why, sizeof why, "%s%s%s%s: see CTest's log",
                   strcmp(status_of(test), "fail") == 0 ? "failed" : "was not run",
                   *message_of(test) != '\0' ? " (" : "", message_of(test),
                   *message_of(test) != '\0' ? ")" : "");
    kg__results_add_error(results, name, why);
}

/* The tests of a report; NULL where it cannot be read. */
static json_t *read_tests(const char *path)
{
    char *text = kg__ask_tool("ctest_report.py", path, REPORT_SIZE);
    json_t *tests = text != NULL ? json_loads(text, 0, NULL) : NULL;

    free(text);
    return tests;
}

bool kg__ctest_report_check(const char *path, int code, json_t *results, kg__error *error)
{
    json_t *tests = read_tests(path);
    bool any_failed = false;
    char why[KG__MESSAGE_SIZE];
    const json_t *test;
    size_t i;

    if (tests == NULL)
        return kg__fail(error,
                        "%s: ctest ended with code %d and left no report of its tests there: see "
                        "its output",
                        path, code);
    json_array_foreach (tests, i, test) {
        any_failed = any_failed || (strcmp(status_of(test), "run") != 0 && !is_skip(test));
        check_test(test, results);
    }
    json_decref(tests);
    if (code != 0 && !any_failed) {
        kg__format(why, sizeof why,
                   "ctest ended with code %d, though no test failed: see its output", code);
        kg__results_add_error(results, NULL, why);
    }
    return true;
}
