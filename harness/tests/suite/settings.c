/* SPDX-License-Identifier: MIT */
/* A run: how the environment steers where its files are. */
#include "suite/settings.h"
#include "tests/fakes/drive.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static kg__error error;

static char path[KG__PATH_SIZE];

/* "false" does not ask for what "yes" does, and every other program takes it so: both are refused.
 */
Test(settings, strict_is_1_and_not_0)
{
    static const struct {
        const char *value;
        bool clear, strict;
    } rows[] = { { NULL, true, false },  { "", true, false },      { "0", true, false },
                 { "1", true, true },    { "false", false, true }, { "no", false, true },
                 { "off", false, true }, { "yes", false, true },   { "true", false, true },
                 { "00", false, true },  { "2", false, true },     { " 1", false, true } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].value == NULL)
            unsetenv("KG_STRICT");
        else
            setenv("KG_STRICT", rows[i].value, 1);
        cr_expect(eq(int, kg__settings_are_valid(&error), rows[i].clear), "%s", rows[i].value);
        if (rows[i].clear)
            cr_expect(eq(int, kg__is_strict(), rows[i].strict), "%s", rows[i].value);
    }
    setenv("KG_STRICT", "fal\nse", 1);
    cr_expect(not(kg__settings_are_valid(&error)));
    cr_expect(eq(str, error.text,
                 "KG_STRICT='fal se' is neither 0 nor 1: set it to 1 for strict mode, or to 0"));
}

/* The rows test the command too: what a setting takes, and the seconds; null: it is refused, for a
 * limit that cannot be kept is not replaced by another. */
Test(settings, seconds_of_a_case)
{
    json_t *rows = read_rows(KG__SETTINGS);
    const json_t *row;
    size_t i;

    unsetenv("KG_CASE_TIMEOUT");
    unsetenv("KG_CASE_SECONDS");
    cr_assert(eq(dbl, kg__silence_limit(), 60));
    cr_assert(eq(dbl, kg__case_seconds(), 0.5));
    json_array_foreach (rows, i, row) {
        const json_t *seconds = json_object_get(row, "seconds");
        const char *name = json_string_value(json_object_get(row, "setting"));
        bool timeout = strcmp(name, "KG_CASE_TIMEOUT") == 0;

        setenv(name, json_string_value(json_object_get(row, "value")), 1);
        cr_expect(kg__settings_are_valid(&error) == json_is_number(seconds), "row %zu", i);
        if (json_is_number(seconds))
            cr_expect(eq(dbl, timeout ? kg__silence_limit() : kg__case_seconds(),
                         json_number_value(seconds)),
                      "row %zu", i);
        unsetenv(name);
    }
}

Test(settings, seconds_that_are_refused)
{
    setenv("KG_CASE_SECONDS", "soon", 1);
    cr_expect(not(kg__settings_are_valid(&error)));
    cr_expect(eq(str, error.text,
                 "KG_CASE_SECONDS='soon' is not a number of seconds from 0.02 to 3600: set it to "
                 "one, or unset it"));
    unsetenv("KG_CASE_SECONDS");
}

Test(settings, where_files_are)
{
    static const struct {
        const char *setting; /* KG_OUT and KG_BASELINES; NULL: unset */
        const char *out, *verdicts, *baselines;
    } rows[] = {
        { NULL, "/home/out", "/home/out/records/gpu.fake.time.verdicts.json", "/home/baselines" },
        { "", "/home/out", "/home/out/records/gpu.fake.time.verdicts.json", NULL },
        { "elsewhere", "elsewhere", "elsewhere/records/gpu.fake.time.verdicts.json", "elsewhere" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsetenv("KG_OUT");
        unsetenv("KG_BASELINES");
        if (rows[i].setting != NULL) {
            setenv("KG_OUT", rows[i].setting, 1);
            setenv("KG_BASELINES", rows[i].setting, 1);
        }
        kg__out_folder("/home", path, sizeof path);
        cr_expect(eq(str, path, (char *)rows[i].out));
        kg__verdicts_path("/home", "gpu.fake.time", path, sizeof path);
        cr_expect(eq(str, path, (char *)rows[i].verdicts));
        kg__baselines_folder("/home", path, sizeof path);
        if (rows[i].baselines != NULL)
            cr_expect(eq(str, path, (char *)rows[i].baselines));
    }
    kg__test_name("model", "matmul_f32", "check", path, sizeof path);
    cr_assert(eq(str, path, "model.matmul_f32.check"));
}

Test(settings, filters)
{
    static const char id[] = "matmul/tiled/530/b16";
    static const char *const taken[] = { "",
                                         "matmul/tiled/530/b16",
                                         "*",
                                         "matmul/*",
                                         "*/b16",
                                         "matmul/*/b16",
                                         ",,*/530/*,",
                                         "matmul/ti?ed/5[0-9]0/*",
                                         "nothing,*/naive/*,*/tiled/*" };
    static const char *const left[] = { "nothing", "matmul/tiled",          "tiled", "*/53/*",
                                        "*/b1",    "*/naive/*,transpose/*", "," };

    unsetenv("KG_FILTER");
    cr_expect(kg__filter_takes(id));
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        setenv("KG_FILTER", taken[i], 1);
        cr_expect(kg__filter_takes(id), "%s", taken[i]);
    }
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        setenv("KG_FILTER", left[i], 1);
        cr_expect(not(kg__filter_takes(id)), "%s", left[i]);
    }
    setenv("KG_FILTER", "*/-", 1);
    cr_expect(kg__filter_takes("transfers/h2d/768x768/-"));
}
