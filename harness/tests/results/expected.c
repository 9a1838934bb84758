/* Expected against reported: what the programs of a run list, what its tests reported, and what the
 * baselines have. */
#include "cli/expected_tests.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/fakes/drive.h"

/* Two tests of one comparison on the CPU model, and a claim. */
static const char answer[] = "{\"tests\": [{\"test\": \"model.a.check\", \"cases\": [\"a/v/1/-\", "
                             "\"a/v/2/-\", \"a/v/3/-\"]}, "
                             "{\"test\": \"model.a.count\", \"cases\": [\"a/v/3/-\"]}, "
                             "{\"test\": \"model.a.claim_x\", \"cases\": []}]}";

#define CHECK "{\"name\": \"model.a.check\", \"target\": \"cpu-model\"}"
#define COUNT "{\"name\": \"model.a.count\", \"target\": \"cpu-model\"}"
#define CLAIM "{\"name\": \"model.a.claim_x\", \"target\": \"cpu-model\"}"
#define CASE(id, parts)                                                                            \
    "{\"case\": \"" id "\", \"target\": \"cpu-model\", \"parts\": [" parts "], \"test\": \"\"}"
#define ALL_CASES                                                                                  \
    CASE("a/v/1/-", "\"check\"")                                                                   \
    ", " CASE("a/v/2/-", "\"check\"") ", " CASE("a/v/3/-", "\"check\", \"count\"")

static void begin(void)
{
    make_folder();
    (void)unsetenv("KG_FILTER");
}

TestSuite(expected, .init = begin, .fini = remove_folder);

static void put_baseline(const char *cases, const char *checked)
{
    char text[2048];

    kg__format(text, sizeof text,
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"cpu-model\"}, "
               "\"cases\": {%s}%s}",
               cases, checked);
    write_text(at("cpu-model.json"), text);
}

#define COUNTED(id) "\"" id "\": {\"commit\": \"c\", \"barriers\": {\"value\": 0}}"

/* A run to be checked, and what comes of it. */
typedef struct check {
    const char *name;
    const char *tests; /* that reported */
    const char *cases;
    const char *refused;
    const char *stored; /* the baseline's cases; NULL: there is no such file */
    const char *checked;
    bool partial;
    const char *filter;
    const char *errors;   /* the tests that have an error, each followed by a space */
    const char *vanished; /* cases, likewise */
    const char *unlisted;
} check;

static kg__results *results_of(kg__pool *pool, const check *run)
{
    char text[4096];
    json_t *document;
    kg__results *results;
    kg__error error = { "" };

    kg__format(text, sizeof text,
               "{\"targets\": {\"cpu-model\": {\"key\": \"cpu-model\"}}, \"tests\": [%s], "
               "\"cases\": [%s], \"refused\": [%s], \"errors\": [], \"vanished\": [], "
               "\"unlisted\": []}",
               run->tests, run->cases, run->refused != NULL ? run->refused : "");
    document = json_loads(text, 0, NULL);
    cr_assert(document != NULL, "%s", text);
    json_object_set_new(document, "strict", json_false());
    results = kg__results_read(pool, document, &error);
    cr_assert(results != NULL, "%s", error.text);
    json_decref(document);
    return results;
}

/* The cases of a list, or (of errors) its tests, each followed by a space. */
static void expect_list(const char *name, const kg__remarks *list, bool tests, const char *expected)
{
    char text[512] = "";

    for (size_t i = 0; i < list->count; i++) {
        const char *test = list->items[i].test != NULL ? list->items[i].test : "";

        kg__format(text + strlen(text), sizeof text - strlen(text), "%s ",
                   tests ? test : list->items[i].subject);
    }
    cr_expect(strcmp(text, expected != NULL ? expected : "") == 0, "%s: %s, expected %s", name,
              text, expected);
}

static void expect_check(const check *run)
{
    kg__pool pool = { 0 };
    kg__expected expected = { .pool = &pool, .baselines = at(""), .partial = run->partial };
    kg__results *results = results_of(&pool, run);

    if (run->stored != NULL)
        put_baseline(run->stored, run->checked != NULL ? run->checked : "");
    if (run->filter != NULL)
        (void)setenv("KG_FILTER", run->filter, 1);
    cr_assert(kg__expect_answer(answer, NULL, &expected));
    kg__expected_check(&expected, results);
    expect_list(run->name, &results->errors, true, run->errors);
    expect_list(run->name, &results->vanished, false, run->vanished);
    expect_list(run->name, &results->unlisted, false, run->unlisted);
    cr_expect(results->tally.broken == results->errors.count &&
                  results->tally.vanished == results->vanished.count &&
                  results->tally.unlisted == results->unlisted.count,
              "%s", run->name);
    (void)unsetenv("KG_FILTER");
    (void)unlink(at("cpu-model.json"));
    kg__pool_free(&pool);
}

Test(expected, each_hole_has_its_name)
{
    static const char all[] = CHECK ", " COUNT ", " CLAIM;
    static const check runs[] = {
        { .name = "nothing is missing", .tests = all, .cases = ALL_CASES },
        { .name = "a test that left nothing",
          .tests = CHECK ", " COUNT,
          .cases = ALL_CASES,
          .errors = "model.a.claim_x " },
        { .name = "tests that nobody asked for",
          .tests = CHECK,
          .cases = ALL_CASES,
          .partial = true },
        { .name = "no test reported", .tests = "", .cases = "", .errors = " " },
        { .name = "a case of the table without a verdict",
          .tests = all,
          .cases = CASE("a/v/1/-", "\"check\"") ", " CASE("a/v/3/-", "\"check\", \"count\""),
          .errors = "model.a.check " },
        { .name = "a case that one test judged and another did not",
          .tests = all,
          .cases = CASE("a/v/1/-", "\"check\"") ", " CASE("a/v/2/-", "\"check\"") ", " CASE(
              "a/v/3/-", "\"check\""),
          .errors = "model.a.count " },
        { .name = "a case that is refused",
          .tests = all,
          .cases = CASE("a/v/1/-", "\"check\"") ", " CASE("a/v/3/-", "\"check\", \"count\""),
          .refused = "{\"case\": \"a/v/2/-\", \"target\": \"cpu-model\"}" },
        { .name = "cases that the filter leaves out",
          .tests = all,
          .cases = CASE("a/v/1/-", "\"check\""),
          .filter = "a/v/1/*" },
        { .name = "a counted case that left the table",
          .tests = all,
          .cases = ALL_CASES,
          .stored = COUNTED("a/v/3/-") ", " COUNTED("a/v/4/-"),
          .vanished = "a/v/4/- " },
        { .name = "a counted case that is only checked now",
          .tests = all,
          .cases = ALL_CASES,
          .stored = COUNTED("a/v/1/-"),
          .vanished = "a/v/1/- " },
        { .name = "a case of a comparison that is gone",
          .tests = all,
          .cases = ALL_CASES,
          .stored = COUNTED("b/v/3/-"),
          .vanished = "b/v/3/- " },
        { .name = "the same, where tests were chosen",
          .tests = all,
          .cases = ALL_CASES,
          .stored = COUNTED("b/v/3/-"),
          .partial = true },
        { .name = "a case that the filter leaves out cannot vanish",
          .tests = all,
          .cases = CASE("a/v/1/-", "\"check\""),
          .stored = COUNTED("a/v/4/-"),
          .filter = "a/v/1/*" },
        { .name = "a test that judged nothing has given its reason",
          .tests = CHECK ", " CLAIM ", {\"name\": \"model.a.count\", \"target\": \"cpu-model\", "
                         "\"skipped_by\": \"unavailable\"}",
          .cases = CASE("a/v/1/-", "\"check\"") ", " CASE("a/v/2/-", "\"check\"") ", " CASE(
              "a/v/3/-", "\"check\""),
          .stored = COUNTED("a/v/4/-") },
        { .name = "a counted case that is refused now",
          .tests = all,
          .cases = CASE("a/v/1/-", "\"check\"") ", " CASE("a/v/2/-", "\"check\""),
          .refused = "{\"case\": \"a/v/3/-\", \"target\": \"cpu-model\"}",
          .stored = COUNTED("a/v/3/-"),
          .vanished = "a/v/3/- " },
        { .name = "a case that was judged by another baseline",
          .tests = all,
          .cases = CASE("a/v/1/-", "\"check\"") ", " CASE(
              "a/v/2/-",
              "\"check\"") ", {\"case\": \"a/v/3/-\", \"target\": \"cpu-model\", \"parts\": "
                           "[\"check\", \"count\"], \"test\": \"model.a.count\", \"metrics\": "
                           "{\"barriers\": {\"value\": 7, \"baseline\": 7}}}",
          .stored = COUNTED("a/v/3/-"),
          .errors = "model.a.count " },
        { .name = "a file that is not right tells of no checked case",
          .tests = all,
          .cases = ALL_CASES,
          .stored = COUNTED("a/v/3/-") ", \"a/v/9/-\": {}",
          .checked = ", \"checked\": [\"a/v/2/-\"]" },
        { .name = "all counted cases are refused now",
          .tests = CHECK ", " CLAIM ", {\"name\": \"model.a.count\", \"target\": \"cpu-model\", "
                         "\"skipped_by\": \"unavailable\"}",
          .cases = CASE("a/v/1/-", "\"check\"") ", " CASE("a/v/2/-", "\"check\""),
          .refused = "{\"case\": \"a/v/3/-\", \"target\": \"cpu-model\"}",
          .stored = COUNTED("a/v/3/-"),
          .vanished = "a/v/3/- " },
        { .name = "a checked case that left the table",
          .tests = all,
          .cases = ALL_CASES,
          .stored = COUNTED("a/v/3/-"),
          .checked = ", \"checked\": [\"a/v/0/-\", \"a/v/1/-\", \"a/v/2/-\"]",
          .vanished = "a/v/0/- " },
        { .name = "a checked case that is new",
          .tests = all,
          .cases = ALL_CASES,
          .stored = COUNTED("a/v/3/-"),
          .checked = ", \"checked\": [\"a/v/2/-\"]",
          .unlisted = "a/v/1/- " },
        { .name = "a baseline without such a list",
          .tests = all,
          .cases = ALL_CASES,
          .stored = COUNTED("a/v/3/-") },
    };

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        expect_check(&runs[i]);
}

Test(expected, what_was_covered_is_counted)
{
    static const check run = { .tests = CHECK,
                               .cases = CASE("a/v/1/-", "\"check\""),
                               .partial = true };
    kg__pool pool = { 0 };
    kg__expected expected = { .pool = &pool, .baselines = at(""), .partial = true };
    kg__results *results = results_of(&pool, &run);
    const kg__coverage *coverage = &results->coverage;

    (void)setenv("KG_FILTER", "a/v/1/*", 1);
    cr_assert(kg__expect_answer(answer, NULL, &expected));
    kg__expected_check(&expected, results);
    cr_expect(coverage->expected_tests == 3 && coverage->reported_tests == 1);
    cr_expect(coverage->expected_cases == 3 && coverage->reported_cases == 1);
    cr_expect_str_eq(coverage->filter, "a/v/1/*");
    cr_expect(coverage->partial);
    kg__pool_free(&pool);
}

Test(expected, of_one_target_alone)
{
    kg__pool pool = { 0 };
    kg__expected expected = { .pool = &pool };

    cr_expect(kg__expect_answer(answer, "gpu", &expected));
    cr_expect(expected.tests.count == 0);
    cr_expect(kg__expect_answer(answer, "model", &expected));
    cr_expect(expected.tests.count == 3);
    kg__pool_free(&pool);
}

Test(expected, an_answer_of_another_form_is_refused)
{
    static const char *const bad[] = {
        "",
        "{}",
        "{\"tests\": []}",
        "{\"tests\": {}}",
        "{\"tests\": [1]}",
        "{\"tests\": [{\"test\": \"\", \"cases\": []}]}",
        "{\"tests\": [{\"test\": \"model.a.check\"}]}",
        "{\"tests\": [{\"test\": \"model.a.check\", \"cases\": []}, {\"cases\": []}]}",
    };
    kg__pool pool = { 0 };
    kg__expected expected = { .pool = &pool };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect(!kg__expect_answer(bad[i], NULL, &expected), "%s", bad[i]);
    cr_expect(expected.tests.count == 0);
    kg__pool_free(&pool);
}
