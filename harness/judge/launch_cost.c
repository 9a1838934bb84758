#include "judge/launch_cost.h"

#include <math.h>

/* The costs differ by a third, what one reading of them differs from the next by less than 2 %. */
#define DIFFERS 0.1

void kg__launch_cost_add(kg__launch_cost *seen, double ns)
{
    seen->cheap_ns = seen->cheap_ns > 0 ? fmin(seen->cheap_ns, ns) : ns;
    seen->dear_ns = fmax(seen->dear_ns, ns);
}

bool kg__launch_cost_is_dear(const kg__launch_cost *seen, double ns)
{
    return seen->cheap_ns > 0 && ns >= (1 + DIFFERS) * seen->cheap_ns &&
           ns >= (1 - DIFFERS) * seen->dear_ns;
}

bool kg__launch_cost_has_two(const kg__launch_cost *seen)
{
    return kg__launch_cost_is_dear(seen, seen->dear_ns);
}

bool kg__launch_cost_check(kg__launch_cost *seen, double ns)
{
    if (seen->cheap_ns > 0)
        seen->cheap_ns = fmin(seen->cheap_ns, ns);
    return !kg__launch_cost_has_two(seen) || kg__launch_cost_is_dear(seen, ns);
}

void kg__launch_cost_settle_for(kg__launch_cost *seen, double ns)
{
    seen->dear_ns = ns;
}

bool kg__launch_costs_differ(double one, double other)
{
    return fmax(one, other) > (1 + DIFFERS) * fmin(one, other);
}
