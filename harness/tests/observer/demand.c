/* SPDX-License-Identifier: MIT */
/* What a launch needs, by where its arguments are. */
#include "observer/demand.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

/* 4000 bytes read, 8000 read and written, 400 written. */
static kg_arguments make_arguments(void)
{
    kg_arguments arguments = { .count = 0 };

    kg_add_argument(&arguments, KG_INPUT, "from", KG_FLOAT32, 1, 1000);
    kg_add_argument(&arguments, KG_INPUT_OUTPUT, "both", KG_FLOAT32, 2, 1000);
    kg_add_argument(&arguments, KG_OUTPUT, "to", KG_FLOAT32, 1, 100);
    return arguments;
}

Test(demand, bytes_that_cross_the_bus)
{
    static const struct {
        kg_memory memory[3];
        kg_clock clock;
        kg__bus_traffic traffic;
    } rows[] = {
        { { KG_DEVICE, KG_DEVICE, KG_DEVICE }, KG_GRAPH_CLOCK, { 0, 0 } },
        { { KG_PINNED, KG_PINNED, KG_PINNED }, KG_GRAPH_CLOCK, { 12000, 8400 } },
        { { KG_DEVICE, KG_DEVICE, KG_PAGEABLE }, KG_HOST_CLOCK, { 0, 400 } },
        { { KG_PAGEABLE, KG_DEVICE, KG_DEVICE }, KG_HOST_CLOCK, { 4000, 0 } },
        { { KG_MANAGED, KG_MANAGED, KG_MANAGED }, KG_GRAPH_CLOCK, { 0, 0 } },
        { { KG_MANAGED, KG_MANAGED, KG_MANAGED }, KG_FIRST_TOUCH_CLOCK, { 12000, 0 } },
    };
    kg_arguments arguments = make_arguments();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg_variant variant = { .advanced.clock = rows[i].clock };
        kg__bus_traffic traffic;

        for (int j = 0; j < 3; j++)
            variant.advanced.memory[j] = rows[i].memory[j];
        traffic = kg__bus_traffic_of(&variant, &arguments);
        cr_expect(traffic.to_device == rows[i].traffic.to_device &&
                      traffic.to_host == rows[i].traffic.to_host,
                  "row %zu: %g and %g", i, traffic.to_device, traffic.to_host);
        cr_expect(eq(dbl, kg__demand_of(NULL, &variant, &arguments, 0).bus_bytes,
                     traffic.to_device + traffic.to_host));
    }
}

/* 12 400 bytes are touched. */
Test(demand, work_and_caches)
{
    static const struct {
        size_t cache_bytes;
        bool cached;
    } rows[] = { { 0, false }, { 6199, false }, { 6200, true }, { 1 << 20, true } };
    static const kg_work work = { 100, 200 };
    static const kg_variant variant = { .advanced.clock = KG_GRAPH_CLOCK };
    kg_arguments arguments = make_arguments();
    kg__demand demand = kg__demand_of(NULL, &variant, &arguments, 0);

    cr_expect(isnan(demand.operations) && isnan(demand.bytes));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        demand = kg__demand_of(&work, &variant, &arguments, rows[i].cache_bytes);
        cr_expect(demand.operations == 100 && demand.bytes == 200);
        cr_expect(demand.cached == rows[i].cached, "row %zu", i);
    }
}
