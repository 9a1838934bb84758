#include "fake_runs.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gating.h"
#include "message.h"
#include "records.h"

kg__baseline baseline;
kg__baseline counts;

void begin_fake_runs(void)
{
    make_folder();
    cr_assert(mkdir(at("baselines"), 0777) == 0);
    set("KG_OUT", at("out"));
    set("KG_BASELINES", at("baselines"));
    set("KG_LOCK_DIR", at(""));
    set("FAKE_LOG", at("log"));
    set("FAKE_PLAN", at("plan"));
    set("FAKE_COUNT_LOG", at("count_log"));
    set("FAKE_COUNT_PLAN", at("count_plan"));
    set("KG_CASE_TIMEOUT", "20");
    set("KG_FILTER", "fake/plain/*,fake/quick/*");
    baseline.target = (kg__target){ .key = "nvidia-fake",
                                    .name = "NVIDIA Fake",
                                    .compute_capability = "9.0",
                                    .memory_mib = 81920,
                                    .multiprocessors = 132 };
}

void end_fake_runs(void)
{
    kg__baseline_free(&baseline);
    kg__baseline_free(&counts);
    remove_folder();
}

ending run(const char *program, const char *option)
{
    const char *const arguments[] = { program, option, NULL };

    return drive(arguments, environment);
}

void expect_run(const char *program, const char *option, int code, const char *line)
{
    expect_drive((const char *const[]){ program, option, NULL }, code, line);
}

void expect_check(int code, const char *line)
{
    expect_run(KG__FAKE_MODEL, "--filter=fake/check", code, line);
}

void expect_time(int code, const char *line)
{
    expect_run(KG__FAKE_GPU, "--filter=fake/time", code, line);
}

json_t *verdicts_of(const char *test)
{
    char name[128];

    kg__format(name, sizeof name, "out/records/%s.verdicts.json", test);
    return read_json(at(name));
}

size_t size_of(const json_t *verdicts, const char *list)
{
    return json_array_size(json_object_get(verdicts, list));
}

void expect_case(const char *test, const char *id, const char *verdict, const char *why)
{
    json_t *verdicts = verdicts_of(test);
    const json_t *entry = kg__find_entry(verdicts, id);

    cr_assert(entry != NULL, "%s: %s is not there", test, id);
    cr_assert(strcmp(kg__json_text(entry, "verdict"), verdict) == 0, "%s: %s (%s)", id,
              kg__json_text(entry, "verdict"), kg__json_text(entry, "why"));
    cr_assert(strstr(kg__json_text(entry, "why"), why) != NULL, "%s: %s", id,
              kg__json_text(entry, "why"));
    json_decref(verdicts);
}

size_t count_cases(const char *test, const char *verdict)
{
    json_t *verdicts = verdicts_of(test);
    size_t count = 0;
    size_t i;
    json_t *entry;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry)
        count += strcmp(kg__json_text(entry, "verdict"), verdict) == 0;
    json_decref(verdicts);
    return count;
}

void expect_skip(const char *test, const char *by, const char *why)
{
    json_t *verdicts = verdicts_of(test);

    cr_assert(strcmp(kg__json_text(verdicts, "skipped_by"), by) == 0, "%s, expected %s",
              kg__json_text(verdicts, "skipped_by"), by);
    cr_assert(strstr(kg__json_text(verdicts, "skipped"), why) != NULL, "%s",
              kg__json_text(verdicts, "skipped"));
    cr_assert(json_is_true(json_object_get(verdicts, "complete")));
    json_decref(verdicts);
}

void plan_counts(const char *text)
{
    write_text(at("count_plan"), text);
    (void)unlink(at("count_log"));
}

/* How many processes a log counts, a line each; none where it is not there. */
static size_t processes_in(const char *log)
{
    char *text;
    size_t count;

    if (!exists(at(log)))
        return 0;
    text = read_text(at(log));
    count = occurrences(text, "\n");
    free(text);
    return count;
}

size_t instrumented_processes(void)
{
    return processes_in("count_log");
}

void plan(const char *text)
{
    write_text(at("plan"), text);
    (void)unlink(at("log"));
}

size_t processes(void)
{
    return processes_in("log");
}

void expect_mishaps(const fake_part *part, const mishap *mishaps, size_t number, size_t passing)
{
    set("KG_CASE_TIMEOUT", "1");
    for (size_t i = 0; i < number; i++) {
        const mishap *one = &mishaps[i];
        char text[64];

        kg__format(text, sizeof text, "* " SLOW " %s\n", one->event);
        part->plan(text);
        part->expect(one->code, one->why);
        expect_case(part->test, SLOW, one->verdict, one->why);
        cr_assert(count_cases(part->test, "pass") == passing, "%s", one->event);
        cr_assert(part->observers() == one->observers, "%s: %zu observers", one->event,
                  part->observers());
    }
}

static kg__baseline_metric *add_metric(kg__baseline_case *entry, const char *name, double value)
{
    double sessions[5] = { value, value, value, value, value };
    kg__baseline_metric *metric = kg__baseline_add_metric(entry, name);

    metric->value = value;
    metric->band = 0.02;
    metric->floor = 50;
    kg__baseline_set_sessions(metric, sessions, 5);
    return metric;
}

void add_case(const char *id, double hot)
{
    kg__baseline_case *entry = kg__baseline_add(&baseline, id);

    free(entry->commit);
    entry->commit = kg__copy_text("0123456789");
    (void)add_metric(entry, "time_ns", hot);
    (void)add_metric(entry, "cold_time_ns", 1.2 * hot);
}

void save_baseline(void)
{
    kg__error error = { "" };

    cr_assert(kg__baseline_save(at("baselines/nvidia-fake.json"), &baseline, &error), "%s",
              error.text);
}

void store_baseline(void)
{
    add_case("fake/plain/64/b32", 10000);
    add_case("fake/plain/64/b64", 10000);
    add_case("fake/quick/64/b32", 5000);
    add_case("fake/quick/64/b64", 5000);
    (void)add_metric(kg__baseline_add_sentinel(&baseline, "copy"), "time_ns", 100000);
    (void)add_metric(kg__baseline_add_sentinel(&baseline, "fma"), "time_ns", 200000);
    save_baseline();
}

void expect_merge(int code, const char *line)
{
    expect_drive((const char *const[]){ KG__COMMAND, "results", NULL }, code, line);
}

json_t *merged_results(int code)
{
    expect_merge(code, NULL);
    return read_json(at("out/results.json"));
}

const char *lone_program(void)
{
    static char path[512];
    char command[1200];

    kg__format(path, sizeof path, "%s", at("lone.model"));
    kg__format(command, sizeof command, "cp '%s' '%s'", KG__FAKE_MODEL, path);
    cr_assert(system(command) == 0);
    return path;
}

void expect_count(int code, const char *line)
{
    expect_run(KG__FAKE_MODEL, "--filter=fake/count", code, line);
}

void save_counts(void)
{
    kg__error error = { "" };

    cr_assert(kg__baseline_save(at("baselines/cpu-model.json"), &counts, &error), "%s", error.text);
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
    json_t *lines = json_pack("{s:{s:i, s:i}, s:{s:i, s:i}}", "kernels/fake/plain.cu:14",
                              "global_load_requests", 200, "global_load_sectors", 400,
                              "kernels/fake/plain.cu:16", "global_store_requests", 100,
                              "global_store_sectors", 400);

    counts.target = (kg__target){ .key = KG__MODEL_KEY, .compiler = "gcc 12.2.0" };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        kg__baseline_case *entry = kg__baseline_add(&counts, ids[i]);

        for (size_t j = 0; j < sizeof usual / sizeof *usual; j++)
            kg__baseline_add_metric(entry, usual[j].counter)->value = usual[j].value;
        kg__baseline_set_lines(entry, lines);
    }
    json_decref(lines);
    save_counts();
}
