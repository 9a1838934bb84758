/* SPDX-License-Identifier: MIT */
#include "judge/launch_cost.h"

#include <math.h>

/* The two costs differ by a third, and readings of one cost by less than 2 %. */
#define DIFFERS 0.1

void kg__launch_cost_add(kg__launch_cost *cost, double ns)
{
    cost->low_ns = cost->low_ns > 0 ? fmin(cost->low_ns, ns) : ns;
    cost->high_ns = fmax(cost->high_ns, ns);
}

bool kg__launch_cost_is_high(const kg__launch_cost *cost, double ns)
{
    return cost->low_ns > 0 && ns >= (1 + DIFFERS) * cost->low_ns &&
           ns >= (1 - DIFFERS) * cost->high_ns;
}

bool kg__launch_cost_has_two(const kg__launch_cost *cost)
{
    return kg__launch_cost_is_high(cost, cost->high_ns);
}

bool kg__launch_cost_check(kg__launch_cost *cost, double ns)
{
    if (cost->low_ns > 0)
        cost->low_ns = fmin(cost->low_ns, ns);
    return !kg__launch_cost_has_two(cost) || kg__launch_cost_is_high(cost, ns);
}

void kg__launch_cost_settle_for(kg__launch_cost *cost, double ns)
{
    cost->high_ns = ns;
}

bool kg__launch_costs_differ(double first, double second)
{
    return fmax(first, second) > (1 + DIFFERS) * fmin(first, second);
}
