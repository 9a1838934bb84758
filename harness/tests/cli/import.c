/* The command `kernelgate import`: documents of nvbench and google-benchmark from their first line
 * to a verdict, to a baseline, and to what they are refused for. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"
#include "base/message.h"

#define COPY "copy/strided/1048576/b256"
#define SCAN "scan/i32/65536/-"

static void begin(void)
{
    make_folder();
    cr_assert(chdir(at("")) == 0);
    set("KG_OUT", at("out"));
    set("KG_BASELINES", at("baselines"));
    set("KG_LOCK_DIR", at(""));
    set("KG_FILTER", NULL);
    set("KG_STRICT", NULL);
}

TestSuite(import, .init = begin, .fini = remove_folder, .timeout = 60);

static json_t *named_value(const char *name, const char *type, const char *value)
{
    return json_pack("{s:s, s:s, s:s}", "name", name, "type", type, "value", value);
}

/* A summary of nvbench, whose numbers are texts. */
static json_t *summary(const char *tag, const char *hint, double value)
{
    char text[64];

    kg__format(text, sizeof text, "%.17g", value);
    return json_pack(
        "{s:s, s:s, s:[o]}", "tag", tag, "hint", hint, "data",
        named_value("value", strcmp(hint, "sample_size") == 0 ? "int64" : "float64", text));
}

/* A state that took `cold` and `batch` seconds. */
static json_t *state(const char *name, json_t *axes, double cold, double batch)
{
    return json_pack("{s:s, s:i, s:o, s:[o, o, o, o, o], s:b}", "name", name, "device", 0,
                     "axis_values", axes, "summaries",
                     summary("nv/cold/sample_size", "sample_size", 400),
                     summary("nv/cold/time/gpu/mean", "duration", cold),
                     summary("nv/cold/time/gpu/stdev/relative", "percentage", 0.01),
                     summary("nv/batch/sample_size", "sample_size", 5000),
                     summary("nv/batch/time/gpu/mean", "duration", batch), "is_skipped", 0);
}

/* Two benchmarks on a GPU, each time `factor` of what it is. */
static json_t *nvbench(double factor)
{
    json_t *copy = state("Size=2^20 BlockSize=256",
                         json_pack("[o, o]", named_value("Size", "int64", "1048576"),
                                   named_value("BlockSize", "int64", "256")),
                         30e-6 * factor, 20e-6 * factor);
    json_t *scan = state("T=I32 Elements=2^16",
                         json_pack("[o, o]", named_value("T", "string", "I32"),
                                   named_value("Elements", "int64", "65536")),
                         60e-6 * factor, 50e-6 * factor);

    return json_pack("{s:{s:{s:{s:i, s:s}, s:{s:s}}}, s:[{s:i, s:s, s:i, s:i, s:I}], "
                     "s:[{s:s, s:[o]}, {s:s, s:[o]}]}",
                     "meta", "version", "json", "major", 1, "string", "1.0.0", "nvbench", "string",
                     "0.1.0", "devices", "id", 0, "name", "NVIDIA Fake", "sm_version", 900,
                     "number_of_sms", 132, "global_memory_size", (json_int_t)81920 << 20,
                     "benchmarks", "name", "copy/strided", "states", copy, "name", "scan", "states",
                     scan);
}

/* A run of google-benchmark. */
static json_t *run(const char *name, double time, const char *unit)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:s}", "name", name, "run_name", name,
                     "run_type", "iteration", "threads", 1, "real_time", time, "cpu_time", time,
                     "time_unit", unit);
}

/* A benchmark that was repeated six times, and one that was not. */
static json_t *google(double factor)
{
    static const double spread[] = { 1.001, 0.999, 1.0, 1.002, 0.998, 1.0 };
    json_t *benchmarks = json_array();

    for (size_t i = 0; i < sizeof spread / sizeof *spread; i++)
        json_array_append_new(benchmarks, run("BM_copy<float>/1024/block:64/repeats:6/manual_time",
                                              5.0 * factor * spread[i], "us"));
    json_array_append_new(benchmarks, run("BM_scan/up/31x33", 0.25 * factor, "ms"));
    return json_pack("{s:{s:s, s:i}, s:o}", "context", "date", "2026-11-21T08:48:53+00:00",
                     "json_schema_version", 1, "benchmarks", benchmarks);
}

/* Writes a document; the path stays good to the end of the test. */
static const char *keep(json_t *document, const char *name)
{
    cr_assert(document != NULL && json_dump_file(document, at(name), 0) == 0);
    json_decref(document);
    return name;
}

/* The benchmark's state or run at `index`, borrowed. */
static json_t *state_of(json_t *document, size_t benchmark)
{
    json_t *one = json_array_get(json_object_get(document, "benchmarks"), benchmark);

    return json_array_get(json_object_get(one, "states"), 0);
}

static json_t *run_of(json_t *document, size_t index)
{
    return json_array_get(json_object_get(document, "benchmarks"), index);
}

static ending import_as(const char *tool, const char *target, const char *const *files)
{
    const char *arguments[12] = { KG__COMMAND, "import", "--from", tool };
    size_t count = 4;

    if (target != NULL) {
        arguments[count++] = "--target";
        arguments[count++] = target;
    }
    for (; *files != NULL; files++)
        arguments[count++] = *files;
    return drive(arguments, environment);
}

static void expect_import(const char *tool, const char *target, const char *file, int code,
                          const char *line)
{
    ending seen = import_as(tool, target, (const char *const[]){ file, NULL });

    expect_ending(&seen, code, line);
    free(seen.output);
}

/* A document that is refused leaves no results and no baseline. */
static void expect_refusal(const char *tool, const char *target, json_t *document, const char *line)
{
    expect_import(tool, target, keep(document, "bad.json"), 2, line);
    cr_assert_not(exists(at("out/results.json")));
}

/* A document of one benchmark on a board; its case is a/1_5/-/- of the value 1.5, and of 1,5. */
static json_t *one_state(int board, const char *value)
{
    json_t *document = nvbench(1);
    json_t *benchmark = json_array_get(json_object_get(document, "benchmarks"), 0);
    char name[64];

    kg__format(name, sizeof name, "Device=%d N=%s", board, value);
    json_array_remove(json_object_get(document, "benchmarks"), 1);
    json_object_set_new(benchmark, "name", json_string("a"));
    json_object_set_new(
        benchmark, "states",
        json_pack("[o]", state(name, json_pack("[o]", named_value("N", "string", value)),
                               30e-6 + 1e-9 * board, 20e-6)));
    return document;
}

static json_t *entry_of(const char *id)
{
    json_t *results = read_json(at("out/results.json"));
    json_t *entry;
    json_t *found = NULL;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        if (strcmp(json_string_value(json_object_get(entry, "case")), id) == 0)
            found = json_incref(entry);
    }
    json_decref(results);
    cr_assert(found != NULL, "%s is not in the results", id);
    return found;
}

/* Files of several processes hold a case by one benchmark, on whichever board each ran. */
Test(import, two_benchmarks_of_two_files_that_would_be_one_case)
{
    const char *const alike[] = { keep(one_state(0, "1.5"), "a.json"),
                                  keep(one_state(1, "1.5"), "b.json"), NULL };
    const char *const unlike[] = { "a.json", keep(one_state(2, "1,5"), "c.json"), NULL };
    ending seen = import_as("nvbench", NULL, alike);

    expect_ending(&seen, 77, "a/1_5/-/-");
    free(seen.output);
    seen = import_as("nvbench", NULL, unlike);
    expect_ending(&seen, 2,
                  "c.json: a Device=2 N=1,5 would be case a/1_5/-/-, as a Device=0 N=1.5 of an "
                  "earlier file is: name them so that a value tells them apart");
    free(seen.output);
}

static double figure(const char *id, const char *metric, const char *name)
{
    json_t *entry = entry_of(id);
    const json_t *figures = json_object_get(json_object_get(entry, "metrics"), metric);
    double value = json_number_value(json_object_get(figures, name));

    json_decref(entry);
    return value;
}

static void expect_figures(const char *id, const char *metric, double value, double low,
                           double high)
{
    cr_expect(fabs(figure(id, metric, "value") - value) < 0.05, "%g", figure(id, metric, "value"));
    cr_expect(fabs(figure(id, metric, "low") - low) < 0.05, "%g", figure(id, metric, "low"));
    cr_expect(fabs(figure(id, metric, "high") - high) < 0.05, "%g", figure(id, metric, "high"));
}

/* Adopts `count` results of imports, of any commit. */
static void expect_adoption_of(int code, size_t count, const char *line)
{
    static const char *const names[] = { "r0.json", "r1.json", "r2.json", "r3.json", "r4.json" };
    const char *arguments[12] = { KG__COMMAND,   "baseline",      "adopt",
                                  "--baselines", at("baselines"), "--any-commit" };

    for (size_t i = 0; i < count; i++)
        arguments[6 + i] = names[i];
    expect_drive(arguments, code, line);
}

static void expect_adoption(size_t count, const char *line)
{
    expect_adoption_of(0, count, line);
}

/* Records a baseline by five imports, half a thousandth apart. */
static void record(json_t *(*document)(double), const char *tool, const char *target)
{
    char name[32];
    char path[128];
    ending seen;

    for (int i = 0; i < 5; i++) {
        (void)rename(at("out/results.json"), at("unused.json"));
        expect_import(tool, target, keep(document(1 + 0.0005 * i), "a.json"), 77,
                      "record them by the results of five imports");
        kg__format(name, sizeof name, "r%d.json", i);
        cr_assert(rename(at("out/results.json"), at(name)) == 0);
    }
    expect_adoption(5, "2 of 4 cases and sentinels changed, by the results of 5 gates");
    kg__format(path, sizeof path, "baselines/%s.json",
               target != NULL ? target : "nvidia-fake-nvbench");
    seen = drive((const char *const[]){ KG__COMMAND, "baseline", "lint", path, NULL }, environment);
    expect_ending(&seen, 0, "ok: 2 cases");
    free(seen.output);
}

Test(import, nvbench_from_documents_to_verdicts)
{
    json_t *baseline;

    record(nvbench, "nvbench", NULL);
    baseline = read_json(at("baselines/nvidia-fake-nvbench.json"));
    cr_expect(json_integer_value(
                  json_object_get(json_object_get(baseline, "target"), "memory_mib")) == 81920);
    json_decref(baseline);
    expect_import("nvbench", NULL, keep(nvbench(1.004), "b.json"), 0,
                  "pass         nvidia-fake-nvbench  " COPY
                  "         hot 20 080 ns (+0.3 %)  cold 30 120 ns (+0.3 %)");
    expect_figures(COPY, "time_ns", 20080, 20080, 20080);
    /* 1.96 * 0.01 / sqrt(400) of the mean. */
    expect_figures(COPY, "cold_time_ns", 30120, 30120 * (1 - 0.00098), 30120 * (1 + 0.00098));
    expect_import("nvbench", NULL, keep(nvbench(1.05), "c.json"), 1,
                  "reproduce: KG_FILTER='" COPY "' kernelgate import --from nvbench c.json");
    expect_import("nvbench", NULL, keep(nvbench(0.9), "d.json"), 0,
                  "to keep it: kernelgate baseline adopt --yes");
}

Test(import, prints_its_results)
{
    const char *arguments[] = { KG__COMMAND, "import", "--json", "--from", "nvbench", "", NULL };
    char *complaints;
    json_t *document;
    json_t *stored;

    arguments[5] = keep(nvbench(1), "a.json");
    document = drive_document(arguments, environment, 77, SCHEMA_OF("results"), &complaints);
    stored = read_json(at("out/results.json"));
    cr_expect(json_equal(document, stored));
    cr_expect(strstr(complaints, "record them by the results of five imports") != NULL, "%s",
              complaints);
    (void)ENTRY(document, "cases", "case", COPY, "verdict", "no-baseline");
    free(complaints);
    json_decref(document);
    json_decref(stored);
    record(nvbench, "nvbench", NULL);
    arguments[5] = keep(nvbench(1.05), "b.json");
    document = drive_document(arguments, environment, 1, SCHEMA_OF("results"), NULL);
    (void)ENTRY(document, "cases", "case", COPY, "verdict", "slower");
    json_decref(document);
}

Test(import, google_benchmark_from_documents_to_verdicts)
{
    record(google, "google-benchmark", "my-cpu");
    expect_import("google-benchmark", "my-cpu", keep(google(1.004), "b.json"), 0,
                  "pass         my-cpu       copy/float/1024/b64");
    expect_figures("copy/float/1024/b64", "time_ns", 5020, 5020 * 0.998, 5020 * 1.002);
    expect_figures("scan/up/31x33/-", "time_ns", 251000, 251000, 251000);
    expect_import("google-benchmark", "my-cpu", keep(google(1.05), "c.json"), 1,
                  "reproduce: KG_FILTER='scan/up/31x33/-' kernelgate import --from "
                  "google-benchmark --target my-cpu c.json");
}

Test(import, results_count_once)
{
    record(nvbench, "nvbench", NULL);
    expect_adoption(1, "was adopted before: its times do not count again");
}

/* What two tools measure of a kernel are two things. */
Test(import, another_tools_baseline)
{
    record(nvbench, "nvbench", "my-cpu");
    expect_import("google-benchmark", "my-cpu", keep(google(1), "a.json"), 2,
                  "my-cpu.json: was measured by nvbench 0.1.0, not google-benchmark");
    (void)rename(at("out/results.json"), at("r0.json"));
    expect_adoption_of(2, 1, "r0.json: was measured by google-benchmark, and ");
}

/* One process that was slow is outvoted by two that were not. */
Test(import, the_median_of_several_files_decides)
{
    const char *files[] = { keep(nvbench(1.001), "b.json"), keep(nvbench(1.2), "c.json"),
                            keep(nvbench(1.002), "d.json"), NULL };
    ending seen;

    record(nvbench, "nvbench", NULL);
    seen = import_as("nvbench", NULL, files);
    expect_ending(&seen, 0, "kernelgate: 2 cases on nvidia-fake-nvbench: 2 pass");
    free(seen.output);
    files[2] = files[1];
    seen = import_as("nvbench", NULL, files);
    expect_ending(&seen, 2, "c.json: holds the same as c.json");
    free(seen.output);
}

static void write_samples(const char *name, size_t count, float first)
{
    FILE *file = fopen(at(name), "wb");

    cr_assert(file != NULL);
    for (size_t i = 0; i < count; i++) {
        float sample = first + (float)i * 1e-6f;

        cr_assert(fwrite(&sample, sizeof sample, 1, file) == 1);
    }
    cr_assert(fclose(file) == 0);
}

/* A document that names a file of `count` samples. */
static json_t *with_samples(const char *file, const char *count)
{
    json_t *document = nvbench(1);

    json_array_append_new(json_object_get(state_of(document, 0), "summaries"),
                          json_pack("{s:s, s:s, s:[o, o]}", "tag",
                                    "nv/json/bin:nv/cold/sample_times", "hint", "file/sample_times",
                                    "data", named_value("filename", "string", file),
                                    named_value("size", "int64", count)));
    return document;
}

Test(import, all_samples_of_nvbench)
{
    cr_assert(mkdir(at("e.json-bin"), 0777) == 0);
    write_samples("e.json-bin/0.bin", 11, 40e-6f);
    expect_import("nvbench", NULL, keep(with_samples("e.json-bin/0.bin", "11"), "e.json"), 77,
                  "cold 45 000 ns");
    /* Of eleven samples the second and the tenth hold the median with 98.8 %. */
    expect_figures(COPY, "cold_time_ns", 45000, 41000, 49000);
    /* The folder was moved since. */
    expect_import("nvbench", NULL, keep(with_samples("/gone/e.json-bin/0.bin", "11"), "e.json"), 77,
                  "cold 45 000 ns");
    expect_import("nvbench", NULL, keep(with_samples("e.json-bin/0.bin", "12"), "e.json"), 2,
                  "does not hold the 12 samples");
    expect_import("nvbench", NULL, keep(with_samples("e.json-bin/0.bin", "10"), "e.json"), 2,
                  "does not hold the 10 samples");
    expect_import("nvbench", NULL, keep(with_samples("e.json-bin/7.bin", "11"), "e.json"), 2,
                  "its samples' file e.json-bin/7.bin cannot be read: No such file");
    expect_import("nvbench", NULL, keep(with_samples("e.json-bin/0.bin", "many"), "e.json"), 2,
                  "does not say in which file how many samples are");
    cr_assert(mkfifo(at("e.json-bin/7.bin"), 0666) == 0);
    expect_import("nvbench", NULL, keep(with_samples("e.json-bin/7.bin", "11"), "e.json"), 2,
                  "e.json-bin/7.bin cannot be read: it is not a regular file");
    expect_import("nvbench", NULL, keep(with_samples("/dev/zero", "11"), "e.json"), 2,
                  "/dev/zero cannot be read: it is not a regular file");
    write_samples("e.json-bin/0.bin", 11, -5e-6f);
    expect_import("nvbench", NULL, keep(with_samples("e.json-bin/0.bin", "11"), "e.json"), 2,
                  "sample 1 of e.json-bin/0.bin is no time above 0");
}

Test(import, the_median_of_nvbench)
{
    json_t *document = nvbench(1);
    json_t *summaries = json_object_get(state_of(document, 0), "summaries");

    json_array_append_new(summaries, summary("nv/cold/time/gpu/q1", "duration", 28e-6));
    json_array_append_new(summaries, summary("nv/cold/time/gpu/median", "duration", 29e-6));
    json_array_append_new(summaries, summary("nv/cold/time/gpu/q3", "duration", 31e-6));
    expect_import("nvbench", NULL, keep(document, "a.json"), 77, "cold 29 000 ns");
    /* 1.815 * 3000 / sqrt(400). */
    expect_figures(COPY, "cold_time_ns", 29000, 29000 - 272.25, 29000 + 272.25);
}

Test(import, what_did_not_run)
{
    json_t *document = google(1);

    record(google, "google-benchmark", "my-cpu");
    json_object_set_new(run_of(document, 6), "error_occurred", json_true());
    json_object_set_new(run_of(document, 6), "error_message", json_string("no device"));
    expect_import("google-benchmark", "my-cpu", keep(document, "b.json"), 2,
                  "error        my-cpu       scan/up/31x33/-                   no device");
    document = google(1);
    json_object_set_new(run_of(document, 6), "skipped", json_true());
    json_object_set_new(run_of(document, 6), "skip_message", json_string("too large"));
    expect_import("google-benchmark", "my-cpu", keep(document, "b.json"), 2,
                  "is in the baseline and was skipped: too large");
    document = google(1);
    json_array_remove(json_object_get(document, "benchmarks"), 6);
    json_array_append_new(json_object_get(document, "benchmarks"), run("BM_scan/down/7", 2, "s"));
    expect_import("google-benchmark", "my-cpu", keep(document, "b.json"), 1,
                  "scan/up/31x33/-: in the baseline and in none of the files");
    document = nvbench(1);
    json_object_set_new(state_of(document, 1), "is_skipped", json_true());
    json_object_set_new(state_of(document, 1), "skip_reason", json_string("too small"));
    expect_import("nvbench", NULL, keep(document, "b.json"), 77,
                  "refused      nvidia-fake-nvbench  " SCAN "                  too small");
}

/* Without batches there is no hot time, and a baseline that has one misses it. */
Test(import, a_metric_that_is_lost)
{
    json_t *document = nvbench(1);

    record(nvbench, "nvbench", NULL);
    json_array_remove(json_object_get(state_of(document, 0), "summaries"), 4);
    expect_import("nvbench", NULL, keep(document, "b.json"), 2,
                  "time_ns is in the baseline and was not measured (nvbench measured no batch");
}

Test(import, a_filter)
{
    set("KG_FILTER", "scan/*");
    expect_import("nvbench", NULL, keep(nvbench(1), "a.json"), 77, SCAN);
    set("KG_FILTER", "sum/*");
    expect_import("nvbench", NULL, keep(nvbench(1), "a.json"), 2,
                  "KG_FILTER=sum/* takes none of the 2 cases, such as " SCAN);
}

/* Aggregates, fits and times of nothing. */
Test(import, runs_that_are_no_repetition)
{
    json_t *document = google(1);
    json_t *benchmarks = json_object_get(document, "benchmarks");
    json_t *aggregate = run("BM_sum/8_median", 7, "us");

    json_object_set_new(aggregate, "run_name", json_string("BM_sum/8"));
    json_object_set_new(aggregate, "run_type", json_string("aggregate"));
    json_object_set_new(aggregate, "aggregate_name", json_string("median"));
    json_array_append_new(benchmarks, aggregate);
    aggregate = json_deep_copy(aggregate);
    json_object_set_new(aggregate, "run_name", json_string("BM_sum"));
    json_object_set_new(aggregate, "aggregate_name", json_string("BigO"));
    json_object_del(aggregate, "real_time");
    json_array_append_new(benchmarks, aggregate);
    json_array_append_new(benchmarks, run("BM_nothing", 0.25, "ns"));
    expect_import("google-benchmark", "my-cpu", keep(document, "a.json"), 77,
                  "refused      my-cpu       nothing/-/-/-");
    expect_figures("sum/-/8/-", "time_ns", 7000, 7000, 7000);
}

Test(import, bad_documents_of_nvbench)
{
    json_t *document = nvbench(1);

    json_object_del(document, "meta");
    expect_refusal("nvbench", NULL, document, "does not say of which version it is");
    document = nvbench(1);
    json_object_set_new(
        document, "meta",
        json_pack("{s:{s:{s:i, s:s}}}", "version", "json", "major", 2, "string", "2.0.0"));
    expect_refusal("nvbench", NULL, document, "is of version 2.0.0, and this kernelgate knows 1.x");
    document = nvbench(1);
    json_object_del(document, "devices");
    expect_refusal("nvbench", NULL, document, "has no lists of \"devices\" and \"benchmarks\"");
    document = nvbench(1);
    json_array_clear(json_object_get(document, "benchmarks"));
    expect_refusal("nvbench", NULL, document, "holds no benchmark");
    document = nvbench(1);
    json_object_set_new(state_of(document, 0), "device", json_integer(3));
    expect_refusal("nvbench", NULL, document, "ran on a device that is none of the document's");
    document = nvbench(NAN);
    expect_refusal("nvbench", NULL, document,
                   "copy/strided Size=2^20 BlockSize=256: nv/batch/time/gpu/mean is no time");
    document = nvbench(-1);
    expect_refusal("nvbench", NULL, document, "is no time above 0");
    document = nvbench(1e100);
    expect_refusal("nvbench", NULL, document, "is months: run the benchmark again");
    document = nvbench(1);
    json_object_set_new(json_array_get(json_object_get(state_of(document, 0), "summaries"), 1),
                        "hint", json_string("item_rate"));
    expect_refusal("nvbench", NULL, document, "is a item_rate, not a duration");
    document = nvbench(1);
    json_array_clear(json_object_get(state_of(document, 0), "summaries"));
    expect_refusal("nvbench", NULL, document, "has no summary nv/cold/time/gpu/mean");
    document = nvbench(1);
    json_object_set_new(json_array_get(json_object_get(state_of(document, 0), "axis_values"), 0),
                        "value", json_null());
    expect_refusal("nvbench", NULL, document, "its axis Size has no value");
}

Test(import, two_states_of_one_case)
{
    json_t *document = nvbench(1);
    json_t *states =
        json_object_get(json_array_get(json_object_get(document, "benchmarks"), 0), "states");
    json_t *other = json_deep_copy(state_of(document, 0));

    json_array_append_new(states, other);
    expect_refusal("nvbench", NULL, json_deep_copy(document), "would both be case " COPY);
    json_array_append_new(json_object_get(document, "devices"),
                          json_pack("{s:i, s:s}", "id", 1, "name", "NVIDIA Fake"));
    json_object_set_new(other, "device", json_integer(1));
    expect_refusal("nvbench", NULL, document,
                   "two devices of target nvidia-fake-nvbench ran " COPY);
}

Test(import, bad_documents_of_google_benchmark)
{
    json_t *document = google(1);

    json_object_set_new(json_object_get(document, "context"), "json_schema_version",
                        json_integer(2));
    expect_refusal("google-benchmark", "my-cpu", document, "its json_schema_version is not 1");
    document = google(1);
    json_object_del(document, "context");
    expect_refusal("google-benchmark", "my-cpu", document, "has no \"context\" and list");
    document = google(1);
    json_object_set_new(run_of(document, 6), "time_unit", json_string("min"));
    expect_refusal("google-benchmark", "my-cpu", document,
                   "BM_scan/up/31x33: its time_unit is \"min\", not ns, us, ms or s");
    document = google(1);
    json_object_del(run_of(document, 6), "real_time");
    expect_refusal("google-benchmark", "my-cpu", document, "BM_scan/up/31x33: has no real_time");
    document = google(1);
    json_object_set_new(run_of(document, 6), "real_time", json_real(0));
    expect_refusal("google-benchmark", "my-cpu", document, "its real_time is 0");
    document = google(1);
    json_object_set_new(run_of(document, 6), "real_time", json_real(1e200));
    expect_refusal("google-benchmark", "my-cpu", document, "its real_time of 1e+200 ms is months");
    document = google(1);
    json_object_del(run_of(document, 6), "run_type");
    expect_refusal("google-benchmark", "my-cpu", document, "its run_type is \"\"");
    document = google(1);
    json_object_del(run_of(document, 6), "run_name");
    json_object_del(run_of(document, 6), "name");
    expect_refusal("google-benchmark", "my-cpu", document,
                   "benchmarks[6] is no object with a name");
    document = google(1);
    json_object_set_new(run_of(document, 6), "run_type", json_string("aggregate"));
    json_object_set_new(run_of(document, 6), "aggregate_name", json_string("mean"));
    expect_refusal("google-benchmark", "my-cpu", document, "has no repetition and no median");
    document = google(1);
    json_array_clear(json_object_get(document, "benchmarks"));
    expect_refusal("google-benchmark", "my-cpu", document, "holds no benchmark");
    expect_refusal("google-benchmark", NULL, google(1), "names no GPU: give --target KEY");
}

/* What was said to nobody was not said. */
Test(import, an_output_that_takes_nothing)
{
    const char *file = keep(nvbench(1), "a.json");
    char script[1024];
    const char *const arguments[] = { "/bin/sh", "-c", script, NULL };

    kg__format(script, sizeof script,
               "%s import --from nvbench --out %s --baselines %s %s > /dev/full", KG__COMMAND,
               at("out"), at(""), file);
    expect_drive(arguments, 2, "the verdicts: the standard output takes no more");
    kg__format(script, sizeof script, "%s help import > /dev/full", KG__COMMAND);
    expect_drive(arguments, 2, "help: the standard output takes no more");
}

Test(import, bad_files_and_options)
{
    ending seen;

    write_text(at("text.json"), "{ \"benchmarks\": [ NaN ] }");
    expect_import("nvbench", NULL, "text.json", 2, "text.json:1: is no JSON");
    expect_import("nvbench", NULL, "absent.json", 2, "absent.json: cannot be read: No such file");
    expect_import("nvbench", NULL, ".", 2, ".: cannot be read: it is not a regular file");
    expect_refusal("nvbench", NULL, google(1), "looks like a document of google-benchmark");
    expect_refusal("google-benchmark", "x", nvbench(1), "looks like a document of nvbench");
    expect_refusal("nvbensh", NULL, nvbench(1),
                   "--from nvbensh: is unknown; did you mean nvbench?");
    expect_refusal("nvbench", "My GPU", nvbench(1), "--target My GPU: is no target's key");
    expect_refusal("nvbench", "cpu-model", nvbench(1), "holds exact counters, and no times");
    expect_refusal("nvbench", "nvidia-fake", nvbench(1), "--target nvidia-fake: ");
    seen = import_as("nvbench", NULL, (const char *const[]){ NULL });
    expect_ending(&seen, 2, "needs the file that nvbench wrote");
    free(seen.output);
    expect_drive((const char *const[]){ KG__COMMAND, "import", "a.json", NULL }, 2,
                 "--from is missing: nvbench or google-benchmark");
    cr_assert(mkdir(at("baselines"), 0777) == 0);
    write_text(at("baselines/nvidia-fake-nvbench.json"), "{");
    expect_import("nvbench", NULL, keep(nvbench(1), "a.json"), 2, "nvidia-fake-nvbench.json:1: ");
}
