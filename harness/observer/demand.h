/* SPDX-License-Identifier: MIT */
/* The demands of a case's launch on the GPU, from its table alone. */
#pragma once

#include <kernelgate/kernelgate.h>
#include <stddef.h>

#include "records/sentinel.h"

/* Bytes that cross the bus in each launch. */
typedef struct kg__bus_traffic {
    double to_device;
    double to_host;
} kg__bus_traffic;

/* Returns the bus traffic of a variant's arguments, by their kinds of memory. */
kg__bus_traffic kg__bus_traffic_of(const kg_variant *variant, const kg_arguments *arguments);

/* Returns the demands of a launch from the work of its case (NULL: unknown). A cache of
 * `cache_bytes` (0: none, or cold) holds the data of the previous launch. */
kg__demand kg__demand_of(const kg_work *work, const kg_variant *variant,
                         const kg_arguments *arguments, size_t cache_bytes);
