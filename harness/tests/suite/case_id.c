/* Case ids: launches by axes of one's own. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "suite/case_id.h"

static cudaError_t launch(const kg_call *call)
{
    (void)call;
    return cudaSuccess;
}

static const kg_variant variants[] = { KG_VARIANT("naive", launch, ""), KG_END };
static const kg_size size = KG_CHECKED(31, 17);

static kg_comparison with_axes(const char *first, const char *second, const char *third)
{
    return (
        kg_comparison){ .name = "matmul", .variants = variants, .axes = { first, second, third } };
}

/* Ids have the names of axes, of the default ones a letter; a launch may omit the last. */
Test(case_id, launches_are_written_and_read)
{
    static const struct {
        const char *axes[3];
        kg_launch launch;
        const char *id;
    } rows[] = {
        { { NULL }, KG_END, "matmul/naive/31x17/-" },
        { { NULL }, KG_LAUNCH(256), "matmul/naive/31x17/b256" },
        { { NULL }, KG_LAUNCH(256, 1056), "matmul/naive/31x17/b256g1056" },
        { { "grid", "block" }, KG_LAUNCH(5, 64), "matmul/naive/31x17/g5b64" },
        { { "bm", "b", "stages_" }, KG_LAUNCH(128, 64, 1), "matmul/naive/31x17/bm128b64stages_1" },
        { { "bm", "b", "stages_" }, KG_LAUNCH(2147483647), "matmul/naive/31x17/bm2147483647" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg_comparison table = with_axes(rows[i].axes[0], rows[i].axes[1], rows[i].axes[2]);
        char id[KG__CASE_ID_SIZE];
        kg__case_id parts;
        kg__error why = { "" };

        kg__case_id_write(&table, variants, &size, &rows[i].launch, id);
        cr_assert(eq(str, id, (char *)rows[i].id));
        cr_assert(kg__case_id_read(&table, id, &parts, &why), "%s", why.text);
        cr_assert(kg__launches_equal(&parts.launch, &rows[i].launch));
        cr_assert(parts.variant == variants && parts.size_length == 5);
        cr_assert(strncmp(parts.size, "31x17/", 6) == 0);
    }
}

Test(case_id, what_is_none_is_refused)
{
    static const char *const bad[] = {
        "matmul/naive/31/b3bm5",
        "matmul/naive/31/bm3bn5s7bk1",
        "matmul/naive/31/bm05",
        "matmul/naive/31/bm-5",
        "matmul/naive/31/bm",
        "matmul/naive/31/bm2147483648",
        "matmul/naive/31/",
        "matmul/naive/bm5",
        "matmul/other/31/bm5",
        "matmul2/naive/31/bm5",
        "matmul",
        "matmul/naive/31/bm5 ",
        "matmul/naive/31/bm5bn5-",
    };
    kg_comparison table = with_axes("bm", "bn", "s");

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kg__case_id parts;
        kg__error why = { "" };

        cr_expect(not(kg__case_id_read(&table, bad[i], &parts, &why)), "%s", bad[i]);
        cr_expect(why.text[0] != '\0');
    }
}

Test(case_id, axes_that_ids_cannot_tell_apart_are_refused)
{
    static const struct {
        const char *first, *second, *said;
    } bad[] = {
        { "b2", NULL, "axis \"b2\": the name of an axis is of a-z and _" },
        { "", NULL, "axis \"\"" },
        { "BM", NULL, "axis \"BM\"" },
        { "thirteen_long", NULL, "12 letters at most" },
        { "bm", "bm", "axes \"bm\" and \"bm\" have the same name in case ids" },
        { "b", "block", "axes \"b\" and \"block\" have the same name in case ids" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kg_comparison table = with_axes(bad[i].first, bad[i].second, NULL);
        kg__error why = { "" };

        cr_expect(not(kg__axes_are_good(&table, &why)));
        cr_expect(strstr(why.text, bad[i].said) != NULL, "%s", why.text);
    }
}
