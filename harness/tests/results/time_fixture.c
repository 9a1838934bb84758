/* SPDX-License-Identifier: MIT */
#include "tests/results/time_fixture.h"

#include <criterion/criterion.h>
#include <math.h>

const kg__target target = { .key = "nvidia-fake" };
kg__baseline baseline;

void release(void)
{
    kg__baseline_free(&baseline);
}

kg__baseline_metric *expect_metric(kg__baseline_case *entry, const char *name, double value)
{
    kg__baseline_metric *metric = add_baseline_metric(entry, name);

    metric->value = value;
    metric->band = 0.02;
    metric->floor = KG__TIME_FLOOR_NS;
    return metric;
}

const kg__surroundings quiet = { .sentinel_move = { NAN, NAN, NAN },
                                 .sentinel_limit = { NAN, NAN, NAN } };

kg__observation *make_observation(void)
{
    kg__observation *observation = kg__pool_array(test_pool(), 1, sizeof *observation);

    *observation =
        (kg__observation){ .event = KG__EVENT_MEASURED,
                           .id = ID,
                           .metrics = kg__pool_array(test_pool(), 4, sizeof(kg__figures)) };
    return observation;
}

void add_figures(kg__observation *observation, const char *name, double value, double spread)
{
    observation->metrics[observation->metric_count++] = (kg__figures){ .name = name,
                                                                       .value = value,
                                                                       .low = value * (1 - spread),
                                                                       .high = value * (1 + spread),
                                                                       .clock = "",
                                                                       .samples = 60 };
}

kg__observation *observe(double hot, double cold)
{
    static kg__absence absent[] = { { "cold_time_ns", "too many sets" } };
    kg__observation *observation = make_observation();

    add_figures(observation, "time_ns", hot, 0.001);
    if (cold > 0) {
        add_figures(observation, "cold_time_ns", cold, 0.001);
    } else {
        observation->absent.list = absent;
        observation->absent.count = 1;
    }
    return observation;
}

kg__measurement measure(double hot, double cold)
{
    return (kg__measurement){ observe(hot, cold), quiet };
}

kg__case_result *judge(const kg__observation *observation)
{
    kg__measurement measured = { observation, quiet };

    return kg__time_result(test_pool(), ID, &target, &measured, 1, &baseline);
}

void expect_verdict(const kg__case_result *result, kg__verdict verdict)
{
    cr_assert(result->verdict == verdict, "%s, expected %s: %s", kg__verdict_name(result->verdict),
              kg__verdict_name(verdict), result->why);
}
