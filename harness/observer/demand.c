/* SPDX-License-Identifier: MIT */
#include "observer/demand.h"

#include <math.h>

#include "device/buffers.h"

/* Returns whether a launch's accesses to an argument cross the bus. */
static bool crosses_bus(const kg_variant *variant, int argument)
{
    switch (variant->advanced.memory[argument]) {
    case KG_PAGEABLE:
    case KG_PINNED:
        return true;
    case KG_MANAGED:
        return variant->advanced.clock == KG_FIRST_TOUCH_CLOCK;
    case KG_DEVICE:
        break;
    }
    return false;
}

kg__bus_traffic kg__bus_traffic_of(const kg_variant *variant, const kg_arguments *arguments)
{
    kg__bus_traffic traffic = { 0, 0 };

    for (int i = 0; i < arguments->count; i++) {
        const kg_argument *argument = &arguments->list[i];
        double bytes = crosses_bus(variant, i) ? (double)kg__argument_bytes(argument) : 0;

        traffic.to_device += kg__is_filled(argument) ? bytes : 0;
        /* Managed memory that a kernel wrote stays on the device. */
        traffic.to_host +=
            kg__is_compared(argument) && variant->advanced.memory[i] != KG_MANAGED ? bytes : 0;
    }
    return traffic;
}

kg__demand kg__demand_of(const kg_work *work, const kg_variant *variant,
                         const kg_arguments *arguments, size_t cache_bytes)
{
    kg__bus_traffic traffic = kg__bus_traffic_of(variant, arguments);
    double touched = 0;

    for (int i = 0; i < arguments->count; i++)
        touched += (double)kg__argument_bytes(&arguments->list[i]);
    return (kg__demand){ .operations = work != NULL ? work->operations : NAN,
                         .bytes = work != NULL ? work->bytes : NAN,
                         .bus_bytes = traffic.to_device + traffic.to_host,
                         .cached = touched <= 2.0 * (double)cache_bytes };
}
