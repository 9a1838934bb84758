/* What a part notes once its cases are settled: speedups, and surroundings that differ from the
 * baseline's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/text.h"
#include "gate/part.h"
#include "records/gpu_state.h"
#include "results/results.h"
#include "results/time_result.h"
#include "suite/settings.h"

/* The case of the table's first variant that another is timed beside: that of the same launch where
 * it has several, or NULL. */
static const kg__subject *first_beside(const kg__part_run *run, const kg__subject *fast)
{
    const kg__subject *found = NULL;

    for (size_t i = 0; i < run->count; i++) {
        const kg__subject *other = &run->subjects[i];

        if (other->c->variant != run->comparison->variants ||
            !kg__table_side_by_side(other->c, fast->c))
            continue;
        if (found == NULL || other->c->launch.grid == fast->c->launch.grid)
            found = other;
    }
    return found;
}

/* Prints and notes how many times as fast each variant is as the table's first, by size and launch.
 */
void kg__part_note_speedups(kg__part_run *run)
{
    const kg_variant *first = run->comparison->variants;
    char test[128];
    char path[KG__PATH_SIZE];
    json_t *checks;

    kg__test_name(KG__TARGET_KIND, run->comparison->name, "check", test, sizeof test);
    kg__verdicts_path(run->comparison->home, test, path, sizeof path);
    checks = kg__verdicts_load_json(path, NULL);
    for (size_t i = 0; i < run->count; i++) {
        const kg__subject *fast = &run->subjects[i];
        const kg__subject *slow = first_beside(run, fast);
        char text[3 * KG__CASE_ID_SIZE];
        double hot;
        double cold;

        /* Clocks of different kinds are no pair to compare. */
        if (slow == NULL || fast->c->variant == first ||
            slow->c->variant->clock != fast->c->variant->clock)
            continue;
        hot = kg__speedup(fast->entry, slow->entry, "time_ns");
        cold = kg__speedup(fast->entry, slow->entry, "cold_time_ns");
        if (isnan(hot) || kg__is_disproved_json(checks, fast->c->id) ||
            kg__is_disproved_json(checks, slow->c->id))
            continue;
        kg__format(text, sizeof text, "%s runs at %.2f times the speed of %s", fast->c->id, hot,
                   slow->c->launch.grid == fast->c->launch.grid ? first->name : slow->c->id);
        if (!isnan(cold))
            kg__format(text + strlen(text), sizeof text - strlen(text), " hot, %.2f cold", cold);
        kg__part_add_text(run, "speedups", text);
        if (kg__is_verbose())
            kg__print_verdict(stdout, "speedup", "%-11s  %s\n", run->target.key, text);
    }
    json_decref(checks);
}

/* Equal as figures too: 700 in a file is 700.0 to whoever measures. */
static bool is_same_fact(const json_t *then, const json_t *now_is)
{
    if (json_is_number(then) && json_is_number(now_is))
        return json_number_value(then) == json_number_value(now_is);
    return json_equal(then, now_is);
}

/* Says where this run's surroundings differ from those that the baseline was recorded in. */
void kg__part_note_provenance(kg__part_run *run)
{
    static const char *const facts[] = { "driver", "cuda", "power_limit_w", "ecc" };
    const json_t *here = json_object_get(run->document, "provenance");

    if (run->otherwise[0] != '\0')
        kg__part_add_note(run, run->otherwise);
    for (size_t i = 0; run->has_baseline && i < sizeof facts / sizeof facts[0]; i++) {
        json_t *then = json_object_get(run->baseline.provenance, facts[i]);
        json_t *now_is = json_object_get(here, facts[i]);
        char *before;
        char *after;
        char text[256];

        if (then == NULL || now_is == NULL || is_same_fact(then, now_is))
            continue;
        before = json_dumps(then, JSON_ENCODE_ANY);
        after = json_dumps(now_is, JSON_ENCODE_ANY);
        kg__format(text, sizeof text, "%s: the baseline was recorded with %s %s, this run has %s",
                   run->target.key, facts[i], before, after);
        kg__part_add_note(run, text);
        free(before);
        free(after);
    }
}

void kg__part_note_launch_cost(kg__part_run *run)
{
    size_t timed = 0;
    size_t differing = 0;
    double then = 0;
    double farthest = 0;
    char now_text[KG__FIGURE_SIZE];
    char then_text[KG__FIGURE_SIZE];
    char text[256];

    for (size_t i = 0; i < run->count; i++) {
        const json_t *card = json_object_get(run->subjects[i].entry, "card");
        kg__gpu_state state;
        double now;

        timed += card != NULL;
        (void)kg__gpu_state_read(card, &state, NULL);
        if (!kg__launch_cost_moved(&state, run->baseline.provenance, &now, &then))
            continue;
        differing++;
        if (farthest == 0 || fabs(log(now / then)) > fabs(log(farthest / then)))
            farthest = now;
    }
    if (differing == 0)
        return;
    kg__show_figure(now_text, sizeof now_text, farthest, "ns");
    kg__show_figure(then_text, sizeof then_text, then, "ns");
    kg__format(text, sizeof text,
               "%s: %zu of %zu cases were timed while a launch cost %s, and not %s as when the "
               "baseline was recorded",
               run->target.key, differing, timed, now_text, then_text);
    kg__part_add_note(run, text);
}
