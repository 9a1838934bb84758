/* SPDX-License-Identifier: MIT */
/* Case ids: launches by axes of one's own. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <string.h>

#include "suite/case_id.h"
#include "suite/id_parts.h"
#include "tests/fakes/drive.h"

static kg__error why;

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

/* The names of the axes of a row; without any, those of the comparison whose ids the rows have. */
static kg_comparison comparison_of(const json_t *row)
{
    const json_t *axes = json_object_get(row, "axes");

    if (axes == NULL)
        return with_axes("bm", "bn", "s");
    return with_axes(json_string_value(json_array_get(axes, 0)),
                     json_string_value(json_array_get(axes, 1)),
                     json_string_value(json_array_get(axes, 2)));
}

static void expect_written_and_read(const kg_comparison *comparison, const char *id,
                                    const json_t *values)
{
    kg_launch expected = { .axes = (int)json_array_size(values) };
    char written[KG__CASE_ID_SIZE];
    kg__case_id parts;

    for (int i = 0; i < expected.axes; i++)
        expected.axis[i] = (int)json_integer_value(json_array_get(values, (size_t)i));
    kg__case_id_write(comparison, variants, &size, &expected, written);
    cr_assert(eq(str, written, (char *)id));
    cr_assert(kg__case_id_read(comparison, id, &parts, &why), "%s", why.text);
    cr_assert(kg__launches_equal(&parts.launch, &expected));
    cr_assert(parts.variant == variants && parts.size_length == 5);
    cr_assert(strncmp(parts.size, "31x17/", 6) == 0);
}

/* The rows test the grammar in Python too: an id with its launch, which may omit the last axes; one
 * that is no case of this comparison; one without a launch; and no id. */
Test(case_id, examples)
{
    json_t *rows = read_rows(KG__CASE_IDS);
    json_t *row;
    size_t i;

    json_array_foreach (rows, i, row) {
        const char *id = json_string_value(json_object_get(row, "id"));
        const json_t *launch = json_object_get(row, "launch");
        bool formed = launch != NULL || json_object_get(row, "other") != NULL ||
                      json_object_get(row, "no_launch") != NULL;
        kg_comparison comparison = comparison_of(row);
        kg__case_id parts;

        why.text[0] = '\0';
        cr_expect(kg__is_case_id(id) == formed, "%s", id);
        if (launch != NULL) {
            expect_written_and_read(&comparison, id, launch);
        } else {
            cr_expect(not(kg__case_id_read(&comparison, id, &parts, &why)), "%s", id);
            cr_expect(why.text[0] != '\0');
        }
    }
}

Test(case_id, axes_that_ids_cannot_tell_apart_are_refused)
{
    static const struct {
        const char *first, *second, *said;
    } bad[] = {
        { "b2", NULL, "axis \"b2\": an axis name may only have a-z and _" },
        { "", NULL, "axis \"\"" },
        { "BM", NULL, "axis \"BM\"" },
        { "thirteen_long", NULL, "at most 12 letters" },
        { "bm", "bm", "axes \"bm\" and \"bm\" have the same name in case ids" },
        { "b", "block", "axes \"b\" and \"block\" have the same name in case ids" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kg_comparison table = with_axes(bad[i].first, bad[i].second, NULL);

        cr_expect(not(kg__axes_are_good(&table, &why)));
        cr_expect(strstr(why.text, bad[i].said) != NULL, "%s", why.text);
    }
}
