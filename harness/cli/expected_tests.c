#include "cli/expected_tests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/json_fields.h"

/* A program lists some thousands of cases. */
#define ANSWER_SIZE ((size_t)8 << 20)
#define ANSWER_SECONDS 30.0

bool kg__expect_answer(const char *text, const char *kind, kg__expected *expected)
{
    typedef struct listed_test {
        const char *name;
        kg__texts ids;
    } listed_test;
    typedef struct listed_tests {
        listed_test *items;
        size_t count;
    } listed_tests;
    static const kg__field test_fields[] = {
        KG__FIELD(listed_test, name, "test", TEXT),
        KG__FIELD(listed_test, ids, "cases", TEXTS),
        { 0 },
    };
    static const kg__field answer_fields[] = {
        KG__FIELD_ITEMS(listed_tests, items, count, "tests", listed_test, test_fields),
        { 0 },
    };
    json_t *answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    listed_tests tests = { 0 };
    kg__pool pool = { 0 };
    kg__error ignored;
    bool good =
        kg__fields_read_lists(answer, answer_fields, &tests, &pool, &ignored) && tests.count > 0;

    for (size_t i = 0; good && i < tests.count; i++)
        good = tests.items[i].name != NULL && *tests.items[i].name != '\0' &&
               tests.items[i].ids.items != NULL;
    for (size_t i = 0; good && i < tests.count; i++)
        kg__expected_add(expected, tests.items[i].name, &tests.items[i].ids, kind);
    kg__pool_free(&pool);
    json_decref(answer);
    return good;
}

static bool add_tests(const char *program, const char *kind, kg__expected *expected,
                      kg__error *error)
{
    const char *const arguments[] = { program, "--tests", NULL };
    char *text = kg__allocate(ANSWER_SIZE, 1);
    int code = kg__child_output(arguments, ANSWER_SECONDS, text, ANSWER_SIZE);
    bool added = code == 0 && kg__expect_answer(text, kind, expected);

    free(text);
    return added ||
           kg__fail(error, "%s: does not list its tests (exit code %d of --tests): build it again",
                    program, code);
}

bool kg__expect_programs(const char *path, const char *kind, kg__expected *expected,
                         kg__error *error)
{
    FILE *list;
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;

    if (kind != NULL && strcmp(kind, "gpu") != 0 && strcmp(kind, "model") != 0)
        return kg__fail(error, "--target '%s': expected gpu or model", kind);
    list = fopen(path, "r");
    if (list == NULL)
        return kg__fail(error, "%s: cannot be read: %s: configure the build again", path,
                        strerror(errno));
    while (good && getline(&line, &capacity, list) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line != '\0')
            good = add_tests(line, kind, expected, error);
    }
    free(line);
    fclose(list);
    return good;
}

/* Whether an option of ctest selects tests, or names a script that may. */
static bool is_filter_option(const char *argument)
{
    static const char *const options[] = {
        "-R",
        "--tests-regex",
        "-E",
        "--exclude-regex",
        "-L",
        "--label-regex",
        "-LE",
        "--label-exclude",
        "-FA",
        "--fixture-exclude-any",
        "-I",
        "--tests-information",
        "-S",
        "--script",
        "-SP",
        "--script-new-process",
        "--rerun-failed",
        "--tests-from-file",
        "--exclude-from-file",
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(argument, options[i]) == 0)
            return true;
    }
    return false;
}

bool kg__ctest_chose_tests(void)
{
    char path[64];
    FILE *file;
    char *argument = NULL;
    size_t capacity = 0;
    bool chose = false;

    /* CTest sets this variable for each of its tests. */
    if (getenv("CTEST_INTERACTIVE_DEBUG_MODE") == NULL)
        return false;
    kg__format(path, sizeof path, "/proc/%ld/cmdline", (long)getppid());
    file = fopen(path, "r");
    while (file != NULL && !chose && getdelim(&argument, &capacity, '\0', file) > 0)
        chose = is_filter_option(argument);
    free(argument);
    if (file != NULL)
        fclose(file);
    return chose;
}
