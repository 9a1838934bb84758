/* A run: how the environment steers where its files are. */
#include "run.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static char path[KG__PATH_SIZE];

Test(run, strict_is_any_setting_but_0)
{
    unsetenv("KG_STRICT");
    cr_assert(not(kg__is_strict()));
    setenv("KG_STRICT", "", 1);
    cr_assert(not(kg__is_strict()));
    setenv("KG_STRICT", "0", 1);
    cr_assert(not(kg__is_strict()));
    setenv("KG_STRICT", "1", 1);
    cr_assert(kg__is_strict());
    setenv("KG_STRICT", "yes", 1);
    cr_assert(kg__is_strict());
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

Test(run, globs_without_their_last_parts)
{
    cr_expect(kg__globs_take_from("m", "m/tiled/530/b8"));
    cr_expect(kg__globs_take_from("x,m/t*", "m/tiled/530/b8"));
    cr_expect(kg__globs_take_from("*/530", "m/tiled/530/b8"));
    cr_expect(kg__globs_take_from("m/tiled/530/b8", "m/tiled/530/b8"));
    cr_expect(not(kg__globs_take_from("m/til", "m/tiled/530/b8")));
    cr_expect(not(kg__globs_take_from("m/tiled/530/b", "m/tiled/530/b8")));
    cr_expect(not(kg__globs_take_from("", "m/tiled/530/b8")));
    cr_expect(not(kg__globs_take_from("m/tiled/530/b8/x", "m/tiled/530/b8")));
}
