/* SPDX-License-Identifier: MIT */
#include "tests/fakes/fake_baselines.h"

#include <criterion/criterion.h>

#include "base/message.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/made_baselines.h"

static kg__baseline baseline;

void begin_fake_baselines(void)
{
    baseline.target = (kg__target){ .key = "nvidia-fake",
                                    .name = "NVIDIA Fake",
                                    .compute_capability = "9.0",
                                    .memory_mib = 81920,
                                    .multiprocessors = 132 };
}

void end_fake_baselines(void)
{
    kg__baseline_free(&baseline);
}

static kg__baseline_metric *add_metric(kg__baseline_case *entry, const char *name, double value)
{
    kg__baseline_metric *metric = add_baseline_metric(entry, name);

    metric->value = value;
    metric->band = 0.02;
    metric->floor = 50;
    return metric;
}

static void add_case(const char *id, double hot)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, id);

    entry->commit = "0123456789";
    (void)add_metric(entry, "time_ns", hot);
    (void)add_metric(entry, "cold_time_ns", 1.2 * hot);
}

void store_baseline(void)
{
    add_case("fake/plain/64/b32", 10000);
    add_case("fake/plain/64/b64", 10000);
    add_case("fake/quick/64/b32", 5000);
    add_case("fake/quick/64/b64", 5000);
    (void)add_metric(add_baseline_sentinel(&baseline, "copy"), "time_ns", 100000);
    (void)add_metric(add_baseline_sentinel(&baseline, "fma"), "time_ns", 200000);
    (void)add_metric(add_baseline_sentinel(&baseline, "bus"), "time_ns", 150000);
    write_baseline(at("baselines/nvidia-fake.json"), &baseline);
}
