/* The GPU's limits that a launch of a case needs, by its table alone. */
#ifndef KG__OBSERVER_DEMAND_H
#define KG__OBSERVER_DEMAND_H

#include <kernelgate/kernelgate.h>
#include <stddef.h>

#include "records/sentinel.h"
#include "suite/work.h"

/* Bytes that cross the bus at each launch. */
typedef struct kg__bus_traffic {
    double to_device;
    double to_host;
} kg__bus_traffic;

/* Those of a variant's arguments, by the memory that they are in. */
kg__bus_traffic kg__bus_traffic_of(const kg_variant *variant, const kg_arguments *arguments);

/* What a launch needs, by the work of its case (NULL: the comparison does not say), where a cache
 * of `cache_bytes` (0: none, or cold) holds what the launch before has touched. */
kg__demand kg__demand_of(const kg__work *work, const kg_variant *variant,
                         const kg_arguments *arguments, size_t cache_bytes);

#endif
