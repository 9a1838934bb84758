#include "table.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

unsigned kg__part_purposes(const char *part)
{
#ifdef KG__TARGET_GPU
    if (strcmp(part, "check") == 0)
        return KG_PURPOSE_CHECK | KG_PURPOSE_TIME;
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

static bool names_are_good(const kg_comparison *comparison, kg__error *error)
{
    if (!name_is_plain(comparison->name))
        return kg__fail(error, "%s: a comparison's name holds a-z, 0-9 and _ alone: rename it",
                        comparison->name);
    if (comparison->variants == NULL || comparison->variants[0].name == NULL)
        return kg__fail(error, "%s: the table has no variant: add a row to its variants",
                        comparison->name);
    for (const kg_variant *variant = comparison->variants; variant->name != NULL; variant++) {
        if (!name_is_plain(variant->name) || variant->launch == NULL)
            return kg__fail(error,
                            "%s/%s: a variant has a launcher and a name of a-z, 0-9 and _ alone: "
                            "mend its row",
                            comparison->name, variant->name);
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

static bool ids_are_unique(const kg__case_list *cases, kg__error *error)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (kg__table_find(cases, cases->list[i].id) != &cases->list[i])
            return kg__fail(error, "%s: stands twice in the table: remove one of the two",
                            cases->list[i].id);
    }
    return true;
}

bool kg__table_expand(const kg_comparison *comparison, const char *part, kg__case_list *cases,
                      kg__error *error)
{
    static const kg_launch none[] = { { 0, 0 }, { 0, 0 } };
    const kg_launch *launches = comparison->launches != NULL ? comparison->launches : none;
    unsigned purposes = kg__part_purposes(part);
    size_t room = 0;

    *cases = (kg__case_list){ 0 };
    if (!names_are_good(comparison, error))
        return false;
    if (purposes == 0)
        return kg__fail(error, "%s: this target has no part %s", comparison->name, part);
    for (const kg_size *size = comparison->sizes; size->extents != 0; size++) {
        if ((size->purpose & purposes) == 0)
            continue;
        for (const kg_launch *launch = launches; launch == none || launch->block != 0; launch++) {
            for (const kg_variant *variant = comparison->variants; variant->name != NULL;
                 variant++) {
                cases->list = kg__grow(cases->list, cases->count, &room, sizeof *cases->list);
                cases->list[cases->count] =
                    (kg__case){ .variant = variant, .size = size, .launch = *launch };
                name_case(comparison, &cases->list[cases->count]);
                cases->count++;
            }
            if (launch == none)
                break;
        }
    }
    return ids_are_unique(cases, error);
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
        if (one->size->extent[i] <= 0)
            return "a size below 1 leaves nothing to compute";
    }
    if (comparison->refuses == NULL)
        return NULL;
    return comparison->refuses(one->variant, one->size, &one->launch);
}

bool kg__filter_takes(const char *id)
{
    const char *filter = getenv("KG_FILTER");
    char *globs;
    char *rest;
    bool taken = false;

    if (filter == NULL || filter[0] == '\0')
        return true;
    globs = kg__copy_text(filter);
    for (char *glob = strtok_r(globs, ",", &rest); glob != NULL && !taken;
         glob = strtok_r(NULL, ",", &rest))
        taken = fnmatch(glob, id, 0) == 0;
    free(globs);
    return taken;
}

void kg__case_list_free(kg__case_list *cases)
{
    free(cases->list);
    *cases = (kg__case_list){ 0 };
}
