/* SPDX-License-Identifier: MIT */
#include "records/figures.h"

#include <math.h>

#include "base/json.h"

static const kg__field figures_fields[] = {
    KG__FIELD(kg__figures, value, "value", NUMBER),
    KG__FIELD(kg__figures, low, "low", NUMBER),
    KG__FIELD(kg__figures, high, "high", NUMBER),
    KG__FIELD(kg__figures, samples, "samples", COUNT),
    KG__FIELD(kg__figures, launches, "launches", COUNT),
    KG__FIELD(kg__figures, clock, "clock", TEXT),
    KG__FIELD(kg__figures, method, "statistic", TEXT),
    KG__FIELD(kg__figures, buffer_sets, "buffer_sets", COUNT),
    KG__FIELD_OF(kg__figures, bound, "bound", kg__bound_names),
    { 0 },
};
const kg__field kg__work_fields[] = {
    KG__FIELD(kg_work, operations, "operations", NUMBER),
    KG__FIELD(kg_work, bytes, "bytes", NUMBER),
    { 0 },
};

json_t *kg__figures_json(const kg__figures *figures)
{
    json_t *object = kg__fields_json(figures_fields, figures);

    kg__json_set_count(object, "value", figures->name, figures->value);
    return object;
}

bool kg__figures_read(const char *name, const json_t *object, kg__figures *figures,
                      kg__error *error)
{
    kg__error fault = { "" };

    *figures = (kg__figures){ .name = name, .value = NAN, .low = NAN, .high = NAN, .clock = "" };
    return kg__fields_read(object, figures_fields, figures, &fault) ||
           kg__fail(error, "%s: %s", name, fault.text);
}
