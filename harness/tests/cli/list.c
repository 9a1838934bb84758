/* `kernelgate list` on programs that follow a script, and on a real one. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "judge/judge.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

TestSuite(list, .init = make_folder, .fini = remove_folder, .timeout = 60);

/* Makes a program in the test's folder that answers --work with this text, with ' for ". */
static void make_program(const char *name, const char *work)
{
    char file[256];
    char text[4096];

    kg__format(text, sizeof text, "{'work': %s}", work);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    kg__format(file, sizeof file, "%s.json", name);
    write_text(at(file), text);
    cr_assert(symlink(KG__FAKE_TUNER, at(name)) == 0);
}

#define COPIES "'bytes_read': 8000, 'bytes_written': 4000, 'bytes_to_device': 0, 'bytes_to_host': 0"

static void make_programs(void)
{
    make_program("add.model",
                 "{'comparison': 'add', 'variants': [{'variant': 'plain', 'idea': 'one each'}, "
                 "{'variant': 'strided', 'idea': 'a grid-stride loop'}, {'variant': 'none'}], "
                 "'cases': [{'case': 'add/plain/9/b32', 'purposes': ['check'], 'work': {'bytes': "
                 "12000, 'operations': 1000}, " COPIES ", 'type': 'float32', 'kernels': 1, "
                 "'blocks': 1}, {'case': 'add/strided/9/b64', 'purposes': ['check', 'time', "
                 "'count'], " COPIES "}], "
                 "'refused': [{'case': 'add/none/0/b32', 'why': 'size 0 has nothing to do'}]}");
    make_program("mul.model", "{'comparison': 'mul', 'variants': [{'variant': 'plain', 'idea': "
                              "'a, \\\"quoted\\\"'}], 'cases': [{'case': 'mul/plain/5/b8', "
                              "'purposes': ['count'], " COPIES "}], 'refused': []}");
}

static ending list_with(const char *const *settings, const char *const *more)
{
    const char *arguments[16] = { KG__COMMAND, "list", "--build", at("") };
    size_t count = 4;

    while (*more != NULL)
        arguments[count++] = *more++;
    return drive(arguments, settings);
}

#define LIST(...) list_with(NULL, (const char *const[]){ __VA_ARGS__, NULL })

#define EXPECT(code_, expected_, ...)                                                              \
    do {                                                                                           \
        ending seen_ = LIST(__VA_ARGS__);                                                          \
        expect_ending(&seen_, (code_), (expected_));                                               \
        free(seen_.output);                                                                        \
    } while (0)

Test(list, prints_cases_purposes_and_ideas)
{
    ending result;

    make_programs();
    result = list_with(NULL, (const char *const[]){ NULL });
    expect_ending(&result, KG__EXIT_PASS,
                  "add: 2 cases\n\n"
                  "variant  idea\n"
                  "plain    one each\n"
                  "strided  a grid-stride loop\n"
                  "none\n\n"
                  "case               check  time  count   bytes  operations\n"
                  "add/plain/9/b32    check               12 000       1 000\n"
                  "add/strided/9/b64  check  time  count       -           -\n"
                  "refused: add/none/0/b32: size 0 has nothing to do\n\n"
                  "mul: 1 case\n");
    free(result.output);
}

Test(list, takes_what_the_filter_takes)
{
    static const char *const settings[] = { "KG_FILTER=mul/*", NULL };
    ending result;

    make_programs();
    result = LIST("add/strided");
    expect_ending(&result, KG__EXIT_PASS, "add: 1 case\n");
    cr_expect(strstr(result.output, "plain") == NULL && strstr(result.output, "mul") == NULL, "%s",
              result.output);
    free(result.output);
    /* The operand replaces the setting; without it, that counts. */
    result = list_with(settings, (const char *const[]){ NULL });
    expect_ending(&result, KG__EXIT_PASS, "mul: 1 case\n");
    cr_expect(strstr(result.output, "add") == NULL, "%s", result.output);
    free(result.output);
    result = list_with(settings, (const char *const[]){ "*/9/b64", NULL });
    expect_ending(&result, KG__EXIT_PASS, "add/strided/9/b64");
    free(result.output);
    EXPECT(KG__EXIT_PASS, "refused: add/none/0/b32", "add/none");
}

Test(list, prints_json_and_csv)
{
    ending result;
    json_t *document;
    json_t *entry;

    make_programs();
    result = LIST("--json", "add/plain,mul");
    cr_assert(result.code == KG__EXIT_PASS, "%s", result.output);
    document = json_loads(result.output, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(document != NULL, "%s", result.output);
    expect_strict(document);
    cr_expect(eq(sz, json_array_size(json_object_get(document, "comparisons")), 2));
    entry = json_array_get(json_object_get(document, "comparisons"), 0);
    cr_expect(eq(sz, json_array_size(json_object_get(entry, "variants")), 1));
    cr_expect(eq(sz, json_array_size(json_object_get(entry, "refused")), 0));
    entry = json_array_get(json_object_get(entry, "cases"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(entry, "case")), "add/plain/9/b32");
    cr_expect_str_eq(json_string_value(json_array_get(json_object_get(entry, "purposes"), 0)),
                     "check");
    json_decref(document);
    free(result.output);
    EXPECT(KG__EXIT_PASS, "kernelgate-list/1", "--format", "json");
    EXPECT(KG__EXIT_PASS,
           "case,check,time,count,bytes,operations,idea\n"
           "mul/plain/5/b8,,,count,,,\"a, \"\"quoted\"\"\"\n",
           "--format", "csv", "mul");
    EXPECT(KG__EXIT_PASS, "| add/strided/9/b64 | check | time | count |", "--format=markdown",
           "add");
}

Test(list, refuses_what_takes_nothing)
{
    EXPECT(KG__EXIT_ERROR, "list: there is no program *.model or *.gpu in", "add");
    make_programs();
    EXPECT(KG__EXIT_ERROR,
           "list: there is no comparison \"ad\" among the cases; did you mean "
           "\"add\"?",
           "ad");
    EXPECT(KG__EXIT_ERROR, "there is no variant \"plan\" among the cases; did you mean \"plain\"?",
           "add/plan");
    EXPECT(KG__EXIT_ERROR, "there is no launch \"b3\" among the cases; did you mean \"b32\"?",
           "add/plain/9/b3");
    EXPECT(KG__EXIT_ERROR, "there is no launch \"b64\" among the cases of the programs in ",
           "add/plain/9/b64");
    EXPECT(KG__EXIT_ERROR, "holds no glob", ",");
    EXPECT(KG__EXIT_ERROR, "takes one FILTER", "add", "mul");
    EXPECT(KG__EXIT_ERROR, "there is no format \"cvs\"; did you mean csv", "--format", "cvs");
    EXPECT(KG__EXIT_ERROR, "two formats", "--format", "csv", "--json");
}

Test(list, refuses_a_program_that_does_not_answer)
{
    make_program("add.model", "{'cases': []}");
    EXPECT(KG__EXIT_ERROR, "output for --work lacks \"comparison\"", "add");
    cr_assert(unlink(at("add.model")) == 0);
    make_program("add.model", "{'comparison': 'add', 'cases': [{'purposes': []}]}");
    EXPECT(KG__EXIT_ERROR, "has something that is not a case", "add");
    cr_assert(unlink(at("add.model")) == 0);
    make_program("add.model", "{'comparison': 'add', 'cases': []}");
    EXPECT(KG__EXIT_ERROR, "have no case", "--json");
    write_text(at("add.model.json"), "{\"exit\": 2}");
    EXPECT(KG__EXIT_ERROR, "does not list its cases (exit code 2): build it again", "add");
}

/* A real program's answer, without running a case. */
Test(list, asks_a_real_program)
{
    cr_assert(symlink(KG__FAKE_MODEL, at("fake.model")) == 0);
    EXPECT(KG__EXIT_PASS, "fake: ", "fake");
    EXPECT(KG__EXIT_PASS, "\"idea\": ", "--json");
}
