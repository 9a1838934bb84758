#include "results/failure_groups.h"

#include <stdlib.h>

#include "base/index.h"
#include "results/failure_group.h"

/* The group of a case while groups are found; NULL for one that has no group. */
static kg__failure_group *find_group(kg__pool *pool, kg__index *groups,
                                     const kg__case_result *result)
{
    char *key = kg__failure_group_key(result);
    kg__failure_group *group = key != NULL ? kg__index_find(groups, key) : NULL;

    if (key != NULL && group == NULL) {
        group = kg__pool_array(pool, 1, sizeof *group);
        kg__index_set(pool, groups, key, group);
    }
    free(key);
    return group;
}

kg__failure_groups kg__failure_groups_make(kg__pool *pool, kg__case_result *const *cases,
                                           size_t count)
{
    kg__index by_key = { 0 };
    kg__failure_groups groups = { 0 };

    for (size_t i = 0; i < count; i++) {
        kg__failure_group *group = find_group(pool, &by_key, cases[i]);

        if (group == NULL)
            continue;
        group->cases = kg__pool_grow(pool, group->cases, group->count, sizeof(kg__case_result *));
        group->cases[group->count++] = cases[i];
    }
    groups.items = kg__pool_array(pool, by_key.count, sizeof *groups.items);
    for (size_t i = 0; i < by_key.count; i++) {
        const kg__failure_group *group = by_key.entries[i].thing;

        if (group->count > 1)
            groups.items[groups.count++] = *group;
    }
    return groups;
}
