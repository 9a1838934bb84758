/* SPDX-License-Identifier: MIT */
#include "records/sentinel.h"

#include <math.h>

const kg__sentinel_kind kg__sentinel_kinds[KG__SENTINELS] = {
    [KG__COPY_SENTINEL] = { "copy", "bytes", "copy_bytes_per_second" },
    [KG__FMA_SENTINEL] = { "fma", "operations", "operations_per_second" },
    [KG__BUS_SENTINEL] = { "bus", "bytes", "bus_bytes_per_second" },
};

const char *const kg__bound_names[KG__BOUNDS + 1] = {
    [KG__BOUND_UNKNOWN] = "",
    [KG__BOUND_MEMORY] = "memory",
    [KG__BOUND_COMPUTE] = "compute",
    [KG__BOUND_BUS] = "bus",
};

static const kg__bound bounds[KG__SENTINELS] = {
    [KG__COPY_SENTINEL] = KG__BOUND_MEMORY,
    [KG__FMA_SENTINEL] = KG__BOUND_COMPUTE,
    [KG__BUS_SENTINEL] = KG__BOUND_BUS,
};

kg__bound kg__bound_of(const kg__demand *demand, const double per_second[KG__SENTINELS])
{
    bool crosses = demand->bus_bytes > 0;
    /* A copy between host and GPU may leave its operations unknown. */
    const double amounts[KG__SENTINELS] = {
        [KG__COPY_SENTINEL] = crosses && isnan(demand->bytes) ? 0 : demand->bytes,
        [KG__FMA_SENTINEL] = crosses && isnan(demand->operations) ? 0 : demand->operations,
        [KG__BUS_SENTINEL] = demand->bus_bytes,
    };
    double longest = 0;
    double next = 0;
    kg__bound bound = KG__BOUND_UNKNOWN;

    for (int i = 0; i < KG__SENTINELS; i++) {
        double seconds = amounts[i] == 0 ? 0 : amounts[i] / per_second[i];

        if (!isfinite(seconds) || seconds < 0)
            return KG__BOUND_UNKNOWN;
        if (seconds > longest) {
            next = longest;
            longest = seconds;
            bound = bounds[i];
        } else if (seconds > next) {
            next = seconds;
        }
    }
    if (longest < KG__BOUND_MARGIN * next || (bound == KG__BOUND_MEMORY && demand->cached))
        return KG__BOUND_UNKNOWN;
    return bound;
}

bool kg__bound_depends_on(kg__bound bound, kg__sentinel sentinel)
{
    return bound == KG__BOUND_UNKNOWN ? sentinel != KG__BUS_SENTINEL : bounds[sentinel] == bound;
}
