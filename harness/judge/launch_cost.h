/* The two costs that a launch in a graph has on some GPUs, a third apart, and by which of them a
 * process is timing now (docs/measuring.md). Pure. */
#ifndef KG__JUDGE_LAUNCH_COST_H
#define KG__JUDGE_LAUNCH_COST_H

#include <stdbool.h>

/* What a process has seen of it. Zeroed at first. */
typedef struct kg__launch_cost {
    double low_ns;  /* the least; 0: nothing yet */
    double high_ns; /* the most */
} kg__launch_cost;

/* Takes in what an empty launch cost, the median of several readings. */
void kg__launch_cost_add(kg__launch_cost *cost, double ns);

/* Whether `ns` is the higher of two costs that were seen. */
bool kg__launch_cost_is_high(const kg__launch_cost *cost, double ns);

/* Whether two costs were seen. */
bool kg__launch_cost_has_two(const kg__launch_cost *cost);

/* Takes in a single reading; whether it is the higher cost, or nothing says that there are two.
 * A single reading may be delayed, so it can show a lower cost, but never a higher one. */
bool kg__launch_cost_check(kg__launch_cost *cost, double ns);

/* The higher cost is no longer reached: `ns`, what a launch costs now, replaces it.
 */
void kg__launch_cost_settle_for(kg__launch_cost *cost, double ns);

/* Whether these are two costs, and not one that was read twice. Neither may be 0 or less. */
bool kg__launch_costs_differ(double first, double second);

#endif
