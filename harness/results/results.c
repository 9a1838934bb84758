#include "results/results.h"

#include <string.h>

#include "base/exit_code.h"

kg__results *kg__results_make(kg__pool *pool)
{
    kg__results *results = kg__pool_array(pool, 1, sizeof *results);

    results->pool = pool;
    return results;
}

kg__run_target *kg__results_target(kg__results *results, const char *key)
{
    for (size_t i = 0; i < results->target_count; i++) {
        if (strcmp(results->targets[i].key, key) == 0)
            return &results->targets[i];
    }
    results->targets = kg__pool_grow(results->pool, results->targets, results->target_count,
                                     sizeof *results->targets);
    results->targets[results->target_count] =
        (kg__run_target){ .key = kg__pool_text(results->pool, key) };
    return &results->targets[results->target_count++];
}

void kg__results_add(kg__results *results, kg__remarks *list, kg__remark remark)
{
    list->items = kg__pool_grow(results->pool, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = remark;
}

void kg__results_add_error(kg__results *results, const char *test, const char *why)
{
    kg__results_add(results, &results->errors,
                    (kg__remark){ .target = "",
                                  .test = test != NULL ? kg__pool_text(results->pool, test) : NULL,
                                  .why = kg__pool_text(results->pool, why) });
    results->tally.broken++;
    results->exit_code = KG__EXIT_ERROR;
}

size_t kg__results_judged(const kg__results *results)
{
    size_t judged = 0;

    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        judged += results->tally.verdicts[verdict];
    return judged;
}
