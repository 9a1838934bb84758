#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

unsigned kg__part_purposes(const char *part)
{
#ifdef KG__TARGET_GPU
    /* What is only timed is checked by part time, before and after. */
    if (strcmp(part, "check") == 0)
        return KG_PURPOSE_CHECK;
    if (strcmp(part, "time") == 0)
        return KG_PURPOSE_TIME;
    if (strcmp(part, "launch") == 0)
        return KG_PURPOSE_COUNT;
#else
    if (strcmp(part, "check") == 0)
        return KG_PURPOSE_CHECK | KG_PURPOSE_COUNT;
    if (strcmp(part, "count") == 0)
        return KG_PURPOSE_COUNT;
#endif
    return 0;
}

static bool name_is_plain(const char *name)
{
    return name[0] != '\0' && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static size_t append(char *id, size_t length, const char *text)
{
    kg__format(id + length, KG__CASE_ID_SIZE - length, "%s", text);
    return strlen(id);
}

static void name_case(const kg_comparison *comparison, kg__case *one)
{
    char number[32];
    size_t length = append(one->id, 0, comparison->name);

    length = append(one->id, length, "/");
    length = append(one->id, length, one->variant->name);
    for (int i = 0; i < one->size->extents; i++) {
        kg__format(number, sizeof number, "%s%" PRId64, i == 0 ? "/" : "x", one->size->extent[i]);
        length = append(one->id, length, number);
    }
    if (one->launch.block == 0) {
        append(one->id, length, "/-");
        return;
    }
    kg__format(number, sizeof number, "/b%d", one->launch.block);
    length = append(one->id, length, number);
    if (one->launch.grid != 0) {
        kg__format(number, sizeof number, "g%d", one->launch.grid);
        append(one->id, length, number);
    }
}

static bool variant_is_good(const kg_comparison *comparison, const kg_variant *variant,
                            kg__error *error)
{
    return (name_is_plain(variant->name) && variant->launch != NULL) ||
           kg__fail(error,
                    "%s/%s: a variant has a launcher and a name of a-z, 0-9 and _ alone: mend its "
                    "row",
                    comparison->name, variant->name);
}

static bool names_are_good(const kg_comparison *comparison, kg__error *error)
{
    if (!name_is_plain(comparison->name))
        return kg__fail(error, "%s: a comparison's name holds a-z, 0-9 and _ alone: rename it",
                        comparison->name);
    if (comparison->variants == NULL || comparison->variants[0].name == NULL)
        return kg__fail(error, "%s: the table has no variant: add a row to its variants",
                        comparison->name);
    for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
        if (!variant_is_good(comparison, variant, error))
            return false;
    }
    for (const kg_defect *defect = kg__table_defects(); defect->variant.name != NULL; defect++) {
        if (!variant_is_good(comparison, &defect->variant, error))
            return false;
    }
    if (comparison->arguments == NULL || comparison->reference == NULL)
        return kg__fail(error, "%s: the table lacks .arguments or .reference: add them",
                        comparison->name);
    if (comparison->projection != NULL && comparison->work == NULL)
        return kg__fail(error, "%s: a .projection needs .work, which says where it is due: add it",
                        comparison->name);
    if (comparison->sizes == NULL || comparison->sizes[0].extents == 0)
        return kg__fail(error, "%s: the table has no size: add one to its sizes", comparison->name);
    for (const kg_size *size = comparison->sizes; size->extents != 0; size++) {
        if (size->extents > KG_MAX_EXTENTS)
            return kg__fail(error, "%s: a size of %d numbers, of which %d fit: write fewer",
                            comparison->name, size->extents, KG_MAX_EXTENTS);
    }
    return true;
}

/* A list that grows by a case at a time. */
typedef struct expansion {
    const kg_comparison *comparison;
    kg__case_list *cases;
    size_t room;
} expansion;

static void add_case(expansion *into, const kg_variant *variant, const kg_size *size,
                     kg_launch launch)
{
    kg__case_list *cases = into->cases;

    cases->list = kg__grow(cases->list, cases->count, &into->room, sizeof *cases->list);
    cases->list[cases->count] =
        (kg__case){ .variant = variant, .size = size, .launch = launch, .id = "" };
    name_case(into->comparison, &cases->list[cases->count]);
    cases->count++;
}

static const kg_launch *launches_of(const kg_comparison *comparison, const kg_variant *variant)
{
    static const kg_launch none[] = { { 0, 0 }, { -1, 0 } };

    return variant->launches != NULL      ? variant->launches
           : comparison->launches != NULL ? comparison->launches
                                          : none;
}

/* Whether launch number `index` of a list is there: a list of no launch holds one, "-". */
static bool has_launch(const kg_launch *launches, size_t index)
{
    return index == 0 ? launches[0].block >= 0 : launches[index].block > 0;
}

/* Whether a block size stood in an earlier launch of the variant's own list or of another variant
 * before it: then the cases with it are in the list already. */
static bool block_is_told(const kg_comparison *comparison, const kg_variant *last, size_t index,
                          int block)
{
    for (const kg_variant *variant = comparison->variants; variant <= last; variant++) {
        const kg_launch *launches = launches_of(comparison, variant);

        for (size_t i = 0; has_launch(launches, i) && (variant < last || i < index); i++) {
            if (launches[i].block == block)
                return true;
        }
    }
    return false;
}

/* Adds every variant's cases of one size and number of threads a block. */
static void add_block(expansion *into, const kg_size *size, int block, unsigned purpose)
{
    const kg_comparison *comparison = into->comparison;

    for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
        const kg_launch *launches = launches_of(comparison, variant);

        if ((size->purpose & purpose & ~variant->not_for) == 0)
            continue;
        for (size_t i = 0; has_launch(launches, i); i++) {
            if (launches[i].block == block)
                add_case(into, variant, size, launches[i]);
        }
    }
}

static void add_size(expansion *into, const kg_size *size, unsigned purposes)
{
    const kg_comparison *comparison = into->comparison;

    for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
        const kg_launch *launches = launches_of(comparison, variant);

        for (size_t i = 0; has_launch(launches, i); i++) {
            if (!block_is_told(comparison, variant, i, launches[i].block))
                add_block(into, size, launches[i].block, purposes);
        }
    }
}

static void add_defects(expansion *into)
{
    for (const kg_defect *defect = kg__table_defects(); defect->variant.name != NULL; defect++)
        add_case(into, &defect->variant, &defect->size, defect->launch);
}

static bool ids_are_unique(const kg__case_list *cases, kg__error *error)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (kg__table_find(cases, cases->list[i].id) != &cases->list[i])
            return kg__fail(error, "%s: stands twice in the table: remove one of the two",
                            cases->list[i].id);
    }
    return true;
}

const kg_defect *kg__table_defects(void)
{
    static const kg_defect none;

    return &kg__defects != NULL ? kg__defects : &none;
}

bool kg__table_expand(const kg_comparison *comparison, const char *part, kg__case_list *cases,
                      kg__error *error)
{
    expansion into = { comparison, cases, 0 };
    unsigned purposes = kg__part_purposes(part);

    *cases = (kg__case_list){ 0 };
    if (!names_are_good(comparison, error))
        return false;
    if (strcmp(part, "defects") == 0) {
        add_defects(&into);
        return ids_are_unique(cases, error);
    }
    if (purposes == 0)
        return kg__fail(error, "%s: this target has no part %s", comparison->name, part);
    for (const kg_size *size = comparison->sizes; size->extents != 0; size++) {
        if ((size->purpose & purposes) != 0)
            add_size(&into, size, purposes);
    }
    return ids_are_unique(cases, error);
}

bool kg__table_side_by_side(const kg__case *one, const kg__case *other)
{
    return one->size == other->size && one->launch.block == other->launch.block;
}

const kg__case *kg__table_find(const kg__case_list *cases, const char *id)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (strcmp(cases->list[i].id, id) == 0)
            return &cases->list[i];
    }
    return NULL;
}

const char *kg__case_refusal(const kg_comparison *comparison, const kg__case *one)
{
    for (int i = 0; i < one->size->extents; i++) {
        if (one->size->extent[i] < 0 || (one->size->extent[i] == 0 && !comparison->takes_zero))
            return "a size below 1 leaves nothing to compute";
    }
    if (comparison->refuses == NULL)
        return NULL;
    return comparison->refuses(one->variant, one->size, &one->launch);
}

void kg__case_list_free(kg__case_list *cases)
{
    free(cases->list);
    *cases = (kg__case_list){ 0 };
}
