/* A run: how the environment steers where its files are. */
#include "suite/settings.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static char path[KG__PATH_SIZE];

static bool is_strict_by(const char *value)
{
    kg__error error = { "" };

    setenv("KG_STRICT", value, 1);
    cr_expect(kg__settings_are_clear(&error), "%s", error.text);
    return kg__is_strict();
}

Test(run, strict_is_1_and_not_0)
{
    kg__error error = { "" };

    unsetenv("KG_STRICT");
    cr_assert(kg__settings_are_clear(&error));
    cr_assert(not(kg__is_strict()));
    cr_assert(not(is_strict_by("")));
    cr_assert(not(is_strict_by("0")));
    cr_assert(is_strict_by("1"));
}

/* Who writes "false" does not want what "yes" asks for, and any other program takes it so. */
Test(run, strict_is_no_other_word)
{
    static const char *const unclear[] = { "false", "no", "off", "yes", "true", "00", "2", " 1" };

    for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++) {
        kg__error error = { "" };

        setenv("KG_STRICT", unclear[i], 1);
        cr_expect(not(kg__settings_are_clear(&error)), "%s", unclear[i]);
    }
    setenv("KG_STRICT", "fal\nse", 1);
    kg__error error = { "" };
    cr_expect(not(kg__settings_are_clear(&error)));
    cr_expect(eq(str, error.text,
                 "KG_STRICT='fal se' is neither 0 nor 1: set it to 1 for strict mode, or to 0"));
}

static void expect_seconds(const char *name, const char *value, double expected)
{
    kg__error error = { "" };
    bool timeout = strcmp(name, "KG_CASE_TIMEOUT") == 0;

    setenv(name, value, 1);
    cr_expect(kg__settings_are_clear(&error), "%s", error.text);
    cr_expect(eq(dbl, timeout ? kg__silence_limit() : kg__case_seconds(), expected), "%s=%s", name,
              value);
}

Test(run, seconds_of_a_case)
{
    unsetenv("KG_CASE_TIMEOUT");
    unsetenv("KG_CASE_SECONDS");
    cr_assert(eq(dbl, kg__silence_limit(), 60));
    cr_assert(eq(dbl, kg__case_seconds(), 0.5));
    expect_seconds("KG_CASE_TIMEOUT", "", 60);
    expect_seconds("KG_CASE_TIMEOUT", "0.5", 0.5);
    expect_seconds("KG_CASE_TIMEOUT", "120", 120);
    expect_seconds("KG_CASE_TIMEOUT", "1000000", 1e6);
    expect_seconds("KG_CASE_SECONDS", "", 0.5);
    expect_seconds("KG_CASE_SECONDS", ".05", 0.05);
    expect_seconds("KG_CASE_SECONDS", "3.6e3", 3600);
}

/* Who sets a limit wants it kept, and not another one in its place. */
Test(run, seconds_of_a_case_are_numbers_in_their_range)
{
    static const char *const names[] = { "KG_CASE_TIMEOUT", "KG_CASE_SECONDS" };
    static const char *const bad[] = { "soon", "0",  "-1",   "1 s", " 1",  "+1", "nan",
                                       "inf",  "1e", "0x10", "1,5", "1e9", ".",  "1e-9" };
    kg__error error = { "" };

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            setenv(names[n], bad[i], 1);
            cr_expect(not(kg__settings_are_clear(&error)), "%s=%s", names[n], bad[i]);
        }
        setenv(names[n], "soon", 1);
        (void)kg__settings_are_clear(&error);
        cr_expect(eq(str, error.text,
                     n == 0
                         ? "KG_CASE_TIMEOUT='soon' is not a number of seconds from 0.001 to "
                           "1000000: set it to one, or unset it"
                         : "KG_CASE_SECONDS='soon' is not a number of seconds from 0.05 to 3600: "
                           "set it to one, or unset it"));
        unsetenv(names[n]);
    }
}

Test(run, results_are_in_out_unless_told)
{
    unsetenv("KG_OUT");
    kg__out_folder("/home", path, sizeof path);
    cr_assert(eq(str, path, "/home/out"));
    setenv("KG_OUT", "", 1);
    kg__out_folder("/home", path, sizeof path);
    cr_assert(eq(str, path, "/home/out"));
    kg__verdicts_path("/home", "gpu.fake.time", path, sizeof path);
    cr_assert(eq(str, path, "/home/out/records/gpu.fake.time.verdicts.json"));
    setenv("KG_OUT", "elsewhere", 1);
    kg__out_folder("/home", path, sizeof path);
    cr_assert(eq(str, path, "elsewhere"));
    kg__verdicts_path("/home", "gpu.fake.time", path, sizeof path);
    cr_assert(eq(str, path, "elsewhere/records/gpu.fake.time.verdicts.json"));
}

Test(run, baselines_are_at_home_unless_told)
{
    unsetenv("KG_BASELINES");
    kg__baselines_folder("/home", path, sizeof path);
    cr_assert(eq(str, path, "/home/baselines"));
    setenv("KG_BASELINES", "/elsewhere", 1);
    kg__baselines_folder("/home", path, sizeof path);
    cr_assert(eq(str, path, "/elsewhere"));
}

Test(run, tests_are_named_as_ctest_does)
{
    kg__test_name("model", "matmul_f32", "check", path, sizeof path);
    cr_assert(eq(str, path, "model.matmul_f32.check"));
}

static const char *nearest(const char *list)
{
    static const char *const ids[] = { "matmul/naive/1/b8", "matmul/tiled/1/b8",
                                       "matmul/tiled/530/b16", "copy/plain/530/-" };

    return kg__nearest_to_globs(list, ids, sizeof ids / sizeof *ids);
}

Test(run, what_a_filter_may_have_meant)
{
    cr_expect(eq(str, (char *)nearest("matmul/tield/*"), "matmul/tiled/1/b8"));
    cr_expect(eq(str, (char *)nearest("matmull/*"), "matmul/naive/1/b8"));
    cr_expect(eq(str, (char *)nearest("matmul/tiled/531/*"), "matmul/tiled/530/b16"));
    cr_expect(eq(str, (char *)nearest("matmul/tiled/530/b17"), "matmul/tiled/530/b16"));
    cr_expect(eq(str, (char *)nearest("copy"), "copy/plain/530/-"));
    cr_expect(eq(str, (char *)nearest("nothing at all,cpoy/*"), "copy/plain/530/-"));
    cr_expect(nearest("nothing at all") == NULL);
    cr_expect(nearest("*") == NULL);
    cr_expect(nearest("") == NULL);
}

Test(run, the_glob_that_was_meant)
{
    static const char *const ids[] = { "matmul/naive/1/b8", "matmul/tiled/1/b8",
                                       "copy/plain/530/-" };
    static const struct {
        const char *list;
        const char *meant;
    } table[] = {
        { "copy", "copy/*" },
        { "cpoy/*", "copy/*" },
        { "matmul/tield", "matmul/tiled/*" },
        { "nothing at all,matmul/tiled/1/b9", "matmul/tiled/1/b8" },
        { " matmul/naive/1/b8", "matmul/naive/1/b8" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *meant = kg__glob_meant(table[i].list, ids, sizeof ids / sizeof *ids);

        cr_expect(eq(str, meant, (char *)table[i].meant));
        free(meant);
    }
    cr_expect(kg__glob_meant("nothing at all", ids, sizeof ids / sizeof *ids) == NULL);
}

Test(run, globs_that_take_none)
{
    static const char *const ids[] = { "matmul/naive/1/b8", "copy/plain/530/-" };
    static const struct {
        const char *list;
        const char *without;
    } table[] = {
        { "matmul/*,copy/*", "" },
        { "", "" },
        { ",*/b8,", "" },
        { "copy,matmul/*,x", "copy,x" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *without = kg__globs_without_any(table[i].list, ids, sizeof ids / sizeof *ids);

        cr_expect(eq(str, without, (char *)table[i].without));
        free(without);
    }
}
