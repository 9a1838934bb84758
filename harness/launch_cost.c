#include "launch_cost.h"

#include <math.h>

/* The costs differ by a third, what one reading of them differs from the next by less than 2 %. */
#define DIFFERS 0.1

void kg__launch_cost_add(kg__launch_cost *seen, double ns)
{
    seen->least_ns = seen->least_ns > 0 ? fmin(seen->least_ns, ns) : ns;
    seen->most_ns = fmax(seen->most_ns, ns);
}

bool kg__launch_cost_is_dear(const kg__launch_cost *seen, double ns)
{
    return seen->least_ns > 0 && ns >= (1 + DIFFERS) * seen->least_ns &&
           ns >= (1 - DIFFERS) * seen->most_ns;
}

bool kg__launch_cost_has_two(const kg__launch_cost *seen)
{
    return kg__launch_cost_is_dear(seen, seen->most_ns);
}

bool kg__launch_cost_holds(kg__launch_cost *seen, double ns)
{
    if (seen->least_ns > 0)
        seen->least_ns = fmin(seen->least_ns, ns);
    return !kg__launch_cost_has_two(seen) || kg__launch_cost_is_dear(seen, ns);
}

bool kg__launch_costs_differ(double one, double other)
{
    return fabs(one / other - 1) > DIFFERS;
}
