/* The table: the cases that a comparison's rows multiply out to, their ids, and the filter. */
#include "suite/table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite/settings.h"
#include "tests/fakes/idle_callbacks.h"

static cudaError_t launch(const kg_call *call)
{
    (void)call;
    return cudaSuccess;
}

static const kg_variant variants[] = {
    KG_VARIANT("naive", launch, ""),
    KG_VARIANT("tiled_2", launch, ""),
    KG_END,
};
static const kg_size sizes[] = {
    KG_CHECKED(1),
    KG_CHECKED(31, 33, 17),
    KG_TIMED(960, 1280, 4),
    KG_TIMED_AND_COUNTED(530),
    KG_COUNTED(5, 5, 100, 2),
    KG_END,
};
static const kg_launch launches[] = { KG_BLOCK(16), KG_BLOCK_GRID(256, 1056), KG_END };

static void no_arguments(const kg_size *size, kg_arguments *arguments)
{
    (void)size;
    (void)arguments;
}

#ifndef KG__TARGET_GPU
/* As KG_DEFECTS() has it: empty until a test fills it. The GPU's program has none at all. */
static kg_defect defects[4];
const kg_defect *const kg__defects = defects;
#endif

static kg_comparison comparison(void)
{
    return (kg_comparison){ .name = "matmul",
                            .variants = variants,
                            .sizes = sizes,
                            .launches = launches,
                            .arguments = no_arguments,
                            .reference = no_reference };
}

/* Expands and compares with a list of ids that ends in NULL. */
static void expect_ids(const kg_comparison *table, const char *part, const char *const *expected)
{
    kg__case_list cases;
    kg__error error = { "" };
    size_t i;

    cr_assert(kg__table_expand(table, part, &cases, &error), "%s", error.text);
    for (i = 0; i < cases.count && expected[i] != NULL; i++)
        cr_expect(eq(str, cases.list[i].id, (char *)expected[i]));
    cr_assert(i == cases.count && expected[i] == NULL, "%zu cases", cases.count);
    kg__case_list_free(&cases);
    cr_assert(cases.count == 0 && cases.list == NULL);
}

static void expect_error(const kg_comparison *table, const char *part, const char *text)
{
    kg__case_list cases;
    kg__error error = { "" };

    cr_assert(not(kg__table_expand(table, part, &cases, &error)), "\"%s\" is expected", text);
    cr_assert(strstr(error.text, text) != NULL, "\"%s\" is not in \"%s\"", text, error.text);
    kg__case_list_free(&cases);
}

#ifdef KG__TARGET_GPU

/* The GPU's program times; what is only timed is checked there, before and after. */
Test(table_gpu, a_gpu_checks_and_times)
{
    static const char *const checked[] = {
        "matmul/naive/1/b16",          "matmul/tiled_2/1/b16",         "matmul/naive/31x33x17/b16",
        "matmul/tiled_2/31x33x17/b16", "matmul/naive/530/b16",         "matmul/tiled_2/530/b16",
        "matmul/naive/5x5x100x2/b16",  "matmul/tiled_2/5x5x100x2/b16", NULL,
    };
    static const char *const timed[] = {
        "matmul/naive/960x1280x4/b16",
        "matmul/tiled_2/960x1280x4/b16",
        "matmul/naive/530/b16",
        "matmul/tiled_2/530/b16",
        NULL,
    };
    static const kg_launch one[] = { KG_BLOCK(16), KG_END };
    kg_comparison table = comparison();

    table.launches = one;
    cr_assert(eq(str, KG__TARGET_KIND, "gpu"));
    cr_assert(kg__part_purposes("count") == 0);
    expect_ids(&table, "check", checked);
    expect_ids(&table, "time", timed);
    expect_error(&table, "count", "this target has no part count");
}

/* Left out of the times, or of the launches that counts are compared with, a variant is still
 * checked. */
Test(table_gpu, a_variant_that_is_not_timed)
{
    static const kg_variant rows[] = {
        KG_VARIANT("naive", launch, ""),
        KG_VARIANT("slow", launch, "", .not_for = KG_PURPOSE_TIME),
        KG_VARIANT("uncounted", launch, "", .not_for = KG_PURPOSE_COUNT),
        KG_END,
    };
    static const kg_size few[] = { KG_TIMED(9), KG_CHECKED(8), KG_TIMED_AND_COUNTED(7), KG_END };
    static const char *const checked[] = {
        "matmul/naive/8/-",
        "matmul/slow/8/-",
        "matmul/uncounted/8/-",
        "matmul/naive/7/-",
        "matmul/slow/7/-",
        "matmul/uncounted/7/-",
        NULL,
    };
    static const char *const timed[] = { "matmul/naive/9/-", "matmul/uncounted/9/-",
                                         "matmul/naive/7/-", "matmul/uncounted/7/-", NULL };
    static const char *const launched[] = { "matmul/naive/7/-", "matmul/slow/7/-", NULL };
    kg_comparison table = comparison();

    table.variants = rows;
    table.sizes = few;
    table.launches = NULL;
    expect_ids(&table, "check", checked);
    expect_ids(&table, "time", timed);
    expect_ids(&table, "launch", launched);
}

Test(table_gpu, a_comparison_without_defects)
{
    static const char *const nothing[] = { NULL };
    kg_comparison table = comparison();

    cr_assert(kg__table_defects()->variant.name == NULL);
    cr_assert(kg__is_part("defects") && kg__is_part("time") && !kg__is_part("count"));
    expect_ids(&table, "defects", nothing);
}

#else

/* Variants' own launches: those of as many threads per block stand together, whatever their blocks
 * are, and the comparison's are for who has none. */
Test(table, variants_with_launches_of_their_own)
{
    static const kg_launch strided[] = { KG_BLOCK_GRID(256, 1056), KG_BLOCK_GRID(64, 8),
                                         KG_BLOCK_GRID(256, 132), KG_END };
    static const kg_launch single[] = { KG_BLOCK(1024), KG_END };
    static const kg_launch shared[] = { KG_BLOCK(64), KG_BLOCK(256), KG_END };
    static const kg_variant rows[] = {
        KG_VARIANT("single", launch, "", .launches = single),
        KG_VARIANT("unstrided", launch, ""),
        KG_VARIANT("strided", launch, "", .launches = strided),
        KG_VARIANT("again", launch, ""),
        KG_END,
    };
    static const kg_size few[] = { KG_CHECKED(5), KG_CHECKED(6), KG_END };
    static const char *const expected[] = {
        "matmul/single/5/b1024",
        "matmul/unstrided/5/b64",
        "matmul/strided/5/b64g8",
        "matmul/again/5/b64",
        "matmul/unstrided/5/b256",
        "matmul/strided/5/b256g1056",
        "matmul/strided/5/b256g132",
        "matmul/again/5/b256",
        "matmul/single/6/b1024",
        "matmul/unstrided/6/b64",
        "matmul/strided/6/b64g8",
        "matmul/again/6/b64",
        "matmul/unstrided/6/b256",
        "matmul/strided/6/b256g1056",
        "matmul/strided/6/b256g132",
        "matmul/again/6/b256",
        NULL,
    };
    kg_comparison table = comparison();
    kg__case_list cases;

    table.variants = rows;
    table.sizes = few;
    table.launches = shared;
    expect_ids(&table, "check", expected);
    cr_assert(kg__table_expand(&table, "check", &cases, NULL));
    cr_assert(kg__table_side_by_side(&cases.list[4], &cases.list[6]), "b256 beside b256g132");
    cr_assert(kg__table_side_by_side(&cases.list[5], &cases.list[6]));
    cr_assert(not(kg__table_side_by_side(&cases.list[3], &cases.list[4])), "b64 and b256");
    cr_assert(not(kg__table_side_by_side(&cases.list[4], &cases.list[12])), "5 and 6");
    kg__case_list_free(&cases);
}

/* A list of its own that holds nothing says that there is nothing to choose, as none at all does
 * for a comparison. */
Test(table, an_empty_list_of_launches)
{
    static const kg_launch nothing[] = { KG_END };
    static const kg_variant rows[] = {
        KG_VARIANT("bare", launch, "", .launches = nothing),
        KG_VARIANT("naive", launch, ""),
        KG_END,
    };
    static const kg_size few[] = { KG_CHECKED(5), KG_END };
    static const char *const own[] = { "matmul/bare/5/-", "matmul/naive/5/b16",
                                       "matmul/naive/5/b256g1056", NULL };
    static const char *const none[] = { "matmul/bare/5/-", "matmul/naive/5/-", NULL };
    kg_comparison table = comparison();

    table.variants = rows;
    table.sizes = few;
    expect_ids(&table, "check", own);
    table.launches = nothing;
    expect_ids(&table, "check", none);
}

/* Left out of the counts alone: what is counted is still checked. */
Test(table, a_variant_that_is_not_counted)
{
    static const kg_variant rows[] = {
        KG_VARIANT("naive", launch, ""),
        KG_VARIANT("uncounted", launch, "", .not_for = KG_PURPOSE_COUNT),
        KG_VARIANT("neither", launch, "", .not_for = KG_PURPOSE_COUNT | KG_PURPOSE_TIME),
        KG_VARIANT("untimed", launch, "", .not_for = KG_PURPOSE_TIME),
        KG_END,
    };
    static const kg_size few[] = { KG_COUNTED(5), KG_TIMED(6), KG_END };
    static const char *const checked[] = { "matmul/naive/5/-", "matmul/uncounted/5/-",
                                           "matmul/neither/5/-", "matmul/untimed/5/-", NULL };
    static const char *const counted[] = { "matmul/naive/5/-", "matmul/untimed/5/-", NULL };
    kg_comparison table = comparison();

    table.variants = rows;
    table.sizes = few;
    table.launches = NULL;
    expect_ids(&table, "check", checked);
    expect_ids(&table, "count", counted);
}

Test(table, a_launch_of_its_own_that_stands_twice_is_refused)
{
    static const kg_launch twice[] = { KG_BLOCK_GRID(64, 8), KG_BLOCK(64), KG_BLOCK_GRID(64, 8),
                                       KG_END };
    static const kg_variant rows[] = { KG_VARIANT("strided", launch, "", .launches = twice),
                                       KG_END };
    kg_comparison table = comparison();

    table.variants = rows;
    expect_error(&table, "check", "matmul/strided/1/b64g8: appears twice");
}

/* A launch that is none would end its list, and the cases behind it were gone without a word. */
Test(table, launches_that_are_none_are_refused)
{
    static const kg_launch bad[][3] = {
        { KG_BLOCK(8), KG_BLOCK(-8), KG_END },
        { KG_BLOCK(-1), KG_END },
        { KG_BLOCK(8), KG_BLOCK_GRID(0, 5), KG_END },
        { KG_BLOCK_GRID(8, -5), KG_END },
    };
    kg_comparison table = comparison();

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const kg_variant rows[] = { KG_VARIANT("naive", launch, "", .launches = bad[i]), KG_END };

        table.variants = variants;
        table.launches = bad[i];
        expect_error(&table, "check", "a launch has at least one thread");
        table.variants = rows;
        table.launches = launches;
        expect_error(&table, "check", "a launch has at least one thread");
    }
}

Test(table, members_that_hold_what_they_must_not)
{
    const kg_variant bad[][2] = {
        { KG_VARIANT("naive", launch, "", .memory = { KG_PINNED, (kg_memory)4 }), KG_END },
        { KG_VARIANT("naive", launch, "", .clock = (kg_clock)3), KG_END },
        { KG_VARIANT("naive", launch, "", .not_for = KG_PURPOSE_CHECK), KG_END },
    };
    static const char *const said[] = { "matmul/naive: a .memory that is none of kg_memory: fix",
                                        "matmul/naive: a .clock that is none of kg_clock: fix",
                                        "a .not_for of more than KG_PURPOSE_TIME and KG_PURPOSE" };
    kg_comparison table = comparison();

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        table.variants = bad[i];
        expect_error(&table, "check", said[i]);
    }
}

/* Defects have sizes and launches of their own, and stand in no other part. */
Test(table, defects_are_a_part)
{
    static const char *const expected[] = { "matmul/floor/17/b16", "matmul/floor/530/b16",
                                            "matmul/wide/5x5/-", NULL };
    static const char *const nothing[] = { NULL };
    static const kg_size few[] = { KG_COUNTED(5), KG_END };
    static const char *const counted[] = { "matmul/naive/5/-", "matmul/tiled_2/5/-", NULL };
    kg_comparison table = comparison();
    kg__case_list cases;

    expect_ids(&table, "defects", nothing);
    defects[0] = (kg_defect)KG_DEFECT("floor", launch, "a", KG_CHECKED(17), KG_BLOCK(16));
    defects[1] = (kg_defect)KG_DEFECT("floor", launch, "a", KG_CHECKED(530), KG_BLOCK(16));
    defects[2] = (kg_defect)KG_DEFECT("wide", launch, "b", KG_CHECKED(5, 5), KG_END);
    expect_ids(&table, "defects", expected);
    table.sizes = few;
    table.launches = NULL;
    expect_ids(&table, "check", counted);
    expect_ids(&table, "count", counted);
    cr_assert(kg__table_expand(&table, "defects", &cases, NULL));
    cr_assert(cases.list[1].variant == &defects[1].variant, "each has a process of its own");
    cr_assert(strcmp(cases.list[1].variant->launcher, "launch") == 0);
    cr_assert(strcmp(cases.list[2].variant->idea, "b") == 0);
    kg__case_list_free(&cases);
    cr_assert(kg__part_purposes("defects") == 0 && kg__is_part("defects"));
    cr_assert(kg__is_part("count") && !kg__is_part("time") && !kg__is_part("claim_a"));
}

/* A bad row of theirs spoils every part, for the parts share one table. */
Test(table, defects_that_are_wrong_are_refused)
{
    static const struct {
        kg_defect row;
        const char *said;
    } bad[] = {
        { KG_DEFECT("Floor", launch, "", KG_CHECKED(17), KG_BLOCK(16)),
          "matmul/Floor: a variant has a launcher and a name of a-z" },
        { KG_DEFECT("floor", NULL, "", KG_CHECKED(17), KG_BLOCK(16)),
          "matmul/floor: a variant has" },
        { KG_DEFECT("floor", launch, "", KG_END, KG_BLOCK(16)), "a size of 0 numbers" },
        { { "floor",
            KG_VARIANT("floor", launch, ""),
            { 5, KG_PURPOSE_CHECK, { 1 } },
            KG_BLOCK(16) },
          "a size of 5 numbers, of which 4 fit" },
        { KG_DEFECT("floor", launch, "", KG_CHECKED(17), KG_BLOCK(-16)),
          "a launch of 0 blocks of" },
        { KG_DEFECT("naive", launch, "", KG_CHECKED(17), KG_BLOCK(16)),
          "matmul/naive: a variant and a defect of one name" },
    };
    kg_comparison table = comparison();

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        defects[0] = bad[i].row;
        expect_error(&table, "defects", bad[i].said);
        expect_error(&table, "check", bad[i].said);
    }
    defects[0] = defects[1] =
        (kg_defect)KG_DEFECT("floor", launch, "", KG_CHECKED(17), KG_BLOCK(16));
    expect_error(&table, "defects", "matmul/floor/17/b16: appears twice");
}

/* Sizes outermost, then launches, then variants: what is timed side by side stands together. What
 * is only timed is not a business of the model's. */
Test(table, expands_in_order)
{
    static const char *const expected[] = {
        "matmul/naive/1/b16",
        "matmul/tiled_2/1/b16",
        "matmul/naive/1/b256g1056",
        "matmul/tiled_2/1/b256g1056",
        "matmul/naive/31x33x17/b16",
        "matmul/tiled_2/31x33x17/b16",
        "matmul/naive/31x33x17/b256g1056",
        "matmul/tiled_2/31x33x17/b256g1056",
        "matmul/naive/530/b16",
        "matmul/tiled_2/530/b16",
        "matmul/naive/530/b256g1056",
        "matmul/tiled_2/530/b256g1056",
        "matmul/naive/5x5x100x2/b16",
        "matmul/tiled_2/5x5x100x2/b16",
        "matmul/naive/5x5x100x2/b256g1056",
        "matmul/tiled_2/5x5x100x2/b256g1056",
        NULL,
    };
    kg_comparison table = comparison();

    cr_assert(eq(str, KG__TARGET_KIND, "model"));
    expect_ids(&table, "check", expected);
}

Test(table, without_launches_there_is_a_dash)
{
    static const char *const expected[] = {
        "matmul/naive/1/-",          "matmul/tiled_2/1/-",         "matmul/naive/31x33x17/-",
        "matmul/tiled_2/31x33x17/-", "matmul/naive/530/-",         "matmul/tiled_2/530/-",
        "matmul/naive/5x5x100x2/-",  "matmul/tiled_2/5x5x100x2/-", NULL,
    };
    kg_comparison table = comparison();

    table.launches = NULL;
    expect_ids(&table, "check", expected);
}

Test(table, a_case_knows_its_row)
{
    kg_comparison table = comparison();
    kg__case_list cases;
    const kg__case *one;

    cr_assert(kg__table_expand(&table, "check", &cases, NULL));
    one = kg__table_find(&cases, "matmul/tiled_2/31x33x17/b256g1056");
    cr_assert(one != NULL);
    cr_assert(one->variant == &variants[1] && one->size == &sizes[1]);
    cr_assert(one->launch.block == 256 && one->launch.grid == 1056);
    cr_assert(kg_extent(one->size, 0) == 31 && kg_extent(one->size, 2) == 17 &&
              kg_extent(one->size, 3) == 17);
    cr_assert(kg__table_find(&cases, "matmul/tiled_2/31x33x17/b256g105") == NULL);
    cr_assert(kg__table_find(&cases, "") == NULL);
    kg__case_list_free(&cases);
}

/* More cases than the list has room for at first. */
Test(table, a_large_table_is_whole)
{
    kg_size many[101] = { KG_END };
    kg_comparison table = comparison();
    kg__case_list cases;

    for (int i = 0; i < 100; i++)
        many[i] = (kg_size){ .extents = 1, .purpose = KG_PURPOSE_CHECK, .extent = { i + 1 } };
    table.sizes = many;
    cr_assert(kg__table_expand(&table, "check", &cases, NULL));
    cr_assert(cases.count == 400);
    cr_assert(eq(str, cases.list[0].id, "matmul/naive/1/b16"));
    cr_assert(eq(str, cases.list[63].id, "matmul/tiled_2/16/b256g1056"));
    cr_assert(eq(str, cases.list[64].id, "matmul/naive/17/b16"));
    cr_assert(eq(str, cases.list[399].id, "matmul/tiled_2/100/b256g1056"));
    kg__case_list_free(&cases);
}

/* What is counted is also timed or not; sizes that are only checked or timed are not counted. */
Test(table, the_model_counts)
{
    static const char *const counted[] = {
        "matmul/naive/530/b16",
        "matmul/tiled_2/530/b16",
        "matmul/naive/5x5x100x2/b16",
        "matmul/tiled_2/5x5x100x2/b16",
        NULL,
    };
    static const kg_launch one[] = { KG_BLOCK(16), KG_END };
    kg_comparison table = comparison();

    table.launches = one;
    cr_assert(kg__part_purposes("count") == KG_PURPOSE_COUNT);
    expect_ids(&table, "count", counted);
}

Test(table, the_model_has_no_part_time)
{
    kg_comparison table = comparison();

    cr_assert(kg__part_purposes("time") == 0);
    expect_error(&table, "time", "matmul: this target has no part time");
    expect_error(&table, "nonsense", "no part nonsense");
}

Test(table, a_size_or_launch_that_stands_twice_is_refused)
{
    static const kg_size same[] = { KG_CHECKED(17), KG_CHECKED(18), KG_COUNTED(17), KG_END };
    static const kg_launch alike[] = { KG_BLOCK(8), KG_BLOCK(8), KG_END };
    static const kg_variant twins[] = { KG_VARIANT("naive", launch, ""),
                                        KG_VARIANT("naive", launch, "", .launches = alike),
                                        KG_END };
    kg_comparison table = comparison();

    table.sizes = same;
    expect_error(&table, "check", "matmul/naive/17/b16: appears twice");
    table.sizes = sizes;
    table.launches = alike;
    expect_error(&table, "check", "matmul/naive/1/b8: appears twice");
    table.launches = launches;
    table.variants = twins;
    expect_error(&table, "check", "matmul/naive: two variants of one name: rename one");
}

/* A comma or a slash in a name would be read as another id, or as two filters. */
Test(table, names_are_plain)
{
    static const char *const bad[] = { "",        "Matmul", "mat-mul", "mat/mul",
                                       "mat mul", "mat,b",  "mät",     "*" };
    kg_comparison table = comparison();

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kg_variant row[] = { KG_VARIANT(bad[i], launch, ""), KG_END };

        table.name = bad[i];
        table.variants = variants;
        expect_error(&table, "check", "a comparison's name holds a-z, 0-9 and _ alone");
        table.name = "matmul";
        table.variants = row;
        expect_error(&table, "check", "a variant has a launcher and a name of a-z");
    }
}

Test(table, an_empty_table_is_refused)
{
    static const kg_variant no_variant[] = { KG_END };
    static const kg_variant no_launcher[] = { KG_VARIANT("naive", NULL, ""), KG_END };
    static const kg_size no_size[] = { KG_END };
    kg_comparison table = comparison();

    table.variants = no_variant;
    expect_error(&table, "check", "the table has no variant");
    table.variants = NULL;
    expect_error(&table, "check", "the table has no variant");
    table.variants = no_launcher;
    expect_error(&table, "check", "matmul/naive: a variant has a launcher");
    table.variants = variants;
    table.sizes = no_size;
    expect_error(&table, "check", "the table has no size");
    table.sizes = NULL;
    expect_error(&table, "check", "the table has no size");
}

static const char *refuse_large_blocks(const kg_variant *variant, const kg_size *size,
                                       const kg_launch *wanted)
{
    (void)variant;
    (void)size;
    return wanted->block > 16 ? "too large a block" : NULL;
}

static kg_work work_of_size(const kg_size *size)
{
    return (kg_work){ .operations = 1.0 / (double)size->extent[0] - 0.5, .bytes = NAN };
}

static kg_work work_without_bytes(const kg_size *size)
{
    return (kg_work){ .operations = 1.0 / (double)size->extent[0] - 0.5, .bytes = 0 };
}

Test(table, work_that_is_none_is_refused)
{
    static const kg_size refused[] = { KG_CHECKED(2), KG_CHECKED(-3), KG_CHECKED(0), KG_END };
    kg_comparison table = comparison();

    table.work = work_of_size;
    expect_error(&table, "check", "matmul: .work has 0.5 operations and nan bytes for the size");
    table.work = work_without_bytes;
    expect_error(&table, "check", "matmul: .work has -0.4");
    table.sizes = refused;
    cr_assert(kg__table_expand(&table, "check", &(kg__case_list){ 0 }, NULL));
    table.takes_zero = true;
    expect_error(&table, "check", ".work has inf operations and 0 bytes for the size that begins");
}

static const char *refuse_in_silence(const kg_variant *variant, const kg_size *size,
                                     const kg_launch *launch)
{
    (void)variant;
    (void)size;
    (void)launch;
    return "";
}

Test(table, a_refusal_has_a_reason)
{
    kg_comparison table = comparison();
    kg__case_list cases;

    table.refuses = refuse_in_silence;
    cr_assert(kg__table_expand(&table, "check", &cases, NULL));
    cr_assert(eq(str, (char *)kg__case_refusal(&table, &cases.list[0]),
                 "no reason: .refuses returned an empty text"));
    kg__case_list_free(&cases);
}

Test(table, sizes_below_1_and_what_the_comparison_refuses)
{
    static const kg_size odd[] = { KG_CHECKED(0), KG_CHECKED(3, -1), KG_CHECKED(3, 1), KG_END };
    kg_comparison table = comparison();
    kg__case_list cases;
    const char *reason;

    table.sizes = odd;
    cr_assert(kg__table_expand(&table, "check", &cases, NULL));
    cr_assert(cases.count == 12);
    cr_assert(eq(str, cases.list[4].id, "matmul/naive/3x-1/b16"));
    for (size_t i = 0; i < 12; i++) {
        reason = kg__case_refusal(&table, &cases.list[i]);
        if (i < 8)
            cr_assert(eq(str, (char *)reason, "a size below 1 leaves nothing to compute"));
        else
            cr_assert(reason == NULL);
    }
    table.takes_zero = true;
    for (size_t i = 0; i < 12; i++) {
        reason = kg__case_refusal(&table, &cases.list[i]);
        cr_assert(eq(int, reason != NULL, i >= 4 && i < 8), "no job has a negative number");
    }
    table.refuses = refuse_large_blocks;
    cr_assert(kg__case_refusal(&table, &cases.list[8]) == NULL);
    cr_assert(kg__case_refusal(&table, &cases.list[0]) == NULL);
    cr_assert(kg__case_refusal(&table, &cases.list[2]) != NULL, "what it takes it may refuse");
    reason = kg__case_refusal(&table, &cases.list[10]);
    cr_assert(eq(str, (char *)reason, "too large a block"));
    kg__case_list_free(&cases);
}

static bool takes(const char *filter, const char *id)
{
    if (filter == NULL)
        unsetenv("KG_FILTER");
    else
        setenv("KG_FILTER", filter, 1);
    return kg__filter_takes(id);
}

Test(table, filters)
{
    const char *id = "matmul/tiled/530/b16";

    cr_assert(takes(NULL, id));
    cr_assert(takes("", id));
    cr_assert(takes("matmul/tiled/530/b16", id));
    cr_assert(takes("*", id));
    cr_assert(takes("matmul/*", id));
    cr_assert(takes("*/b16", id));
    cr_assert(takes("matmul/*/b16", id));
    cr_assert(takes("matmul/ti?ed/5[0-9]0/*", id));
    cr_assert(takes("nothing,*/naive/*,*/tiled/*", id));
    cr_assert(takes(",,*/530/*,", id));

    cr_assert(not(takes("nothing", id)));
    cr_assert(not(takes("matmul/tiled", id)));
    cr_assert(not(takes("tiled", id)));
    cr_assert(not(takes("*/53/*", id)));
    cr_assert(not(takes("*/b1", id)));
    cr_assert(not(takes("*/naive/*,transpose/*", id)));
    cr_assert(not(takes(",", id)));
    cr_assert(takes("*/-", "transfers/h2d/768x768/-"));
}

#endif

Test(table, a_table_without_its_functions_is_refused)
{
    kg_comparison table = comparison();

    table.reference = NULL;
    expect_error(&table, "check", "lacks .arguments or .reference");
    table = comparison();
    table.arguments = NULL;
    expect_error(&table, "check", "lacks .arguments or .reference");
    table = comparison();
    table.projection = accept_all;
    expect_error(&table, "check", "a .projection needs .work");
}

Test(table, a_size_of_too_many_numbers_is_refused)
{
    static const kg_size sizes[] = { { KG_MAX_EXTENTS + 1, KG_PURPOSE_CHECK, { 1, 1, 1, 1 } },
                                     KG_END };
    kg_comparison table = comparison();

    table.sizes = sizes;
    expect_error(&table, "check", "a size of 5 numbers, of which 4 fit");
}
