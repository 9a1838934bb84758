#include "judge_records/launches.h"

#include <limits.h>

#include "judge_records/occupancy_limits.h"

/* A figure as an int; one that no kernel can have stays so. */
static int read_figure(const json_t *launch, size_t index)
{
    json_int_t figure = json_integer_value(json_array_get(launch, index));

    return figure < 0 ? -1 : figure > INT_MAX ? INT_MAX : (int)figure;
}

static json_t *calculate(const json_t *launch)
{
    const kg__kernel_needs needs = { .registers = read_figure(launch, 1),
                                     .static_shared = (size_t)read_figure(launch, 2),
                                     .dynamic_shared = (size_t)read_figure(launch, 3),
                                     .threads = read_figure(launch, 4) };
    kg__occupancy occupancy;
    kg__error error = { "" };
    json_t *limits;

    if (!kg__calculate_occupancy(read_figure(launch, 0), &needs, &occupancy, &error))
        return json_pack("{s:s}", "why", error.text);
    limits = json_array();
    for (size_t i = 0; i < occupancy.limit_count; i++)
        json_array_append_new(limits, json_string(occupancy.limits[i]));
    return json_pack("{s:i, s:i, s:f, s:o}", "blocks", occupancy.blocks, "warps", occupancy.warps,
                     "occupancy", occupancy.fraction, "limited_by", limits);
}

json_t *kg__judge_launches(const char *path, json_t *document, kg__error *error)
{
    const json_t *launches = json_object_get(document, "launches");
    json_t *occupancies = kg__has_occupancy_calculator() ? json_array() : json_null();
    const json_t *launch;
    size_t i;

    if (!json_is_array(launches)) {
        kg__fail(error, "%s: it has no list of launches: install kernelgate again", path);
        json_decref(occupancies);
        return NULL;
    }
    json_array_foreach (launches, i, launch)
        json_array_append_new(occupancies, calculate(launch));
    return json_pack("{s:o}", "occupancies", occupancies);
}
