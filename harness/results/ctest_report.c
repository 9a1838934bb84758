#include "results/ctest_report.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "judge/judge.h"
#include "records/records.h"
#include "results/results.h"

/* A test as CTest saw it end. */
typedef struct outcome {
    char name[256];
    char status[32];                /* "run": passed; "fail"; "notrun": skipped too; "disabled" */
    char message[KG__MESSAGE_SIZE]; /* why it failed or was not run, in CTest's words */
} outcome;

static void copy_attribute(xmlNode *node, const char *name, char *text, size_t size)
{
    xmlChar *value = xmlGetProp(node, (const xmlChar *)name);

    kg__format(text, size, "%s", value != NULL ? (const char *)value : "");
    xmlFree(value);
}

static outcome read_outcome(xmlNode *node)
{
    outcome test = { .message = "" };

    copy_attribute(node, "name", test.name, sizeof test.name);
    copy_attribute(node, "status", test.status, sizeof test.status);
    for (xmlNode *child = node->children; child != NULL; child = child->next) {
        if (child->type == XML_ELEMENT_NODE && (xmlStrEqual(child->name, BAD_CAST "failure") ||
                                                xmlStrEqual(child->name, BAD_CAST "skipped")))
            copy_attribute(child, "message", test.message, sizeof test.message);
    }
    return test;
}

static bool is_skip(const outcome *test)
{
    return strcmp(test->status, "notrun") == 0 && strncmp(test->message, "SKIP_", 5) == 0;
}

static const json_t *find_test(const json_t *results, const char *name)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "tests"), i, entry) {
        if (strcmp(kg__json_text(entry, "name"), name) == 0)
            return entry;
    }
    return NULL;
}

static bool has_error(const json_t *results, const char *name)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "errors"), i, entry) {
        if (strcmp(kg__json_text(entry, "test"), name) == 0)
            return true;
    }
    return false;
}

/* Whether a test's program wrote down that it ended so. A test without verdicts, such as one of
 * another project's own, has only to pass or to be skipped. */
static bool agrees(const outcome *test, const json_t *entry)
{
    int code = (int)json_integer_value(json_object_get(entry, "program_exit_code"));

    if (entry == NULL || json_object_get(entry, "program_exit_code") == NULL)
        return strcmp(test->status, "run") == 0 || is_skip(test);
    if (strcmp(test->status, "run") == 0)
        return code == KG__EXIT_PASS;
    if (strcmp(test->status, "fail") == 0)
        return code == KG__EXIT_FAIL || code == KG__EXIT_ERROR;
    return is_skip(test) && code == KG__EXIT_NOTHING;
}

static void check_outcome(const outcome *test, json_t *results)
{
    const json_t *entry = find_test(results, test->name);
    const json_t *code = json_object_get(entry, "program_exit_code");
    char why[2 * KG__MESSAGE_SIZE];

    if (agrees(test, entry) || has_error(results, test->name))
        return;
    if (code != NULL)
        kg__format(why, sizeof why,
                   "ended as \"%s\"%s%s%s for CTest, and its verdicts were written for exit code "
                   "%d: run it again, and see what ends its program",
                   test->status, *test->message != '\0' ? " (" : "", test->message,
                   *test->message != '\0' ? ")" : "", (int)json_integer_value(code));
    else
        kg__format(why, sizeof why, "%s%s%s%s: see CTest's log",
                   strcmp(test->status, "fail") == 0 ? "failed" : "was not run",
                   *test->message != '\0' ? " (" : "", test->message,
                   *test->message != '\0' ? ")" : "");
    kg__results_add_error(results, test->name, why);
}

bool kg__ctest_report_check(const char *path, int code, json_t *results, kg__error *error)
{
    xmlDoc *report = xmlReadFile(
        path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
    xmlNode *root = report != NULL ? xmlDocGetRootElement(report) : NULL;
    bool any_failed = false;
    char why[KG__MESSAGE_SIZE];

    if (root == NULL) {
        xmlFreeDoc(report);
        return kg__fail(error,
                        "%s: ctest ended with code %d and left no report of its tests there: see "
                        "its output",
                        path, code);
    }
    for (xmlNode *node = root->children; node != NULL; node = node->next) {
        outcome test;

        if (node->type != XML_ELEMENT_NODE || !xmlStrEqual(node->name, BAD_CAST "testcase"))
            continue;
        test = read_outcome(node);
        any_failed = any_failed || (strcmp(test.status, "run") != 0 && !is_skip(&test));
        check_outcome(&test, results);
    }
    xmlFreeDoc(report);
    if (code != 0 && !any_failed) {
        kg__format(why, sizeof why,
                   "ctest ended with code %d, though no test failed: see its output", code);
        kg__results_add_error(results, NULL, why);
    }
    return true;
}
