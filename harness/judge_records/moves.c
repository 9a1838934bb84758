/* SPDX-License-Identifier: MIT */
#include "judge_records/judges.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "judge/judge.h"
#include "judge_records/judge_each.h"
#include "results/judgment_text.h"

/* The bound of a name; unknown for another name. */
static kg__bound find_bound(const char *name)
{
    kg__bound bound = KG__BOUNDS;

    while (--bound > KG__BOUND_UNKNOWN && strcmp(kg__bound_names[bound], name) != 0)
        ;
    return bound;
}

/* A judgment of one move; NULL with `error` where it has another form. */
static json_t *judgment_of_move(const json_t *figures, json_t *move, json_error_t *error)
{
    kg__interval observed = { .high = INFINITY };
    kg__expectation expectation = { 0 };
    kg__surroundings surroundings = { 0 };
    const char *bound = "";
    const char *unit;
    int gated;
    int same_code;
    int kept = false;
    double sentinel_limit;
    kg__judgment judgment;
    char why[KG__JUDGMENT_TEXT_SIZE];
    json_t *object;

    (void)figures;
    if (json_unpack_ex(move, error, JSON_STRICT,
                       "{s:s, s:F, s:F, s?F, s:F, s:F, s:F, s:b, s:b, s:i, s:[FFF], s:F, s?s, s?b}",
                       "unit", &unit, "value", &observed.value, "low", &observed.low, "high",
                       &observed.high, "baseline", &expectation.value, "band", &expectation.band,
                       "floor", &expectation.floor, "gated", &gated, "same_code", &same_code,
                       "foreign_processes", &surroundings.foreign_processes, "sentinel_moves",
                       &surroundings.sentinel_move[0], &surroundings.sentinel_move[1],
                       &surroundings.sentinel_move[2], "sentinel_limit", &sentinel_limit, "bound",
                       &bound, "kept", &kept) != 0)
        return NULL;
    for (int i = 0; i < KG__SENTINELS; i++)
        surroundings.sentinel_limit[i] = sentinel_limit;
    surroundings.bound = find_bound(bound);
    surroundings.same_code = same_code != 0;
    expectation.gated = gated != 0;
    judgment = kg__judge(&observed, &expectation, &surroundings, *unit != '\0');
    if (kept)
        kg__judge_kept(&judgment);
    kg__judgment_text(why, sizeof why, &judgment, unit);
    object = json_pack("{s:s, s:s}", "verdict", kg__verdict_name(judgment.verdict), "why", why);
    kg__json_set_finite(object, "smallest", judgment.smallest);
    return object;
}

json_t *kg__judge_moves(const kg__judged_file *file, kg__error *error)
{
    return kg__judge_each(file, "moves", "judgments", judgment_of_move, error);
}
