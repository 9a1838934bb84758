#include "tests/fakes/fake_baselines.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/message.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/made_baselines.h"

kg__baseline baseline;
kg__baseline counts;

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
    kg__baseline_free(&counts);
}

static kg__baseline_metric *add_metric(kg__baseline_case *entry, const char *name, double value)
{
    double sessions[5] = { value, value, value, value, value };
    kg__baseline_metric *metric = add_baseline_metric(entry, name);

    metric->value = value;
    metric->band = 0.02;
    metric->floor = 50;
    set_baseline_sessions(metric, sessions, 5);
    return metric;
}

void add_case(const char *id, double hot)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, id);

    free(entry->commit);
    entry->commit = kg__copy_text("0123456789");
    (void)add_metric(entry, "time_ns", hot);
    (void)add_metric(entry, "cold_time_ns", 1.2 * hot);
}

void save_baseline(void)
{
    write_baseline(at("baselines/nvidia-fake.json"), &baseline);
}

void store_baseline(void)
{
    add_case("fake/plain/64/b32", 10000);
    add_case("fake/plain/64/b64", 10000);
    add_case("fake/quick/64/b32", 5000);
    add_case("fake/quick/64/b64", 5000);
    (void)add_metric(add_baseline_sentinel(&baseline, "copy"), "time_ns", 100000);
    (void)add_metric(add_baseline_sentinel(&baseline, "fma"), "time_ns", 200000);
    save_baseline();
}

void save_counts(void)
{
    write_baseline(at("baselines/cpu-model.json"), &counts);
}

static kg__lines *usual_lines(void)
{
    static const char file[] = "kernels/fake/plain.cu";
    kg__lines *lines = kg__lines_make();

    kg__lines_at(lines, file, strlen(file), 14)->value[KG__GLOBAL_LOAD_REQUESTS] = 200;
    kg__lines_at(lines, file, strlen(file), 14)->value[KG__GLOBAL_LOAD_SECTORS] = 400;
    kg__lines_at(lines, file, strlen(file), 15)->value[KG__BARRIERS] = 8;
    kg__lines_at(lines, file, strlen(file), 16)->value[KG__GLOBAL_STORE_REQUESTS] = 100;
    kg__lines_at(lines, file, strlen(file), 16)->value[KG__GLOBAL_STORE_SECTORS] = 400;
    return lines;
}

void store_counts(void)
{
    static const char *const ids[] = { "fake/plain/64/b32", "fake/plain/64/b64",
                                       "fake/quick/64/b32", "fake/quick/64/b64" };
    static const struct {
        const char *counter;
        double value;
    } usual[] = {
        { "global_load_requests", 200 },
        { "global_load_sectors", 400 },
        { "global_store_requests", 100 },
        { "global_store_sectors", 400 },
        { "barriers", 8 },
        { "unique_bytes_read", 256 },
        { "unique_bytes_written", 256 },
    };

    counts.target = (kg__target){ .key = KG__MODEL_KEY, .compiler = "gcc 12.2.0" };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        kg__baseline_case *entry = add_baseline_case(&counts, ids[i]);

        for (size_t j = 0; j < sizeof usual / sizeof *usual; j++)
            add_baseline_metric(entry, usual[j].counter)->value = usual[j].value;
        entry->lines = usual_lines();
    }
    save_counts();
}
