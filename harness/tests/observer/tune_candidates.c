/* SPDX-License-Identifier: MIT */
/* Candidates: which launches a tuning tries, and the cases that are made from their ids. */

/* Functions take what those take that they stand in for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "observer/tune_candidates.h"
#include "tests/fakes/idle_callbacks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static kg__error error;

/* What the room asks of a device, for the program's option alone. */
kg__device_status kg__device_open(kg__device_description *description, kg__error *why)
{
    kg__fail(why, "no device in this test");
    return KG__DEVICE_ABSENT;
}

kg__limits kg__device_limits(void)
{
    return (kg__limits){ 0 };
}

static const kg__limits limits = { .multiprocessors = 10,
                                   .threads_per_block = 128,
                                   .threads_per_multiprocessor = 1024 };

static cudaError_t launch(const kg_call *call)
{
    return cudaSuccess;
}

/* Pairs in, one number each out: 2 n elements read, n written. */
static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "from", KG_FLOAT32, kg_extent(size, 0), 2);
    kg_add_argument(list, KG_OUTPUT, "to", KG_FLOAT32, 1, kg_extent(size, 0));
}

void kg_add_argument(kg_arguments *list, kg_role role, const char *name, kg_type type, int64_t rows,
                     int64_t columns)
{
    list->list[list->count++] = (kg_argument){ name, role, type, (size_t)rows, (size_t)columns };
}

static const kg_launch own_launches[] = { KG_LAUNCH(16), KG_LAUNCH(64), KG_LAUNCH(256), KG_END };
static const kg_launch grids[] = { KG_LAUNCH(128, 3), KG_LAUNCH(32, 5000), KG_END };
static const kg_variant plain[] = { KG_VARIANT("plain", launch, ""), KG_END };
static const kg_variant strided[] = { KG_VARIANT("strided", launch, "", .launches = grids),
                                      KG_END };
static const kg_size sizes[] = { KG_CHECKED(5), KG_TIMED(1000), KG_COUNTED(7), KG_END };

static kg_comparison table = { .name = "pairs",
                               .variants = plain,
                               .sizes = sizes,
                               .launches = own_launches,
                               .arguments = arguments,
                               .reference = no_reference };

/* The ids of the candidates, without "pairs/", each behind a space; good until the next call. */
static char *ids_of(size_t *refused)
{
    kg__tune_candidates candidates;
    static char ids[65536];

    cr_assert(kg__tune_candidates_make(&table, &limits, &candidates, &error), "%s", error.text);
    ids[0] = '\0';
    for (size_t i = 0; i < candidates.cases.count; i++)
        kg__append(ids, sizeof ids, " %s", candidates.cases.list[i].id + strlen("pairs/"));
    if (refused != NULL)
        *refused = candidates.refused.count;
    kg__tune_candidates_free(&candidates);
    return ids;
}

static void expect_candidates(const char *expected)
{
    cr_expect(eq(str, ids_of(NULL), (char *)expected));
}

/* Timed sizes alone; the table's own launches even where they are not warps, or more than the
 * device takes, which it says itself. */
Test(tune_candidates, threads_per_block)
{
    expect_candidates(" plain/1000/b16 plain/1000/b32 plain/1000/b64 plain/1000/b96"
                      " plain/1000/b128 plain/1000/b256");
}

Test(tune_candidates, edges)
{
    static const kg_launch edges[] = { KG_LAUNCH(5), KG_LAUNCH(8), KG_END };
    table.axes[0] = "b";
    table.advanced.ranges[0] = (kg_range){ 2, 9, 0 };
    table.launches = edges;
    expect_candidates(" plain/1000/b2 plain/1000/b4 plain/1000/b5 plain/1000/b8");
    table.advanced.ranges[0] = (kg_range){ 2, 9, 3 };
    expect_candidates(" plain/1000/b2 plain/1000/b5 plain/1000/b8");
}

/* Every combination of what the rows and the ranges have of each axis; an axis that no row has a
 * value of is left out. */
Test(tune_candidates, axes_of_ones_own)
{
    static const kg_launch tiles[] = { KG_LAUNCH(128, 64, 16), KG_LAUNCH(64, 64, 8), KG_END };
    static const kg_launch wide[] = { KG_LAUNCH(4096), KG_END };
    table.axes[0] = "bm";
    table.axes[1] = "bn";
    table.axes[2] = "bk";
    table.launches = tiles;
    expect_candidates(" plain/1000/bm64bn64bk8 plain/1000/bm64bn64bk16"
                      " plain/1000/bm128bn64bk8 plain/1000/bm128bn64bk16");
    table.launches = wide;
    table.advanced.ranges[1] = (kg_range){ 1, 64, 1 };
    expect_candidates(" plain/1000/bm4096");
}

/* 1000 outputs are 32 blocks of 32 threads, 16 of 64, 11 of 96, 8 of 128; 10 multiprocessors. */
Test(tune_candidates, grids)
{
    table.variants = strided;
    expect_candidates(" strided/1000/b32g1 strided/1000/b32g2 strided/1000/b32g4"
                      " strided/1000/b32g8 strided/1000/b32g10 strided/1000/b32g16"
                      " strided/1000/b32g20 strided/1000/b32g32 strided/1000/b32g5000"
                      " strided/1000/b64g1 strided/1000/b64g2 strided/1000/b64g4"
                      " strided/1000/b64g8 strided/1000/b64g10 strided/1000/b64g16"
                      " strided/1000/b96g1 strided/1000/b96g2 strided/1000/b96g4"
                      " strided/1000/b96g8 strided/1000/b96g10 strided/1000/b96g11"
                      " strided/1000/b128g1 strided/1000/b128g2 strided/1000/b128g3"
                      " strided/1000/b128g4 strided/1000/b128g8");
}

/* As many blocks as a launch can name, and no more. */
Test(tune_candidates, grids_of_a_huge_size)
{
    static const kg_size huge[] = { KG_TIMED(1LL << 50), KG_END };
    char *ids;

    table.variants = strided;
    table.sizes = huge;
    ids = ids_of(NULL);
    cr_expect(strstr(ids, "b32g2147483647 ") != NULL);
    cr_expect(strstr(ids, "b32g1073741824 ") != NULL);
    cr_expect(strstr(ids, "b32g-") == NULL);
}

Test(tune_candidates, without_launches)
{
    table.launches = NULL;
    expect_candidates(" plain/1000/-");
}

/* What has a clock of its own is not raced, and not multiplied. */
Test(tune_candidates, of_another_clock)
{
    static const kg_variant rows[] = {
        KG_VARIANT("touched", launch, "", .advanced.clock = KG_FIRST_TOUCH_CLOCK),
        KG_VARIANT("untimed", launch, "", .advanced.not_for = KG_PURPOSE_TIME),
        KG_END,
    };

    table.variants = rows;
    expect_candidates(" touched/1000/b16");
}

static const char *refuse_odd(const kg_variant *variant, const kg_size *size,
                              const kg_launch *wanted)
{
    return wanted->axis[0] % 64 != 0 ? "no multiple of 64" : NULL;
}

static const char *refuse_all(const kg_variant *variant, const kg_size *size,
                              const kg_launch *wanted)
{
    return "unlucky";
}

/* Where the table's first launch is refused, its own rows alone are tried. */
Test(tune_candidates, refusals)
{
    static const kg_launch even[] = { KG_LAUNCH(64), KG_END };
    size_t refused;

    table.launches = even;
    table.refuses = refuse_odd;
    cr_expect(eq(str, ids_of(&refused), " plain/1000/b64 plain/1000/b128"));
    cr_expect(eq(sz, refused, 2));
    table.launches = own_launches;
    table.refuses = refuse_all;
    cr_expect(eq(str, ids_of(&refused), ""));
    cr_expect(eq(sz, refused, 3));
}

Test(tune_candidates, the_filter)
{
    setenv("KG_FILTER", "*/b64,*/b16", 1);
    expect_candidates(" plain/1000/b16 plain/1000/b64");
    setenv("KG_FILTER", "nothing", 1);
    expect_candidates("");
}

Test(tune_candidates, of_a_wrong_table)
{
    kg__tune_candidates candidates;

    table.reference = NULL;
    cr_assert(not(kg__tune_candidates_make(&table, &limits, &candidates, &error)));
    cr_expect(strstr(error.text, "lacks .arguments or .reference") != NULL);
    kg__tune_candidates_free(&candidates);
}

/* The option, where there is no device. */
Test(tune_candidates, the_option)
{
    cr_expect(eq(int, kg__print_tune_candidates(&table), 77));
}

/* Every candidate's id makes its case again. */
Test(tune_candidates, parse_what_they_are)
{
    static const kg_variant rows[] = { KG_VARIANT("plain", launch, ""),
                                       KG_VARIANT("strided", launch, "", .launches = grids),
                                       KG_END };
    kg__tune_candidates candidates;

    table.variants = rows;
    cr_assert(kg__tune_candidates_make(&table, &limits, &candidates, &error));
    cr_assert(candidates.cases.count > 20);
    for (size_t i = 0; i < candidates.cases.count; i++) {
        const kg__case *made = &candidates.cases.list[i];
        kg__case one;

        cr_assert(kg__table_parse(&table, made->id, &one, &error), "%s", error.text);
        cr_expect(eq(str, one.id, (char *)made->id));
        cr_expect(one.variant == made->variant && one.size == made->size);
        cr_expect(one.launch.axis[0] == made->launch.axis[0] &&
                  one.launch.axis[1] == made->launch.axis[1]);
    }
    kg__tune_candidates_free(&candidates);
}

static void expect_parsed(const char *id, int block, int grid)
{
    kg__case one;

    cr_assert(kg__table_parse(&table, id, &one, &error), "%s", error.text);
    cr_expect(eq(int, one.launch.axis[0], block));
    cr_expect(eq(int, one.launch.axis[1], grid));
}

static void expect_refused(const char *id, const char *text)
{
    kg__case one;

    cr_assert(not(kg__table_parse(&table, id, &one, &error)), "%s", id);
    cr_expect(strstr(error.text, text) != NULL, "\"%s\" is not in \"%s\"", text, error.text);
}

Test(tune_candidates, ids_of_launches_beyond_the_table)
{
    static const kg_size rows[] = { KG_TIMED(31, 33, 17), KG_CHECKED(8), KG_END };

    table.variants = strided;
    expect_parsed("pairs/strided/1000/b1g1", 1, 1);
    table.variants = plain;
    table.sizes = rows;
    expect_parsed("pairs/plain/31x33x17/b7", 7, 0);
    expect_parsed("pairs/plain/8/b2147483647", 2147483647, 0);
    table.launches = NULL;
    expect_parsed("pairs/plain/8/-", 0, 0);
    expect_refused("pairs/plain/8/b32", "another form");
}

Test(tune_candidates, ids_that_make_no_case)
{
    /* The forms that are none: case_ids.jsonl. */
    static const char *const broken[] = {
        "pairs",
        "pairs/plain/1000",
        "pairs/plain/1000/b0",
        "pairs/plain/1000/b8x8",
        "pairs/plain/1000/b2147483648",
        "pairs/plain/1000/16",
    };

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        expect_refused(broken[i], i == 0 ? "no case of the comparison pairs" : "no ");
    expect_refused("", "no case of the comparison pairs");
    expect_refused("pairs2/plain/1000/b16", "no case of the comparison pairs");
    expect_refused("pairs/plai/1000/b16", "no variant of this name");
    expect_refused("pairs/plainer/1000/b16", "no variant of this name");
    expect_refused("pairs/plain/1001/b16", "no such size");
    expect_refused("pairs/plain/01000/b16", "no such size");
    expect_refused("pairs/plain/1000/b16g4", "another form");
    expect_refused("pairs/plain/1000/-", "another form");
    table.variants = strided;
    expect_refused("pairs/strided/1000/b16", "another form");
}
