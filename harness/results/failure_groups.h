/* Cases that failed for the same reason: one mistake in a kernel fails a variant at every size and
 * launch, and is reported once. */
#ifndef KG__RESULTS_FAILURE_GROUPS_H
#define KG__RESULTS_FAILURE_GROUPS_H

#include <stddef.h>

#include "base/pool.h"
#include "results/case_result.h"

/* Cases of a variant on a target with the same verdict that failed alike; the first one speaks for
 * the others. */
typedef struct kg__failure_group {
    kg__case_result **cases;
    size_t count;
} kg__failure_group;

typedef struct kg__failure_groups {
    kg__failure_group *items;
    size_t count;
} kg__failure_groups;

/* The groups of two or more cases, in the pool, in the order of their first cases. */
kg__failure_groups kg__failure_groups_make(kg__pool *pool, kg__case_result *const *cases,
                                           size_t count);

#endif
