/* SPDX-License-Identifier: MIT */
/* The table: the cases that a comparison's rows multiply out to, and their ids. */

/* Functions take what those take that they stand in for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "suite/table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#include "tests/fakes/idle_callbacks.h"

static kg__error error;

#define COUNT(array) (sizeof(array) / sizeof *(array))

static cudaError_t launch(const kg_call *call)
{
    return cudaSuccess;
}

static const kg_variant variants[] = { KG_VARIANT("naive", launch, ""),
                                       KG_VARIANT("tiled_2", launch, ""), KG_END };
static const kg_size sizes[] = { KG_CHECKED(1),
                                 KG_CHECKED(31, 33, 17),
                                 KG_TIMED(960, 1280, 4),
                                 KG_TIMED_AND_COUNTED(530),
                                 KG_COUNTED(5, 5, 100, 2),
                                 KG_END };
static const kg_launch launches[] = { KG_LAUNCH(16), KG_LAUNCH(256, 1056), KG_END };
static const kg_launch one_launch[] = { KG_LAUNCH(16), KG_END };

static void no_arguments(const kg_size *size, kg_arguments *arguments)
{
}

#ifndef KG__TARGET_GPU
/* As KG_DEFECTS() has it: empty until a test fills it. The GPU's program has none at all. */
static kg_defect defects[4];
const kg_defect *const kg__defects = defects;
#endif

static kg_comparison comparison(const kg_variant *rows, const kg_size *of, const kg_launch *by)
{
    return (kg_comparison){ .name = "matmul",
                            .variants = rows,
                            .sizes = of,
                            .launches = by,
                            .arguments = no_arguments,
                            .reference = no_reference };
}

/* The ids of a part, each without "matmul/", in one line. */
static void expect_ids(const kg_comparison *table, const char *part, const char *expected)
{
    kg__case_list cases;
    char ids[1024] = "";

    cr_assert(kg__table_expand(table, part, &cases, &error), "%s", error.text);
    for (size_t i = 0; i < cases.count; i++) {
        cr_assert(strncmp(cases.list[i].id, "matmul/", 7) == 0);
        kg__append(ids, sizeof ids, "%s%s", i > 0 ? " " : "", cases.list[i].id + 7);
    }
    cr_expect(eq(str, ids, (char *)expected));
    kg__case_list_free(&cases);
}

static void expect_error(const kg_comparison *table, const char *part, const char *text)
{
    kg__case_list cases;

    cr_assert(not(kg__table_expand(table, part, &cases, &error)), "\"%s\" is expected", text);
    cr_assert(strstr(error.text, text) != NULL, "\"%s\" is not in \"%s\"", text, error.text);
    kg__case_list_free(&cases);
}

#ifdef KG__TARGET_GPU

/* The GPU's program times; what is only timed is checked there, before and after. */
Test(table_gpu, a_gpu_checks_and_times)
{
    const kg_comparison table = comparison(variants, sizes, one_launch);

    cr_assert(strcmp(KG__TARGET_KIND, "gpu") == 0 && kg__part_purposes("count") == 0);
    expect_ids(&table, "check",
               "naive/1/b16 tiled_2/1/b16 naive/31x33x17/b16 tiled_2/31x33x17/b16 naive/530/b16 "
               "tiled_2/530/b16 naive/5x5x100x2/b16 tiled_2/5x5x100x2/b16");
    expect_ids(&table, "time",
               "naive/960x1280x4/b16 tiled_2/960x1280x4/b16 naive/530/b16 tiled_2/530/b16");
    expect_error(&table, "count", "this target has no part count");
    /* Without defects. */
    cr_assert(kg__table_defects()->variant.name == NULL);
    cr_assert(kg__is_part("defects") && kg__is_part("time") && !kg__is_part("count"));
    expect_ids(&table, "defects", "");
}

/* Left out of the times, or of the launches that counts are compared with, a variant is still
 * checked. */
Test(table_gpu, a_variant_that_is_not_timed)
{
    static const kg_variant rows[] = {
        KG_VARIANT("naive", launch, ""),
        KG_VARIANT("slow", launch, "", .advanced.not_for = KG_PURPOSE_TIME),
        KG_VARIANT("uncounted", launch, "", .advanced.not_for = KG_PURPOSE_COUNT), KG_END
    };
    static const kg_size few[] = { KG_TIMED(9), KG_CHECKED(8), KG_TIMED_AND_COUNTED(7),
                                   KG_MODEL_ONLY(6), KG_END };
    const kg_comparison table = comparison(rows, few, NULL);

    expect_ids(&table, "check",
               "naive/8/- slow/8/- uncounted/8/- naive/7/- slow/7/- uncounted/7/-");
    expect_ids(&table, "time", "naive/9/- uncounted/9/- naive/7/- uncounted/7/-");
    expect_ids(&table, "launch", "naive/7/- slow/7/- naive/6/- slow/6/-");
}

#else

/* Sizes outermost, then launches, then variants: what is timed side by side is adjacent. What is
 * only timed is not for the model, and what is counted is also timed or not. */
Test(table, expands_in_order)
{
    kg_comparison table = comparison(variants, sizes, launches);

    cr_assert(strcmp(KG__TARGET_KIND, "model") == 0 && kg__part_purposes("time") == 0);
    cr_assert(0 != (kg__part_purposes("check") & KG_PURPOSE_BOUNDS));
    expect_ids(&table, "check",
               "naive/1/b16 tiled_2/1/b16 naive/1/b256g1056 tiled_2/1/b256g1056 "
               "naive/31x33x17/b16 tiled_2/31x33x17/b16 naive/31x33x17/b256g1056 "
               "tiled_2/31x33x17/b256g1056 naive/530/b16 tiled_2/530/b16 naive/530/b256g1056 "
               "tiled_2/530/b256g1056 naive/5x5x100x2/b16 tiled_2/5x5x100x2/b16 "
               "naive/5x5x100x2/b256g1056 tiled_2/5x5x100x2/b256g1056");
    table.launches = one_launch;
    expect_ids(&table, "count",
               "naive/530/b16 tiled_2/530/b16 naive/5x5x100x2/b16 tiled_2/5x5x100x2/b16");
    table.launches = NULL;
    expect_ids(&table, "count", "naive/530/- tiled_2/530/- naive/5x5x100x2/- tiled_2/5x5x100x2/-");
    expect_error(&table, "time", "matmul: this target has no part time");
    expect_error(&table, "nonsense", "no part nonsense");
}

/* Variants' own launches: those of as many threads per block are adjacent, whatever their blocks
 * are, and the comparison's are for those that have none. */
Test(table, variants_with_launches_of_their_own)
{
    static const kg_launch strided[] = { KG_LAUNCH(256, 1056), KG_LAUNCH(64, 8),
                                         KG_LAUNCH(256, 132), KG_END };
    static const kg_launch single[] = { KG_LAUNCH(1024), KG_END };
    static const kg_launch no_launch[] = { KG_END };
    static const kg_launch shared[] = { KG_LAUNCH(64), KG_LAUNCH(256), KG_END };
    static const kg_variant rows[] = { KG_VARIANT("single", launch, "", .launches = single),
                                       KG_VARIANT("unstrided", launch, ""),
                                       KG_VARIANT("strided", launch, "", .launches = strided),
                                       KG_VARIANT("again", launch, ""), KG_END };
    static const kg_variant bare[] = { KG_VARIANT("bare", launch, "", .launches = no_launch),
                                       KG_VARIANT("naive", launch, ""), KG_END };
    static const kg_size few[] = { KG_CHECKED(5), KG_CHECKED(6), KG_END };
    static const kg_size five[] = { KG_CHECKED(5), KG_END };
    kg_comparison table = comparison(rows, few, shared);
    kg__case_list cases;

    expect_ids(&table, "check",
               "single/5/b1024 unstrided/5/b64 strided/5/b64g8 again/5/b64 unstrided/5/b256 "
               "strided/5/b256g1056 strided/5/b256g132 again/5/b256 single/6/b1024 "
               "unstrided/6/b64 strided/6/b64g8 again/6/b64 unstrided/6/b256 strided/6/b256g1056 "
               "strided/6/b256g132 again/6/b256");
    cr_assert(kg__table_expand(&table, "check", &cases, NULL));
    cr_assert(kg__table_side_by_side(&cases.list[4], &cases.list[6]), "b256 and b256g132");
    cr_assert(not(kg__table_side_by_side(&cases.list[3], &cases.list[4])), "b64 and b256");
    cr_assert(not(kg__table_side_by_side(&cases.list[4], &cases.list[12])), "5 and 6");
    kg__case_list_free(&cases);
    /* An own list that holds nothing says that there is nothing to choose. */
    table = comparison(bare, five, launches);
    expect_ids(&table, "check", "bare/5/- naive/5/b16 naive/5/b256g1056");
    table.launches = no_launch;
    expect_ids(&table, "check", "bare/5/- naive/5/-");
}

/* Left out of the counts alone: what is counted is still checked. */
Test(table, a_variant_that_is_not_counted)
{
    static const kg_variant rows[] = {
        KG_VARIANT("naive", launch, ""),
        KG_VARIANT("uncounted", launch, "", .advanced.not_for = KG_PURPOSE_COUNT),
        KG_VARIANT("neither", launch, "", .advanced.not_for = KG_PURPOSE_COUNT | KG_PURPOSE_TIME),
        KG_VARIANT("untimed", launch, "", .advanced.not_for = KG_PURPOSE_TIME),
        KG_END,
    };
    static const kg_size few[] = { KG_COUNTED(5), KG_TIMED(6), KG_MODEL_ONLY(7), KG_END };
    const kg_comparison table = comparison(rows, few, NULL);

    expect_ids(&table, "check",
               "naive/5/- uncounted/5/- neither/5/- untimed/5/- "
               "naive/7/- uncounted/7/- neither/7/- untimed/7/-");
    expect_ids(&table, "count", "naive/5/- untimed/5/- naive/7/- untimed/7/-");
}

/* Defects have sizes and launches of their own, and are in no other part. */
Test(table, defects_are_a_part)
{
    static const kg_size few[] = { KG_COUNTED(5), KG_END };
    kg_comparison table = comparison(variants, few, NULL);
    kg__case_list cases;

    expect_ids(&table, "defects", "");
    defects[0] = (kg_defect)KG_DEFECT("floor", launch, "a", KG_CHECKED(17), KG_LAUNCH(16));
    defects[1] = (kg_defect)KG_DEFECT("floor", launch, "a", KG_CHECKED(530), KG_LAUNCH(16));
    defects[2] = (kg_defect)KG_DEFECT("wide", launch, "b", KG_CHECKED(5, 5), KG_END);
    expect_ids(&table, "defects", "floor/17/b16 floor/530/b16 wide/5x5/-");
    expect_ids(&table, "check", "naive/5/- tiled_2/5/-");
    expect_ids(&table, "count", "naive/5/- tiled_2/5/-");
    cr_assert(kg__table_expand(&table, "defects", &cases, NULL));
    cr_assert(cases.list[1].variant == &defects[1].variant, "each has a process of its own");
    kg__case_list_free(&cases);
    cr_assert(kg__part_purposes("defects") == 0 && kg__is_part("defects"));
    cr_assert(kg__is_part("count") && !kg__is_part("time") && !kg__is_part("claim_a"));
}

/* A bad row of them spoils every part, for the parts share one table. */
Test(table, defects_that_are_wrong_are_refused)
{
    static const struct {
        kg_defect row;
        const char *said;
    } bad[] = { { KG_DEFECT("Floor", launch, "", KG_CHECKED(17), KG_LAUNCH(16)),
                  "matmul/Floor: a variant needs a launcher and a name of only a-z" },
                { KG_DEFECT("floor", NULL, "", KG_CHECKED(17), KG_LAUNCH(16)),
                  "matmul/floor: a variant needs" },
                { KG_DEFECT("floor", launch, "", KG_END, KG_LAUNCH(16)), "a size of 0 numbers" },
                { { "floor",
                    KG_VARIANT("floor", launch, ""),
                    { 5, KG_PURPOSE_CHECK, { 1 } },
                    KG_LAUNCH(16) },
                  "a size of 5 numbers: write 1 to 4" },
                { KG_DEFECT("floor", launch, "", KG_CHECKED(17), KG_LAUNCH(-16)),
                  "a launch with the value -16" },
                { KG_DEFECT("naive", launch, "", KG_CHECKED(17), KG_LAUNCH(16)),
                  "matmul/naive: a variant and a defect of one name" } };
    const kg_comparison table = comparison(variants, sizes, launches);

    for (size_t i = 0; i < COUNT(bad); i++) {
        defects[0] = bad[i].row;
        expect_error(&table, "defects", bad[i].said);
        expect_error(&table, "check", bad[i].said);
    }
    defects[0] = defects[1] =
        (kg_defect)KG_DEFECT("floor", launch, "", KG_CHECKED(17), KG_LAUNCH(16));
    expect_error(&table, "defects", "matmul/floor/17/b16: appears twice");
}

Test(table, a_case_knows_its_row)
{
    const kg_comparison table = comparison(variants, sizes, launches);
    kg__case_list cases;
    const kg__case *c;

    cr_assert(kg__table_expand(&table, "check", &cases, NULL));
    c = kg__table_find(&cases, "matmul/tiled_2/31x33x17/b256g1056");
    cr_assert(c != NULL && c->variant == &variants[1] && c->size == &sizes[1]);
    cr_assert(c->launch.axis[0] == 256 && c->launch.axis[1] == 1056);
    cr_assert(kg_extent(c->size, 0) == 31 && kg_extent(c->size, 2) == 17 &&
              kg_extent(c->size, 3) == 17);
    cr_assert(kg__table_find(&cases, "matmul/tiled_2/31x33x17/b256g105") == NULL);
    kg__case_list_free(&cases);
}

/* More cases than the list has room for at first. */
Test(table, a_large_table_is_whole)
{
    kg_size many[101] = { KG_END };
    const kg_comparison table = comparison(variants, many, launches);
    kg__case_list cases;

    for (int i = 0; i < 100; i++)
        many[i] = (kg_size){ .extents = 1, .purpose = KG_PURPOSE_CHECK, .extent = { i + 1 } };
    cr_assert(kg__table_expand(&table, "check", &cases, NULL) && cases.count == 400);
    cr_assert(eq(str, cases.list[63].id, "matmul/tiled_2/16/b256g1056"));
    cr_assert(eq(str, cases.list[399].id, "matmul/tiled_2/100/b256g1056"));
    kg__case_list_free(&cases);
}

Test(table, a_row_that_appears_twice_is_refused)
{
    static const kg_size same[] = { KG_CHECKED(17), KG_CHECKED(18), KG_COUNTED(17), KG_END };
    static const kg_launch alike[] = { KG_LAUNCH(8), KG_LAUNCH(8), KG_END };
    static const kg_launch twice[] = { KG_LAUNCH(64, 8), KG_LAUNCH(64), KG_LAUNCH(64, 8), KG_END };
    static const kg_variant twins[] = { KG_VARIANT("naive", launch, ""),
                                        KG_VARIANT("naive", launch, "", .launches = alike),
                                        KG_END };
    static const kg_variant strided[] = { KG_VARIANT("strided", launch, "", .launches = twice),
                                          KG_END };
    static char first[200];
    static char second[200];
    const kg_variant long_names[] = { KG_VARIANT(first, launch, ""), KG_VARIANT(second, launch, ""),
                                      KG_END };
    const struct {
        kg_comparison table;
        const char *said;
    } rows[] = {
        { comparison(long_names, sizes, launches), "...: an id of more than 190 characters" },
        { comparison(variants, same, launches), "matmul/naive/17/b16: appears twice" },
        { comparison(variants, sizes, alike), "matmul/naive/1/b8: appears twice" },
        { comparison(twins, sizes, launches),
          "matmul/naive: two variants of one name: rename one" },
        { comparison(strided, sizes, launches), "matmul/strided/1/b64g8: appears twice" },
    };

    memset(first, 'a', sizeof first - 1);
    memset(second, 'a', sizeof second - 1);
    second[sizeof second - 2] = 'b';
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_error(&rows[i].table, "check", rows[i].said);
}

/* A launch without threads would end its list. */
Test(table, launches_without_threads_are_refused)
{
    static const kg_launch bad[][3] = { { KG_LAUNCH(8), KG_LAUNCH(-8), KG_END },
                                        { KG_LAUNCH(-1), KG_END },
                                        { KG_LAUNCH(8), KG_LAUNCH(0, 5), KG_END },
                                        { KG_LAUNCH(8, -5), KG_END } };

    for (size_t i = 0; i < COUNT(bad); i++) {
        const kg_variant rows[] = { KG_VARIANT("naive", launch, "", .launches = bad[i]), KG_END };
        const kg_comparison tables[] = { comparison(variants, sizes, bad[i]),
                                         comparison(rows, sizes, launches) };

        expect_error(&tables[0], "check", "the values of axes are numbers from 1 on");
        expect_error(&tables[1], "check", "the values of axes are numbers from 1 on");
    }
}

Test(table, names_are_plain)
{
    static const char *const bad[] = { "",        "Matmul", "mat-mul", "mat/mul",
                                       "mat mul", "mat,b",  "mät",     "*" };
    kg_comparison table = comparison(variants, sizes, launches);

    for (size_t i = 0; i < COUNT(bad); i++) {
        const kg_variant row[] = { KG_VARIANT(bad[i], launch, ""), KG_END };
        const kg_comparison of_row = comparison(row, sizes, launches);

        table.name = bad[i];
        expect_error(&table, "check", "a comparison's name may only have a-z, 0-9 and _");
        expect_error(&of_row, "check", "a variant needs a launcher and a name of only a-z");
    }
}

Test(table, rows_that_hold_what_they_must_not_are_refused)
{
    static const kg_variant no_variant[] = { KG_END };
    static const kg_size no_size[] = { KG_END };
    static const kg_variant bad[][2] = {
        { KG_VARIANT("naive", NULL, ""), KG_END },
        { KG_VARIANT("naive", launch, "", .advanced.memory = { KG_PINNED, (kg_memory)4 }), KG_END },
        { KG_VARIANT("naive", launch, "", .advanced.clock = (kg_clock)3), KG_END },
        { KG_VARIANT("naive", launch, "", .advanced.not_for = KG_PURPOSE_CHECK), KG_END },
    };
    const struct {
        kg_comparison table;
        const char *said;
    } rows[] = {
        { comparison(no_variant, sizes, launches), "the table has no variant" },
        { comparison(NULL, sizes, launches), "the table has no variant" },
        { comparison(variants, no_size, launches), "the table has no size" },
        { comparison(variants, NULL, launches), "the table has no size" },
        { comparison(bad[0], sizes, launches), "matmul/naive: a variant needs a launcher" },
        { comparison(bad[1], sizes, launches), "a .memory that is not a kg_memory: fix" },
        { comparison(bad[2], sizes, launches), "a .clock that is not a kg_clock: fix" },
        { comparison(bad[3], sizes, launches), ".not_for may only have KG_PURPOSE_TIME and KG_" },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        expect_error(&rows[i].table, "check", rows[i].said);
}

static kg_work work_of_size(const kg_size *size)
{
    return (kg_work){ .operations = 1.0 / (double)size->extent[0] - 0.5, .bytes = NAN };
}

static kg_work work_without_bytes(const kg_size *size)
{
    return (kg_work){ .operations = 1.0 / (double)size->extent[0] - 0.5, .bytes = 0 };
}

Test(table, work_that_is_not_a_number_is_refused)
{
    static const kg_size refused[] = { KG_CHECKED(2), KG_CHECKED(-3), KG_CHECKED(0), KG_END };
    kg_comparison table = comparison(variants, sizes, launches);

    table.work = work_of_size;
    expect_error(&table, "check", "matmul: .work has 0.5 operations and nan bytes for the size");
    table.work = work_without_bytes;
    expect_error(&table, "check", "matmul: .work has -0.4");
    table.sizes = refused;
    table.launches = NULL;
    expect_ids(&table, "check",
               "naive/2/- tiled_2/2/- naive/-3/- tiled_2/-3/- naive/0/- tiled_2/0/-");
    table.advanced.takes_zero = true;
    expect_error(&table, "check", ".work has inf operations and 0 bytes for the size that begins");
}

static const char *refuse_large_blocks(const kg_variant *variant, const kg_size *size,
                                       const kg_launch *wanted)
{
    return wanted->axis[0] > 16 ? "too large a block" : NULL;
}

static const char *refuse_in_silence(const kg_variant *variant, const kg_size *size,
                                     const kg_launch *wanted)
{
    return "";
}

Test(table, sizes_below_1_and_what_the_comparison_refuses)
{
    static const kg_size odd_sizes[] = { KG_CHECKED(0), KG_CHECKED(3, -1), KG_CHECKED(3, 1),
                                         KG_END };
    static const char below_1[] = "a size below 1 leaves nothing to compute";
    static const char large[] = "too large a block";
    static const char silent[] = "no reason: .refuses returned an empty text";
    const struct {
        bool takes_zero;
        const char *(*refuses)(const kg_variant *, const kg_size *, const kg_launch *);
        const char *reasons[6]; /* by size and launch */
    } rows[] = {
        { false, NULL, { below_1, below_1, below_1, below_1, NULL, NULL } },
        { true, NULL, { NULL, NULL, below_1, below_1, NULL, NULL } },
        { true, refuse_large_blocks, { NULL, large, below_1, below_1, NULL, large } },
        { true, refuse_in_silence, { silent, silent, below_1, below_1, silent, silent } },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        kg_comparison table = comparison(variants, odd_sizes, launches);
        kg__case_list cases;

        table.advanced.takes_zero = rows[i].takes_zero;
        table.refuses = rows[i].refuses;
        cr_assert(kg__table_expand(&table, "check", &cases, NULL));
        cr_assert(cases.count == 12);
        cr_assert(eq(str, cases.list[4].id, "matmul/naive/3x-1/b16"));
        for (size_t j = 0; j < 12; j++) {
            const char *reason = kg__case_refusal(&table, &cases.list[j]);
            const char *wanted = rows[i].reasons[j / 2];

            cr_expect(wanted == NULL ? reason == NULL : reason != NULL && !strcmp(reason, wanted),
                      "row %zu, case %zu: %s", i, j, reason);
        }
        kg__case_list_free(&cases);
    }
}

#endif

Test(table, a_table_without_its_functions_is_refused)
{
    static const kg_size too_many[] = { { KG_MAX_EXTENTS + 1, KG_PURPOSE_CHECK, { 1, 1, 1, 1 } },
                                        KG_END };
    kg_comparison table = comparison(variants, sizes, launches);

    table.reference = NULL;
    expect_error(&table, "check", "lacks .arguments or .reference");
    table = comparison(variants, sizes, launches);
    table.arguments = NULL;
    expect_error(&table, "check", "lacks .arguments or .reference");
    table = comparison(variants, sizes, launches);
    table.advanced.projection = accept_all;
    expect_error(&table, "check", "a .projection needs .work");
    table = comparison(variants, too_many, launches);
    expect_error(&table, "check", "a size of 5 numbers: write 1 to 4");
    table = comparison(variants, sizes, launches);
    table.advanced.wide = (kg_magnitudes){ 100, 1 };
    expect_error(&table, "check", ".advanced.wide is from 100 to 1: expected magnitudes such as");
}
